// 总览（O）：路上的页排成几列，一页完整地显示；方向键选，回车打开，滚轮看下面的。接替 reveal.js 的排法。
const Overview = () => {
  const GAP = 40;
  let deck, paths, shift = 0;
  const pages = () => [...paths.path(), ...document.querySelectorAll('.slides section[id^="optional"]')];
  const columns = () => (window.innerWidth < window.innerHeight ? 2 : 4);
  const place = (element, transform) => (element.style.transform = transform);

  const layout = () => {
    const { width, height } = deck.getComputedSlideSize(), shown = pages();
    deck.getHorizontalSlides().forEach((stack) => {
      place(stack, "none");
      stack.style.display = "block";
    });
    for (const page of document.querySelectorAll(".slides section[data-cell]")) {
      const index = shown.indexOf(page), { h, v } = deck.getIndices(page);
      page.style.display = index < 0 ? "none" : "block";
      if (index < 0) continue;
      Object.assign(page.dataset, { indexH: h, indexV: v ?? 0, number: paths.beyond(page) ? "选读" : index + 1 });
      const row = Math.floor(index / columns()), column = index % columns();
      place(page, `translate(${column * (width + GAP)}px, ${row * (height + GAP)}px)`);
    }
  };
  // 让选中的一页在屏幕里；画布的原点在屏幕中央
  const update = () => {
    const { width, height } = deck.getComputedSlideSize(), shown = pages();
    const wide = columns() * (width + GAP) + GAP, scale = width / wide;
    const rows = Math.ceil(shown.length / columns()), row = Math.floor(shown.indexOf(deck.getCurrentSlide()) / columns());
    const tall = height / scale, all = rows * (height + GAP) + GAP;
    const top = Math.max(0, Math.min(row * (height + GAP) + height / 2 + GAP - tall / 2 + shift, all - tall));
    const x = GAP + (width - wide) / 2, y = GAP - top + (height - tall) / 2;
    deck.transformSlides({ overview: `scale(${scale}) translate(${x}px, ${y}px)` });
  };
  const move = (by) => {
    const shown = pages(), target = shown[shown.indexOf(deck.getCurrentSlide()) + by];
    shift = 0;
    if (target) paths.go(target);
  };

  return {
    id: "overview",
    columns,
    move,
    init(reveal) {
      deck = reveal;
      paths = deck.getPlugin("paths");
      deck.overview.layout = layout;
      deck.overview.update = update;
      deck.on("overviewshown", () => (shift = 0));
      window.addEventListener("wheel", (event) => {
        if (!deck.isOverview()) return;
        shift += 3 * event.deltaY;
        update();
      });
    },
  };
};
