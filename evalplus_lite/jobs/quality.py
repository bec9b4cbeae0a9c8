"""The quality job: how well suites classify programs known to be right or wrong."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row, Work, WorkerContext
from evalplus_lite.grading.evidence import Evidence
from evalplus_lite.jobs import tables
from evalplus_lite.jobs.augmented_task import Budget, pool_kills
from evalplus_lite.jobs.datasets import (
    content_hash,
    listed,
    prepared,
    require_any,
    run_facts,
    whole_hash,
)
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.expected import SharedData, SuiteSource, on_suites, staged
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.outputs import RunGroup, group_of
from evalplus_lite.jobs.reduction import measurement
from evalplus_lite.jobs.samples import Samples, SampleStream, SampleTable, named
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.jobs.tables import Table
from evalplus_lite.programs import program_hash
from evalplus_lite.reduction.requirements import Matrix, mutants_by_key
from evalplus_lite.reduction.survivors import survivors
from evalplus_lite.sandbox import preset
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.statistics.detection import ProgramOutcome, by_task, figures, share_row
from evalplus_lite.statistics.means import Share, clustered_interval
from evalplus_lite.store import Row as FileRow
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.journal import finished, open_rows
from evalplus_lite.store.labels import file_name, labels
from evalplus_lite.store.locations import Place
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample, Task

# Mutation scores of suites, without mutants that are probably equivalent.


def separating(context: WorkerContext, settings: Row) -> Work:
    """Separate mutants from the reference on a pool of random inputs.

    Takes (staged task, keys of mutants). Returns the number of inputs of the pool, and the keys
    that it separates. ``settings`` are the pool's (seed, inputs).
    """
    seed, inputs = settings

    def separate(item: Row) -> Row:
        ref, doubtful = item
        task, _ = staged(context, ref)
        by_key = mutants_by_key(task)
        # A different answer to a valid input proves that a mutant is not equivalent; agreement
        # proves nothing, so the mutant is only "probably" equivalent.
        sources = [by_key[key].source for key in doubtful]
        budget = Budget(inputs=inputs)
        pool, rows = pool_kills(context.sandbox, task, sources, seed=seed, budget=budget)
        return len(pool), [key for key, row in zip(doubtful, rows, strict=False) if row.killed]

    return separate


POOL_SEED = 1 << 40
"""Added to the pool's seed, so that it does not repeat the inputs of a measured suite."""


@dataclass
class _Faults:
    """The mutants of one reference, and the suites that detect them.

    ``killed`` has, by the suite's number, the keys that all its cases kill, and those that its base
    cases kill. ``separated`` are the keys that only the pool separates from the reference, and
    ``inputs`` is the pool's size.
    """

    task: Task
    keys: dict[str, None] = field(default_factory=dict)
    killed: dict[int, dict[str, set[str]]] = field(default_factory=dict)
    separated: set[str] = field(default_factory=set)
    inputs: int = 0

    @property
    def name(self) -> tuple[str, str]:
        """The task and a hash of its reference: suites may have different ones."""
        return self.task.id, program_hash(self.task.reference)

    def take(self, number: int, matrix: Matrix) -> None:
        """Record the mutants that a suite detects."""
        rows = killed_by(matrix)
        alive = (each.key for each in matrix.unsatisfied if each.kind == "mutant")
        # Suites with the same reference have the same mutants, so the first one lists them and the
        # others add none.
        self.keys |= dict.fromkeys([*rows, *alive])
        self.killed[number] = {"all": set(rows), "base": set(killed_by(matrix, is_base=True))}

    def take_pool(self, row: Mapping[str, Any]) -> None:
        """Record the mutants that the pool separates, from a row of mutants.jsonl."""
        self.inputs, self.separated = row["inputs"], set(row["separated"])

    @property
    def doubtful(self) -> list[str]:
        """The mutants that no suite detects."""
        killed = set[str]().union(*(each["all"] for each in self.killed.values()))
        return [key for key in self.keys if key not in killed]

    @property
    def equivalent(self) -> int:
        """The number of undetected mutants that agree with the reference on the whole pool."""
        # Without any input nothing was compared, so no mutant is excluded from the score.
        return len(set(self.doubtful) - self.separated) if self.inputs else 0


def mutation_scores(
    sets: Sequence[Dataset],
    session: Session,
    *,
    seed: int,
    inputs: int,
    out: Path | None = None,
    force: bool = False,
) -> list[dict[str, Any]]:
    """Return for each dataset how many mutants of its references its suites detect.

    A mutant that no suite detects, and that agrees with the reference on ``inputs`` random inputs
    per task, is probably equivalent and excluded from the score. With ``out``, the results of the
    random inputs are kept in mutants.jsonl, and existing rows are reused unless ``force``.
    """
    # Suites with the same reference share its mutants, and each suite records the ones that it
    # detects.
    faults: dict[tuple[str, str], _Faults] = {}
    for number, data in enumerate(sets):
        stage = f"mutants of {data.name}"
        for one in measurement(data, (), session, kinds=("mutant",), stage=stage).suites:
            each = _Faults(one.task)
            faults.setdefault(each.name, each).take(number, one.matrix)
    # The pool is drawn once for all suites, and its results are resumed like other rows.
    identity = {
        "kind": "equivalence",
        "content": [whole_hash(data) for data in sets],
        "seed": seed,
        "inputs": inputs,
        **session.facts,
    }
    path = None if out is None else out / "mutants.jsonl"
    with open_rows(path, identity=identity, force=force, batch=8) as journal:

        def read(row: FileRow) -> tuple[str, str]:
            name = str(row.data["task_id"]), str(row.data["reference"])
            faults[name].take_pool(row.data)
            return name

        done = set(finished(journal, read))
        # The pool only runs mutants that no suite detects: the others are not equivalent.
        left = [each for name, each in faults.items() if name not in done and each.doubtful]
        staging = SharedData(session.pool())
        items = ((staging.ref(each.task), each.doubtful) for each in left)
        call = Call(f"{separating.__module__}:{separating.__name__}", (seed + POOL_SEED, inputs))
        session.stage("equivalent mutants", len(left))
        rows = session.pool().map(call, items, done=lambda row: session.advance())
        for each, (count, separated) in zip(left, rows, strict=True):
            task_id, reference = each.name
            row = {"task_id": task_id, "reference": reference}
            row |= {"inputs": count, "separated": separated}
            journal.append(row)
            each.take_pool(row)
    scores = []
    for number in range(len(sets)):
        own = [each for each in faults.values() if number in each.killed]
        total, equivalent = sum(len(e.keys) for e in own), sum(e.equivalent for e in own)
        score: dict[str, Any] = {
            "mutants": total,
            "equivalent": equivalent,
            "equivalent_share": equivalent / total if total else None,
        }
        for cases in ("all", "base"):
            hits = [len(each.killed[number][cases]) for each in own]
            totals = [len(each.keys) - each.equivalent for each in own]
            share = share_row(list(map(Share, hits, totals)), seed=seed)
            score[cases] = {"killed": sum(hits), "score": share}
        scores.append(score)
    return scores


# Programs known to be right or wrong: declared by the user, or labeled by a stronger suite.

RIGHT = frozenset({"pass"})
WRONG = frozenset({"fail", "error", "unrepresentable", "crash"})
"""Verdicts of wrong programs. A program that is too slow or too large may be right."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Distinct programs known to be ``right`` and ``wrong``.

    ``files`` are their source files. ``counts`` are the numbers of each kind, of all programs, and
    of undecided ones. The machine failed on the samples in ``infra``; ``left_out`` rows were not
    answers.
    """

    right: SampleTable
    wrong: SampleTable
    files: tuple[Place, ...]
    counts: Mapping[str, int]
    infra: tuple[str, ...]
    left_out: int


@contextlib.contextmanager
def labeled(
    programs: Sequence[Samples],
    truth: Dataset | None,
    data: Dataset,
    session: Session,
    *,
    extract: bool,
    limits: Mapping[str, Any],
    out: Path | None,
    force: bool,
) -> Iterator[Truth]:
    """Yield the deduplicated right and wrong programs; they are deleted on exit.

    ``programs`` are right ones, wrong ones, and samples that ``evaluate`` labels with ``truth``,
    using ``limits`` and ``out``. Raises InputError for a program that is both right and wrong.
    """
    streams = [
        SampleStream(each, data, extract=extract, is_named=True, backend=session.pool())
        for each in programs
    ]
    counts, kinds = Counter[str](), dict[tuple[str, str], str]()

    def distinct(kind: str, samples: Iterable[Sample]) -> Iterator[Sample]:
        for sample, name in named(samples):
            counts[f"{kind}_given"] += 1
            key = sample.task_id, name
            if key not in kinds:
                kinds[key] = kind
                counts[kind] += 1
                yield sample
            elif kinds[key] != kind:
                # One of the two labels is wrong, which would falsify every figure that counts it.
                raise InputError(
                    f"a program for {sample.task_id} is both right and wrong: "
                    f"{sample.source.strip()[:80]!r}",
                    remedy="take it out of one of the two",
                )

    with SampleTable(streams[2]) as samples:
        # First label the samples by the truth; those of tasks that it does not have stay undecided.
        verdicts, infra = dict[tuple[str, int, RunGroup], str](), list[str]()
        if truth is not None:
            ids = frozenset(truth.ids)
            asked = (sample for sample in samples if sample.task_id in ids)
            result = evaluate(
                truth, asked, extract=False, out=out, force=force, session=session, **limits
            )
            infra = list(result.summary["infra"])
            verdicts = {
                (row["task_id"], row["index"], group_of(row)): whole_verdict(row)
                for row in result.to_rows()
            }

        def having(accepted: Collection[str]) -> Iterator[Sample]:
            for sample in samples:
                group = sample.model or None, sample.temperature
                if verdicts.get((sample.task_id, sample.index, group)) in accepted:
                    yield sample

        # Read all right programs first, so that a conflict shows up among the wrong ones.
        with (
            SampleTable(distinct("right", itertools.chain(streams[0], having(RIGHT)))) as right,
            SampleTable(distinct("wrong", itertools.chain(streams[1], having(WRONG)))) as wrong,
        ):
            for stream in streams:
                stream.tell(session)
            names = ("right", "right_given", "wrong", "wrong_given")
            decided = sum(verdict in RIGHT | WRONG for verdict in verdicts.values())
            yield Truth(
                right,
                wrong,
                tuple(path for stream in streams for path in stream.files),
                {**{name: counts[name] for name in names}, "undecided": len(samples) - decided},
                tuple(infra),
                sum(stream.faults.left_out for stream in streams),
            )


def whole_verdict(row: Mapping[str, Any]) -> str:
    """Return a result's verdict on all cases, which is the base verdict without plus cases."""
    return str(row["base"] if row["base"] != "pass" else row["plus"] or "pass")


# Compared suites: their common tasks, and each one's verdicts on known programs.

AnyDataset: TypeAlias = Dataset | str | os.PathLike[str]
RowList: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ComparedSuite:
    """A dataset under a unique name; ``evidence`` has that of each task's suite.

    ``unusable`` and ``notes`` are as in other summaries, prefixed with the suite's name.
    """

    name: str
    data: Dataset
    evidence: Mapping[str, Evidence]
    unusable: list[dict[str, Any]]
    notes: list[dict[str, Any]]


def compared(
    datasets: AnyDataset | Sequence[AnyDataset],
    session: Session,
    *,
    names: Sequence[str] = (),
    strict: bool = False,
) -> list[ComparedSuite]:
    """Return the suites of these datasets, restricted to tasks that are usable in all of them.

    Raises InputError if there is no such task.
    """
    several = [datasets] if isinstance(datasets, Dataset | str | os.PathLike) else list(datasets)
    if not several:
        raise InputError("no dataset is given", remedy="give a suite file or a name")
    own = [each.name if isinstance(each, Dataset) else each for each in several]
    names = labels(names if len(names) == len(several) else own)
    names = [f"{name}-{n}" if name in names[:n] else name for n, name in enumerate(names)]
    # 1. Prepare all suites, to find the usable tasks of each.
    sets = [prepared(each, session, strict=strict) for each in several]
    sources = [SuiteSource(given=data.suites, cache=session.cache) for data in sets]
    session.stage("suites", len(sets))
    for data, source in zip(sets, sources, strict=True):
        source.prepare(data.tasks, session.pool())
        require_any(len(source.evidence), data, source)
        session.advance()
    # 2. Only common tasks count: figures on others would compare tasks, not suites.
    common = [id for id in sets[0].ids if all(id in source.evidence for source in sources)]
    if not common:
        raise InputError(
            f"{' and '.join(names)} have no usable task in common",
            remedy="compare suites for the same tasks",
        )
    # 3. The losses of each suite, under its name.
    suites = []
    for name, data, source in zip(names, sets, sources, strict=True):
        report = listed(data, source)
        for row in (*report["unusable"], *report["notes"]) if len(sets) > 1 else ():
            row["detail"] = f"{name}: {row['detail']}"
        evidence = {id: source.evidence[id] for id in common}
        suites.append(ComparedSuite(name, data.only(common), evidence, **report))
    return suites


def judge_suite(
    suite: ComparedSuite,
    programs: Truth,
    session: Session,
    *,
    limits: Mapping[str, Any],
    seed: int,
    out: Path | None,
    force: bool,
) -> tuple[dict[str, Any], RowList, RowList, list[str]]:
    """Judge right and wrong programs by a suite; ``limits`` and ``out`` are as for ``evaluate``.

    Wrong programs run on every case; for rejected right programs, the smallest failing input is
    searched. Returns the suite's part of the summary, the right programs that it rejects, the wrong
    ones that it accepts, and the samples on which the machine failed.
    """
    options: dict[str, Any] = {"extract": False, "force": force, "session": session, **limits}
    # Details need a run on every case, so only wrong programs get them.
    right = evaluate(
        suite.data, iter(programs.right), minimize=True, out=out and out / "right", **options
    )
    wrong = evaluate(
        suite.data, iter(programs.wrong), details=True, out=out and out / "wrong", **options
    )
    # Compute every figure for all cases, and for the base cases alone.
    rights, wrongs = right.to_rows(), wrong.to_rows()
    base, whole = (
        [by_task(_judged(rows, suite, is_base=is_base)) for rows in (rights, wrongs)]
        for is_base in (True, False)
    )
    # If all cases are base cases, the second set of figures would repeat the first.
    has_base = suite.data.has_plus and any(each.base for each in suite.evidence.values())
    count = len(suite.evidence)
    row = {
        "name": suite.name,
        "content": content_hash(suite.data),
        "cases_a_task": {
            "all": sum(each.cases for each in suite.evidence.values()) / count,
            "base": sum(each.base for each in suite.evidence.values()) / count,
        },
        "all": figures(*whole, seed=seed),
        "base": figures(*base, seed=seed) if has_base else None,
        "verdicts": {"right": right.summary["plus"] or right.summary["base"],
                     "wrong": wrong.summary["plus"] or wrong.summary["base"]},
        "by_task": {
            id: {
                "cases": evidence.cases,
                "base": evidence.base,
                "right": len(whole[0].get(id, ())),
                "accepted": sum(each.is_accepted for each in whole[0].get(id, ())),
                "wrong": len(whole[1].get(id, ())),
                "rejected": sum(not each.is_accepted for each in whole[1].get(id, ())),
            }
            for id, evidence in suite.evidence.items()
        },
    }  # fmt: skip
    infra = [*right.summary["infra"], *wrong.summary["infra"]]
    return (
        row,
        _misjudged(suite.name, rights, programs.right, is_right=True),
        _misjudged(suite.name, wrongs, programs.wrong, is_right=False),
        [f"{suite.name}: {line}" for line in infra],
    )


def _judged(
    rows: Iterable[Mapping[str, Any]], suite: ComparedSuite, *, is_base: bool
) -> Iterator[ProgramOutcome]:
    """Yield the verdicts of the suite, or of its base cases alone, on the programs in rows."""
    for row in rows:
        evidence = suite.evidence[row["task_id"]]
        count = evidence.base if is_base else evidence.cases
        # Cases on which a program was not run do not count.
        details = [each for each in row.get("details", ())[:count] if each is not None]
        rejecting = sum(verdict != "pass" for verdict in details)
        passes_base = row["base"] == "pass"
        passes = passes_base if is_base else whole_verdict(row) == "pass"
        yield ProgramOutcome(row["task_id"], passes, passes_base, rejecting, len(details))


def _misjudged(name: str, rows: RowList, programs: Iterable[Sample], *, is_right: bool) -> RowList:
    """Return rejected right programs, with the input, or accepted wrong ones."""
    wanted = [row for row in rows if (whole_verdict(row) == "pass") != is_right]
    keys = {(row["task_id"], row["program"]) for row in wanted}
    texts = {}
    for sample in programs if keys else ():
        if (key := (sample.task_id, program_hash(sample.source))) in keys:
            texts[key] = sample.source
    misjudged = []
    for row in wanted:
        facts = {"suite": name, "task_id": row["task_id"], "model": row.get("model", "")}
        if is_right:
            failure = row.get("smallest") or row.get("failure") or {}
            facts["verdict"] = whole_verdict(row)
            facts |= {key: failure.get(key) for key in ("input", "expected", "actual", "detail")}
            facts["is_smallest"] = "smallest" in row
        misjudged.append({**facts, "solution": texts[row["task_id"], row["program"]]})
    return misjudged


POOL = 1000
"""Random inputs per task on which a mutant that survives every suite must agree with its reference
to count as equivalent."""


@dataclass(frozen=True, slots=True)
class QualityResult(Result):
    """Measures of how well suites separate right programs from wrong ones.

    ``false_alarms`` are the right programs that a suite rejects, each with its smallest failing
    input; ``missed`` are the wrong ones that a suite accepts.
    """

    false_alarms: tuple[dict[str, Any], ...]
    missed: tuple[dict[str, Any], ...]

    def tables(self) -> list[Table]:
        """Return the figures of every suite, then the right programs that each one rejects."""
        layout = list(tables.quality(self.summary))
        for suite in self.summary["suites"]:
            name = suite["name"]
            alarms = [row for row in self.false_alarms if row["suite"] == name]
            layout += [tables.false_alarms(name, alarms)] if alarms else []
        return layout

    @property
    def left_out(self) -> int:
        """The number of rows in sample files that do not answer any task."""
        return int(self.summary["left_out"])

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per suite, and one for its base cases: ``suite``, ``cases``, ``tpr``, ..."""
        return [
            {
                "suite": suite["name"],
                "cases": kind,
                "cases_a_task": suite["cases_a_task"][kind],
                "tpr": figures["tpr"]["value"],
                "tnr": figures["tnr"]["value"],
                "tnr_past_base": figures["tnr_past_base"]["value"],
                "detection_rate": figures["detection_rate"]["value"],
                "verifier_accuracy": figures["verifier_accuracy"]["value"],
                "coverage_area": figures["coverage"]["area"],
                "mutation_score": None if mutants is None else mutants["score"]["value"],
            }
            for suite in self.summary["suites"]
            for kind in ("all", "base")
            if (figures := suite[kind]) is not None
            for mutants in [suite["mutants"] and suite["mutants"][kind]]
        ]


def quality(
    datasets: AnyDataset | Sequence[AnyDataset],
    *,
    names: Sequence[str] = (),
    right: Samples = (),
    wrong: Samples = (),
    samples: Samples = (),
    truth: AnyDataset | None = None,
    mutants: bool = True,
    pool: int = POOL,
    limits: str = "default",
    memory: int | str = 1 << 30,
    extract: bool = True,
    seed: int = 0,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    session: Session | None = None,
) -> QualityResult:
    """Measure how well suites separate right programs from wrong ones, on their common tasks.

        result = quality("tasks.jsonl", samples=["samples.jsonl"], truth="tasks.jsonl", pool=50)
        result.to_rows()[0]["tnr"]

    ``right`` and ``wrong`` are programs known to be so; ``samples`` are labeled by a stronger
    suite, ``truth`` (a program that fails only by time or memory is neither). Equal programs count
    once. Each figure is also computed for the suite's base cases alone (docs/guide/reduction.md).
    With ``mutants``, mutation scores are computed, too: a mutant that no suite detects and that
    agrees with its reference on ``pool`` random inputs counts as equivalent. ``names`` are names
    for the suites (default: by their files).

    ``limits``, ``memory`` and ``extract`` are as for ``evaluate``; ``seed`` is for the pool and the
    bootstrap. With ``out``, a folder, quality.json, false_alarms.jsonl, missed.jsonl and all
    verdicts are written there, and the same call resumes after a kill, unless ``force`` starts
    over. Raises InputError for unusable input, such as a program that is both right and wrong.
    """
    # Check options before computing anything.
    settings = Settings(preset(limits), memory_bytes(memory))
    sources = (right, wrong, samples)
    is_none = [isinstance(each, Sequence) and not each for each in sources]
    if all(is_none):
        raise InputError("no program is given", remedy="give right or wrong ones, or samples")
    if (truth is None) != is_none[2]:
        raise InputError(
            "samples and truth belong together", remedy="give both: the truth labels the samples"
        )
    with within(session) as opened:
        # Order: suites and their common tasks; labeled programs; verdicts by each suite;
        # mutation scores.
        suites = compared(datasets, opened, names=names, strict=strict)
        labels_of = None if truth is None else prepared(truth, opened, strict=strict)
        folder = None if out is None else made_folder(out)
        places = [folder and folder / file_name(suite.name) for suite in suites]
        place = folder and folder / "truth"
        judged = {"limits": limits, "memory": memory}
        options: dict[str, Any] = {"limits": judged, "force": force}
        with labeled(
            sources, labels_of, suites[0].data, opened, extract=extract, out=place, **options
        ) as programs:
            measured = [
                judge_suite(suite, programs, opened, seed=seed, out=at, **options)
                for suite, at in zip(suites, places, strict=True)
            ]
        scores: Sequence[dict[str, Any] | None] = [None] * len(suites)
        if mutants:
            sets = [suite.data for suite in suites]
            scores = mutation_scores(sets, opened, seed=seed, inputs=pool, out=folder, force=force)
        summary = {
            "run": run_facts(
                pool=opened.pool(), samples=programs.files, limits=settings.facts(limits), seed=seed
            ),
            "tasks": len(suites[0].data.tasks),
            "programs": dict(programs.counts),
            "truth": labels_of and labels_of.name,
            "suites": [
                {**row, "mutants": score} for (row, *_), score in zip(measured, scores, strict=True)
            ],
            "unusable": [row for suite in suites for row in suite.unusable],
            "notes": [row for suite in suites for row in suite.notes],
            "infra": [*programs.infra, *(line for *_, lines in measured for line in lines)],
            "left_out": programs.left_out,
        }
    # quality.json is complete by itself and written first; the other files are for reading.
    alarms = tuple(row for _, rows, *_ in measured for row in rows)
    missed = tuple(row for *_, rows, _ in measured for row in rows)
    result = QualityResult(summary, alarms, missed)
    if folder is not None:
        result.write_summary(folder / "quality.json")
        write_jsonl(folder / "false_alarms.jsonl", alarms)
        write_jsonl(folder / "missed.jsonl", missed)
    return result


# Mutants of references that pass every case of a suite.


@on_suites
def surviving(context: WorkerContext, source: SuiteSource, item: Row) -> Row:
    """Return the ``survivors`` of (staged task, keys of its mutants killed by some case)."""
    ref, killed = item
    task, given = staged(context, ref)
    suite = source.usable(context.sandbox, task, given).suite
    return survivors(context.sandbox, task, suite, killed)


@dataclass(frozen=True, slots=True)
class MutantsResult(Result):
    """Mutants that no input detects."""

    kind: ClassVar[str] = "mutants"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each survivor: operator, line, how many inputs reach it, diff."""
        return [
            {"task_id": id, **survivor}
            for id, row in self.summary["by_task"].items()
            for survivor in row["survivors"]
        ]


def find_survivors(
    dataset: Dataset | str | os.PathLike[str],
    *,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    session: Session | None = None,
) -> MutantsResult:
    """Create mutants of the references and report those that no input detects.

    A survivor is either a missing test or an equivalent mutant; it is suspected to be equivalent if
    many inputs run its changed line. With ``out``, a folder, ``mutants.json`` is written there.
    Raises InputError as ``reduce`` does.
    """
    with within(session) as opened:
        measured = measurement(
            dataset, (), opened, kinds=("mutant",), stage="mutants", strict=strict
        )
        # First pass: which cases kill which mutants. Second: which cases run a survivor's line.
        opened.stage("survivors", len(measured.suites))
        staging = SharedData(opened.pool(), measured.data.suites)
        killed = [killed_by(one.matrix) for one in measured.suites]
        tasks = (staging.ref(one.task) for one in measured.suites)
        call = SuiteSource(cache=opened.cache).call(surviving)
        items = zip(tasks, killed, strict=True)
        alive = list(opened.pool().map(call, items, done=lambda row: opened.advance()))
    by_task = {
        one.task.id: {
            "mutants": len(keys) + len(rows),
            "killed": len(keys),
            "killed_by_base": len(killed_by(one.matrix, is_base=True)),
            "cases": len(one.cases),
            "base": one.matrix.base_count,
            "survivors": rows,
        }
        for one, keys, rows in zip(measured.suites, killed, alive, strict=True)
    }
    # With and without suspected equivalent mutants, which no input could detect.
    total, dead, dead_by_base = (
        sum(row[key] for row in by_task.values()) for key in ("mutants", "killed", "killed_by_base")
    )
    suspects = sum(each["suspected_equivalent"] for rows in alive for each in rows)
    shares = [(row["killed"], row["mutants"]) for row in by_task.values()]
    summary = {
        "dataset": measured.data.name,
        "tasks": len(by_task),
        "mutants": total,
        "killed": dead,
        "killed_by_base": dead_by_base,
        "score": dead / total if total else None,
        "interval": list(clustered_interval(shares)) if total else None,
        "suspected_equivalents": suspects,
        "adjusted_score": dead / (total - suspects) if total > suspects else None,
        "by_task": by_task,
        **measured.report,
    }
    result = MutantsResult(summary)
    if out is not None:
        result.write_summary(made_folder(out) / "mutants.json")
    return result


def killed_by(matrix: Matrix, *, is_base: bool = False) -> list[str]:
    """Return the keys of the mutants that a case, or a base case, kills."""
    cases = (1 << matrix.base_count) - 1 if is_base else -1
    return [each.key for each, row in matrix.rows.items() if each.kind == "mutant" and row & cases]
