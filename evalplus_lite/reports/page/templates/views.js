"use strict";
// The views of a task, a sample, and models side by side: each returns a list of nodes.

const MOST_ROWS = 200;
const index = JSON.parse(document.getElementById("index").textContent);

/** Return a task's part, or null if it is not in this page. */
function partOf(suite, task) {
  const node = document.getElementById(`task-${suite}-${task}`);
  return node && JSON.parse(node.textContent);
}

/** Return what addresses call a task: its id, or its place if no address can hold that. */
function named(id, task) {
  try { encodeURIComponent(id); return id; } catch { return `@${task}`; }
}

/** Return the address of a view of a task: address("sample", suite, task, entrant, index). */
function address(view, suite, task, ...rest) {
  const row = index.suites[suite].tasks[task];
  const path = [view, named(row.id, task), ...rest].map(encodeURIComponent).join("/");
  const here = document.getElementById(`task-${suite}-${task}`) || !row.file;
  return `${here ? "" : row.file}#/${path}${suite ? `?suite=${suite + 1}` : ""}`;
}

function verdict(name) {
  return make(`span.verdict${name === "pass" ? ".pass" : ""}`, name);
}

function verdicts(outcome) {
  const nodes = [make("span", "base "), verdict(outcome.base)];
  if (outcome.plus !== null) nodes.push(make("span", " plus "), verdict(outcome.plus));
  if (outcome.stress) nodes.push(make("span", " stress "), verdict(outcome.stress));
  return make("span", ...nodes);
}

function crumbs(...links) {
  return make("p.crumbs", ...links.filter(Boolean));
}

function link(text, href) {
  return make("a", {href}, text);
}

function home(suite) {
  return link(index.suites[suite].name, `${index.home || ""}#/suite-${suite + 1}`);
}

function heading(text) {
  return make("h1", {tabindex: "-1"}, text);
}

function folded(title, text, open) {
  const node = make("details", make("summary", title), make("pre", {tabindex: "0"}, text));
  node.open = Boolean(open);
  return node;
}

/** Return a table whose columns sort its rows; of many rows the first are shown, until asked for. */
function table(label, heads, rows) {
  const body = make("tbody"), head = make("tr", ...heads.map((text) => make("th", {scope: "col"}, text)));
  let order = rows, most = MOST_ROWS;
  const more = make("button", {type: "button"});
  const fill = () => {
    const shown = order.filter((row) => !row.hidden);
    body.replaceChildren(...shown.slice(0, most));
    more.hidden = shown.length <= most;
    more.textContent = `Show all ${shown.length}`;
  };
  more.addEventListener("click", () => { most = Infinity; fill(); });
  sortable(head, (column, sign) => {
    const key = (row) => row.cells[column].dataset.key || row.cells[column].textContent;
    order = [...rows].sort((a, b) => sign * ordered(key(a), key(b)));
    fill();
  });
  fill();
  const box = make("div", make("div.scroll", {tabindex: "0", role: "region", "aria-label": label}, make("table", make("thead", head), body)), more);
  box.fill = fill;
  return box;
}

/** Compare two texts as numbers if both begin with one. */
function ordered(one, other) {
  const numbers = [parseFloat(one), parseFloat(other)];
  return numbers.some(Number.isNaN) ? one.localeCompare(other) : numbers[0] - numbers[1];
}

/** Make each head a button that calls sort(column, 1 or -1). */
function sortable(row, sort) {
  [...row.cells].forEach((head, column) => {
    if (head.classList.contains("bar")) return;
    const button = make("button", {type: "button"});
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.ariaSort === "ascending" ? -1 : 1;
      for (const each of row.cells) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      sort(column, sign);
    });
  });
}

function cells(...values) {
  return make("tr", ...values.map((value) => make("td", value)));
}

function code(text) {
  return make("code", text);
}

/** Return a program's text: parts hold it whole, or with the prompt's beginning left out. */
function programText(part, number) {
  if (number === null || number === undefined) return null;
  const found = part.programs[number];
  return typeof found === "string" ? found : part.prompt.slice(0, found[0]) + found[1];
}

/** Return the line that raised: on the smallest input, else on the first that fails, else on a stress case. */
function faultOf(outcome) {
  return ([outcome.smallest, outcome.failure, outcome.stress_failure].find((each) => each && each.line) || {}).line;
}

function programBox(text, fault) {
  if (text === null) return make("p.note", "The program's text was not kept beside the results.");
  const box = make("pre.program", {tabindex: "0", "aria-label": "Program"});
  text.split("\n").forEach((line, n) => {
    const node = make(`span.line${n + 1 === fault ? ".fault" : ""}`, line + "\n");
    if (n + 1 === fault) node.append(make("span.hidden", " (failed on this line)"));
    box.append(node);
  });
  return box;
}

// Where a check judges, the reference's answer is one of several: nothing is marked as differing from it.
function failureBox(title, failure, checked, level = "h2") {
  const nodes = [make(level, title)];
  const line = failure.line ? `, line ${failure.line}` : "";
  nodes.push(make("p", verdict(failure.verdict), ` ${failure.detail}${line}`));
  if (failure.input !== undefined) nodes.push(make("div", "Input", make("div.value", {tabindex: "0"}, failure.input)));
  const expected = checked ? "The reference's answer" : "Expected";
  if (checked && failure.verdict === "fail") nodes.push(make("p", "The contract's check judged this answer: it need not be the reference's, and the check refused it."));
  if (failure.actual !== undefined && checked)
    nodes.push(make("div.pair", ...[[expected, failure.expected], ["Actual", failure.actual]].map(([name, text]) => make("div", name, make("div.value", {tabindex: "0"}, text)))));
  else if (failure.actual !== undefined) {
    const [one, other] = compared(failure.expected, failure.actual);
    nodes.push(make("div.pair", make("div", "Expected", differing(one)), make("div", "Actual", differing(other))));
  } else if (failure.expected !== undefined)
    nodes.push(make("div", expected, make("div.value", {tabindex: "0"}, failure.expected)));
  return make("section", ...nodes);
}

function counted(counts) {
  if (!counts) return ["–", "–", "–"];
  const rate = (count) => counts[0] > 1 ? `${count} (${Math.round(100 * count / counts[0])} %)` : count;
  return [counts[0], rate(counts[1]), rate(counts[2])];
}

/** Views by name: each takes suite, task, its part, and the rest of the address. */
const VIEWS = {
  task(suite, task, part) {
    const data = index.suites[suite], row = data.tasks[task];
    const around = [[task - 1, "Task before"], [task + 1, "Next task"]].filter(([n]) => data.tasks[n]);
    const nodes = [
      crumbs(home(suite), link("Models side by side", address("compare", suite, task)), ...around.map(([n, text]) => link(text, address("task", suite, n)))),
      heading(row.id),
    ];
    nodes.push(table("Scores", ["model", "samples", "base right", ...(data.has_plus ? ["all right"] : [])],
      data.entrants.map((side, n) => cells(side.label, ...counted(row.counts[n]).slice(0, data.has_plus ? 3 : 2)))));
    if (part.prompt === undefined) nodes.push(make("p.note", data.missing || "The data set given has no such task."));
    else {
      nodes.push(folded("Prompt", part.prompt, true));
      if (part.contract) nodes.push(folded("Contract: what inputs may be", part.contract));
      nodes.push(part.reference ? folded("Reference", part.reference) : make("p", "The task has no reference."));
    }
    nodes.push(make("h2", "Samples"));
    if (part.samples_left_out) nodes.push(make("p.note", `${part.samples_left_out} further samples are counted above and not shown.`));
    nodes.push(samplesTable(suite, task, part));
    nodes.push(make("h2", "Inputs"), inputsNote(part));
    if (part.cases.length) {
      const first = part.cases.reduce((sum, each) => sum + each.first, 0);
      nodes.push(table("Inputs", ["no.", "input", part.has_check ? "reference's answer" : "expected", "from", "first failed by, of those that fail", ...(part.failed ? ["failed by"] : [])],
        part.cases.map((each) => cells(String(each.number), code(each.input), each.expected === undefined ? "not kept" : code(each.expected), each.origin,
          each.first ? `${each.first} of ${first}` : "", ...(part.failed ? [String(each.failed)] : [])))));
    }
    return nodes;
  },

  sample(suite, task, part, entrant, number) {
    const data = index.suites[suite], row = data.tasks[task];
    const place = part.samples.findIndex((each) => each[0] === Number(entrant) && each[1] === Number(number));
    if (place < 0) return [crumbs(home(suite), link(row.id, address("task", suite, task))), heading("No such sample"), make("p", "It is not in this report.")];
    const sample = part.samples[place], outcome = part.outcomes[sample[2]], side = data.entrants[sample[0]];
    const around = [[place - 1, "Sample before"], [place + 1, "Next sample"]].filter(([n]) => part.samples[n]);
    const nodes = [
      crumbs(home(suite), link(row.id, address("task", suite, task)), link("Models side by side", address("compare", suite, task)),
        ...around.map(([n, text]) => link(text, address("sample", suite, task, part.samples[n][0], part.samples[n][1])))),
      heading(`${side.label}, ${row.id}, sample ${sample[1]}`),
      make("p", verdicts(outcome), costs(sample)),
    ];
    const isSmallest = outcome.smallest && outcome.failure && outcome.smallest.input === outcome.failure.input;
    if (outcome.smallest && !isSmallest) nodes.push(failureBox("Smallest input found that fails", outcome.smallest, part.has_check));
    if (outcome.failure) {
      const known = part.cases.find((each) => each.number === outcome.failure.case);
      const origin = known && known.origin ? ` (${known.origin})` : "";
      nodes.push(failureBox(`First input that fails${isSmallest ? ", and smallest found" : ""}: ${outcome.failure.case}${origin}`, outcome.failure, part.has_check));
    }
    if (outcome.stress_failure) nodes.push(failureBox("Stress case that fails", outcome.stress_failure, part.has_check));
    nodes.push(make("h2", "Program"), programBox(programText(part, outcome.program), faultOf(outcome)));
    const same = part.samples.filter((each) => each !== sample && part.outcomes[each[2]].program === outcome.program);
    if (outcome.program !== null && same.length)
      nodes.push(make("p", `The same program: ${same.length} other samples, such as `,
        link(`${data.entrants[same[0][0]].label}, sample ${same[0][1]}`, address("sample", suite, task, same[0][0], same[0][1])), "."));
    return nodes;
  },

  compare(suite, task, part) {
    const data = index.suites[suite], row = data.tasks[task];
    const sides = make("div.sides", {tabindex: "0", role: "region", "aria-label": "Models side by side"});
    data.entrants.forEach((side, entrant) => {
      const own = part.samples.filter((each) => each[0] === entrant);
      if (!own.length) return;
      const select = make("select", {"aria-label": `Sample of ${side.label}`}, ...own.slice(0, MOST_ROWS).map((each, n) => {
        const outcome = part.outcomes[each[2]];
        return make("option", {value: String(n)}, `sample ${each[1]}: ${outcome.plus ?? outcome.base}`);
      }));
      const box = make("div");
      const show = () => {
        const sample = own[Number(select.value)], outcome = part.outcomes[sample[2]], failure = outcome.smallest || outcome.failure;
        box.replaceChildren(make("p", verdicts(outcome), " ", link("whole sample", address("sample", suite, task, sample[0], sample[1]))),
          programBox(programText(part, outcome.program), faultOf(outcome)), ...(failure ? [failureBox("Fails on", failure, part.has_check, "h3")] : []));
      };
      select.addEventListener("change", show);
      show();
      sides.append(make("article", make("h2", side.label), select, box));
    });
    return [crumbs(home(suite), link(row.id, address("task", suite, task))), heading(`${row.id}: models side by side`), sides];
  },
};

function inputsNote(part) {
  const shown = part.cases.length;
  if (!shown) return make("p", "No input decided a verdict, and the data set was not given.");
  const total = part.cases_total === undefined ? "" : ` of ${part.cases_total} (${part.base_total} base)`;
  return make("p", `${shown} inputs${total}: those that a sample failed on first, ${part.failed ? "others that most fail on, " : ""}and the first few.`);
}

function seconds(sample) {
  return typeof sample[3] === "number" ? String(sample[3]) : "";
}

function mebibytes(sample) {
  return typeof sample[4] === "number" ? (sample[4] / 1048576).toFixed(1) : "";
}

function costs(sample) {
  const found = [[seconds(sample), "s of CPU"], [mebibytes(sample), "MiB"]].filter(([value]) => value);
  return found.length ? ` ${found.map((each) => each.join(" ")).join(", ")}` : "";
}

/** Return the samples of a task with a choice of models and verdicts. */
function samplesTable(suite, task, part) {
  const data = index.suites[suite], isMeasured = part.samples.some((sample) => sample.length > 3);
  const rows = part.samples.map((sample) => {
    const outcome = part.outcomes[sample[2]], failure = outcome.failure;
    const row = cells(data.entrants[sample[0]].label, link(`sample ${sample[1]}`, address("sample", suite, task, sample[0], sample[1])),
      verdict(outcome.base), ...(data.has_plus ? [verdict(outcome.plus ?? outcome.base)] : []), failure ? String(failure.case) : "", why(failure, part.has_check), ...(isMeasured ? [seconds(sample), mebibytes(sample)] : []));
    row.cells[1].dataset.key = sample[1];
    row.dataset.model = sample[0];
    row.dataset.verdict = outcome.plus ?? outcome.base;
    return row;
  });
  const box = table("Samples", ["model", "sample", "base", ...(data.has_plus ? ["plus"] : []), "failing input", "why", ...(isMeasured ? ["CPU s", "MiB"] : [])], rows);
  if (rows.length < 2) return box;
  const choices = [["Model", "model", [...new Set(part.samples.map((each) => each[0]))].map((n) => [n, data.entrants[n].label])],
    ["Verdict", "verdict", [...new Set(rows.map((row) => row.dataset.verdict))].sort().map((each) => [each, each])]];
  const form = make("form.filters");
  for (const [label, name, values] of choices)
    form.append(make("label", label, make("select", {name}, make("option", {value: ""}, "all"), ...values.map(([value, text]) => make("option", {value}, text)))));
  const output = make("output");
  form.append(output);
  const filter = () => {
    for (const row of rows)
      row.hidden = choices.some(([, name]) => form.elements[name].value !== "" && form.elements[name].value !== row.dataset[name]);
    output.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} samples`;
    box.fill();
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
  return make("div", form, box);
}

function why(failure, checked) {
  if (!failure) return "";
  if (failure.actual === undefined) return failure.detail;
  const clip = (text) => text.length > 60 ? `${text.slice(0, 60)}…` : text;
  if (checked) return `got ${clip(failure.actual)}, which the check refused`;
  return `got ${clip(failure.actual)}, expected ${clip(failure.expected)}`;
}
