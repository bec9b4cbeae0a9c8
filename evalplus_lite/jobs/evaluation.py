"""The evaluation job: verdicts on every sample, and pass@k of each model."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

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


VerdictCounts: TypeAlias = Counter[tuple[str, str, str | None]]
"""Numbers of samples by task, tests (``TESTS``), and verdict; None is no verdict."""
TESTS = ("base", "plus", "strong", "stress")


@dataclass
class Tally:
    """Counts of verdicts; their size does not depend on the number of samples.

    ``groups`` has the counts of each model and temperature. ``unusable`` counts the samples of each
    task without a usable case, which are in no other count. ``infra`` are samples on which the
    machine or our own code failed, and ``traces`` the tracebacks of our own code. Without
    ``has_plus`` the data set has no plus cases, so there are no verdicts on them; without
    ``has_stress`` no verdicts on stress cases were requested.
    """

    has_plus: bool = True
    has_stress: bool = False
    has_weak: bool = False
    """Whether a task has only weak tests, which a program can pass by guessing; ``strong`` counts
    verdicts on the other tasks."""
    groups: dict[RunGroup, VerdictCounts] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    unusable: Counter[str] = field(default_factory=Counter)
    infra: list[str] = field(default_factory=list)
    traces: list[str] = field(default_factory=list)

    def blame(self, error: Exception) -> None:
        """Keep the traceback if our own code failed: the first few distinct ones."""
        if isinstance(error, Defect) and len(self.traces) < MOST_TRACES:
            self.traces += [] if error.trace in self.traces else [error.trace]

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one result row."""
        self.count(group_of(row), row["task_id"], Verdicts.of(row))

    def count(self, group: RunGroup, task: str, verdicts: Verdicts) -> None:
        """Count the verdicts on one sample."""
        self.has_weak |= verdicts.strong is None
        self.seen[verdicts.plus or verdicts.base] += 1
        counts = self.groups.setdefault(group, Counter())
        for tests in TESTS:
            counts[task, tests, getattr(verdicts, tests)] += 1

    @property
    def verdicts(self) -> dict[str, int]:
        """Samples by verdict on all cases."""
        return {name: self.seen[name] for name in VERDICTS if name in self.seen}


def summarized(data: Dataset, tally: Tally, ks: Sequence[int]) -> dict[str, Any]:
    """Return the total counts, and the scores of each group, sorted by name and temperature.

    There is no combined pass@k of several models or temperatures.
    """
    # Without any samples there is still a row.
    groups = tally.groups or {(None, None): Counter()}
    order = sorted(groups, key=lambda group: (group[0] or "", group[1] or 0))
    rows = [
        {"model": group[0], "temperature": group[1], **_scores(data, groups[group], tally, ks)}
        for group in order
    ]
    whole: VerdictCounts = Counter()
    for counts in groups.values():
        whole.update(counts)
    summary = _scores(data, whole, tally, ks)
    # An average over models would depend on their numbers of samples.
    if len(rows) > 1:
        summary["pass_at_k"] = summary["intervals"] = None
    return {"dataset": data.name, **summary, "groups": rows}


def _scores(
    data: Dataset, counts: VerdictCounts, tally: Tally, ks: Sequence[int]
) -> dict[str, Any]:
    total: dict[str, Counter[str]] = {tests: Counter() for tests in TESTS}
    right: dict[str, Counter[str]] = {tests: Counter() for tests in TESTS}
    verdicts: dict[str, Counter[str]] = {tests: Counter() for tests in TESTS}
    for (task, tests, verdict), number in counts.items():
        if verdict is not None:
            total[tests][task] += number
            right[tests][task] += number * (verdict == "pass")
            verdicts[tests][verdict] += number
    scored = {"base": True, "plus": tally.has_plus, "strong": tally.has_weak}
    by_task = {
        tests: {task: Count(number, right[tests][task]) for task, number in total[tests].items()}
        for tests, is_scored in scored.items()
        if is_scored
    }
    numbers = {tests: dict(sorted(each.items())) for tests, each in verdicts.items()}
    none = {"base": None, "plus": None}
    row = {
        "tasks": len(total["base"]),
        "samples": total["base"].total(),
        "pass_at_k": none | {tests: estimate(each, ks) for tests, each in by_task.items()},
        "intervals": none
        | {
            tests: {k: list(ends) for k, ends in intervals(each, ks).items()}
            for tests, each in by_task.items()
        },
        "base": numbers["base"],
        "plus": numbers["plus"] if tally.has_plus else None,
    }
    if tally.has_weak:
        row |= {"strong": numbers["strong"], "strong_tasks": len(total["strong"])}
    if tally.has_stress:
        row["stress"] = numbers["stress"]
    row["tasks_without_samples"] = [
        id for id in data.ids if id not in total["base"] and not tally.unusable[id]
    ]
    return row


# Results in evalplus' format, ``eval_results.json`` or ``eval_results-MODEL.json``.

MOST_SOLUTIONS = 20_000
"""Maximum number of samples for which these files have the programs' texts."""
MOST_FILES = 200
"""Maximum number of models and temperatures that get a file: rows may name any number."""


def _result(row: Mapping[str, Any], solution: str) -> dict[str, Any]:
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
        "solution": solution,
        "base_status": base,
        "plus_status": plus,
        "base_fail_tests": inputs if in_base else [],
        "plus_fail_tests": [] if in_base else inputs,
    }


def _dumped(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def write_all(
    folder: Path,
    groups: Sequence[Mapping[str, Any]],
    journal: Rows,
    programs: SampleTable,
    *,
    content: str,
) -> None:
    """Write ``eval_results.json`` in evalplus' format: a file for each of the summary's ``groups``.

    Only the first ``MOST_FILES`` get one, as rows may name any number. Texts of more than
    ``MOST_SOLUTIONS`` programs are left out.
    """
    # One pass over the rows for all files: there may be millions of rows, and many groups.
    scores = {group_of(each): each["pass_at_k"] for each in groups[:MOST_FILES]}
    names = _file_names(list(scores))
    tasks = {group: dict[str, int]() for group in names}
    only = group_of(groups[0]) if len(groups) == 1 else None
    numbers = dict(programs.distinct()) if len(programs) <= MOST_SOLUTIONS else {}

    def texts() -> Iterator[tuple[str, int, bytes]]:
        for row in (each.data for each in journal.rows()):
            if (group := only or group_of(row)) in names:
                task = tasks[group].setdefault(row["task_id"], len(tasks[group]))
                number = numbers.get(row["program"])
                text = "" if number is None else programs.read(number).source
                yield names[group], task, _dumped(_result(row, text))

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
                own = {tests: each for tests, each in scores[group].items() if each is not None}
                file.write(b'},"pass_at_k":' + _dumped(own) + b"}")


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
    judged_ids = {id for counts in tally.groups.values() for id, *_ in counts}
    source.prepare([tasks[id] for id in tasks if id in judged_ids], backend, staging)
    return tally


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
    programs.jsonl.gz and, in evalplus' format, eval_results.json (eval_results-MODEL.json for each
    of several models); the same call resumes after a kill, unless ``force`` starts over. Without
    ``out``, rows are kept in memory. With ``shard``, such as ``"2/4"``, only a part of the tasks is
    judged, for ``merge``.

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
                    facts={**identity, "samples": samples_digest(programs), "summary": [ks]},
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
            summary = {
                "run": run_facts(
                    data,
                    content=content,
                    pool=pool,
                    samples=stream.files,
                    limits=settings.facts(limits),
                ),
                **summarized(data, tally, ks),
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
                texts = (
                    {"program": name, "solution": programs.read(number).source}
                    for name, number in programs.distinct()
                )
                write_jsonl(folder / PROGRAMS, texts)
                write_all(folder, summary["groups"], journal, programs, content=content)
                result = EvaluationResult(summary, path)
                result.write_summary(folder / "summary.json")
    stream.tell(opened)
    return result
