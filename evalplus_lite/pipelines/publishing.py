"""Where a job writes: a folder of this machine, or a copy of one at a URL that is published."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evalplus_lite.pipelines.context import made_folder
from evalplus_lite.store.locations import place_of
from evalplus_lite.store.publishing import published

PART_ROWS = 10_000
"""Rows of a part of results at a URL: what a machine that goes away can lose."""


_OURS = re.compile(
    r"(?:results|costs)(?:-\d+|\.parts|(?:\.parts)?\.settings)?\.jsonl?(?:\.gz)?"
    r"|eval_results[^/]*\.json|programs\.jsonl\.gz|summary\.json"
)


def is_ours(name: str) -> bool:
    """Return whether ``evaluate`` writes files that are called so."""
    return _OURS.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Destination:
    """The ``folder`` to write to, if there is one; ``put`` publishes a file of it at once.

    ``part_rows`` are the rows of a part of its results, None for one file.
    """

    folder: Path | None
    part_rows: int | None = None
    put: Callable[[Path], None] | None = None


@contextlib.contextmanager
def destination(
    out: str | os.PathLike[str] | None, *, part_rows: int | None, force: bool
) -> Iterator[Destination]:
    """Give where ``out`` is written, made if need be; InputError if it cannot be.

    A folder that was made here and has nothing in it when the job fails goes again.
    """
    place = None if out is None else place_of(out)
    if isinstance(place, str):
        with published(place, is_ours, force=force) as found:
            yield Destination(found.folder, part_rows or PART_ROWS, found.put)
    elif place is None:
        yield Destination(None, part_rows)
    else:
        is_new = not place.exists()
        folder = made_folder(place)
        try:
            yield Destination(folder, part_rows)
        except BaseException:
            if is_new:
                with contextlib.suppress(OSError):  # it has files: they stay, to go on from
                    folder.rmdir()
            raise
