// 没有脚本，书照样读得完；这里只有方便：换深浅色，键盘滚动宽的框，打开折着的、链接指向的一节。
(() => {
  const root = document.documentElement, memory = "course-theme";
  const names = { "": "随系统", light: "浅色", dark: "深色" };
  const recall = () => { try { return localStorage.getItem(memory) || ""; } catch { return ""; } };
  const button = document.createElement("button");
  const apply = (theme) => {
    root.dataset.theme = theme;
    button.textContent = names[theme];
    button.setAttribute("aria-label", `颜色：${names[theme]}，按一下换`);
  };
  button.type = "button";
  button.className = "theme";
  button.onclick = () => {
    const order = Object.keys(names), next = order[(order.indexOf(root.dataset.theme) + 1) % order.length];
    try { localStorage.setItem(memory, next); } catch { /* 有的浏览器不许文件记东西：这一页照换 */ }
    apply(next);
  };
  apply(recall() in names ? recall() : "");
  document.querySelector(".bar").append(button);

  const measure = () => document.querySelectorAll(".wide, .long, pre").forEach((box) => {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("scrolls", scrolls);
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  addEventListener("resize", measure);
  document.addEventListener("toggle", measure, true);
  measure();

  const menu = document.querySelector(".menu");
  menu?.addEventListener("click", (event) => { if (event.target.closest("a")) menu.open = false; });

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.matches("details")) e.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    folded.forEach((e) => { e.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((e) => { e.open = false; }));
})();
