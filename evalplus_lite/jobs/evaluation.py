"""Samples against suites: verdicts on every program, and pass@k of each model."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import InputError
from evalplus_lite.execution.base import Call, Row
from evalplus_lite.execution.records import to_row
from evalplus_lite.jobs.datasets import content_hash, listed, prepared, run_facts
from evalplus_lite.jobs.expected import SharedData, SuiteSource
from evalplus_lite.jobs.judging import Settings
from evalplus_lite.jobs.outputs import PROGRAMS, RESULTS, RunGroup, measured
from evalplus_lite.jobs.samples import Samples, SampleStream, SampleTable, group_row, samples_digest
from evalplus_lite.jobs.scores import Tally, grouped, summarized, write_all
from evalplus_lite.jobs.session import Result, Session, output_folder, within
from evalplus_lite.jobs.shards import Shard, share_of
from evalplus_lite.sandbox import preset
from evalplus_lite.sandbox.limits import memory_bytes
from evalplus_lite.statistics.pass_at_k import DEFAULT_K
from evalplus_lite.store import write_jsonl
from evalplus_lite.store.journal import Rows, open_rows
from evalplus_lite.store.reading import written_rows
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.loading import known_contracts
from evalplus_lite.types import Task


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
    call = Call(
        "evalplus_lite.jobs.judging:judging",
        (source.settings, to_row(settings), allowed),
    )

    def failed(item: Row, error: Exception) -> Row:
        """Try the programs of an item that was lost one by one, so that one costs no other."""
        ref, task_id, groups = item
        if len(groups) > 1:
            singles = [(ref, task_id, [group]) for group in groups]
            rows = list(backend.map(call, singles, key=itemgetter(1), lost=failed, done=counted))
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
