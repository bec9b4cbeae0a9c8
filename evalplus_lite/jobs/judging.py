"""Samples against suites: verdicts as they come, appended to a journal that a later run resumes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

from evalplus_lite.execution.base import Backend, Call, Row, Splitter
from evalplus_lite.jobs.expected import SuiteSource
from evalplus_lite.jobs.grouping import Groups, to_row
from evalplus_lite.jobs.resumption import judged_before
from evalplus_lite.jobs.scores import Group, Tally
from evalplus_lite.jobs.session import SILENT, Progress
from evalplus_lite.jobs.workers.settings import Settings
from evalplus_lite.jobs.workers.shared_data import SharedData
from evalplus_lite.store.resuming import Rows
from evalplus_lite.types import Task


def cut(item: Row) -> list[Row]:
    """Return an item's groups of equal programs, each as an item of its own."""
    ref, task_id, groups = item
    return [(ref, task_id, [group]) for group in groups]


def joined(rows: Sequence[Row]) -> Row:
    """Return the row of an item from the rows of its groups."""
    evidence = next((found for found, _ in rows if found is not None), None)
    return evidence, [each for _, judged in rows for each in judged]


PARTS = Splitter(count=lambda item: len(item[2]), cut=cut, join=joined)


def judge(
    tasks: Mapping[str, Task],
    programs: Groups,
    backend: Backend,
    source: SuiteSource,
    settings: Settings,
    journal: Rows,
    *,
    costs: Rows | None = None,
    contracts: Mapping[str, str] | None = None,
    progress: Progress = SILENT,
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
    tally = Tally(has_plus=settings.has_plus, has_stress=settings.stress)
    done = judged_before(programs.programs, journal, tally.add)
    if done.count:
        progress.note(f"{done.count} results were there already")
        progress.advance(done.count, counts=tally.verdicts, known=True)
    staging = SharedData(backend, source.given)
    allowed = None if contracts is None else backend.stage(dict(contracts))
    call = Call(
        "evalplus_lite.jobs.workers.evaluation:judging",
        (source.settings, settings.to_row(), allowed),
    )

    def failed(item: Row, error: Exception) -> Row:
        """Try the programs of an item that was lost one by one, so that one costs no other."""
        _, _, groups = item
        if len(groups) > 1:
            parts = backend.map(call, cut(item), key=itemgetter(1), lost=failed, done=counted)
            return joined(list(parts))
        tally.blame(error)
        ((_, members),) = groups
        progress.advance(len(members), counts=tally.verdicts)
        return None, [("infra", None, str(error), None, "")] * len(members)

    def counted(row: Row) -> None:
        progress.advance(len(row[1]), counts=tally.verdicts)

    def dealt() -> Iterator[Row]:
        for task_id, chunk in programs.chunks(done):
            samples = [sample for group in chunk for sample in group]
            sent.append((task_id, [(each.index, Group.of_sample(each)) for each in samples]))
            yield staging.ref(tasks[task_id]), task_id, [to_row(group) for group in chunk]

    sent: deque[tuple[str, list[tuple[int, Group]]]] = deque()
    rows = backend.map(call, dealt(), key=itemgetter(1), lost=failed, parts=PARTS, done=counted)
    for evidence, judged in rows:
        task_id, members = sent.popleft()
        source.take(task_id, evidence)
        for (index, group), (base, plus, line, others, cost) in zip(members, judged, strict=True):
            if base == "unusable":
                tally.unusable[task_id] += 1
            elif base == "infra":
                tally.infra.append(f"{task_id}[{index}]: {line}")
            else:
                if costs is not None:
                    costs.append_line(cost)  # before the row: see ``costs.measured``
                journal.append_line(line)
                tally.count_of(group, task_id, base, plus, *others)
    progress.advance(0, counts=tally.verdicts)  # rows are counted as done before they are in turn
    journal.flush()
    # A resumed run reports the rest as well, so that both report the same.
    found = [task for id, task in tasks.items() if id in tally.total]
    source.prepare(found, backend, staging)
    return tally
