"""What jobs that keep no journal leave of a shard: rows as work gave them, to be given again."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, replace

from evalplus_lite.errors import CodecError
from evalplus_lite.execution.base import Backend, Call, Row
from evalplus_lite.jobs.datasets import content_hash
from evalplus_lite.jobs.resumption import samples_digest
from evalplus_lite.jobs.shards import Share
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.store.resuming import finished
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Sample
from evalplus_lite.values import wire


def shared_tasks(
    data: Dataset,
    share: Share,
    programs: Sequence[Sample],
    others: Sequence[Sample],
    kinds: tuple[str, ...],
    policy: Policy | None,
    *,
    exact: bool,
) -> Dataset:
    """Return the dataset with the tasks of a share."""
    counts = Counter(sample.task_id for sample in (*programs, *others))
    facts = {
        "kind": "measurement",
        "content": content_hash(data),
        "kinds": list(kinds),
        "policy": None if policy is None else list(astuple(policy)),
        "exact": exact,
        "samples": samples_digest(programs),
        "judges": samples_digest(others),
    }
    costs = {task.id: (1 + len(task.cases)) * (1 + counts[task.id]) for task in data.tasks}
    share.plan(costs, facts=facts)
    return replace(data, tasks=tuple(task for task in data.tasks if task.id in share.items))


def mapped(
    backend: Backend,
    call: Call,
    names: Sequence[str],
    item: Callable[[str], Row],
    *,
    share: Share | None,
    stage: str,
    told: Callable[[], None] = lambda: None,
) -> Iterator[Row]:
    """Yield what a call makes of the items of these names, in order.

    For a share, rows stand in its journal, and are made only if they do not; ``told`` is
    called for each, once it is there.
    """
    if share is None:
        yield from backend.map(call, map(item, names), done=told)
        return
    with share.rows() as journal:
        kept = set(finished(journal, lambda row: (row.data["stage"], row.data["task_id"])))
        new: deque[str] = deque()

        def items() -> Iterable[Row]:
            for name in names:
                if (stage, name) not in kept:
                    new.append(name)
                    yield item(name)

        for _ in kept.intersection((stage, name) for name in names):
            told()
        for row in backend.map(call, items(), done=told):
            body = wire.encode(row)
            text = base64.b64encode(body).decode()
            digest = _digest(body)
            journal.append(
                {"task_id": new.popleft(), "stage": stage, "row": text, "digest": digest}
            )
        found: dict[str, Row] = {}
        for line in journal.rows():
            if line.data["stage"] == stage:
                with journal.reading(line):
                    body = base64.b64decode(line.data["row"], validate=True)
                    if _digest(body) != line.data["digest"]:  # it is copied from elsewhere
                        raise CodecError("its digest is another")
                    found[line.data["task_id"]] = wire.decode(body)
    for name in names:
        yield found.pop(name)


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:32]
