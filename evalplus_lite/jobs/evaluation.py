"""The evaluation job: verdicts on every sample, and pass@k of each model."""

from __future__ import annotations

import contextlib
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
from evalplus_lite.execution.records import from_rows, to_row, to_rows
from evalplus_lite.jobs.datasets import content_hash, listed, now, prepared, run_facts
from evalplus_lite.jobs.expected import SharedData, SuiteSource
from evalplus_lite.jobs.judging import JudgedSample, Settings, Verdicts
from evalplus_lite.jobs.outputs import PROGRAMS, RESULTS, RunGroup, group_of, measured
from evalplus_lite.jobs.samples import Samples, SampleStream, SampleTable, group_row, samples_digest
from evalplus_lite.jobs.session import Result, Session, made_folder, within
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
"""Maximum number of tracebacks to keep of failures in our own code."""


@dataclass
class SuiteTally:
    """Counts on one suite: samples by verdict and, by task, how many there are and pass."""

    verdicts: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    def add(self, task: str, verdict: str | None) -> None:
        """Count one verdict, if there is one."""
        if verdict is not None:
            self.verdicts[verdict] += 1
            self.total[task] += 1
            self.right[task] += verdict == "pass"

    def by_task(self) -> dict[str, Count]:
        """Return each task's number of samples and of passing ones."""
        return {task: Count(number, self.right[task]) for task, number in self.total.items()}


@dataclass
class Tally:
    """Counts by task and by verdict; their size does not depend on the number of samples.

    ``unusable`` counts the samples of each task without a usable case, which are in no other count.
    ``infra`` are samples on which the machine or our own code failed, and ``traces`` the tracebacks
    of our own code. ``groups`` has the counts of each model and temperature. Without ``has_plus``
    the data set has no plus cases, so there are no verdicts on them; without ``has_stress`` no
    verdicts on stress cases were requested.
    """

    has_plus: bool = True
    has_stress: bool = False
    has_weak: bool = False
    """Whether a task has only weak tests, which a program can pass by guessing; ``strong`` counts
    verdicts on the other tasks."""
    base: SuiteTally = field(default_factory=SuiteTally)
    plus: SuiteTally = field(default_factory=SuiteTally)
    strong: SuiteTally = field(default_factory=SuiteTally)
    stress: SuiteTally = field(default_factory=SuiteTally)
    unusable: Counter[str] = field(default_factory=Counter)
    infra: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)
    groups: dict[RunGroup, Tally] = field(default_factory=dict)

    def blame(self, error: Exception) -> None:
        """Keep the traceback if our own code failed: the first few distinct ones."""
        if isinstance(error, Defect) and len(self.traces) < MOST_TRACES:
            self.traces += [] if error.trace in self.traces else [error.trace]

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one result row."""
        self.count(group_of(row), row["task_id"], Verdicts.of(row))

    def count(self, group: RunGroup, task: str, verdicts: Verdicts) -> None:
        """Count the verdicts on one sample, in total and in its group."""
        if group not in self.groups:
            self.groups[group] = Tally(self.has_plus, self.has_stress)
        self.has_weak |= verdicts.strong is None
        # Counted twice: over all samples, and for the model at its temperature.
        for each in (self, self.groups[group]):
            each.base.add(task, verdicts.base)
            each.plus.add(task, verdicts.plus)
            each.strong.add(task, verdicts.strong)
            each.stress.add(task, verdicts.stress)

    @property
    def verdicts(self) -> dict[str, int]:
        """Samples by verdict on all cases."""
        counts = (self.plus if self.has_plus else self.base).verdicts
        return {name: counts[name] for name in VERDICTS if name in counts}

    def counts(self) -> dict[str, dict[str, Count]]:
        """Return ``SuiteTally.by_task`` for each suite."""
        suites = {"base": self.base}
        suites |= {"plus": self.plus} if self.has_plus else {}
        suites |= {"strong": self.strong} if self.has_weak else {}
        return {name: suite.by_task() for name, suite in suites.items()}

    def pass_at_k(self, ks: Sequence[int] = DEFAULT_K) -> dict[str, dict[str, float]]:
        """Return pass@k on each suite, for each k with enough samples for every task."""
        return {name: estimate(counts, ks) for name, counts in self.counts().items()}


def grouped(tally: Tally) -> dict[RunGroup, Tally]:
    """Return the counts of each model and temperature, sorted by name and temperature."""
    # Without any samples there is still a row.
    if not tally.groups:
        return {(None, None): tally}
    # Unusable tasks and weak tests are facts of the data set, so each group has all of them.
    for each in tally.groups.values():
        each.unusable, each.has_weak = tally.unusable, tally.has_weak
    return dict(sorted(tally.groups.items(), key=lambda item: (item[0][0] or "", item[0][1] or 0)))


def summarized(
    data: Dataset, groups: Mapping[RunGroup, Tally], tally: Tally, ks: Sequence[int]
) -> dict[str, Any]:
    """Return the scores of each group, and the total counts.

    There is no combined pass@k of several models or temperatures.
    """
    rows = [_row(data, group, each, ks) for group, each in groups.items()]
    whole = _row(data, None, tally, ks)
    # An average over models would depend on their numbers of samples.
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
        row["stress"] = _sorted(tally.stress.verdicts)
    row["tasks_without_samples"] = [
        id for id in data.ids if not tally.base.total[id] and not tally.unusable[id]
    ]
    return row


def _sorted(counts: Mapping[Any, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


# Results in evalplus' format, ``*_eval_results.json``, for other scripts.

MOST_FILES = 200
"""Maximum number of models and temperatures that get a file: rows may name any number."""


def _result(row: Mapping[str, Any], solutions: Mapping[str, str]) -> dict[str, Any]:
    # Only the deciding case is known. It is a base case if the program fails on one.
    failed = row.get("failure")
    in_base = row["base"] != "pass"
    inputs = [] if failed is None else [failed.get("input")]
    # evalplus has three statuses; its plus status is also None if there are no plus cases.
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
    """Write ``eval_results.json`` in evalplus' format: a file for each model and temperature.

    Only the first ``MOST_FILES`` get one, as rows may name any number. ``solutions`` has the
    programs' texts by hash, or is None to leave them out.
    """
    # One pass over the rows for all files: there may be millions of rows, and many groups.
    names = _file_names(list(groups)[:MOST_FILES])
    tasks = {group: dict[str, int]() for group in names}
    only = next(iter(groups)) if len(groups) == 1 else None

    def texts() -> Iterator[tuple[str, int, bytes]]:
        for row in rows:
            if (group := only or group_of(row)) in names:
                task = tasks[group].setdefault(row["task_id"], len(tasks[group]))
                yield names[group], task, _dumped(_result(row, solutions or {}))

    head = _dumped({"date": now().strftime("%Y-%m-%d %H:%M"), "hash": content})
    schema = "create table results (file text, task integer, text blob)"
    # Rows come in the order of judging; evalplus' format has them by task, in order of first row.
    with contextlib.closing(scratch_database(schema)) as base:
        with filling("results"):
            base.executemany("insert into results values (?, ?, ?)", texts())
            base.execute("create index places on results (file, task)")
        query = "select text from results where file = ? and task = ? order by rowid"
        for group, name in names.items():
            with replacing(folder / name) as file:
                file.write(head[:-1] + b',"eval":{')
                for id, task in tasks[group].items():
                    file.write(b"," * bool(task) + _dumped(id) + b":[")
                    for place, (text,) in enumerate(base.execute(query, (name, task))):
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
    """Judge every sample that is not in the journal yet; return the counts of all.

    Raises InputError if the journal has other results, which would be counted, too.

    ``costs`` receives each judged sample's cost, a row for each row of the journal.

    With ``contracts``, texts by task id, also search for each wrong program's smallest failing
    input that is allowed by the task's contract, or by one of these if it has none.

    Equal programs are run once. The order of rows depends only on the samples, so a killed and
    resumed run writes the same journal as an uninterrupted one. A sample on which the machine or
    our own code failed has no row: it is listed in ``Tally.infra``, and tried again when the job is
    run again. A sample of a task without a usable case has no row either: ``source.unusable`` has
    the cause. The evidence of all other tasks with samples is in ``source.evidence``.
    """
    backend, tally = session.pool(), Tally(settings.has_plus, settings.stress)
    # Verdicts are counted only here, so that a resumed run gets the same counts.
    # Order: count the rows of an earlier run; send the rest to the backend in an order that depends
    # only on the samples; append its rows in the same order.
    done = programs.resume(journal, tally.add)
    if done:
        session.note(f"{done} results were there already")
        session.advance(done, counts=tally.verdicts, known=True)
    # Tasks and contracts are staged: items refer to them, and each worker decodes them once.
    staging = SharedData(backend, source.given)
    allowed = None if contracts is None else backend.stage(dict(contracts))
    settings_row = source.settings, to_row(settings), allowed
    call = Call("evalplus_lite.jobs.judging:SampleJudge", settings_row)

    def failed(item: Row, error: Exception) -> Row:
        """Retry the programs of a lost item one by one, so that one cannot affect the others."""
        ref, task_id, groups = item
        if len(groups) > 1:
            singles = [(ref, task_id, [group]) for group in groups]
            rows = list(backend.map(call, singles, key=itemgetter(1), lost=failed, done=counted))
            # A worker returns a task's evidence once, so any of these rows may have it.
            evidence = next((evidence for evidence, _ in rows if evidence is not None), None)
            return evidence, [each for _, judged in rows for each in judged]
        tally.blame(error)
        ((_, members),) = groups
        session.advance(len(members), counts=tally.verdicts)
        return None, to_rows([JudgedSample(None, problem=str(error))] * len(members))

    def counted(row: Row) -> None:
        session.advance(len(row[1]), counts=tally.verdicts)

    def dealt() -> Iterator[Row]:
        for task_id, chunk in programs.chunks(backend.workers):
            samples = [sample for group in chunk for sample in group]
            members = [(each.index, (each.model or None, each.temperature)) for each in samples]
            sent.append((task_id, members))
            yield staging.ref(tasks[task_id]), task_id, [group_row(group) for group in chunk]

    # Items are sent ahead of the rows; their samples wait here until the row arrives.
    sent: deque[tuple[str, list[tuple[int, RunGroup]]]] = deque()
    rows = backend.map(call, dealt(), key=itemgetter(1), lost=failed, done=counted)
    for evidence, judged in rows:
        task_id, members = sent.popleft()
        source.take(task_id, evidence)
        samples = from_rows(JudgedSample, judged)
        for (index, group), sample in zip(members, samples, strict=True):
            # A task without evidence and a machine failure give no verdict; they are listed
            # separately.
            if sample.verdicts is not None:
                if costs is not None:
                    costs.append_line(sample.cost)  # before the row: see ``outputs.measured``
                journal.append_line(sample.row)
                tally.count(group, task_id, sample.verdicts)
            elif sample.problem:
                tally.infra.append(f"{task_id}[{index}]: {sample.problem}")
            else:
                tally.unusable[task_id] += 1
    session.advance(0, counts=tally.verdicts)  # some rows were counted after the last report
    journal.flush()
    # Include tasks judged in an earlier run, so that a resumed run reports the same evidence.
    judged_tasks = [task for id, task in tasks.items() if id in tally.base.total]
    source.prepare(judged_tasks, backend, staging)
    return tally


MOST_SOLUTIONS = 20_000
"""Maximum number of samples for which the file in evalplus' format has the programs' texts."""
MOST_CHARACTERS = 32 << 20
"""Maximum number of characters in these texts."""


@dataclass(frozen=True, slots=True)
class EvaluationResult(Result):
    """The verdicts on samples, and the scores of each model and temperature.

    ``path`` is the file with the rows (results.jsonl), or None if they are in ``rows``.
    """

    kind: ClassVar[str] = "evaluation"

    path: Path | None
    rows: tuple[dict[str, Any], ...] = ()

    @property
    def pass_at_k(self) -> dict[str, dict[str, float]] | None:
        """``{"base": {"pass@1": ...}, "plus": ...}``; None if there are several models.

        ``summary["groups"]`` has each model's.
        """
        scores: dict[str, dict[str, float]] | None = self.summary["pass_at_k"]
        return scores

    @property
    def left_out(self) -> int:
        """The number of rows in sample files that do not answer any task."""
        return int(self.summary["rows"]["left_out"])

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row per sample: ``task_id``, ``index``, ``model``, ``base``, ``plus``, ..."""
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

    ``dataset`` is a ``Dataset``, a name or a path. ``samples`` are ``Sample``s, or files of answers
    (if there are several, each is a model unless its rows name one), from which programs are
    extracted unless ``extract`` is False. ``limits`` names a preset of time limits (``default``,
    ``paper``, ``evalplus``), ``memory`` is the memory that a program may add, in bytes or as
    ``"2GiB"``, and ``total`` the seconds for all cases of a program. ``details`` runs every case
    and keeps each verdict, but stops after eight timeouts, memory errors and crashes. ``minimize``
    finds each wrong program's smallest failing input. ``stress`` runs passing programs on the
    suite's stress cases, for an extra verdict that no score counts. ``ks`` are the k of pass@k,
    which is computed for each model and temperature.

    With ``out``, a folder, rows are written there while judging (results.jsonl, and costs.jsonl
    with measured seconds and memory, which differ between runs), followed by summary.json,
    programs.jsonl.gz and, in evalplus' format, eval_results.json; the same call resumes after a
    kill, unless ``force`` starts over. Without ``out``, rows are kept in memory. With ``shard``,
    such as ``"2/4"``, only a part of the tasks is judged, for ``merge``.

    Tasks without a usable case, which no program can pass, are in ``result.unusable``. Samples on
    which the machine or our own code failed are not scored, but listed in ``summary["infra"]``.
    Raises InputError for unusable input, and SandboxUnavailable if this machine has no sandbox.
    """
    # Check options before starting any sandbox.
    chosen, allowed = preset(limits), memory_bytes(memory)
    if not ks or any(type(k) is not int or k < 1 for k in ks):
        raise InputError(f"ks is {ks!r}", remedy="give whole numbers from 1, such as (1, 10)")
    share = share_of(shard, out, kind="evaluate", journal=RESULTS)
    # 1. The sandboxes, and the data, running test programs to get hidden base cases.
    with within(session) as opened:
        pool = opened.pool()
        data = prepared(dataset, opened, strict=strict)
        # 2. Everything that decides verdicts: settings, the source of suites, and the identity
        # that a resumed run must share. Options that only change the summary (``ks``) are not
        # part of it.
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
        stream = SampleStream(samples, data, extract=extract, strict=strict, backend=pool)
        target = out if share is None else share.out
        folder = None if target is None else made_folder(target)
        path = None if folder is None else folder / RESULTS
        # 3. The journal first: it locks the folder, so that a second run cannot write there.
        with (
            open_rows(path, identity=identity, force=force) as journal,
            measured(folder, journal, force=force) as costs,
            SampleTable(stream) as programs,
        ):
            # A shard selects its part of the tasks before anything is judged.
            if share is not None:
                # Costs are estimated by samples times cases, not measured.
                cases = {task.id: 1 + len(task.cases) for task in data.tasks}
                counts = Counter(sample.task_id for sample in programs)
                share.plan(
                    {id: count * cases[id] for id, count in counts.items()},
                    # Options that only the summary depends on must be equal for all shards, too.
                    facts={
                        **identity,
                        "samples": samples_digest(programs),
                        "summary": [ks],
                    },
                    force=force,
                )
            only = None if share is None else share.items
            # Find equal programs in the whole sample set before judging the first.
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
            # A part has no scores: ``merge`` gathers all journals and finishes this job.
            if share is not None and share.is_part:
                journal.flush()
                stream.tell(opened)
                return EvaluationResult({**share.end(), "infra": tally.infra}, path)
            # Now all verdicts are known: compute scores and the summary.
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
            # 4. The files. summary.json comes last, because it marks the end of the run; evalplus'
            # file, which other tools read, comes just before it.
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
    """Return the programs' texts by their names in results; None if they are too long to hold
    in memory.
    """
    texts: dict[str, str] = {}
    characters = 0
    for name, text in programs.distinct():
        texts[name] = text
        characters += len(text)
        if characters > MOST_CHARACTERS:
            return None
    return texts
