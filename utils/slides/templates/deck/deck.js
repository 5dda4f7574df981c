// 竖着拿的手机：画布改成一样竖的长条，字就不会缩得太小。
const canvas = () =>
  window.innerWidth < window.innerHeight
    ? { width: 780, height: Math.round((780 * window.innerHeight) / window.innerWidth) }
    : { width: 1280, height: 720 };

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
  slideNumber: "c/t",
  controlsTutorial: false,
  scrollActivationWidth: null,
  pdfSeparateFragments: false,
  pdfMaxPagesPerSlide: 1,
  help: false,
  defaultTiming: 0, // 讲稿窗口按讲稿里的分钟数倒计时；没有写分钟的页不计时
  plugins: [RevealNotes],
});
window.addEventListener("resize", () => Reveal.configure(canvas()));
