"""The efficiency job: compare and rank right programs by their work on growing inputs."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, ClassVar, TypeAlias

from evalplus_lite.efficiency.inputs import LEAST, Level, levels
from evalplus_lite.efficiency.work import cpu, seconds, uncounted, work
from evalplus_lite.errors import InfrastructureError, InputError
from evalplus_lite.execution.base import Call, Ref, Row, Work, WorkerContext
from evalplus_lite.jobs.datasets import content_hash, prepared, run_facts
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.expected import Prepared, SharedData, staged
from evalplus_lite.jobs.samples import Samples, SampleStream
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.programs import program_hash
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.statistics.efficiency import dps, eff_at_k, growth, pairs_of, score, slower
from evalplus_lite.statistics.means import mean_interval
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.journal import finished, open_rows
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.published.base_cases import has_hidden_cases, recover
from evalplus_lite.types import Returned, Sample, Task
from evalplus_lite.values.equality import equal

LEVELS = 4
COUNTERS = ("work", "cpu")
HARNESSES = ("call", "method")
"""Harness kinds whose inputs can grow."""
FACTOR = 20
"""Limit on a program's work, as a multiple of the reference's maximum; at least ``LEAST_UNITS``."""
LEAST_UNITS = 10_000_000
CENSORED = ("", "late", "memory")
"""Reasons after which a program keeps the score of its smaller levels, as in ENAMEL."""
FAILED = ("wrong", "error", "crash")
"""Reasons for which a program gave no right answer to a measured input."""


def measure_task(place: WorkerContext, settings: Settings) -> Work:
    """Return a function that measures each program on the levels of a shared task."""
    prepared: Prepared[Grown] = Prepared()
    count, seed, counter = settings

    def measure(item: Row) -> Row:
        ref, sources = item
        task, grown = prepared.under(ref, 1 << 22, lambda: grown_task(place, ref, seed))
        measured = [_measured(place.sandbox, task, grown, count, counter, each) for each in sources]
        shown = [(level.size, level.shapes, level.units) for level in grown[-count:]]
        return {"task_id": task.id, "levels": shown, "programs": measured if grown else []}

    return measure


Grown: TypeAlias = tuple[Task, tuple[Level, ...]]
Settings: TypeAlias = tuple[int, int, str]
"""Number of levels, seed, and counter."""


def grown_task(place: WorkerContext, ref: Ref, seed: int) -> Grown:
    """Return a shared task with its levels; none if its inputs do not grow."""
    task, _ = staged(place, ref)
    if has_hidden_cases(task):
        task = recover(place.sandbox, task)
    return task, levels(place.sandbox, task, seed=seed)


def allowed(grown: Sequence[Level]) -> int:
    """Return the maximum units of a program on an input."""
    return max(LEAST_UNITS, FACTOR * max(max(level.units) for level in grown))


def _measured(
    sandbox: Sandbox, task: Task, grown: Sequence[Level], count: int, counter: str, source: str
) -> Row:
    """Return the counter, units by level and case, the reason for an early end, and the growth.

    With the counter ``uncounted``, the reason is why the program is not counted.
    """
    if not grown or (reason := uncounted(source)):
        return "uncounted", [], reason if grown else "", None
    most, smaller = allowed(grown), grown[-count - LEAST : -count]
    counts, cause = _counted(sandbox, task, grown[-count:], source, most)
    if cause == "hidden":
        return "uncounted", [], "uses far more CPU time than counted", None
    whole = [*zip(grown[-count:], counts, strict=False)][: len(counts) - bool(cause)]
    if cause == "late" and len(whole) < LEAST:  # smaller sizes show how it grows
        lower, ended = _counted(sandbox, task, smaller, source, most)
        if ended:
            return counter, counts if counter == "work" else [], ended, None
        whole = [*zip(smaller, lower, strict=False), *whole]
    cases = [case for level, _ in whole for case in level.cases]
    rights = [right for level, _ in whole for right in level.expected]
    limits = Limits(cpu=seconds(most), load=6.0)
    outcomes = sandbox.run(Program.of(task, source), Inputs.of(cases), limits).outcomes
    for right, outcome in zip(rights, outcomes, strict=True):
        if not isinstance(outcome, Returned) or not equal(outcome.data, right, task.rule):
            # It is right only when it is counted.
            return counter, counts if counter == "work" else [], "wrong", None
    if counter == "cpu":
        times = [cpu(sandbox, task, source, level.cases, limits) for level, _ in whole]
        if any(None in some for some in times):
            return "uncounted", [], "ran in a process that failed", None
        whole = [(level, some) for (level, _), some in zip(whole, times, strict=True)]
        late: list[list[int | None]] = [
            [None] * len(some) for some in counts[len(counts) - bool(cause) :]
        ]
        counts = [*times[len(times) - len(counts) + len(late) :], *late]
    worst = [max(each or 0 for each in some) for _, some in whole]
    is_grown = cause in ("", "late")
    curve = growth([level.size for level, _ in whole], worst) if is_grown else None
    return counter, counts, cause, curve


def _counted(
    sandbox: Sandbox, task: Task, grown: Sequence[Level], source: str, most: int
) -> tuple[list[list[int | None]], str]:
    """Return units by level and case, up to the first level with a failure, and its cause."""
    cases = [case for level in grown for case in level.cases]
    expected = [each for level in grown for each in level.expected]
    works = work(sandbox, task, source, cases, expected, most=most)
    units = (each.units for each in works)
    counts = [[next(units, None) for _ in level.cases] for level in grown]
    failed = next((at for at, some in enumerate(counts, 1) if None in some), len(counts))
    return counts[:failed], works[-1].cause if works else ""


@dataclass(frozen=True, slots=True)
class EfficiencyResult(Result):
    """The efficiency of models: a row for each right program, and programs' texts by hash."""

    kind: ClassVar[str] = "efficiency"
    programs: tuple[dict[str, Any], ...]
    sources: Mapping[tuple[str, str], str]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each right program: counter, units by level, growth, score, rank."""
        return list(self.programs)

    def extremes(self, task_id: str) -> tuple[str, str] | None:
        """Return the right programs of a task with the last and the first rank."""
        counted = [
            (-row["dps"], self.sources[task_id, row["program"]])
            for row in self.programs
            if row["task_id"] == task_id and row["dps"] and row["program"] != "reference"
        ]
        return (max(counted)[1], min(counted)[1]) if counted else None


def efficiency(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    *,
    levels: int = LEVELS,
    counter: str = "work",
    seed: int = 0,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> EfficiencyResult:
    """Count the work of right programs on growing inputs, and rank models by it.

        result = efficiency("humaneval", ["a.jsonl", "b.jsonl"])
        [(model["model"], model["eff@1"]) for model in result.summary["models"]]

    Samples are judged first. Right programs then run on inputs of ``levels`` sizes, each twice the
    one before, and each answer is compared with the reference's. Work is counted, so the result is
    the same on every machine; with the ``counter`` cpu, microseconds of CPU time are measured
    instead. With ``out``, a folder, efficiency.json and efficiency.jsonl are written there, and the
    same call resumes after a kill, unless ``force`` starts over. Raises InputError for unusable
    input.
    """
    if levels < 3:
        raise InputError(f"levels is {levels}", remedy="give at least 3: growth needs as many")
    if counter not in COUNTERS:
        raise InputError(f"counter is {counter!r}", remedy=f"give one of {', '.join(COUNTERS)}")
    with within(session) as opened:
        pool = opened.pool()
        data = prepared(dataset, opened, strict=strict)
        given = list(SampleStream(samples, data, strict=strict, is_named=True, backend=pool))
        passed, right, _ = judged(data, given, opened)
        usable = [task for task in data.tasks if task.harness.kind in HARNESSES]
        folder = None if out is None else made_folder(out)
        path = None if folder is None else folder / "efficiency.journal.jsonl"
        names = "\n".join(f"{id} {name}" for id, some in sorted(right.items()) for name in some)
        programs = hashlib.sha256(names.encode()).hexdigest()[:32]
        identity = {"kind": "efficiency", "content": content_hash(data), "programs": programs,
                    "levels": levels, "seed": seed, "inputs": 3, "counter": counter,
                    **opened.facts}  # fmt: skip
        with open_rows(path, identity=identity, force=force, batch=1) as journal:
            done = {row["task_id"]: row for row in finished(journal, lambda row: row.data)}
            opened.stage("efficiency", len(usable))
            opened.advance(len(done), known=True)
            left = [task for task in usable if task.id not in done]
            for row in counts(SharedData(pool), left, right, (levels, seed, counter)):
                done[row["task_id"]] = row
                journal.append(row)
                opened.advance()
        run = run_facts(data, pool=pool, seed=seed)
    rows = [row for task in usable for row in rows_of(done[task.id], right[task.id])]
    measured = {row["task_id"] for row in rows}
    tasks = [task.id for task in usable if task.id in measured]
    by_model = _by_model(given, passed, rows, tasks)
    models = [_figures(model, by_task) for model, by_task in by_model.items()]
    models.sort(key=lambda each: (-(each["eff@1"] or 0), each["model"]))
    amounts = {
        each["model"]: {
            id: some
            for id, pairs in by_model[each["model"]].items()
            if (some := [x for _, row in pairs if row and (x := _amount(row)) is not None])
        }
        for each in models
    }
    summary: dict[str, Any] = {
        "run": run,
        "dataset": data.name,
        "tasks": len(tasks),
        "not_measured": {
            task.id: "no inputs that grow"
            if task in usable
            else f"{task.harness.kind} tasks are not measured"
            for task in data.tasks
            if task.id not in measured
        },
        "levels": levels,
        "counter": counter,
        "models": models,
        "pairs": pairs_of(amounts),
    }
    sources = {(id, name): text for id, some in right.items() for name, text in some.items()}
    result = EfficiencyResult(summary, tuple(rows), sources)
    if folder is not None:
        write_jsonl(folder / "efficiency.jsonl", rows)
        result.write_summary(folder / "efficiency.json")
    return result


Key: TypeAlias = tuple[str, str, float | None, int]
Right: TypeAlias = dict[str, dict[str, str]]


def judged(
    data: Dataset, samples: Sequence[Sample], session: Session
) -> tuple[set[Key], Right, dict[str, str]]:
    """Return the keys of right samples, their programs by task and hash, and unusable tasks.

    Raises InfrastructureError if the machine failed on a sample, which is not a verdict.
    """
    result = evaluate(data, samples, session=session)
    if failed := result.summary["infra"]:
        raise InfrastructureError(f"{len(failed)} programs could not be judged: {failed[0]}")
    passed = {
        (row["task_id"], row.get("model") or "", row.get("temperature"), row["index"])
        for row in result.to_rows()
        if row["base"] == "pass" and row["plus"] in ("pass", None)
    }
    right: Right = defaultdict(dict)
    for sample in samples:
        if key_of(sample) in passed:
            right[sample.task_id][program_hash(sample.source)] = sample.source
    return passed, right, {row["task_id"]: row["detail"] for row in result.unusable}


def counts(
    staging: SharedData, tasks: Iterable[Task], right: Right, settings: Settings
) -> Iterator[dict[str, Any]]:
    """Yield a row for each task: its levels, and the counts of its reference and programs."""
    call = Call(f"{__name__}:{measure_task.__name__}", settings)
    items = ((staging.ref(task), [task.reference, *right[task.id].values()]) for task in tasks)
    yield from staging.backend.map(call, items, key=itemgetter(0))


def key_of(sample: Sample) -> Key:
    """Return a sample's unique key: task, model, temperature, index."""
    return sample.task_id, sample.model, sample.temperature, sample.index


def rows_of(task: Mapping[str, Any], right: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each program: the reference first, then the samples' right programs."""
    rows = [
        {
            "task_id": task["task_id"],
            "program": name,
            "counter": counter,
            "reason": reason,
            "sizes": [size for size, *_ in task["levels"]][: len(units)],
            "units": units,
            "growth": curve,
        }
        for name, (counter, units, reason, curve) in zip(
            ["reference", *right], task["programs"], strict=False
        )
    ]
    pool = [amount for row in rows if (amount := _amount(row)) is not None]
    curves = [row["growth"] for row in rows if row["growth"]]
    for row in rows:
        amount, is_counted = _amount(row), row["counter"] != "uncounted"
        reference = [units for *_, units in task["levels"]]
        if row["counter"] == "cpu":
            reference = rows[0]["units"] if not rows[0]["reason"] else []
        failed = 0.0 if is_counted else None
        row["score"] = (
            failed if amount is None else score(row["units"], reference) if reference else None
        )
        row["dps"], row["dps_norm"] = (failed,) * 2 if amount is None else dps(amount, pool)
        row["slower"] = slower(row["growth"], curves) if row["growth"] else None
        yield row


def _amount(row: Row) -> float | None:
    """Return the work on the largest size: infinite if late, None if not counted or wrong."""
    if row["counter"] == "uncounted" or row["reason"] not in CENSORED:
        return None
    return math.inf if row["reason"] else float(max(row["units"][-1]))


Graded: TypeAlias = dict[str, list[tuple[bool, Row]]]
"""By task: whether each sample is right, and its program's row."""


def _by_model(
    given: Sequence[Sample], passed: set[Key], rows: Sequence[Row], tasks: Sequence[str]
) -> dict[str, Graded]:
    by_program = {(row["task_id"], row["program"]): row for row in rows}
    models: dict[str, Graded] = {}
    for sample in given:
        is_right = key_of(sample) in passed
        row = by_program.get((sample.task_id, program_hash(sample.source))) if is_right else None
        of_model = models.setdefault(sample.model, {id: [] for id in tasks})
        if sample.task_id in of_model:
            of_model[sample.task_id].append((is_right, row))
    return models


def _figures(model: str, graded: Graded) -> dict[str, Any]:
    """Return the figures of a model over the measured tasks."""
    # A task without a counted program of this model is left out.
    scores = {
        id: [score for _, row in some if (score := row["score"] if row else 0.0) is not None]
        for id, some in graded.items()
    }
    by_task = {id: eff_at_k(some, 1) for id, some in scores.items() if some}
    number = sum(map(len, graded.values()))
    most = max([1.0, *by_task.values()])  # a program may need less than the reference
    low, high = mean_interval([each / most for each in by_task.values()], samples=number)
    own = [row for some in graded.values() for _, row in some if row is not None]
    ends = Counter(row["reason"] for row in own)
    return {
        "model": model,
        "samples": number,
        "pass@1": _mean([_mean([right for right, _ in some]) or 0 for some in graded.values()]),
        "eff@1": _mean(by_task.values()),
        "eff_interval": [most * low, most * high],
        "by_task": by_task,
        "eff": {
            f"eff@{k}": _mean([eff_at_k(some, k) for some in scores.values()])
            for k in (1, 10, 100)
            if scores and all(len(some) >= k for some in scores.values())
        },
        **{key: _mean([row[key] for row in own if row[key] is not None])
           for key in ("dps", "dps_norm", "slower")},
        "wrong": sum(ends[reason] for reason in FAILED),
        "late": ends["late"] + ends["memory"],
        "uncounted": sum(row["counter"] == "uncounted" for row in own),
    }  # fmt: skip


def _mean(values: Collection[float]) -> float | None:
    return sum(values) / len(values) if values else None
