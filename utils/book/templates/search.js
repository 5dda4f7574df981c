// 中文没有空格：把要找的话切成相邻的两个字，各节按找到的份数排；整句在一起的排在最前。
(() => {
  const sections = JSON.parse(document.getElementById("book").textContent);
  const input = document.getElementById("query"), list = document.getElementById("results");
  const count = document.getElementById("count"), most = 30;
  // 大小写、全角半角当作一样；字数不变，摘录才找得准
  const plain = (c) => { const n = c.normalize("NFKC").toLowerCase(); return n.length === c.length ? n : c; };
  const fold = (text) => Array.from(text, plain).join("");
  const folded = sections.map(([, , , title, text]) => [fold(title), fold(text)]);

  const pieces = (query) => query.split(/\s+/).flatMap((word) =>
    word.match(/\p{Script=Han}+|[^\p{Script=Han}]+/gu) ?? []).flatMap((run) => {
    if (!/\p{Script=Han}/u.test(run)) return [run];
    const letters = [...run];
    return letters.length < 3 ? [run] : letters.slice(1).map((c, i) => letters[i] + c);
  });

  const score = ([title, text], query, parts) => {
    const found = parts.filter((part) => title.includes(part) || text.includes(part)).length / parts.length;
    if (found < 0.5) return 0;
    const times = Math.min(9, text.split(query).length - 1);
    const named = parts.filter((part) => title.includes(part)).length / parts.length;
    return found * found + named / 2 + (title.includes(query) ? 3 : 0) + (times ? 2 + times / 10 : 0);
  };

  const excerpt = (text, lower, words) => {
    const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
    const start = Math.max(0, Math.min(...places, text.length) - 24), end = start + 110;
    const shown = document.createElement("p");
    let at = places.length ? start : 0;
    if (at) shown.append("…");
    for (const stop = places.length ? end : 110; at < stop;) {
      const next = words.map((word) => [lower.indexOf(word, at), word.length])
        .filter(([place]) => place >= 0 && place < stop).sort((a, b) => a[0] - b[0])[0];
      const [place, length] = next ?? [stop, 0], mark = document.createElement("mark");
      mark.textContent = text.slice(place, place + length);
      shown.append(text.slice(at, place), ...(length ? [mark] : []));
      at = place + Math.max(length, 1);
    }
    if (at < text.length) shown.append("…");
    return shown;
  };

  const search = () => {
    const query = fold(input.value.trim()), parts = pieces(query);
    list.replaceChildren();
    count.textContent = "";
    history.replaceState(null, "", query ? "#" + encodeURIComponent(input.value.trim()) : "#");
    if (!parts.length) return;
    const found = folded.map((texts, i) => [score(texts, query, parts), i]).filter(([s]) => s > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    count.textContent = found.length > most ? `找到 ${found.length} 节，下面是最像的 ${most} 节` : `找到 ${found.length} 节`;
    for (const [, i] of found.slice(0, most)) {
      const [page, key, chapter, title, text] = sections[i], item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${page}.html` + (key ? "#" + encodeURIComponent(key) : "");
      link.textContent = title === chapter ? chapter : `${chapter} · ${title}`;
      const words = folded[i][1].includes(query) ? [query] : parts;
      item.append(link, excerpt(text, folded[i][1], words));
      list.append(item);
    }
  };

  input.addEventListener("input", search);
  input.value = decodeURIComponent(location.hash.slice(1));
  search();
  input.focus();
})();
