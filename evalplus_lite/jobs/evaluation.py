"""Samples against suites: verdicts on every program, and pass@k of each model."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.execution.job import Defect
from evalplus_lite.execution.records import to_row
from evalplus_lite.jobs.datasets import content_hash, listed, now, prepared, run_facts
from evalplus_lite.jobs.expected import SharedData, SuiteSource
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.outputs import PROGRAMS, RESULTS, RunGroup, group_of, measured
from evalplus_lite.jobs.samples import Samples, SampleStream, SampleTable, group_row, samples_digest
from evalplus_lite.jobs.session import Result, Session, output_folder, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.sandbox import preset
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.statistics.means import intervals
from evalplus_lite.statistics.pass_at_k import DEFAULT_K, Count, estimate
from evalplus_lite.store import replacing, write_jsonl
from evalplus_lite.store.journal import Rows, open_rows
from evalplus_lite.store.labels import file_name
from evalplus_lite.store.reading import written_rows
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.loading import known_contracts
from evalplus_lite.types import VERDICTS, Task

# Counts of verdicts, and the scores of each model and temperature.

MOST_TRACES = 5
"""Tracebacks of failures of our own code that are kept."""


@dataclass
class SuiteTally:
    """Samples by verdict on one suite; by task, how many there are and how many pass."""

    verdicts: Counter[str | None] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    def add(self, task: str, verdict: str | None) -> None:
        """Count one verdict."""
        self.verdicts[verdict] += 1
        self.total[task] += 1
        self.right[task] += verdict == "pass"

    def by_task(self) -> dict[str, Count]:
        """Return how many samples each task has, and how many of them pass."""
        return {task: Count(number, self.right[task]) for task, number in self.total.items()}


@dataclass
class Tally:
    """Counts that need no more memory for more samples: by task, and by verdict.

    ``unusable`` counts the samples of each task that has no usable case: they are in no other
    count. ``infra`` are samples that the machine or our own code failed on, ``traces`` where our
    own code did. ``groups`` has the counts of each model and temperature. Without ``has_plus`` the
    data set has no plus cases, and no verdicts on them; without ``has_stress`` no verdicts on
    stress cases were requested.
    """

    has_plus: bool = True
    has_stress: bool = False
    has_weak: bool = False
    """Whether a task has only tests that a program could pass without knowing it: ``strong`` counts
    verdicts on the other tasks."""
    base: SuiteTally = field(default_factory=SuiteTally)
    plus: SuiteTally = field(default_factory=SuiteTally)
    strong: SuiteTally = field(default_factory=SuiteTally)
    stress: Counter[str] = field(default_factory=Counter)
    unusable: Counter[str] = field(default_factory=Counter)
    infra: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    groups: dict[RunGroup, Tally] = field(default_factory=dict)

    def blame(self, error: Exception) -> None:
        """Keep the traceback if our own code failed: the first few that differ."""
        if isinstance(error, Defect) and len(self.traces) < MOST_TRACES:
            self.traces += [] if error.trace in self.traces else [error.trace]

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one result row."""
        # A row has ``strong``, which is None, only where all tests of its task are weak.
        strong = row.get("strong", row["plus"] or row["base"])
        verdicts = row["base"], row["plus"], row.get("stress"), strong, "strong" in row
        self.count(group_of(row), row["task_id"], *verdicts)

    def count(
        self,
        group: RunGroup,
        task: str,
        base: str,
        plus: str | None,
        stress: str | None,
        strong: str | None,
        is_weak: bool,
    ) -> None:
        """Count the verdicts on one sample of a group, in all and in its group.

        ``stress`` is None if it met no such case, ``strong`` if all tests are weak.
        """
        if group not in self.groups:
            self.groups[group] = Tally(self.has_plus, self.has_stress)
        self.has_weak |= is_weak
        # Counted twice: over all samples, and for the model at its temperature.
        for each in (self, self.groups[group]):
            each.base.add(task, base)
            each.plus.add(task, plus)
            if strong is not None:
                each.strong.add(task, strong)
            if stress is not None:
                each.stress[stress] += 1

    @property
    def verdicts(self) -> dict[str, int]:
        """Samples by verdict on all cases there are."""
        counts = (self.plus if self.has_plus else self.base).verdicts
        return {name: counts[name] for name in VERDICTS if name in counts}

    def counts(self) -> dict[str, dict[str, Count]]:
        """Return, for each suite that there is, ``SuiteTally.by_task``."""
        suites = {"base": self.base}
        suites |= {"plus": self.plus} if self.has_plus else {}
        suites |= {"strong": self.strong} if self.has_weak else {}
        return {name: suite.by_task() for name, suite in suites.items()}

    def pass_at_k(self, ks: Sequence[int] = DEFAULT_K) -> dict[str, dict[str, float]]:
        """Return pass@k on each suite, for each k for which every task has enough samples."""
        return {name: estimate(counts, ks) for name, counts in self.counts().items()}


def grouped(tally: Tally) -> dict[RunGroup, Tally]:
    """Return the counts of each model and temperature, in the order of names and temperatures."""
    # Without any sample there is still a row.
    if not tally.groups:
        return {(None, None): tally}
    # Unusable tasks and weak tests are facts of the data set, so each group has all of them.
    for each in tally.groups.values():
        each.unusable, each.has_weak = tally.unusable, tally.has_weak
    return dict(sorted(tally.groups.items(), key=lambda item: (item[0][0] or "", item[0][1] or 0)))


def summarized(
    data: Dataset, groups: Mapping[RunGroup, Tally], tally: Tally, ks: Sequence[int]
) -> dict[str, Any]:
    """Return the scores of each group, and the counts of all.

    There is no pass@k of several models or temperatures together.
    """
    rows = [_row(data, group, each, ks) for group, each in groups.items()]
    whole = _row(data, None, tally, ks)
    # An average over models would depend on how many samples each happens to have.
    if len(rows) > 1:
        whole["pass_at_k"] = whole["intervals"] = None
    return {"dataset": data.name, **whole, "groups": rows}


def _row(data: Dataset, group: RunGroup | None, tally: Tally, ks: Sequence[int]) -> dict[str, Any]:
    scores = {"base": None, "plus": None, **tally.pass_at_k(ks)}
    ends: dict[str, Any] = {"base": None, "plus": None} | {
        name: {k: list(each) for k, each in intervals(counts, ks).items()}
        for name, counts in tally.counts().items()
    }
    row: dict[str, Any] = {} if group is None else {"model": group[0], "temperature": group[1]}
    row |= {
        "tasks": len(tally.base.total),
        "samples": tally.base.total.total(),
        "pass_at_k": scores,
        "intervals": ends,
        "base": _sorted(tally.base.verdicts),
        "plus": _sorted(tally.plus.verdicts) if tally.has_plus else None,
    }
    if tally.has_weak:
        row |= {"strong": _sorted(tally.strong.verdicts), "strong_tasks": len(tally.strong.total)}
    if tally.has_stress:
        row["stress"] = _sorted(tally.stress)
    row["tasks_without_samples"] = [
        id for id in data.ids if not tally.base.total[id] and not tally.unusable[id]
    ]
    return row


def _sorted(counts: Mapping[Any, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


# Results in the form of evalplus, ``*_eval_results.json``, which other scripts read.

MOST_FILES = 200
"""Models and temperatures with a file of their own: rows may name any number."""


def _result(row: Mapping[str, Any], solutions: Mapping[str, str]) -> dict[str, Any]:
    # Only the case that decided is known. It is a base case if the program fails on one.
    failed = row.get("failure")
    in_base = row["base"] != "pass"
    inputs = [] if failed is None else [failed.get("input")]
    # evalplus knows three words; its plus status is None as well where there are no plus cases.
    base, plus = (
        each if each in (None, "pass", "timeout") else "fail" for each in (row["base"], row["plus"])
    )
    return {
        "task_id": row["task_id"],
        "solution": solutions.get(row["program"], ""),
        "base_status": base,
        "plus_status": plus,
        "base_fail_tests": inputs if in_base else [],
        "plus_fail_tests": [] if in_base else inputs,
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def write_all(
    folder: Path,
    groups: Mapping[RunGroup, Tally],
    rows: Iterable[Mapping[str, Any]],
    ks: Sequence[int],
    *,
    content: str,
    solutions: Mapping[str, str] | None,
) -> None:
    """Write ``eval_results.json``, as evalplus does: a file for each model and temperature.

    Of very many, as rows may name them, the first ``MOST_FILES`` get one. ``solutions`` holds the
    programs' texts by hash, if they are to be in the files.
    """
    # One pass over the rows for all files: there may be millions of rows, and many groups.
    names = _file_names(list(groups)[:MOST_FILES])
    numbers = {group: number for number, group in enumerate(names)}
    only = next(iter(groups)) if len(groups) == 1 else None
    tasks = [dict[str, int]() for _ in names]

    def texts() -> Iterator[tuple[int, int, bytes]]:
        for row in rows:
            if (number := numbers.get(only or group_of(row))) is not None:
                task = tasks[number].setdefault(row["task_id"], len(tasks[number]))
                yield number, task, _dumped(_result(row, solutions or {}))

    head = _dumped({"date": now().strftime("%Y-%m-%d %H:%M"), "hash": content})
    schema = "create table results (file integer, task integer, text blob)"
    # Rows come in the order of judging; evalplus' form has them by task, tasks by their first row.
    with contextlib.closing(scratch_database(schema)) as base:
        with filling("results"):
            base.executemany("insert into results values (?, ?, ?)", texts())
            base.execute("create index places on results (file, task)")
        query = "select task, text from results where file = ? order by task, rowid"
        for group, number in numbers.items():
            ids = list(tasks[number])
            with replacing(folder / names[group]) as file:
                file.write(head[:-1] + b',"eval":{')
                rows_of = base.execute(query, (number,))
                for task, some in itertools.groupby(rows_of, key=itemgetter(0)):
                    file.write(b"," * bool(task) + _dumped(ids[task]) + b":[")
                    for place, (_, text) in enumerate(some):
                        file.write(b"," * bool(place) + text)
                    file.write(b"]")
                scores = _dumped(groups[group].pass_at_k(ks))
                file.write(b'},"pass_at_k":' + scores + b"}")


def _file_names(groups: Sequence[RunGroup]) -> dict[RunGroup, str]:
    if len(groups) == 1:
        return dict.fromkeys(groups, "eval_results.json")
    names: dict[RunGroup, str] = {}
    for number, (model, heat) in enumerate(groups):
        title = (model or "no model named") + ("" if heat is None else f", temperature {heat:g}")
        name = f"eval_results-{file_name(title)}.json"
        if name in names.values():
            name = f"eval_results-{file_name(title)}-{number}.json"
        names[model, heat] = name
    return names


# The job.


def judge(
    tasks: Mapping[str, Task],
    programs: SampleTable,
    session: Session,
    source: SuiteSource,
    settings: Settings,
    journal: Rows,
    *,
    costs: Rows | None = None,
    contracts: Mapping[str, str] | None = None,
) -> Tally:
    """Judge every sample that the journal does not hold yet; return the counts of all.

    Other results in the journal, which would be counted too, raise InputError.

    ``costs`` receives each judged sample's cost, a row for each row of the journal.

    With ``contracts``, texts by task id, the smallest failing input of each wrong program is
    searched, too: one that the task's contract allows, or else one of these.

    Equal programs are run once. Rows are appended in an order that depends on the samples alone, so
    the journal of a run that was killed and resumed equals that of one that was not. A sample that
    the machine or our own code failed on has no row: it is named in ``Tally.infra``, and tried
    again when the job is run again. A sample of a task without a usable case has no row either:
    ``source.unusable`` has the cause. The evidence of all other tasks with samples is in
    ``source.evidence``.
    """
    backend, tally = session.pool(), Tally(settings.has_plus, settings.stress)
    # Verdicts are counted here and nowhere else, so that a resumed run counts alike.
    # Order: count the rows of an earlier run; send the rest to the backend in an order that depends
    # on the samples alone; append its rows in that same order.
    done = programs.resume(journal, tally.add)
    if done:
        session.note(f"{done} results were there already")
        session.advance(done, counts=tally.verdicts, known=True)
    # Tasks and contracts are staged: an item names them, and each worker decodes them once.
    staging = SharedData(backend, source.given)
    allowed = None if contracts is None else backend.stage(dict(contracts))
    settings_row = source.settings, to_row(settings), allowed
    call = Call("evalplus_lite.jobs.judging:SampleJudge", settings_row)

    def failed(item: Row, error: Exception) -> Row:
        """Try the programs of an item that was lost one by one, so that one costs no other."""
        ref, task_id, groups = item
        if len(groups) > 1:
            singles = [(ref, task_id, [group]) for group in groups]
            rows = list(backend.map(call, singles, key=itemgetter(1), lost=failed, done=counted))
            # A worker returns a task's evidence once, so any of these rows may have it.
            evidence = next((found for found, _ in rows if found is not None), None)
            return evidence, [each for _, judged in rows for each in judged]
        tally.blame(error)
        ((_, members),) = groups
        session.advance(len(members), counts=tally.verdicts)
        return None, [("infra", None, str(error), None, "")] * len(members)

    def counted(row: Row) -> None:
        session.advance(len(row[1]), counts=tally.verdicts)

    def dealt() -> Iterator[Row]:
        for task_id, chunk in programs.chunks(backend.workers):
            samples = [sample for group in chunk for sample in group]
            members = [(each.index, (each.model or None, each.temperature)) for each in samples]
            sent.append((task_id, members))
            yield staging.ref(tasks[task_id]), task_id, [group_row(group) for group in chunk]

    # Items are taken ahead of the rows: who is in them waits here until their row comes.
    sent: deque[tuple[str, list[tuple[int, RunGroup]]]] = deque()
    rows = backend.map(call, dealt(), key=itemgetter(1), lost=failed, done=counted)
    for evidence, judged in rows:
        task_id, members = sent.popleft()
        source.take(task_id, evidence)
        for (index, group), (base, plus, line, others, cost) in zip(members, judged, strict=True):
            # No evidence is no verdict, and neither is a failure of the machine: both are named
            # apart.
            if base == "unusable":
                tally.unusable[task_id] += 1
            elif base == "infra":
                tally.infra.append(f"{task_id}[{index}]: {line}")
            else:
                if costs is not None:
                    costs.append_line(cost)  # before the row: see ``outputs.measured``
                journal.append_line(line)
                tally.count(group, task_id, base, plus, *others)
    session.advance(0, counts=tally.verdicts)  # rows are counted as done before they are in turn
    journal.flush()
    # A resumed run reports the rest as well, so that both report the same.
    judged_tasks = [task for id, task in tasks.items() if id in tally.base.total]
    source.prepare(judged_tasks, backend, staging)
    return tally


MOST_SOLUTIONS = 20_000
"""Above this many samples the file in evalplus' form leaves the programs' texts out."""
MOST_CHARACTERS = 32 << 20
"""Programs' texts of more characters than this are left out of it, too."""


@dataclass(frozen=True, slots=True)
class EvaluationResult(Result):
    """The verdicts on samples, and the scores of each model and temperature.

    ``path`` is the file that the rows are in (results.jsonl); None if they are kept in ``rows``.
    """

    kind: ClassVar[str] = "evaluation"

    path: Path | None
    rows: tuple[dict[str, Any], ...] = ()

    @property
    def pass_at_k(self) -> dict[str, dict[str, float]] | None:
        """``{"base": {"pass@1": ...}, "plus": ...}``; None if there are several models.

        Each model's is in ``summary["groups"]``.
        """
        scores: dict[str, dict[str, float]] | None = self.summary["pass_at_k"]
        return scores

    @property
    def left_out(self) -> int:
        """The number of rows of the sample files that are not answers to any task."""
        return int(self.summary["rows"]["left_out"])

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a sample: ``task_id``, ``index``, ``model``, ``base``, ``plus``, ..."""
        if self.path is None:
            return list(self.rows)
        return [row.data for row in written_rows(self.path)]


def evaluate(
    dataset: Dataset | str | os.PathLike[str],
    samples: Samples,
    *,
    limits: str = "default",
    memory: int | str = 1 << 30,
    total: float | None = None,
    details: bool = False,
    minimize: bool = False,
    stress: bool = False,
    ks: Sequence[int] = DEFAULT_K,
    extract: bool = True,
    strict: bool = False,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    shard: Shard | str | None = None,
    session: Session | None = None,
) -> EvaluationResult:
    """Judge programs: pass, fail, error, timeout, crash, memory or unrepresentable, and pass@k.

        result = evaluate("tasks.jsonl", "samples.jsonl", ks=(1, 2))
        result.pass_at_k["base"]["pass@1"]
        result.to_rows()[0]["base"]  # pandas.DataFrame(result.to_rows()) is a table of them

    ``dataset`` is a ``Dataset``, a name or a path; ``samples`` are ``Sample``s, or files of answers
    (of several each is a model, unless its rows name one), from which programs are extracted unless
    ``extract`` is False. ``limits`` names a preset of time limits (``default``, ``paper``,
    ``evalplus``), ``memory`` is what a program may add, in bytes or as ``"2GiB"``, ``total`` the
    seconds that all cases of a program may take together. ``details`` runs every case and keeps
    each verdict (none after eight that are lost to time, memory or a crash), ``minimize`` finds the
    smallest input that each wrong program fails on; ``stress`` runs what passes on the suite's
    stress cases, for an extra verdict that no score counts. ``ks`` are the k of pass@k; each model
    and temperature has its own.

    With ``out``, a folder, rows are written there as they come (results.jsonl, and costs.jsonl with
    seconds and memory as measured, which differ between runs), and in the end summary.json,
    programs.jsonl.gz and, as evalplus writes it, eval_results.json; the same call resumes after a
    kill, unless ``force`` starts over. Without ``out`` they are kept in memory. With ``shard``,
    such as ``"2/4"``, only a part of the tasks is judged, for ``merge``.

    No program passes a task without a usable case: such tasks are in ``result.unusable``. Samples
    that the machine or our own code failed on are not scored: ``summary["infra"]``. Raises
    InputError for unusable input, and SandboxUnavailable if this machine holds no sandbox.
    """
    # Options first: a mistake in them costs no sandbox.
    chosen, allowed = preset(limits), memory_bytes(memory)
    if not ks or any(type(k) is not int or k < 1 for k in ks):
        raise InputError(f"ks is {ks!r}", remedy="give whole numbers from 1, such as (1, 10)")
    share = share_of(shard, out, kind="evaluate", journal=RESULTS)
    # 1. The folder, the sandboxes, and the data: base cases of a set that hides them are run for.
    with output_folder(out if share is None else share.out) as folder, within(session) as opened:
        pool = opened.pool()
        data = prepared(dataset, opened, strict=strict)
        # 2. What decides verdicts: the settings, the source of suites, and the identity that a
        # resumed run must share. Options that only change the summary (``ks``) are not part of
        # it.
        settings = Settings(chosen, allowed, total, details, data.has_plus, stress)
        source = SuiteSource(given=data.suites, cache=opened.cache)
        content = content_hash(data)
        identity = {
            "kind": "evaluation",
            "dataset": data.name,
            "content": content,
            "limits": limits,
            "memory": allowed >> 20 if allowed % (1 << 20) == 0 else allowed / (1 << 20),
            "details": details,
            "raw": not extract,
            **opened.facts,
            **({"shrink": True} if minimize else {}),
            **({"stress": True} if stress else {}),
            **({} if total is None else {"total": total}),
        }
        path = None if folder is None else folder / RESULTS
        stream = SampleStream(samples, data, extract=extract, strict=strict, backend=pool)
        # 3. The journal first: it locks the folder, so that a second run cannot write there.
        with (
            open_rows(path, identity=identity, force=force) as journal,
            measured(folder, journal, force=force) as costs,
            SampleTable(stream) as programs,
        ):
            # A shard takes its part of the tasks before anything is judged.
            if share is not None:
                # Costs are counted, not measured: samples times cases.
                cases = {task.id: 1 + len(task.cases) for task in data.tasks}
                counts = Counter(sample.task_id for sample in programs)
                share.plan(
                    {id: count * cases[id] for id, count in counts.items()},
                    # What only the summary depends on is one for all shards as well.
                    facts={
                        **identity,
                        "samples": samples_digest(programs),
                        "summary": [ks],
                    },
                    force=force,
                )
            only = None if share is None else share.items
            # Equal programs are found over the whole sample set, before the first is judged.
            tested = {task.id for task in data.tasks if task.harness.kind == "unittest"}
            count = programs.group(only=only, backend=pool, apart=tested)
            opened.stage("evaluate", count)
            tally = judge(
                {task.id: task for task in data.tasks},
                programs,
                opened,
                source,
                settings,
                journal,
                costs=costs,
                # These contracts only bound the search for small inputs, never a verdict.
                contracts=known_contracts() if minimize else None,
            )
            # A part has no scores: ``merge`` gathers all journals, and runs this job to its end.
            if share is not None and share.is_part:
                journal.flush()
                stream.tell(opened)
                return EvaluationResult({**share.end(), "infra": tally.infra}, path)
            # Only now are all verdicts known: scores, the summary, and the form of evalplus.
            groups = grouped(tally)
            summary = {
                "run": run_facts(
                    data,
                    content=content,
                    pool=pool,
                    samples=stream.files,
                    limits=settings.facts(limits),
                ),
                **summarized(data, groups, tally, ks),
                **listed(data, source),
                "unusable_samples": sum(tally.unusable.values()),
                "infra": tally.infra,
                **({"traces": tally.traces} if tally.traces else {}),
                "rows": stream.faults.to_json(),
                "extraction": dict(sorted(stream.steps.items())),
            }
            # 4. The files. evalplus' form comes last but one: it is read by others only once
            # complete, and summary.json, which says that the run has ended, is the last.
            if folder is None:
                rows = tuple(row.data for row in journal.rows())
                result = EvaluationResult(summary, None, rows)
            else:
                texts = ({"program": id, "solution": text} for id, text in programs.distinct())
                write_jsonl(folder / PROGRAMS, texts)
                short = solutions(programs) if len(programs) <= MOST_SOLUTIONS else None
                result_rows = (row.data for row in journal.rows())
                write_all(folder, groups, result_rows, ks, content=content, solutions=short)
                result = EvaluationResult(summary, path)
                result.write_summary(folder / "summary.json")
    stream.tell(opened)
    return result


def solutions(programs: SampleTable) -> dict[str, str] | None:
    """Return the programs' texts by their names in results; None if they are too long to be held
    together.
    """
    texts: dict[str, str] = {}
    characters = 0
    for name, text in programs.distinct():
        texts[name] = text
        characters += len(text)
        if characters > MOST_CHARACTERS:
            return None
    return texts
