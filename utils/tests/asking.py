"""先问，再看：从头放到尾，找出与问题同一步出现的答案。test_slides_ask.py 说明什么算问、什么算答案。"""

# 返回 [从第几格开始的页, 问的那一段]
WALK = r"""() => {
  const visible = (e) => getComputedStyle(e).visibility !== "hidden";
  const asks = (text) => /先猜|先预测/.test(text) || /[？?][”」』）)]*$/.test(text);
  const moving = (block) => [...block.querySelectorAll(".animation-frame.fragment")];
  const shown = (block) => block && visible(block) && (!moving(block).length || moving(block).some(visible));
  const formula = (e) => [...e.childNodes].every((n) => n.nodeName === "math" || !n.textContent.trim());
  const found = [], before = new Set();
  for (let step = 0; step < 2000; step++) {
    const page = Reveal.getCurrentSlide();
    const blocks = [...page.querySelectorAll(".text, .output")].filter((e) => !e.closest("aside"));
    for (const [index, block] of blocks.entries()) {
      if (!block.matches(".text") || before.has(block) || !visible(block)) continue;
      const prose = [...block.children].filter((e) => visible(e) && !formula(e));
      const parts = prose.map((e) => e.innerText.trim());
      const last = parts.findLastIndex(asks);
      if (last < 0 || /下面|图里|看图|框出/.test(parts[last])) continue;
      const guess = /先猜|先预测/.test(parts[last]);
      const asked = guess || last === parts.length - 1;
      if (asked && shown(blocks[index + 1])) found.push([+page.dataset.cell, parts[last]]);
    }
    blocks.filter(visible).forEach((block) => before.add(block));
    if (Reveal.isLastSlide() && !Reveal.availableFragments().next) return found;
    Reveal.next();
  }
}"""
