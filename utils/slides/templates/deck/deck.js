// 竖着拿的手机：画布改成一样竖的长条，字就不会缩得太小。
const canvas = () =>
  window.innerWidth < window.innerHeight
    ? { width: 780, height: Math.round((780 * window.innerHeight) / window.innerWidth) }
    : { width: 1280, height: 720 };

const paths = Paths(), overview = Overview();
const keys = document.getElementById("keys");
const toggleKeys = () => (keys.open ? keys.close() : keys.showModal());
// 方向键：平时是下一步、上一步；在总览里移动一页、一行
const arrow = (by, rows, step) => (event) => {
  if (Reveal.isOverview()) overview.move(rows ? by * overview.columns() : by);
  else step({ skipFragments: event.altKey });
};
const next = (options) => deckOf.next(options), prev = (options) => deckOf.prev(options);
let deckOf;

Reveal.initialize({
  ...canvas(),
  margin: 0,
  minScale: 0.1,
  maxScale: 8,
  center: false,
  hash: true,
  navigationMode: "linear", // → 总是下一步：先是本页的下一个片段，再是下一页
  transition: "none",
  backgroundTransition: "none",
  slideNumber: "c/t", // G 也照这个页码跳
  controlsTutorial: false,
  scrollActivationWidth: null,
  pdfSeparateFragments: false,
  pdfMaxPagesPerSlide: 1,
  help: false, // 它的表是英文；我们的是 #keys
  keyboard: {
    13: () => Reveal.isOverview() && Reveal.toggleOverview(),
    35: () => paths.go(paths.path().at(-1)),
    36: () => paths.go(paths.path()[0]),
    37: arrow(-1, false, prev),
    38: arrow(-1, true, prev),
    39: arrow(1, false, next),
    40: arrow(1, true, next),
    72: toggleKeys,
    84: paths.toggleShort,
    88: paths.toggleOptional,
    191: (event) => (event.shiftKey || /[?？]/.test(event.key) ? toggleKeys() : Reveal.togglePause()),
  },
  plugins: [paths, overview, RevealNotes, { id: "deck", init: (deck) => (deckOf = deck) }],
});
window.addEventListener("resize", () => Reveal.configure(canvas()));
// 表开着的时候，按键都归它：H、? 合上（Esc 浏览器自己会合上）
document.addEventListener("keydown", (event) => {
  if (!keys.open) return;
  event.stopImmediatePropagation();
  if (/^[hH?？]$/.test(event.key)) keys.close();
}, true);
