"""What samples cost, measured: in a file of its own, as no two runs measure alike.

``results.jsonl`` is the same, byte for byte, whenever it is made; ``costs.jsonl`` beside it has a
row for each of its rows, in the same order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite.jobs.outputs import COSTS
from evalplus_lite.store.resuming import Memory, Rows, open_rows


@contextlib.contextmanager
def measured(folder: Path | None, rows: Rows, *, force: bool = False) -> Iterator[Rows | None]:
    """Give the journal of costs beside ``rows``, brought to as many rows as they are.

    A cost is to be appended before its row. It is written before, too: a kill can leave costs of
    rows that are lost, which are dropped here, but no row without its cost. Rows of a run that
    kept no costs have an empty one.
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
