// 中文没有空格：把要找的话切成相邻的两个字，各节按找到的份数排；整句在一起的排在最前。
(() => {
  const { sections, names: other } = JSON.parse(document.getElementById("book").textContent);
  const input = document.getElementById("query"), list = document.getElementById("results");
  const count = document.getElementById("count"), most = 30;
  // 大小写、全角半角当作一样；字数不变，摘录才找得准
  const plain = (c) => { const n = c.normalize("NFKC").toLowerCase(); return n.length === c.length ? n : c; };
  const fold = (text) => Array.from(text, plain).join("");
  const names = Object.fromEntries(Object.entries(other).map((pair) => pair.map(fold)));
  const han = "\\p{Script=Han}";
  // 汉字和别的字之间的空格不算：正文里已经去掉
  const close = (text) => text.replace(new RegExp(`(${han}) +(?=[^${han}\\s])`, "gu"), "$1")
    .replace(new RegExp(`([^${han}\\s]) +(?=${han})`, "gu"), "$1");
  const folded = sections.map(([, , , title, text]) => [close(fold(title)), fold(text)]);

  const pieces = (query) => query.split(/\s+/).flatMap((word) =>
    word.match(/\p{Script=Han}+|[^\p{Script=Han}]+/gu) ?? []).flatMap((run) => {
    if (!/\p{Script=Han}/u.test(run)) return [run];
    const letters = [...run];
    return letters.length < 3 ? [run] : letters.slice(1).map((c, i) => letters[i] + c);
  });

  // 少见的词更要紧：各份按多少节里有它来称；书里没有的不算
  const known = new Map();
  const weight = (part) => {
    if (!known.has(part)) {
      const holding = folded.filter((texts) => texts.some((text) => text.includes(part))).length;
      known.set(part, holding && Math.log(1 + folded.length / holding));
    }
    return known.get(part);
  };

  const aside = /^(?:练习|再想|下一本|学完|小结|常见误解|每一本)/;

  const score = ([title, text], query, parts, isTerm) => {
    const weigh = (some) => some.reduce((sum, part) => sum + weight(part), 0), all = weigh(parts);
    if (!all) return 0;
    const share = (has) => weigh(parts.filter(has)) / all;
    const found = share((part) => title.includes(part) || text.includes(part));
    if (found < 0.5) return 0;
    const named = share((part) => title.includes(part));
    const times = Math.min(5, text.split(query).length - 1);
    const says = (form) => [query, ...parts].some((part) => text.includes(form.replace("*", part)));
    const explained = ["叫*", "(*)", "(*,", ",*,"].some(says) || (isTerm && (times || title.includes(query)));
    const whole = title === query ? 2 : title.startsWith(query) ? 1 : 0;
    return (found * found + named / 2 + (title.includes(query) ? 3 + whole : 0)
      + (times ? 2 + times / 20 : 0) + (explained ? 1 : 0)) * (aside.test(title) ? 0.6 : 1);
  };

  // 别处的叫法换成书里的，“为什么”“怎样”不要，也各找一遍
  const ways = (query) => {
    const other = Object.keys(names).filter((name) => query.includes(name));
    const tried = [query, ...other.map((name) => query.replace(name, names[name]))];
    const bare = tried.map((way) => way.replace(/为什么要?|怎么|怎样|如何|是什么|什么是/g, "").trim());
    return [...new Set([...tried, ...bare.filter(Boolean)])].map(close);
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
    const query = fold(input.value.trim()), tried = ways(query).map((way) => [way, pieces(way)]);
    list.replaceChildren();
    count.textContent = "";
    history.replaceState(null, "", query ? "#" + encodeURIComponent(input.value.trim()) : "#");
    if (!query) return;
    const found = folded.map((texts, i) => tried.map(([way, parts]) => [score(texts, way, parts, /^term-/.test(sections[i][1])), i, way, parts])
      .reduce((best, next) => (next[0] > best[0] ? next : best))).filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    count.textContent = found.length > most ? `找到 ${found.length} 节，下面是最像的 ${most} 节` : `找到 ${found.length} 节`;
    for (const [, i, way, parts] of found.slice(0, most)) {
      const [page, key, chapter, title, text] = sections[i], item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${page}.html` + (key ? "#" + encodeURIComponent(key) : "");
      link.textContent = title === chapter ? chapter : `${chapter} · ${title}`;
      const words = folded[i][1].includes(way) ? [way] : parts;
      item.append(link, excerpt(text, folded[i][1], words));
      list.append(item);
    }
  };

  input.addEventListener("input", search);
  input.value = decodeURIComponent(location.hash.slice(1));
  search();
  input.focus();
})();
