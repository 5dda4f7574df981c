// 走哪几页：整节课，或只走短课（T）；课后的选读（X）。不在路上的页记成 uncounted，页码、G、进度条就都不数它。
// 讲到哪里、照讲稿用了多久，讲稿窗口从 window.lesson 读。
const Paths = () => {
  const root = document.documentElement;
  const all = [...document.querySelectorAll(".slides section[data-cell]")];
  const beyond = (page) => page.id.startsWith("optional");
  const lesson = all.filter((page) => !beyond(page));
  const hasShort = lesson.some((page) => page.dataset.short);
  let deck, short = false, left = null, started = null;

  const onPath = (page) => !short || page.dataset.short !== undefined;
  const road = () => all.filter((page) => beyond(page) || onPath(page));
  const path = () => lesson.filter(onPath);
  const go = (page) => {
    const { h, v } = deck.getIndices(page);
    deck.slide(h, v ?? 0);
  };
  const say = (text) => {
    const said = document.getElementById("said");
    said.textContent = text;
    clearTimeout(said.timer);
    said.timer = setTimeout(() => (said.textContent = ""), 4000);
  };

  const receiver = /[?&]receiver\b/.test(location.search);
  const setShort = (value) => {
    if (value === short || !hasShort) return;
    short = value;
    root.classList.toggle("short", short);
    for (const page of lesson)
      if (onPath(page)) delete page.dataset.visibility;
      else page.dataset.visibility = "uncounted";
    if (receiver) return; // 讲稿窗口里的小窗：该在哪一页，接着就告诉它；自己翻，会把大屏幕也翻回去
    const here = deck.getCurrentSlide();
    const before = lesson.slice(0, lesson.indexOf(here) + 1).filter(onPath);
    go(beyond(here) ? here : before.at(-1) ?? path()[0]);
    deck.dispatchEvent({ type: "resumed" }); // 讲稿窗口听这一件事，重画它的小窗
  };
  const toggleShort = () => {
    if (receiver) return; // 跟着大屏幕走
    if (!hasShort) return say("这一份没有短课：整份就讲完。");
    setShort(!short);
    remember();
    const { before, here, after } = plan();
    const minutes = Math.round((before + here + after) / 60);
    say(short ? `短课：${path().length} 页，${minutes} 分钟。再按 T 回到整节课。` : `整节课：${minutes} 分钟。`);
  };
  const toggleOptional = () => {
    const first = document.getElementById("optional");
    if (!first) return say("这一份没有选读。");
    if (!beyond(deck.getCurrentSlide())) {
      left = deck.getIndices();
      go(first);
    } else if (left) deck.slide(left.h, left.v, left.f);
    else go(path().at(-1));
  };

  // 下一步、上一步：短课里跳过不在路上的页
  const step = (by, usual, side) => (options) => {
    const pages = road(), index = pages.indexOf(deck.getCurrentSlide());
    if (!short || deck.isOverview() || (deck.availableFragments()[side] && !options?.skipFragments)) return usual(options);
    if (pages[index + by]) go(pages[index + by]);
  };

  // 刷新这一页时，短课还是短课；从别处打开，听地址的
  const key = `short ${location.pathname}`;
  const remember = () => {
    try {
      sessionStorage.setItem(key, short ? "1" : "");
    } catch {}
  };
  const wanted = () => {
    try {
      if (performance.getEntriesByType("navigation")[0]?.type === "reload") return sessionStorage.getItem(key) === "1";
    } catch {}
    return /[?&]short\b/.test(location.search);
  };

  const plan = () => {
    const pages = path(), seconds = (page) => +((short ? page.dataset.short : page.dataset.timing) ?? 0);
    const sum = (some) => some.reduce((total, page) => total + seconds(page), 0);
    const index = pages.indexOf(deck.getCurrentSlide());
    const at = index < 0 ? pages.length : index; // 在选读里：课已经讲完
    return { short, before: sum(pages.slice(0, at)), here: sum(pages.slice(at, at + 1)), after: sum(pages.slice(at + 1)) };
  };
  window.lesson = {
    plan,
    elapsed: () => (started === null ? null : (Date.now() - started) / 1000), // 秒；还没有开始讲是 null
    setElapsed: (seconds) => (started = seconds === null ? null : Date.now() - 1000 * seconds),
  };

  return {
    id: "paths",
    path,
    go,
    beyond,
    toggleShort,
    toggleOptional,
    init(reveal) {
      deck = reveal;
      deck.setShort = setShort; // 讲稿窗口的小窗由它换路
      deck.next = step(1, deck.next, "next");
      deck.prev = step(-1, deck.prev, "prev");
      const mark = () => deck.getRevealElement().classList.toggle("beyond", beyond(deck.getCurrentSlide()));
      deck.on("slidechanged", mark);
      deck.on("ready", () => {
        if (!deck.isPrintView() && wanted()) setShort(true);
        mark();
        const start = () => (started ??= Date.now()); // 翻第一页时开始计时
        setTimeout(() => ["slidechanged", "fragmentshown"].forEach((event) => deck.on(event, start)));
      });
    },
  };
};
