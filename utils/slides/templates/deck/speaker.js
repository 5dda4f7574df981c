// 讲稿窗口：从翻第一页起计时，与讲稿里的计划比；晚开始、跳过几页，按「从这一页算起」。讲稿的字缩到一屏放得下。
(() => {
  const lesson = () => window.opener.lesson;
  for (const style of window.opener.document.querySelectorAll("style"))
    if (style.textContent.includes("@font-face")) document.head.append(style.cloneNode(true));
  for (const name of ["current-slide", "upcoming-slide"]) document.getElementById(name).inert = true; // 只看，不在里面点
  const box = document.querySelector(".speaker-controls-time");
  box.innerHTML = `
    <p><span class="clock-value"></span><b class="elapsed"></b> <button class="align">从这一页算起</button> <button class="reset">清零</button></p>
    <p class="pace"></p>
    <p>连这一页，还要讲 <span class="rest"></span> 分钟；下课还有 <input class="left" type="number" min="0" aria-label="下课还有几分钟"> 分钟<span class="enough"></span></p>`;
  const at = (name) => box.querySelector("." + name);
  const two = (number) => String(number).padStart(2, "0");
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${two(Math.floor(seconds % 60))}`;
  const about = (seconds) => (seconds < 60 ? `${Math.round(seconds)} 秒` : `${Math.round(seconds / 60)} 分钟`);
  let end = null; // 几点下课

  const show = () => {
    const { short, before, here, after } = lesson().plan(), elapsed = lesson().elapsed(), now = new Date();
    at("clock-value").textContent = `${now.getHours()}:${two(now.getMinutes())}`;
    at("elapsed").textContent = elapsed === null ? "没开始" : clock(elapsed);
    const planned = `${short ? "短课" : "整节课"} ${about(before + here + after)}，这一页计划讲到 ${clock(before + here)}`;
    const late = elapsed === null ? 0 : elapsed > before + here ? elapsed - before - here : Math.min(0, elapsed - before);
    at("pace").className = "pace" + (late > 0 ? " behind" : late < 0 ? " ahead" : "");
    at("pace").textContent = planned + (elapsed === null ? "；翻一页就开始计时" : late > 0 ? `：慢 ${about(late)}` : late < 0 ? `：快 ${about(-late)}` : "：正好");
    at("rest").textContent = Math.round((here + after) / 60);
    const left = end === null ? null : (end - now) / 1000, spare = left - here - after;
    if (document.activeElement !== at("left")) at("left").value = left === null ? "" : Math.max(0, Math.round(left / 60));
    at("enough").className = "enough" + (left !== null && spare < -30 ? " behind" : "");
    at("enough").textContent = left === null ? "" : spare < -30 ? `：少 ${about(-spare)}。${short ? "看「来不及」" : "看「来不及」，或按 T 走短课"}` : "：够";
  };
  const set = (name, seconds) =>
    at(name).addEventListener("click", (event) => {
      lesson().setElapsed(seconds());
      event.target.blur(); // 空格仍是下一步
      show();
    });
  set("align", () => lesson().plan().before);
  set("reset", () => null);
  at("left").addEventListener("input", (event) => {
    end = event.target.value === "" ? null : Date.now() + 60000 * event.target.value;
    show();
  });
  at("left").addEventListener("keydown", (event) => {
    event.stopPropagation(); // 写数字，不翻页
    if (event.key === "Enter") event.target.blur();
  });

  const value = document.querySelector(".speaker-controls-notes .value");
  const fit = () => {
    let size = 25;
    do value.style.fontSize = `${--size}px`;
    while (size > 13 && value.scrollHeight > value.clientHeight);
  };
  new MutationObserver(fit).observe(value, { childList: true });
  window.addEventListener("resize", fit);
  document.querySelector(".speaker-layout-dropdown").addEventListener("change", fit);
  // 一个小窗打开得慢，早先告诉它的就丢了：打开以后再说一遍
  document.addEventListener("load", (event) => event.target.matches?.("iframe") && window.opener.Reveal.dispatchEvent({ type: "resumed" }), true);
  setInterval(show, 500);
  show();
})();
