"""Per-sample CPU time and memory, kept out of results.jsonl because they vary between runs.

``costs.jsonl`` has a row for each row of ``results.jsonl``, in the same order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite.jobs.outputs import COSTS
from evalplus_lite.store.resuming import Memory, Rows, open_rows


@contextlib.contextmanager
def measured(folder: Path | None, rows: Rows, *, force: bool = False) -> Iterator[Rows | None]:
    """Return the journal of costs that accompanies ``rows``, with as many rows as they have.

    A cost is to be appended before its row. It is also written first: a kill can leave costs
    without rows, which are dropped here, but no row without its cost. Rows of a run that recorded
    no costs have an empty one.
    """
    if folder is None or isinstance(rows, Memory):
        yield None
        return
    journal = open_rows(folder / COSTS, identity=None, force=force)
    assert not isinstance(journal, Memory)
    with journal as costs:
        judged = rows.count()
        for _ in range(judged - costs.keep(judged)):
            costs.append({})
        costs.flush()
        rows.before = costs.flush
        try:
            yield costs
        finally:
            rows.before = None
