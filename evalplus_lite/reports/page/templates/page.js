"use strict";
// What is shown follows the address: #task/ID, #task/ID/sample/N?model=NAME, #task/ID/compare, or a section.

const view = document.getElementById("view");
const pages = [...document.querySelectorAll("section.page")];
const title = document.title;

function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  let text;
  try { text = decodeURIComponent(path); } catch { text = ""; }
  const [name, ...rest] = text.split("/"), asked = new URLSearchParams(query), suite = Number(asked.get("suite") || 1) - 1;
  if (name !== "task") return {name, suite};
  const data = index.suites[suite], id = rest.join("/");
  const placeOf = (id) => data ? data.tasks.findIndex((row, n) => row && named(row.id, n) === id) : -1;
  const found = /^([^]*)\/(?:(sample)\/(\d+)|(compare))$/.exec(id);
  if (placeOf(id) >= 0 || !found) return {name, view: "task", suite, task: placeOf(id), asked};
  return {name, view: found[2] || found[4], suite, task: placeOf(found[1]), asked, number: Number(found[3])};
}

function nodesOf({view, suite, task, asked, number}) {
  if (task < 0) return [heading("No such task"), make("p", "This report has no task of that name.")];
  const part = partOf(suite, task);
  if (part) return VIEWS[view](suite, task, part, asked, number);
  const {id, file} = index.suites[suite].tasks[task];
  return [heading(id), make("p", "This task has a page of its own: ", link(id, `${file}${location.hash}`))];
}

function show(isFirst) {
  const found = route();
  if (found.name === "main") return; // the link that skips to the content
  const dynamic = found.name === "task";
  const page = dynamic ? null : pages.find((each) => each.dataset.route === found.name) || pages[0] || null;
  for (const each of pages) each.hidden = each !== page;
  view.hidden = !dynamic && Boolean(page);
  if (dynamic) view.replaceChildren(...nodesOf(found));
  else if (!page) { // the page of one task
    const [suite, task] = index.task;
    view.replaceChildren(...nodesOf({view: "task", suite, task}));
  }
  for (const each of document.querySelectorAll(".top nav a"))
    if (page && each.hash === `#/${page.dataset.route}`) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  const head = (view.hidden ? page : view).querySelector("h1");
  document.title = dynamic && head ? `${head.textContent} – ${title}` : title;
  if (!isFirst) { scrollTo(0, 0); if (head) head.focus({preventScroll: true}); }
}

addEventListener("hashchange", () => show(false));

/** Go to an address; within the page also where a sandboxed frame may not navigate. */
function go(href) {
  if (!href.startsWith("#")) { location.href = href; return; }
  history.pushState(null, "", location.href.split("#")[0] + href);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
addEventListener("click", (event) => {
  const anchor = event.composedPath().find((node) => node.localName === "a");
  let href = anchor && anchor.getAttribute("href");
  const here = location.href.split("#")[0];
  if (href && href.startsWith(here + "#")) href = href.slice(here.length);
  if (!href || !href.startsWith("#") || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (href === "#main") document.getElementById("main").focus();
  else go(href);
});
show(true);

const theme = document.getElementById("theme");
let isDark = matchMedia("(prefers-color-scheme: dark)").matches;
function nameTheme() { theme.textContent = isDark ? "Light" : "Dark"; }
theme.addEventListener("click", () => { isDark = !isDark; document.documentElement.dataset.theme = isDark ? "dark" : "light"; nameTheme(); });
theme.hidden = false;
nameTheme();

/** Sort and filter a suite's tasks, in the map and in the table. */
function tasksOf(form) {
  const suite = Number(form.dataset.suite), data = index.suites[suite];
  const rows = [...document.querySelectorAll(`table.tasks[data-suite="${suite}"] tbody tr`)];
  const body = rows[0] && rows[0].parentNode, map = document.querySelector(`.map[data-suite="${suite}"]`);
  const score = data.entrants.map((_, n) => mean(data.tasks.map((task) => share(task.counts[n], 2))));
  const best = score.indexOf(Math.max(...score));
  const facts = data.tasks.map((task) => ({
    base: mean(task.counts.map((each) => share(each, 1))),
    plus: mean(task.counts.map((each) => share(each, 2))),
  }));
  const tests = {
    all: () => true,
    none: (n) => facts[n].plus === 0,
    every: (n) => facts[n].plus === 1,
    plus: (n) => facts[n].base !== facts[n].plus,
    weak: (n) => share(data.tasks[n].counts[best], 2) === 0 && facts[n].plus > 0,
  };
  const orders = {
    file: (a, b) => a - b,
    hard: (a, b) => facts[a].plus - facts[b].plus || a - b,
    easy: (a, b) => facts[b].plus - facts[a].plus || a - b,
    gap: (a, b) => (facts[b].base - facts[b].plus) - (facts[a].base - facts[a].plus) || a - b,
  };
  const choice = form.elements.order;
  data.entrants.forEach((side, n) => {
    if (data.entrants.length < 2) return;
    for (const [name, sign, text] of [["hard", 1, "hardest"], ["easy", -1, "easiest"]]) {
      orders[`${name}-${n}`] = (a, b) => sign * (rate(a, n) - rate(b, n)) || sign * (facts[a].plus - facts[b].plus) || a - b;
      choice.append(make("option", {value: `${name}-${n}`}, `by ${side.label}, ${text} first`));
    }
  });
  const rate = (task, side) => share(data.tasks[task].counts[side], 2) ?? 2;
  if (body) sortable(body.parentNode.tHead.rows[0], (column, sign) => {
    const suffix = column < 2 || data.entrants.length < 2 ? "" : `-${column - 2}`;
    choice.value = column === 0 ? "file" : (sign > 0 ? "hard" : "easy") + suffix;
    apply();
  });
  let order = data.tasks.map((_, n) => n), cursor = -1;
  function apply() {
    const wanted = form.elements.named.value.trim().toLowerCase();
    order = data.tasks.map((_, n) => n)
      .filter((n) => tests[form.elements.which.value](n) && data.tasks[n].id.toLowerCase().includes(wanted))
      .sort(orders[form.elements.order.value]);
    if (body) body.replaceChildren(...order.map((n) => rows[n]));
    form.querySelector("output").textContent = `${order.length} of ${data.tasks.length} tasks`;
    cursor = -1;
    draw();
  }
  function draw() {
    [...map.querySelectorAll("svg")].forEach((svg, side) => {
      const paths = new Map();
      order.forEach((n, x) => [1, 2].forEach((which) => {
        const level = levelOf(share(data.tasks[n].counts[side], which));
        paths.set(level, (paths.get(level) || "") + `M${x} ${which - 1}h1v1h-1z`);
      }));
      svg.setAttribute("viewBox", `0 0 ${Math.max(order.length, 1)} 2`);
      svg.replaceChildren(...[...paths].map(([level, d]) => drawn("path", {class: `l${level}`, d})));
      if (cursor >= 0) svg.append(drawn("rect", {class: "here", x: cursor, y: 0, width: 1, height: 2}));
    });
    const told = map.querySelector(".pointed");
    told.replaceChildren();
    if (cursor >= 0) {
      const task = data.tasks[order[cursor]];
      told.append(link(task.id, address(suite, order[cursor])));
      write(told, ": " + data.entrants.map((side, n) => `${side.label} ${task.counts[n] ? `${task.counts[n][1]} base, ${task.counts[n][2]} all of ${task.counts[n][0]}` : "no sample"}`).join("; "));
    }
  }
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  map.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1, Home: -order.length, End: order.length}[event.key];
    if (event.key === "Enter" && cursor >= 0 && event.target === map) go(address(suite, order[cursor]));
    if (!step || !order.length) return;
    event.preventDefault();
    cursor = Math.min(Math.max(cursor + step, 0), order.length - 1);
    draw();
  });
  map.addEventListener("pointermove", (event) => point(event));
  map.addEventListener("click", (event) => { if (point(event)) go(address(suite, order[cursor])); });
  function point(event) {
    const svg = event.target.closest("svg");
    if (!svg || !order.length) return false;
    const box = svg.getBoundingClientRect();
    const at = Math.min(Math.max(Math.floor((event.clientX - box.left) / box.width * order.length), 0), order.length - 1);
    if (at !== cursor) { cursor = at; draw(); }
    return true;
  }
  form.hidden = false;
  apply();
}

function share(counts, which) { return counts ? counts[which] / counts[0] : null; }
function mean(values) {
  const known = values.filter((each) => each !== null);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : 0;
}
function levelOf(value) { return value === null ? 6 : value === 0 ? 0 : value === 1 ? 5 : Math.min(Math.ceil(value * 4), 4); }
function drawn(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
document.querySelectorAll("form.filters[data-suite]").forEach(tasksOf);

for (const scores of document.querySelectorAll("table.scores"))
  sortable(scores.tHead.rows[0], (column, sign) => {
    const body = scores.tBodies[0], key = (row) => row.cells[column].textContent;
    body.append(...[...body.rows].sort((a, b) => sign * ordered(key(a), key(b))));
  });
