"use strict";
// Texts of samples are hostile: they reach the page as text only, and what cannot be seen is marked.

const HIDDEN = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Z}\u115f\u1160\u3164\uffa0\u034f\u2800\u17b4\u17b5\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/** Add a text to a node, each hidden character as a mark such as U+202E. */
function write(node, text) {
  let place = 0;
  for (const found of text.matchAll(HIDDEN)) {
    node.append(text.slice(place, found.index));
    const mark = document.createElement("span");
    mark.className = "odd";
    mark.textContent = "U+" + found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    node.append(mark);
    place = found.index + found[0].length;
  }
  node.append(text.slice(place));
  return node;
}

/** Return a new element: make("a.link", {href}, "text", other elements). */
function make(name, ...rest) {
  const [tag, ...classes] = name.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const each of rest) {
    if (each === null || each === undefined) continue;
    if (each instanceof Node) node.append(each);
    else if (typeof each === "object") for (const [key, value] of Object.entries(each)) node.setAttribute(key, value);
    else write(node, String(each));
  }
  return node;
}

const PARTS = /[bu]?'(?:\\.|[^'\\])*'|[bu]?"(?:\\.|[^"\\])*"|-?\d+(?:\.\d*)?(?:e[+-]?\d+)?j?(?![\w.])|[\w.]+|\s+|./gsu;
const NUMBER = /^-?[\d.]*\d/;
const MOST_STEPS = 1000000;

/** Return for two lists which items of each have a counterpart: a longest common subsequence. */
function alike(one, other) {
  let start = 0, end = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  while (end < one.length - start && end < other.length - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  const keep = (list) => list.map((_, n) => n < start || n >= list.length - end);
  const kept = [keep(one), keep(other)];
  const rows = one.length - start - end, columns = other.length - start - end;
  if (!rows || !columns || rows * columns > MOST_STEPS) return kept;
  const width = columns + 1, best = new Uint16Array((rows + 1) * width);
  for (let r = rows - 1; r >= 0; r--)
    for (let c = columns - 1; c >= 0; c--)
      best[r * width + c] = one[start + r] === other[start + c]
        ? best[(r + 1) * width + c + 1] + 1
        : Math.max(best[(r + 1) * width + c], best[r * width + c + 1]);
  for (let r = 0, c = 0; r < rows && c < columns;) {
    if (one[start + r] === other[start + c]) kept[0][start + r++] = kept[1][start + c++] = true;
    else if (best[(r + 1) * width + c] >= best[r * width + c + 1]) r++;
    else c++;
  }
  return kept;
}

/** Return the pieces of two texts as [text, is shared], by parts of values, within a text by characters; numbers stay whole. */
function compared(one, other) {
  const parts = [one.match(PARTS) || [], other.match(PARTS) || []];
  const kept = alike(parts[0], parts[1]);
  const runs = kept.map((flags, side) => {
    const found = [];
    flags.forEach((flag, n) => {
      const last = found[found.length - 1];
      if (last && last[1] === flag) last[0] += parts[side][n];
      else found.push([parts[side][n], flag]);
    });
    return found;
  });
  const alone = runs.map((found) => found.filter((run) => !run[1]));
  // One changed place, the same on each side: what differs within it.
  const places = runs.map((found) => found.findIndex((run) => !run[1]));
  if (alone[0].length === 1 && alone[1].length === 1 && places[0] === places[1]) {
    const letters = alone.map((found) => [...found[0][0]]);
    const holdsNumber = alone.some((found) => found[0][0].match(PARTS).some((part) => NUMBER.test(part)));
    if (!holdsNumber && letters[0].length > 1 && letters[1].length > 1) {
      const inner = alike(letters[0], letters[1]);
      if (inner[0].filter(Boolean).length * 2 > Math.min(letters[0].length, letters[1].length))
        return runs.map((found, side) => found.flatMap((run) => run[1] ? [run] : letters[side].map((letter, n) => [letter, inner[side][n]])));
    }
  }
  return runs;
}

/** Return a box with a text whose pieces that the other lacks are marked. */
function differing(pieces) {
  const box = make("div.value", {tabindex: "0"});
  let text = "", flag = true;
  const flush = () => { if (text) flag ? write(box, text) : box.append(write(make("mark.only"), text)); text = ""; };
  for (const [piece, shared] of pieces) {
    if (shared !== flag) { flush(); flag = shared; }
    text += piece;
  }
  flush();
  return box;
}

/** Return a name that may break after its separators. */
function labelled(text) {
  const node = make("span");
  text.split(/(?<=[\w)][-_\/.:,@=+]+)(?=\w)/).forEach((part, n) => { if (n) node.append(make("wbr")); write(node, part); });
  return node;
}

const KEYWORDS = "and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield|None|True|False";
const TOKEN = new RegExp(`(?<comment>#[^\\n]*)|(?<text>"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\\\[^]|[^"\\\\\\n])*"?|'(?:\\\\[^]|[^'\\\\\\n])*'?)|(?<keyword>\\b(?:${KEYWORDS})\\b)|(?<digits>\\b\\d[\\w.]*)`, "g");

/** Return the lines of a program as nodes with syntax colors; the line that raised is marked. */
function programLines(text, fault) {
  const lines = [];
  let line;
  const begin = () => { line = make("span.line", {"data-line": lines.length + 1}); lines.push(line); };
  const put = (piece, kind) => piece.split("\n").forEach((part, n) => {
    if (n) begin();
    if (part) kind ? line.append(make(`span.${kind}`, part)) : write(line, part);
  });
  begin();
  let place = 0;
  for (const found of text.matchAll(TOKEN)) {
    put(text.slice(place, found.index));
    put(found[0], Object.keys(found.groups).find((kind) => found.groups[kind] !== undefined));
    place = found.index + found[0].length;
  }
  put(text.slice(place));
  if (lines[fault - 1]) {
    lines[fault - 1].classList.add("fault");
    lines[fault - 1].append(make("span.hidden", " (failed on this line)"));
  }
  return lines;
}
