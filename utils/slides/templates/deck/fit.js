// 每一页用放得下的最大一档字号，图随着放大；有图的页再试试图在右、文字在左。放不下就一档一档小下去。
// 在一页出现之前排好，所以看不见字号变化；换了画布（手机竖过来）重排。
(() => {
  // 正文多少像素；图放大几倍；单独成行的公式是正文的几倍；代码至少多少像素
  const LEVELS = [
    [44, 2, 1.5, 26], [42, 2, 1.5, 26], [40, 1.9, 1.5, 26], [38, 1.8, 1.5, 26], [36, 1.7, 1.5, 26], [34, 1.6, 1.5, 26],
    [32, 1.5, 1.5, 26], [32, 1.4, 1.4, 26], [32, 1.32, 1.3, 26], [32, 1.24, 1.2, 26], [30, 1.24, 1.2, 26], [28, 1.24, 1.2, 26],
    [27, 1.24, 1.2, 24], [26, 1.24, 1.15, 23], [25, 1.24, 1.1, 22], [24, 1.2, 1.1, 20],
    [22, 1, 1, 20], [20, 0.9, 1, 20], [18, 0.8, 1, 20], [16, 0.7, 1, 20], [13, 0.6, 1, 20], [10, 0.5, 1, 20],
  ];
  const root = document.documentElement;
  const pages = [...document.querySelectorAll(".page")];
  let done = new Set();

  const set = (page, level) =>
    ["--size", "--zoom", "--formula", "--least"].forEach((name, i) => page.style.setProperty(name, LEVELS[level][i]));
  const fits = (page) => page.scrollHeight <= page.clientHeight + 1 && page.scrollWidth <= page.clientWidth + 1;
  const largest = (page) => {
    const level = LEVELS.findIndex((_, level) => (set(page, level), fits(page)));
    return level < 0 ? LEVELS.length - 1 : level;
  };

  // Chromium 在根号右边多留半个字的空：量出多少，收回去
  const close = (page) => {
    for (const root of page.querySelectorAll("msqrt")) {
      const spare = root.getBoundingClientRect().right - root.lastElementChild.getBoundingClientRect().right;
      const em = parseFloat(getComputedStyle(root).fontSize) * Reveal.getScale();
      if (spare > 0.1 * em) root.style.marginRight = `${(0.06 - spare / em).toFixed(3)}em`;
    }
  };

  // 公式和动画不折行：量出一个字号宽几个字，写明最大多少像素才不超出一页
  const narrow = (page) => {
    for (const wide of page.querySelectorAll('math[display="block"], .animation')) {
      wide.style.cssText = "--widest:999px; width:max-content; max-width:none";
      const ems = wide.getBoundingClientRect().width / Reveal.getScale() / parseFloat(getComputedStyle(wide).fontSize);
      wide.style.cssText = `--widest:${Math.floor((0.98 * page.clientWidth) / ems)}px`;
    }
  };

  const fit = (page) => {
    if (!page || done.has(page)) return;
    done.add(page);
    const hidden = [page.closest("section"), page.closest("section.stack")].filter((e) => e?.style.display === "none");
    hidden.forEach((section) => (section.style.display = "block"));
    page.classList.remove("beside");
    page.querySelectorAll("msqrt").forEach((root) => (root.style.marginRight = ""));
    set(page, 6);
    close(page);
    narrow(page);
    const level = largest(page);
    if (page.querySelector(".output > img") && page.clientWidth > page.clientHeight) {
      page.classList.add("beside");
      if (largest(page) > level) page.classList.remove("beside"), set(page, level);
    }
    hidden.forEach((section) => (section.style.display = "none"));
  };

  const now = () => {
    const { width, height } = Reveal.getConfig();
    if (root.style.getPropertyValue("--height") !== `${height}px`) {
      root.style.setProperty("--width", `${width}px`);
      root.style.setProperty("--height", `${height}px`);
      root.classList.toggle("tall", width < height);
      done = new Set();
    }
    fit(Reveal.getCurrentSlide()?.querySelector(".page"));
    name(document.querySelector(".slides > .foot"), Reveal.getCurrentSlide());
  };
  const all = () => pages.forEach(fit);
  const later = () => {
    const next = pages.find((page) => !done.has(page));
    if (next) fit(next), setTimeout(later, 30);
    else root.classList.add("fitted");
  };

  // 页脚：这一页在哪一节。打印时每一页各有一份
  const name = (foot, section) => {
    const before = pages.slice(0, pages.indexOf(section?.querySelector(".page")) + 1).reverse();
    foot.querySelector(".where").textContent = before.map((page) => page.querySelector("h2, h1")).find(Boolean)?.textContent;
  };
  const print = () => {
    now();
    all();
    const foot = document.querySelector(".slides > .foot");
    for (const sheet of document.querySelectorAll(".pdf-page")) {
      const own = foot.cloneNode(true);
      sheet.append(own);
      name(own, sheet);
    }
    foot.remove();
    root.classList.add("ready", "fitted");
  };
  const start = () => {
    now();
    root.classList.add("ready");
    ["slidechanged", "resize"].forEach((event) => Reveal.on(event, now));
    Reveal.on("overviewshown", all);
    setTimeout(later, 200);
  };

  const printing = /print-pdf/.test(location.search);
  Promise.all([...document.fonts].map((font) => font.load())).then(() => {
    if (printing) document.querySelector(".pdf-page") ? print() : Reveal.on("pdf-ready", print);
    else Reveal.isReady() ? start() : Reveal.on("ready", start);
  });

  // D：深色，给关了灯的教室；重新打开仍是深色（开头的一行脚本读它）。打印总是白纸
  Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "深色、浅色" }, () => {
    const dark = root.classList.toggle("dark");
    try {
      localStorage.setItem("course-dark", dark ? "1" : "");
    } catch {} // 不许存的浏览器：这一次仍是深色
  });
})();
