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

/** Return the address of a task, or of a view of it: address(suite, task, "sample/3", {model: 0}). */
function address(suite, task, view = "", asked = {}) {
  const data = index.suites[suite], row = data.tasks[task], query = new URLSearchParams();
  if (suite) query.set("suite", suite + 1);
  for (const [key, entrant] of Object.entries(asked))
    query.set(key, key === "model" ? named(data.entrants[entrant].label, entrant) : entrant);
  const here = document.getElementById(`task-${suite}-${task}`) || !row.file;
  const path = encodeURIComponent(named(row.id, task)).replaceAll("%2F", "/");
  return `${here ? "" : row.file}#task/${path}${view && `/${view}`}${query.size ? `?${query}` : ""}`;
}

/** Return a link to a sample; samples are numbered within their model. */
function sampleLink(suite, task, part, sample, text) {
  const asked = index.suites[suite].entrants.length > 1 ? {model: sample[0]} : {};
  return link(text || `sample ${numberOf(part, sample)}`, address(suite, task, `sample/${numberOf(part, sample)}`, asked));
}

function samplesOf(part, entrant) {
  return part.samples.filter((each) => each[0] === entrant);
}

function numberOf(part, sample) {
  return samplesOf(part, sample[0]).indexOf(sample);
}

function verdict(name) {
  return make(`span.verdict${name === "pass" ? ".pass" : ""}`, name);
}

/** Return the one verdict that counts, and in words on which tests. */
function verdicts(outcome) {
  const all = outcome.plus ?? outcome.base;
  const where = outcome.plus === null ? " on all tests" : all === "pass" ? " on base and plus" : outcome.base === "pass" ? " on plus; base passes" : " on base";
  const stress = outcome.stress ? `; ${outcome.stress} on stress cases` : "";
  return make("span", verdict(all), where + stress);
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
  box.append(...programLines(text, fault));
  return box;
}

function codeBox(text, label) {
  return make("pre.program", {tabindex: "0", "aria-label": label}, ...programLines(text));
}

// Where a check judges, the reference's answer is one of several: nothing is marked as differing from it.
function failureBox(title, failure, checked, level = "h2") {
  const nodes = [make(level, title)];
  if (failure.detail) nodes.push(make("p", `${failure.verdict}: ${failure.detail}${failure.line ? `, line ${failure.line}` : ""}`));
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

/** Views by name: each takes suite, task, its part, what the address asks for, and a sample's number. */
const VIEWS = {
  task(suite, task, part) {
    const data = index.suites[suite], row = data.tasks[task];
    const around = [[task - 1, "Task before"], [task + 1, "Next task"]].filter(([n]) => data.tasks[n]);
    const nodes = [
      crumbs(home(suite), compareLink(suite, task, part), ...around.map(([n, text]) => link(text, address(suite, n)))),
      heading(row.id),
    ];
    nodes.push(table("Scores", ["model", "samples", "base right", ...(data.has_plus ? ["all right"] : [])],
      data.entrants.map((side, n) => cells(labelled(side.label), ...counted(row.counts[n]).slice(0, data.has_plus ? 3 : 2)))));
    if (part.prompt === undefined) nodes.push(make("p.note", data.missing || "The data set given has no such task."));
    else {
      nodes.push(make("details", {open: ""}, make("summary", "Prompt"), codeBox(part.prompt, "Prompt")));
      if (part.contract) nodes.push(folded("Contract: what inputs may be", part.contract));
      nodes.push(part.reference ? make("details", make("summary", "Reference"), codeBox(part.reference, "Reference")) : make("p", "The task has no reference."));
    }
    nodes.push(make("h2", "Samples"));
    if (part.samples_left_out) nodes.push(make("p.note", `${part.samples_left_out} further samples are counted above and not shown.`));
    nodes.push(samplesTable(suite, task, part));
    nodes.push(make("h2", "Inputs"), inputsNote(part));
    if (part.cases.length) {
      const first = part.cases.reduce((sum, each) => sum + each.first, 0);
      nodes.push(table("Inputs", ["no.", "input", part.has_check ? "reference's answer" : "expected", "from", "first failed by, of those that fail", ...(part.failed ? ["failed by"] : [])],
        part.cases.map((each) => cells(String(each.number), code(each.input), each.expected === undefined ? "not known" : code(each.expected), each.origin,
          each.first ? `${each.first} of ${first}` : "", ...(part.failed ? [String(each.failed)] : [])))));
    }
    return nodes;
  },

  sample(suite, task, part, asked, number) {
    const data = index.suites[suite], row = data.tasks[task];
    const named_ = asked.has("model") ? data.entrants.findIndex((side, n) => named(side.label, n) === asked.get("model")) : part.samples.length ? part.samples[0][0] : -1;
    const sample = samplesOf(part, named_)[number];
    if (!sample) return [crumbs(home(suite), link(row.id, address(suite, task))), heading("No such sample"), make("p", "It is not in this report.")];
    const place = part.samples.indexOf(sample), outcome = part.outcomes[sample[2]], side = data.entrants[sample[0]];
    const around = [[place - 1, "Sample before"], [place + 1, "Next sample"]].filter(([n]) => part.samples[n]);
    const nodes = [
      crumbs(home(suite), link(row.id, address(suite, task)), compareLink(suite, task, part, place),
        ...around.map(([n, text]) => sampleLink(suite, task, part, part.samples[n], text))),
      heading(`${side.label}, ${row.id}, sample ${number}`),
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
    if (outcome.failure && outcome.failure.case !== undefined)
      nodes.push(make("p", "Run it again: ", code(["evalplus-lite rerun", quoted(side.folder), ...[`${row.id}#${sample[1]}`, ...side.options].map(quoted), "--case", outcome.failure.case].join(" "))));
    const program = make("div", make("h2", "Program"), programBox(programText(part, outcome.program), faultOf(outcome)));
    nodes.push(part.prompt ? make("div.pair", make("div", make("h2", "Prompt"), codeBox(part.prompt, "Prompt")), program) : program);
    const same = part.samples.filter((each) => each !== sample && part.outcomes[each[2]].program === outcome.program);
    if (outcome.program !== null && same.length)
      nodes.push(make("p", `The same program: ${same.length} other samples, such as `,
        sampleLink(suite, task, part, same[0], `${data.entrants[same[0][0]].label}, sample ${numberOf(part, same[0])}`), "."));
    return nodes;
  },

  compare(suite, task, part, asked) {
    const data = index.suites[suite], row = data.tasks[task], nodes = [crumbs(home(suite), link(row.id, address(suite, task))), heading(`${row.id}: two programs`)];
    if (part.samples.length < 2) return [...nodes, make("p", "There are no two samples to compare.")];
    const start = ["first", "second"].map((side, n) => {
      const own = asked.has(side) ? part.samples.findIndex((each) => each[0] === Number(asked.get(side))) : -1;
      return own >= 0 ? own : asked.has(side) || !n ? 0 : part.samples.findIndex((each) => each[0] !== part.samples[0][0]);
    });
    if (asked.has("sample")) start[0] = Number(asked.get("sample"));
    if (start[1] < 0 || start[1] === start[0]) start[1] = start[0] ? 0 : 1;
    const choices = start.map((place, n) => {
      const select = make("select", {"aria-label": ["First program", "Second program"][n]}, ...part.samples.slice(0, 5 * MOST_ROWS).map((each, value) => {
        const outcome = part.outcomes[each[2]];
        return make("option", {value}, `${data.entrants[each[0]].label}, sample ${numberOf(part, each)}: ${outcome.plus ?? outcome.base}`);
      }));
      select.value = String(place);
      select.addEventListener("change", () => show());
      return select;
    });
    const box = make("div");
    const show = () => {
      const samples = choices.map((select) => part.samples[Number(select.value)]), outcomes = samples.map((each) => part.outcomes[each[2]]);
      const texts = outcomes.map((each) => programText(part, each.program));
      const heads = samples.map((sample, n) => make("div", make("h2", data.entrants[sample[0]].label), make("p", verdicts(outcomes[n]), " ", sampleLink(suite, task, part, sample, "whole sample"))));
      const failures = outcomes.map((outcome) => { const failure = outcome.smallest || outcome.failure; return failure ? failureBox("Fails on", failure, part.has_check, "h3") : make("p", "No input fails."); });
      const programs = texts.includes(null) ? texts.map((text) => programBox(text)) : [difference(texts, outcomes.map(faultOf), part.prompt)];
      box.replaceChildren(make("div.two", ...heads), ...(programs.length > 1 ? [make("div.two", ...programs)] : programs), make("div.two", ...failures));
    };
    show();
    if (part.prompt) nodes.push(make("details", {open: ""}, make("summary", "Prompt"), codeBox(part.prompt, "Prompt")));
    return [...nodes, make("div.two", ...choices), box];
  },
};

function compareLink(suite, task, part, place) {
  return part.samples.length > 1 ? link("Compare two programs", address(suite, task, "compare", place === undefined ? {} : {sample: place})) : null;
}

/** Return a word as a shell reads it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Return two programs line by line, without the lines of the prompt that one of them repeats. */
function difference(texts, faults, prompt) {
  const repeated = texts.map((text) => prompt && text.startsWith(prompt.trimEnd()) ? prompt.trimEnd().split("\n").length : 0);
  const sides = texts.map((text, n) => programLines(text.trimEnd(), faults[n]));
  const kept = alike(...texts.map((text) => text.trimEnd().split("\n")));
  const box = make("div.program.two", {tabindex: "0", role: "region", "aria-label": "Both programs, line by line"});
  const places = [0, 0], isLeft = (n) => places[n] < sides[n].length, isKept = (n) => isLeft(n) && kept[n][places[n]];
  let leftOut = 0;
  while (isLeft(0) || isLeft(1)) {
    const isSame = isKept(0) && isKept(1);
    const next = [0, 1].map((n) => isLeft(n) && (isSame || !isKept(n)) ? places[n]++ : null);
    const isPrompt = next.every((place, n) => place === null || place < repeated[n]);
    leftOut += isPrompt;
    if (!isPrompt) next.forEach((place, n) => {
      const node = place === null ? make("span.line.gap") : sides[n][place];
      node.classList.add(["first", "second"][n], isSame ? "same" : "other");
      box.append(node);
    });
  }
  if (leftOut) box.prepend(make("p.note", `${leftOut} lines of the prompt are left out.`));
  return box;
}

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
  return found.length ? `; ${found.map((each) => each.join(" ")).join(", ")}` : "";
}

/** Return the samples of a task with a choice of models and verdicts. */
function samplesTable(suite, task, part) {
  const data = index.suites[suite], isMeasured = part.samples.some((sample) => sample.length > 3);
  const rows = part.samples.map((sample) => {
    const outcome = part.outcomes[sample[2]], failure = outcome.failure;
    const row = cells(labelled(data.entrants[sample[0]].label), sampleLink(suite, task, part, sample),
      verdict(outcome.base), ...(data.has_plus ? [verdict(outcome.plus ?? outcome.base)] : []), failure ? String(failure.case) : "", why(failure, part.has_check), ...(isMeasured ? [seconds(sample), mebibytes(sample)] : []));
    row.cells[1].dataset.key = numberOf(part, sample);
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
