"""The lint job: for each task, coded findings and a verdict on its fitness for use."""

from __future__ import annotations

import ast
import itertools
import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, ReferenceSolutionError, UnusableTask
from evalplus_lite.execution.base import Row, WorkerContext
from evalplus_lite.grading.evidence import (
    Evidence,
    blamed,
    blind_spot,
    own_refused,
    sentence,
    weakness,
)
from evalplus_lite.grading.null import ignored
from evalplus_lite.grading.oracle import Answers, Dropped, answer
from evalplus_lite.grading.subsets import subset
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.augmented_task import Budget, augment_task, pool_kills
from evalplus_lite.jobs.consensus import UNANSWERED, VOTES, Finding, Panel, oddities, unanswered
from evalplus_lite.jobs.datasets import run_facts, whole_hash
from evalplus_lite.jobs.expected import SharedData, SuiteSource, on_suites, staged
from evalplus_lite.jobs.samples import Samples, SampleStream
from evalplus_lite.jobs.session import Result, Session, keep_inputs, made_folder, within
from evalplus_lite.programs import TooLarge, definitions, normal_form, program_hash
from evalplus_lite.programs.mutation.mutants import difference, mutants
from evalplus_lite.programs.mutation.mutants import normal_form as mutated_form
from evalplus_lite.programs.parsing import UNREADABLE
from evalplus_lite.reduction.kills import KillSuite
from evalplus_lite.reduction.survivors import missed_statements, reached_lines, statements
from evalplus_lite.sandbox import Inputs, Limits, Sandbox
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.journal import finished, open_rows
from evalplus_lite.store.opening import opened as opened_file
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks import load_dataset as read_dataset
from evalplus_lite.tasks.assertions import Assertion, divided
from evalplus_lite.tasks.contracts import has_check, parse, shown, violations
from evalplus_lite.tasks.drafts import DraftCase, examples, sessions
from evalplus_lite.tasks.loading import named_rows, shipped
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, with_base_cases
from evalplus_lite.tasks.published.rows import LEFT_OUT
from evalplus_lite.types import Case, Harness, Rule, Suite, Task, clip
from evalplus_lite.values import wire
from evalplus_lite.values.source import shown as value_shown

VERDICTS = ("fit", "weak", "unfair", "broken")
"""From best to worst. Weak: a pass is weaker evidence than it seems; unfair: a failure is."""
LEVELS = {"fit": "note", "weak": "warning", "unfair": "warning", "broken": "error"}
CODES: Mapping[str, str] = {
    **dict.fromkeys(("unreadable", "duplicate", "format"), "T001"),
    **dict.fromkeys(("load", "raises", "arity", "crashes", "memory"), "T002"),
    **dict.fromkeys(("expected", "test"), "T003"),
    "unstable": "T004",
    **dict.fromkeys(("slow", "budget"), "T005"),
    **dict.fromkeys(("invalid", "contract"), "T006"),
    **dict.fromkeys(("unrepresentable", "unobserved"), "T007"),
    **dict.fromkeys(("no inputs", "no reference"), "T008"),
    "guessable": "T101",
    "weak": "T102",
}
"""The code of the finding for each cause of an unusable task or input."""


@cache
def codes() -> dict[str, dict[str, str]]:
    """Return the entry for each code: name, verdict, what, why, example, remedy."""
    text = files("evalplus_lite.jobs").joinpath("findings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def explain(code: str) -> dict[str, str]:
    """Return the entry for a code or its name; raise InputError for an unknown one."""
    for known, entry in codes().items():
        if code in (known, entry["name"]):
            return {"code": known, **entry}
    raise InputError(f"no finding has the code {code!r}", remedy=f"one of {', '.join(codes())}")


def finding(code: str, evidence: str, count: int = 1, *, verdict: str = "") -> dict[str, Any]:
    """Return a finding in the form of results."""
    entry = codes()[code]
    name, verdict = entry["name"], verdict or entry["verdict"]
    return {"code": code, "name": name, "verdict": verdict, "count": count, "evidence": evidence}


def of_cause(cause: str, evidence: str, count: int = 1, *, verdict: str = "") -> dict[str, Any]:
    """Return the finding for a cause; ``verdict`` is broken if the whole task is unusable."""
    return finding(CODES[cause], evidence, count, verdict=verdict)


# One task, in a supervisor: problems of its suite, then gaps of that suite.

LIMITS = Limits(cpu=2.0, load=10.0)
MOST_STEPS = 200_000_000
SLOW_STEPS = 20_000_000
"""Minimum steps of a slow test: about a second on a usual machine, the default time limit."""
MOST_EXAMPLES = 100
"""Maximum number of a prompt's examples to try."""
MOST_MUTANTS = 32
"""Maximum number of a reference's mutants to try, spread over its text."""
POOL = Budget(inputs=100, batch=100)
SMALL_POOL = Budget(inputs=30, batch=30)
"""Budget of new inputs on which surviving mutants are compared with the reference; scripts get
fewer, because each takes a process."""
ENOUGH_CASES = 20
"""A mutant whose change this many passing cases run is probably equivalent, and is skipped."""


@on_suites
def linting(context: WorkerContext, source: SuiteSource, item: Row, seed: int, inputs: int) -> Row:
    """Lint (staged task, programs); return its row, fingerprint, and disputes."""
    ref, programs = item
    task, given = staged(context, ref)
    # Order: the task's text; whether there is a suite; inputs that the suite lost, and its
    # gaps; the votes of other programs. Each part only adds findings.
    findings = list(_of_text(task))
    row = _row(task.id, findings, task)
    try:
        with blamed(task):
            refused = own_refused(context.sandbox, task)
            answers = source.usable(context.sandbox, task, given)
    except UnusableTask as error:
        varies = error.cause in VARYING and _varies(context.sandbox, task, task.base)
        cause, detail = ("unstable", VARIES) if varies else (error.cause, "")
        findings.append(of_cause(cause, error.detail + detail, verdict="broken"))
        return row, fingerprint(task), []
    row["usable"] = len(answers.suite.cases)
    if given is None:
        row["lost"] = sorted({*range(len(task.cases))} - {*answers.kept})
    doubtful = [each.case for each in answers.dropped if each.cause in VARYING]
    varies = _varies(context.sandbox, task, doubtful)
    findings += _of_evidence(task, answers.suite, source.evidence[task.id], varies=varies)
    if refused:
        findings.append(finding("T006", f"used, though {sentence(refused[0])}", len(refused)))
    doubts = Finding(task.id, 0, ())
    if task.reference:
        row["steps"], further = _of_reference(context.sandbox, task, answers)
        findings += further
        if programs:
            budget = Budget(inputs=inputs)
            doubts, row["voters"] = polled(
                context.sandbox, task, answers, given, programs, seed=seed, budget=budget
            )
    if doubts.disputes:
        findings.append(_of_doubts(doubts))
    return row, fingerprint(task), doubts.to_rows()


def _row(id: str, findings: list[dict[str, Any]], task: Task | None = None) -> dict[str, Any]:
    """Return a task's row without results of runs; ``task`` is None if it could not be read."""
    return {
        "task_id": id,
        "harness": task and task.harness.kind,
        "observe": list(task.harness.observe) if task else [],
        "compared": task and ("check" if has_check(task) else task.rule.kind),
        "given": len(task.cases) if task else 0,
        "usable": 0,
        "steps": None,
        "voters": 0,
        "lost": [],
        "findings": findings,
    }


VARYING = ("test", "expected", "raises")
"""Causes that may be due to chance, so such inputs are tried again."""
VARIES = "; another run differs"
AGAIN = (1, 2, 3)
"""The hash seeds of these runs, with at most ``MOST_AGAIN`` inputs each."""
MOST_AGAIN = 20


def _varies(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> bool:
    """Return whether the reference passes one of its failed cases when run again."""
    doubtful = cases[:MOST_AGAIN]
    keys = [Inputs.of([case.arguments]).key for case in doubtful]
    pairs = zip(task.base, task.outputs, strict=False)
    outputs = {Inputs.of([case.arguments]).key: output for case, output in pairs}
    stated = tuple(outputs[key] for key in keys if key in outputs)
    # If the task states outputs, each case that is tried again needs its own.
    if not doubtful or len(stated) != len(doubtful) * bool(task.outputs):
        return False
    task, count = replace(task, base=tuple(doubtful), plus=(), outputs=stated), len(doubtful)
    for seed in AGAIN:
        other = sandbox.sibling(hash_seed=seed)
        with suppress(ReferenceSolutionError):
            answers = answer(
                other, task, doubtful, base_count=count, limits=LIMITS, contract=False, twice=False
            )
            if answers.kept:
                return True
    return False


def _of_evidence(
    task: Task, suite: Suite, evidence: Evidence, *, varies: bool
) -> Iterator[dict[str, Any]]:
    """Yield findings on cases that a suite lost, and on null programs that pass."""
    for loss in evidence.lost:
        if varies and loss.cause in VARYING:
            yield of_cause("unstable", loss.example + VARIES, loss.count)
        else:
            yield of_cause(loss.cause, loss.example, loss.count)
    if left_out := task.extra.get(LEFT_OUT):
        yield finding("T302", f"left out: {'; '.join(left_out[:3])}", len(left_out))
    if not evidence.base:
        yield finding("T302", "no base case is left")
    if blind := blind_spot(suite, task.rule):
        yield finding("T102", blind)
    # A blind spot already implies that a null program passes.
    elif evidence.null_program:
        yield finding("T102", weakness(evidence))
    if inside := task.harness.inside:
        yield finding("T103", f"in {inside} of {len(task.base)} tests", inside)
    if evidence.observed:
        yield finding("T303", evidence.observed)
    if not task.reference:
        yield finding("T303", "no reference: judged by its outputs; augment and reduce skip it")
    if task.reference and _shows_all(task, suite):
        count = len(suite.cases)
        yield finding("T105", f"the prompt shows {count} of {count} tests with their answers")
    yield from _exact_floats(task, suite)


def _of_reference(
    sandbox: Sandbox, task: Task, answers: Answers
) -> tuple[int | None, list[dict[str, Any]]]:
    """Return the reference's maximum steps, and findings from running it and its mutants."""
    suite = answers.suite
    base = suite.cases[: answers.suite.base_count]
    counted = reference_steps(sandbox, task, base, most=MOST_STEPS)
    steps = max(counted, default=None)
    findings = []
    if steps is not None and steps >= SLOW_STEPS:
        findings.append(finding("T005", f"a base input takes the reference {steps:,} steps"))
    findings += _contradicted(sandbox, task)
    findings += [finding("T302", text) for text in ignored(sandbox, task, base)]
    if not findings or findings[0]["code"] != "T005":  # else each mutant would be as slow
        findings += _survivors(sandbox, task, suite, counted)
    return steps, findings


# Findings from a task's text alone.

CLOCK, CHANCE = "reads the clock", "draws without a seed"
NETWORK, FILES = "uses the network", "depends on a file"
SURROUNDINGS = {
    CLOCK: re.compile(
        r"time\.(time|time_ns|localtime|gmtime|ctime|strftime|perf_counter|monotonic)\("
        r"|datetime\.(datetime\.|date\.)?(now|today|utcnow)\("
    ),
    CHANCE: re.compile(r"(numpy\.)?random\.\w+\(|secrets\.|uuid\.uuid[14]\(|os\.urandom\("),
    NETWORK: re.compile(
        r"(requests|httpx|http\.client|urllib\.request|urllib3|aiohttp|ftplib)\."
        r"|socket\.(?!inet_|[hn]to[hn])"
    ),
    FILES: re.compile(
        r"((io\.|os\.)?open|os\.(listdir|scandir|walk|stat|remove|mkdir)|shutil\.\w+|pathlib\.Path"
        r"|os\.path\.(exists|isfile|isdir|getsize)|(numpy|json|pickle)\.load|numpy\.loadtxt"
        r"|pandas\.read_\w+|sqlite3\.connect)\((?!'/dev/stdin|':memory:)"
    ),
}
"""Dependencies of a reference other than its arguments, with the calls that reveal them."""
SEEDED = re.compile(r"\bseed\(|\bRandom\([^)]|default_rng\([^)]")
MOCKED = re.compile(r"\b(mock|patch|monkeypatch|freeze_time)\b")


def _calls(tree: ast.Module | None) -> Iterator[str]:
    """Yield the full name of each call in a program, with its first argument if that is text."""
    nodes = [] if tree is None else list(ast.walk(tree))
    # Names as imported: ``import numpy as np`` and ``from time import time`` are recognized.
    names = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for each in node.names:
                name = each.name if each.asname else each.name.partition(".")[0]
                names[each.asname or name] = name
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            head, dot, rest = ast.unparse(node.func).partition(".")
            first = getattr(node.args[0], "value", "") if node.args else ""
            text = repr(first) if first and isinstance(first, str) else ""
            yield f"{names.get(head, head)}{dot}{rest}({text})"


def _of_text(task: Task) -> Iterator[dict[str, Any]]:
    text = _plain(task.reference)
    tree = definitions.parse(text) if text else None
    yield from _of_surroundings(task, text, tree)
    if task.prompt.strip() and tree is not None:
        yield from _signature(task, tree)
        if task.harness.kind == "unittest":
            yield from _methods(task, tree)
        if _shows_reference(task, text, tree):
            yield finding("T105", "the prompt contains the body of the reference")


def _of_surroundings(task: Task, text: str, tree: ast.Module | None) -> Iterator[dict[str, Any]]:
    calls = list(_calls(tree))
    for what, pattern in SURROUNDINGS.items():
        matches = [each for each in calls if pattern.match(each)]
        if what == FILES:  # only a file that the task itself names
            matches = [each for each in matches if "'" in each]
        is_chance = what == CHANCE  # only a note, as two runs with other hash seeds are compared
        # A seed makes random draws repeatable, and a mock replaces a network or a file. One finding
        # is enough.
        is_fixed = SEEDED.search(text) if is_chance else MOCKED.search(task.harness.tests)
        if matches and not (is_fixed and what != CLOCK):
            yield finding("T204", f"{what}: {matches[0]}", verdict="fit" if is_chance else "")
            return


def _plain(source: str) -> str:
    """Return a program without comments and docstrings, "" if it cannot be analyzed."""
    try:
        return normal_form(source) if source else ""
    except (SyntaxError, TooLarge):
        return ""


def _signature(task: Task, tree: ast.Module) -> Iterator[dict[str, Any]]:
    name = task.entry_point.rpartition(".")[2]
    if not name:
        return
    for each in dict.fromkeys((task.defined, name)):
        if not re.search(rf"\b{re.escape(each)}\b", task.prompt):
            yield finding("T202", f"the prompt does not name {each}")
            return
    shown = definitions.parse(task.prompt)
    stated = None if shown is None else definitions.parameters(shown, name)
    real = definitions.parameters(tree, name)
    if stated is None or real is None or stated == real:
        return
    # Arguments are positional: other names for the same parameters are harmless, but another
    # number or order is not.
    if len(stated) != len(real) or sorted(stated) == sorted(real):
        yield finding("T202", f"the prompt declares {stated}, the reference takes {real}")


def _methods(task: Task, tree: ast.Module) -> Iterator[dict[str, Any]]:
    """Yield findings on methods that tests call but the prompt does not declare correctly."""
    called = set(re.findall(r"\.(\w+)\(", task.harness.tests))
    names = sorted(definitions.methods(task.reference, task.defined) & called)
    # A program declares its methods; prose only names them.
    declared = definitions.methods(task.prompt, task.defined)
    stated = declared or re.findall(r"\w+", task.prompt)
    if hidden := [name for name in names if name not in stated]:
        evidence = f"tests call {', '.join(hidden[:5])}, which the prompt does not declare"
        yield finding("T202", evidence)
    shown = definitions.parse(task.prompt) if declared else None
    for name in names if shown is not None else ():
        pair = [definitions.parameters(each, name) for each in (shown, tree) if each is not None]
        if None not in pair and len(pair[0] or ()) != len(pair[1] or ()):
            evidence = f"the prompt declares {name}{pair[0]}, the reference takes {pair[1]}"
            yield finding("T202", evidence)
            return


LONG_BODY = 20
"""Minimum length of a body, without white space, whose presence in a prompt is not chance."""


def _shows_reference(task: Task, source: str, tree: ast.Module) -> bool:
    """Return whether the prompt contains most of the reference's code.

    A constructor does not count, because prompts for classes usually include it.
    """

    def packed(text: str) -> str:  # without comments and formatting
        return re.sub(r"#.*|[\s'\"()]+", "", text)

    def text_of(nodes: Iterable[ast.stmt]) -> str:
        return "".join(ast.get_source_segment(source, node) or "" for node in nodes)

    shown = definitions.parse(task.prompt)
    prompt = packed(task.prompt if shown is None else ast.unparse(shown))
    owner = [n for n in tree.body if getattr(n, "name", "") == task.defined]
    nodes = [n for o in owner for n in ast.walk(o) if isinstance(n, ast.FunctionDef)]
    bodies = [packed(text_of(node.body)) for node in nodes if node.name != "__init__"]
    if not task.defined:
        bodies = [packed(task.reference)]
    length = sum(len(each) for each in bodies if each in prompt)
    # More than half of all bodies, so that one helper in the prompt is not a finding.
    return length >= LONG_BODY and 2 * length > sum(map(len, bodies))


# Examples in the prompt, as doctests or as a script's input and output.

LONGEST_PROMPT = 20_000
"""Maximum length of a prompt to search for examples, in characters: the time is quadratic."""
HEADING = re.compile(r"[^\w\n]*(sample |example )?(in|out)put[ \d#]*+:?[^\w\n]*+", re.I)
AFTER_OUTPUT = re.compile(r"\W*(?:sample|example|input|note|explanation)s?\b", re.I)


def _samples(prompt: str) -> Iterator[tuple[bool, str, str]]:
    """Yield input and output texts below headings, and whether the heading says "sample".

    An output ends at an empty line. An empty output cannot be distinguished from the next text.
    """
    blocks: list[tuple[re.Match[str], list[str]]] = []
    for line in prompt.splitlines():
        if heading := HEADING.fullmatch(line):
            blocks.append((heading, []))
        elif blocks:
            blocks[-1][1].append(line.strip("`"))
    for (first, text), (second, below) in itertools.pairwise(blocks):
        lines = below[1:] if below and not below[0].strip() else below
        output = list(
            itertools.takewhile(lambda each: each.strip() and not AFTER_OUTPUT.match(each), lines)
        )
        # An output heading that follows an input heading; anything else describes a format.
        if (first[2].lower(), second[2].lower()) == ("in", "out") and output:
            yield first[1] is not None, "\n".join(text).strip("\n "), "\n".join(output).strip()


def _examples(task: Task) -> list[DraftCase]:
    """Return the examples in a prompt, as calls or as input and output texts."""
    if task.harness.kind == "script":
        samples = list(_samples(task.prompt[:LONGEST_PROMPT]))
        # If some headings say "sample", plain "Input" and "Output" describe the format.
        is_headed = any(headed for headed, *_ in samples)
        return [
            DraftCase("", 0, (f"{text}\n",), wire.encode(f"{output}\n"))
            for headed, text, output in samples
            if headed or not is_headed
        ]
    observed = {*task.harness.observe} - {"exception", "message"}
    if task.harness.kind != "call" or observed not in ({"value"}, {"printed"}):
        return []  # no example shows what is compared
    calls = examples(task.prompt, task.entry_point)
    if observed == {"value"}:
        return [each for each in calls if not each.problem]
    texts = ((each, each.text.replace("<BLANKLINE>", "")) for each in calls if each.text)
    return [replace(each, output=wire.encode(f"{text}\n")) for each, text in texts]


def _contradicted(sandbox: Sandbox, task: Task) -> list[dict[str, Any]]:
    """Return a finding on examples in the prompt that the reference contradicts."""
    cases: tuple[Case, ...]
    sources: Mapping[str, str] = {}
    if task.harness.kind in ("unittest", "sequence", "method"):  # examples are lines of code
        tree = definitions.parse(_plain(task.reference))
        calls = list(_calls(tree))
        if any(kind.match(each) for each in calls for kind in SURROUNDINGS.values()):
            return []  # such examples only show possible results
        lines = _lines(task.prompt)[:MOST_EXAMPLES]
        cases = tuple(Case((each.expression,), "docstring") for _, each in lines)
        sources = {each.expression: source for source, each in lines}
        outputs = tuple(wire.encode(each.expected) for _, each in lines)
        task = replace(task, harness=Harness("assertions"), rule=Rule(), contract=None)
    else:
        stated = [] if has_check(task) else _examples(task)[:MOST_EXAMPLES]
        cases = tuple(Case(each.arguments, "docstring") for each in stated)
        outputs = tuple(each.output for each in stated)
        if "printed" in task.harness.observe:
            task = replace(task, rule=Rule("lines"))  # no example shows white space at an end
    if not cases:
        return []
    task = replace(task, base=cases, plus=(), outputs=outputs)
    try:
        dropped: Sequence[Dropped] = answer(
            sandbox, task, cases, base_count=len(cases), limits=LIMITS, contract=False, twice=False
        ).dropped
    except ReferenceSolutionError:  # not a finding about examples
        return []
    if sources:  # such examples often need setup from elsewhere, and raise
        dropped = [each for each in dropped if each.cause == "expected"]
    if not dropped:
        return []
    first = dropped[0]
    source = sources.get(str(first.case.arguments[0]))
    evidence = f"{source}: {first.detail}" if source else sentence(first)
    return [finding("T201", evidence, len(dropped))]


def _lines(prompt: str) -> list[tuple[str, Assertion]]:
    """Return the examples in a program's docstrings whose result is a literal, with their source.

    Each is evaluated after the preceding lines of its docstring.
    """
    examples_of: list[tuple[str, Assertion]] = []
    for session in sessions(prompt):
        lines, asked = list[str](), list[str]()
        end = 0
        for each in session:
            source, want = each.source.strip(), each.want.strip()
            with suppress(*UNREADABLE):
                ast.literal_eval(want)
                ast.parse(source, mode="eval")
                # Printed output is not a value, so such lines only set up later ones.
                if not source.startswith("print("):
                    asked.append(source)
                    source, end = f"assert ({source}) == ({want})", len(lines) + 1
            lines.append(source)
        with suppress(*UNREADABLE):
            examples_of += zip(asked, divided("\n".join(lines[:end])), strict=True)
    return examples_of


def _shows_all(task: Task, suite: Suite) -> bool:
    """Return whether the prompt shows every test with its answer."""
    # In wire form, which distinguishes types and signs of zero.
    stated = {wire.encode(list(each.arguments)): each.output for each in _examples(task)}
    if not stated or len(suite.cases) > len(stated):
        return False
    pairs = zip(suite.cases, suite.expected, strict=True)
    return all(stated.get(wire.encode(list(case.arguments))) == data for case, data in pairs)


DIGITS = 10
"""Minimum number of significant digits of an expected float that was computed, not chosen."""
ASSERTED = re.compile(r"assertEqual\(.{,300}?\b(\d+\.\d+)\)?[,)]")


def _exact_floats(task: Task, suite: Suite) -> Iterator[dict[str, Any]]:
    """Yield a finding on an expected float that must match in every digit."""
    if has_check(task):
        return
    if task.harness.kind == "unittest":
        texts = ASSERTED.findall(task.harness.whole or task.harness.tests)
    elif task.rule.kind == "lines" or (task.rule.atol == task.rule.rtol == 0):
        texts = re.findall(r"\b\d+\.\d+\b", " ".join(repr(wire.decode(data))[:10_000]
                                                     for data in suite.expected))  # fmt: skip
    else:
        return
    # Floats have at most 17 digits, so longer numbers are copied, not computed.
    long = [each for each in texts if DIGITS <= len(each.replace(".", "").lstrip("0")) <= 17]
    if long:
        yield finding("T205", f"{long[0]} has to be met exactly")


# Gaps of a suite: lines that no test runs, and mutants that pass.

MISSED = 1 / 3
"""The minimum share of a reference's statements that makes tests that miss them weak."""


def _survivors(
    sandbox: Sandbox, task: Task, suite: Suite, counted: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Yield findings on code that no test runs, and on wrong mutants that pass.

    ``counted`` are the reference's steps on the base cases. A survivor counts only if an allowed
    input, which is the evidence, shows that it is wrong.
    """
    try:
        source = mutated_form(task.reference)
    except ReferenceSolutionError:
        return  # too large to analyze, although it loads
    script = task.harness.kind == "script"
    reached = reached_lines(sandbox, task, suite, source, statements(source, script=script))
    missed = {line for line, cases in reached.items() if not cases}
    if lines := missed_statements(source, reached):
        needed = statements(source, task.defined, script=script)
        verdict = "weak" if len(needed & missed) > MISSED * len(needed) else ""
        yield finding("T301", f"no test runs {lines}", len(missed), verdict=verdict)
    if task.harness.kind in ("unittest", "assertions"):
        return  # without new inputs, nothing can show that a survivor is wrong
    # A few mutants, spread over the text, without those that many cases run and accept.
    planted = mutants(task.reference, mutmut=False, script=script)  # mutmut's is slow
    alive = [
        each
        for each in planted[:: 1 + len(planted) // MOST_MUTANTS]
        if reached.get(each.line, 0).bit_count() < ENOUGH_CASES or len(suite.cases) < ENOUGH_CASES
    ]
    if alive and len(counted) != len(suite.cases):
        counted = reference_steps(sandbox, task, suite.cases)
    if alive:
        kills = KillSuite.of_mutants(sandbox, task, suite, counted)
        killed_by = kills.kills(sandbox, [each.source for each in alive])
        alive = [each for each, row in zip(alive, killed_by, strict=True) if not row.killed]
    if not alive:
        return
    programs, budget = [each.source for each in alive], SMALL_POOL if script else POOL
    pool, rows = pool_kills(sandbox, replace(task, plus=()), programs, seed=0, budget=budget)
    # A mutant that is only slow on an input may still be equivalent.
    pairs = [(each, row.killed & ~row.slow) for each, row in zip(alive, rows, strict=False)]
    if wrong := [(each, killed) for each, killed in pairs if killed]:
        mutant, killed = wrong[0]
        # The lowest bit is the first input of the pool on which it is wrong.
        case = pool[(killed & -killed).bit_length() - 1]
        diff = difference(task.reference, mutant).splitlines()[2:]
        change = [f"{line[0]} {line[1:].strip()}" for line in diff if line[:1] in ("-", "+")]
        evidence = f"{' / '.join(change)} passes, and is wrong on input {shown(case)}"
        yield finding("T104", evidence, len(wrong))


# Votes of probably right programs, those that pass the base cases, on other inputs.

MOST_SLOW = 8
MOST_FAILURES = 40
"""Maximum number of a task's inputs without an answer to examine."""


def polled(
    sandbox: Sandbox,
    task: Task,
    answers: Answers,
    given: Suite | None,
    programs: Sequence[str],
    *,
    seed: int,
    budget: Budget,
) -> tuple[Finding, int]:
    """Return disputed inputs, and those on which the reference fails, and the number of voters.

    The inputs are the task's own if it has more than base cases, else new ones.
    """
    # New inputs are generated only if the task has just base cases.
    if given is not None or task.plus:
        cases = list(task.plus if given is None else given.cases[given.base_count :])
    else:
        try:
            augmented = augment_task(sandbox, task, seed=seed, budget=budget)
        except (ReferenceSolutionError, UnusableTask):
            return Finding(task.id, 0, ()), 0
        new = augmented.suite.cases[augmented.suite.base_count :]
        cases = [*new, *augmented.unanswered]
    again = answer(
        sandbox,
        task,
        cases,
        base_count=0,
        limits=LIMITS,
        contract=False,  # a suite's inputs are judged as they are, and new ones satisfy it
        max_failures=MOST_SLOW,
    )
    # Only base cases: on others, a wrong reference would exclude programs that contradict it.
    base = subset(answers.suite, range(answers.suite.base_count))
    panel = Panel.select(sandbox, task, base, programs)
    votes = panel.poll(sandbox, again.suite, again.dropped, oddities(again.suite))
    disputes = [each for each in votes if each is not None]
    if task.contract is not None and parse(task.contract).has_precondition:
        # The contract decides on each input; an allowed one needs no votes.
        pairs = zip(again.dropped, votes[len(again.suite.cases) :], strict=True)
        failed = [drop for drop, vote in pairs if not vote and drop.cause in UNANSWERED]
        disputes += map(unanswered, failed[:MOST_FAILURES])
        reasons = violations(sandbox, task.contract, [each.case for each in disputes])
        judged = zip(disputes, reasons, strict=True)
        disputes = [replace(each, allowed=why is None) for each, why in judged]
        disputes = [each for each in disputes if each.voters or each.allowed]
    return Finding(task.id, len(votes), tuple(disputes)), len(panel.programs)


def _of_doubts(doubts: Finding) -> dict[str, Any]:
    """Return the finding on a task's disputes; a few may be inputs that the task excludes."""
    each = doubts.clearest
    reference, other = (
        value_shown(vote.data) if vote.word == "value" else f"{vote.word} {vote.detail}".strip()
        for vote in (each.reference, each.majority)
    )
    of = f"{each.votes} of {each.voters} programs: {other}"
    said = of if each.voters else "the contract: yes"
    evidence = f"input {shown(each.case)}: {said}; the reference: {reference}"
    verdict = "" if doubts.kind == "reference" else "fit"
    return finding("T203", clip(evidence), len(doubts.disputes), verdict=verdict)


# The set as a whole: duplicate tasks, and tasks from a published benchmark.

SHINGLE = 5
"""Length of the runs of words by which statements are compared."""
FEWEST_SHINGLES = 6
ALIKE = 0.8
"""Statements are the same if they share at least this part of the shorter one's runs."""
BOILERPLATE = 0.1
"""A run of words in at least this share of a set's tasks is boilerplate."""
SHORT, TELLING = 300, 1000
"""Minimum length of a reference's tree, in characters, for equality not to be chance: with equal
tests, and without."""
MARK = "\0"  # no task's name has it


def fingerprint(task: Task) -> Row:
    """Return the data to recognize duplicates: runs of words, the reference, the inputs."""
    words = re.findall(r"[a-z0-9]+|[^\sa-z0-9]", task.prompt.lower())
    runs = {_hash(*words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1)}
    tree = definitions.parse(_plain(task.reference))
    # The shape of a reference without its names, because copies are often renamed.
    shape = "" if tree is None else ast.dump(_Anonymous().visit(tree))
    inputs = {_hash(Inputs.of([case.arguments]).key) for case in task.cases[:MOST_EXAMPLES]}
    return sorted(runs), _hash(shape) if shape else "", len(shape), sorted(inputs)


def _hash(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class _Anonymous(ast.NodeTransformer):
    """Renames all names in order of appearance, and drops annotations."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "arg", "name"):
            name = getattr(node, field, None)
            # Keep module names: programs with different imports are not the same.
            if isinstance(name, str) and not isinstance(node, ast.alias):
                setattr(node, field, self.names.setdefault(name, f"n{len(self.names)}"))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
        return super().generic_visit(node)


def duplicates(prints: Mapping[str, Row]) -> Iterator[tuple[str, str, str]]:
    """Yield (task, an earlier duplicate, reason), by fingerprints in the set's order."""
    # Runs of words that many tasks share are boilerplate. To avoid comparing all pairs, only tasks
    # that share another run, or the shape of their reference, are compared.
    common = Counter(run for runs, *_ in prints.values() for run in runs)
    most = max(3, BOILERPLATE * len(prints))
    own = {id: {run for run in row[0] if common[run] <= most} for id, row in prints.items()}
    homes: dict[str, list[str]] = {}
    for id, (_, shape, size, inputs) in prints.items():
        shared = Counter(other for run in own[id] for other in homes.get(run, ()))
        for other, count in shared.most_common(3):
            # Relative to the shorter statement, because a copy may have additional sentences.
            fewest = min(len(own[id]), len(own[other]))
            if fewest >= FEWEST_SHINGLES and count >= ALIKE * fewest:
                yield id, other, "the same statement"
                break
        else:
            for other in homes.get(f"tree {shape}", ()) if size >= SHORT else ():
                if size >= TELLING or _alike(inputs, prints[other][3]):
                    yield id, other, "the same reference"
                    break
        # Add the task after its own search, so that it is only compared with earlier ones.
        for key in (*own[id], f"tree {shape}"):
            homes.setdefault(key, []).append(id)


def _alike(first: Sequence[str], second: Sequence[str]) -> bool:
    fewest = min(len(first), len(second))
    return fewest >= 2 and 2 * len({*first} & {*second}) > fewest


def _copies(prints: Mapping[str, Row], published: Dataset) -> dict[str, dict[str, Any]]:
    """Return a finding for each task from a published set, unless this is a version of that set."""
    # Published tasks come first.
    theirs = {f"{published.name}{MARK}{task.id}": fingerprint(task) for task in published.tasks}
    copies = {
        id: finding("T107", f"{why} as {other.partition(MARK)[2]}")
        for id, other, why in duplicates({**theirs, **prints})
        if MARK in other and MARK not in id
    }
    return {} if 2 * len(copies) > len(prints) else copies


# The job.


@dataclass(frozen=True, slots=True)
class LintResult(Result):
    """A verdict on each task, with the findings behind it.

    ``disputes`` are the inputs on which programs contradict a reference, with all answers;
    ``left_out`` is the number of rows in sample files that do not answer any task.
    """

    kind: ClassVar[str] = "lint"

    disputes: tuple[dict[str, Any], ...] = ()
    left_out: int = 0

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each task: ``task_id``, ``verdict``, ``findings``, ..."""
        return list(self.summary["tasks"])

    @property
    def worst(self) -> str:
        """The worst level of a finding: ``error``, ``warning``, ``note``, or "" for none."""
        levels = {LEVELS[each["verdict"]] for row in self.to_rows() for each in row["findings"]}
        return next((each for each in ("error", "warning", "note") if each in levels), "")

    @property
    def unusable(self) -> list[dict[str, str]]:
        """The broken tasks, with ``task_id``, ``cause`` (the code) and ``detail``."""
        return [
            {"task_id": row["task_id"], "cause": each["code"], "detail": each["evidence"]}
            for row in self.to_rows()
            if row["verdict"] == "broken"
            for each in row["findings"][:1]
        ]


def lint(
    dataset: Dataset | str | os.PathLike[str],
    *,
    samples: Samples | None = None,
    inputs: int = 300,
    tasks: Sequence[str] | None = None,
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> LintResult:
    """Check whether each task is fit for evaluation and training, and if not, why.

        for row in lint("tasks.jsonl").to_rows():
            print(row["task_id"], row["verdict"], row["findings"])

    ``dataset`` is a ``Dataset``, a name or a path; ``tasks`` selects some, as ``Dataset.only``
    does. The reference runs twice on the task's own inputs, and on the examples in its prompt; null
    programs and mutants of the reference run, too. A bad task does not stop the others.

    With ``samples``, those that pass a task's base cases run on its other inputs, or on ``inputs``
    new ones. If most of them, and at least two, contradict the reference, it is in doubt.

    With ``out``, a folder, ``lint.json``, ``lint.jsonl`` and, with samples, ``disputes.jsonl`` are
    written there; the same call resumes after a kill, unless ``force`` starts over. Raises
    InputError if no row of a file can be read.
    """
    with within(session) as opened:
        # 1. The tasks, including unreadable ones: each gets a row.
        data = (dataset if isinstance(dataset, Dataset) else read_dataset(dataset)).only(tasks)
        order = data.all_ids if tasks is None else ()
        if any(map(has_hidden_cases, data.tasks)):
            data = with_base_cases(data, opened.pool(), opened.cache)
        by_task = {
            each.task_id: _row(each.task_id, [of_cause(each.cause, each.detail, verdict="broken")])
            for each in data.unusable
        }
        # 2. Programs for the panel, the first of each model before the second of any.
        sources: Mapping[str, Sequence[str]] = {}
        stream = None if samples is None else SampleStream(samples, data, backend=opened.pool())
        if stream is not None:
            sources = stream.by_task()
            stream.tell(opened)
        folder = None if out is None else made_folder(out)
        identity = {"kind": "lint", "content": whole_hash(data), **opened.facts}
        if sources:
            names = {id: [program_hash(text) for text in some] for id, some in sources.items()}
            identity |= {"programs": _hash(repr(names)), "inputs": inputs, "seed": seed}
        # 3. Each task separately, in parallel, resumed from the journal.
        path = None if folder is None else folder / "lint.journal.jsonl"
        with open_rows(path, identity=identity, force=force, batch=1) as journal:
            # Fingerprints (``mark``) are kept, too, because step 4 compares all tasks.
            keys = ("row", "mark", "disputes")
            old = finished(journal, lambda row: [row.data[key] for key in keys])
            linted = {done[0]["task_id"]: done for done in old}
            left = [task for task in data.tasks if task.id not in linted]
            opened.stage("lint", len(data.tasks))
            opened.advance(len(linted), known=True)
            staging = SharedData(opened.pool(), data.suites)
            call = SuiteSource(cache=opened.cache).call(linting, seed, inputs)
            items = ((staging.ref(task), list(sources.get(task.id, ()))) for task in left)
            for task, done in zip(left, opened.pool().map(call, items), strict=True):
                linted[task.id] = done
                journal.append(dict(zip(keys, done, strict=True)))
                opened.advance()
        # 4. The set as a whole: duplicate tasks, and tasks from a published benchmark.
        prints = {id: linted[id][1] for id in data.ids}
        for id, other, why in duplicates(prints):
            linted[id][0]["findings"].append(finding("T106", f"{why} as {other}"))
        for published in shipped().values():
            for id, copy in _copies(prints, published).items():
                linted[id][0]["findings"].append(copy)
        # 5. Verdicts, in the order of the file.
        place = {id: number for number, id in enumerate(order)}
        by_task |= {id: row for id, (row, *_) in linted.items()}
        rows = [_judged(row) for row in by_task.values()]
        rows.sort(key=lambda row: place.get(row["task_id"], len(place)))
        files = () if stream is None else stream.files
        run = run_facts(data, pool=opened.pool(), samples=files, seed=seed)
    voted = None if stream is None else sum(row["voters"] >= VOTES for row in rows)
    result = LintResult(
        {**_summary(data.name, rows, run), "polled": voted},
        tuple(each for id in data.ids for each in linted[id][2]),
        0 if stream is None else stream.faults.left_out,
    )
    if folder is not None:
        write_jsonl(folder / "lint.jsonl", rows)
        if stream is not None:
            write_jsonl(folder / "disputes.jsonl", result.disputes)
        # Other commands recognize the folder by ``lint.json``, so it is written last.
        result.write_summary(folder / "lint.json")
    return result


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the verdict of its worst finding, which comes first."""
    findings = sorted(row["findings"], key=lambda each: -VERDICTS.index(each["verdict"]))
    verdict = findings[0]["verdict"] if findings else "fit"
    return {"task_id": row["task_id"], "verdict": verdict, **row, "findings": findings}


def _summary(name: str, rows: Sequence[dict[str, Any]], run: dict[str, Any]) -> dict[str, Any]:
    codes_of = [{each["code"] for each in row["findings"]} for row in rows]
    tasks = Counter(code for some in codes_of for code in some)
    verdicts = Counter(row["verdict"] for row in rows)
    # Null programs earn the reward of tasks with T102; broken tasks give none.
    pairs = zip(codes_of, rows, strict=True)
    free = ["T102" in some for some, row in pairs if row["verdict"] != "broken"]
    return {
        "run": run,
        "dataset": name,
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "null_reward": sum(free) / len(free) if free else None,
        "codes": {
            code: {"name": entry["name"], "tasks": tasks[code], "remedy": entry["remedy"]}
            for code, entry in codes().items()
            if tasks[code]
        },
        "tasks": list(rows),
    }


# Fixes that require no decision about a task.

NAMED = re.compile(r'\w*(?:id|name|title|number)"?\s*[:=]\s*("(?:[^"\\]|\\.)*")')
"""A key that names a task in a line of JSON or TOML."""
LOSSES = ("T003", "T002", "T004", "T005", "T007")
"""Codes for unusable inputs."""


def fix(
    path: str | os.PathLike[str], result: LintResult, out: str | os.PathLike[str]
) -> list[dict[str, str]]:
    """Write the rows of a linted file with safe fixes, and return the fixes.

    Broken and duplicate rows are left out, as are inputs that the reference cannot answer or whose
    stated output it contradicts. A second task with the same id gets its own id. A prompt that does
    not name the function gets a line that does. A fix has ``task_id``, ``code`` and ``what``.
    """
    keep_inputs({"fixed file": out}, {"file of tasks": path})
    linted_rows = {row["task_id"]: row for row in result.to_rows()}
    fixes: list[dict[str, str]] = []
    rows, same = list[dict[str, Any]](), dict[str, list[dict[str, Any]]]()

    def note(id: str, code: str, what: str) -> None:
        fixes.append({"task_id": id, "code": code, "what": what})

    # Rows are written as they were read, changed only where a finding requires it.
    lines = list(named_rows(path))
    ids = Counter(id for id, _ in lines)
    for id, line in lines:
        row, linted = dict(line.data), linted_rows.get(id)
        if not id or linted is None:
            note(id or f"line {line.line}", "T001", "left out: it cannot be read")
            continue
        if ids[id] > 1:  # only the next run can lint them
            twins, key = same.setdefault(id, []), "id" if "id" in row else "task_id"
            if line.data in twins or (twins and key not in row):
                note(id, "T001", "left out: its id is taken")
            else:
                if twins:
                    names = (f"{id}-{number}" for number in itertools.count(2))
                    row[key] = next(name for name in names if name not in ids)
                    ids[row[key]] = 1
                    note(id, "T001", f"its id is taken: named {row[key]}")
                rows.append(row)
            twins.append(line.data)
            continue
        codes_of = [each["code"] for each in linted["findings"]]
        is_broken = linted["verdict"] == "broken"
        if is_broken or "T106" in codes_of:
            code = codes_of[0] if is_broken else "T106"
            note(id, code, f"left out: {codes()[code]['name']}")
            continue
        lost = {*linted["lost"]}
        inputs, outputs = row.get("inputs"), row.get("outputs")
        # Positions refer to the linted cases; a row in another form is not changed.
        if lost and type(inputs) is list and len(inputs) == linted["given"]:
            row["inputs"] = [each for n, each in enumerate(inputs) if n not in lost]
            if type(outputs) is list:
                row["outputs"] = [each for n, each in enumerate(outputs) if n not in lost]
            code = next((code for code in codes_of if code in LOSSES), "T002")
            note(id, code, f"left out {len(lost)} of {len(inputs)} inputs")
        name = row.get("entry_point")
        is_named = type(name) is not str or name in row.get("prompt", name)
        if "T202" in codes_of and not is_named:
            row["prompt"] = f"{row['prompt'].rstrip()}\n\nName it `{name}`.\n"
            note(id, "T202", f"the prompt names {name}")
        rows.append(row)
    write_jsonl(out, rows)
    return fixes


def to_github(result: LintResult, path: str) -> str:
    """Return a GitHub workflow command for each finding, one per line."""

    def escaped(text: str) -> str:  # as GitHub defines it for its workflow commands
        return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    file = escaped(path).replace(":", "%3A").replace(",", "%2C")
    lines = line_numbers(path, [row["task_id"] for row in result.to_rows()])
    text = ""
    for row in result.to_rows():
        id = row["task_id"]
        for each in row["findings"]:
            level = LEVELS[each["verdict"]].replace("note", "notice")
            title = f"{each['code']} {each['name']}"
            message = escaped(f"{id}: {each['evidence']}")
            text += f"::{level} file={file},line={lines.get(id, 1)},title={title}::{message}\n"
    return text


def line_numbers(path: str, ids: Sequence[str]) -> dict[str, int]:
    """Return the line of each id in a task file; ids that are not found are left out."""
    numbers: dict[str, int] = {}
    if not os.path.isfile(path):
        return numbers
    wanted = {json.dumps(id): id for id in ids}
    with opened_file(path) as file:
        for number, line in enumerate(file, 1):
            for quoted in NAMED.findall(line.decode("utf-8", "replace")):
                if quoted in wanted:
                    numbers.setdefault(wanted[quoted], number)
    return numbers
