"""Shards put together: one journal, in the order of an unsharded run, and the job's own end."""

from __future__ import annotations

import itertools
import json
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.costs import measured
from evalplus_lite.jobs.outputs import COSTS
from evalplus_lite.jobs.shards import (
    MERGED,
    RECORD,
    journal_of,
    options_of,
    python_version,
    record_at,
    shards_of,
)
from evalplus_lite.store import dump_row, parse_json, read_text
from evalplus_lite.store.journal import settings_file
from evalplus_lite.store.resuming import Rows, open_rows
from evalplus_lite.version import __version__

Found = TypeVar("Found")
MOST_NAMED = 10


def merge(
    out: str | os.PathLike[str],
    job: Callable[..., Found],
    *arguments: Any,
    force: bool = False,
    **options: Any,
) -> Found:
    """Put the shards of a job together in ``out``, and return what the unsharded call returns.

        for number in (1, 2):  # perhaps on two machines
            evaluate("tasks.jsonl", "samples.jsonl", out="out/run", shard=f"{number}/2")
        merge("out/run", evaluate, "tasks.jsonl", "samples.jsonl").pass_at_k

    ``job`` is the function that was called, the rest what it was given. The files are those of an
    unsharded run, byte for byte but for what is measured. The same call goes on after a kill;
    ``force`` drops what is in ``out``. Raises InputError, naming the shard, if one is missing,
    not finished, or made with other settings, data or versions than the others.
    """
    gather(out, force=force)
    return job(*arguments, out=out, shard=MERGED, **options)


def gather(out: str | os.PathLike[str], *, force: bool = False) -> tuple[str, ...]:
    """Write the rows of all shards as the journal of an unsharded run; return the shards' command.

    Raises InputError as ``merge``.
    """
    place = Path(out)
    shards = _checked(place, _found(place))
    first = shards[0].record
    for path in (place, shards_of(place)):
        path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        # Rows and costs are told apart per shard before anything is written.
        parts = [_Part(shard, stack) for shard in shards]
        journal: Rows = open_rows(
            journal_of(place, first["journal"], first["kept"]),
            identity=shards[0].identity,
            force=force,
        )
        stack.enter_context(journal)
        has_costs = any(part.costs is not None for part in parts)
        costs = stack.enter_context(measured(place if has_costs else None, journal, force=force))
        places = {item: part for part in parts for _, item in part.shard.record["items"]}
        order = sorted(each for part in parts for each in part.shard.record["items"])
        lines = (pair for _, item in order for pair in places[item].lines(item))
        for there in journal.rows():
            pair = next(lines, None)
            if pair is None:
                break  # what the job itself has added since
            if pair[0] != dump_row(there.data):
                raise InputError(
                    "holds other rows than the shards",
                    path=journal.path,
                    line=there.line,
                    remedy="choose another output, or --force to replace it",
                )
        for line, cost in lines:
            if costs is not None:
                costs.append_line(cost)
            journal.append_line(line)
    return tuple(first["command"])


@dataclass(frozen=True, slots=True)
class Finished:
    """A shard that has done its part: its folder, record, and the settings of its journal."""

    folder: Path
    record: dict[str, Any]
    identity: dict[str, Any] | None

    @property
    def name(self) -> str:
        """Its number, and of how many."""
        number, of = self.record["shard"]
        return f"{number}/{of}"

    @property
    def journal(self) -> Path:
        """The file of its rows."""
        return self.folder / str(self.record["journal"])


def _found(out: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return folders and records of all shards, by number; InputError if some are missing."""
    root = shards_of(out)
    paths = sorted(root.glob(f"*/{RECORD}"))
    found = [(path.parent, record) for path in paths if (record := record_at(path)) is not None]
    if not found:
        raise InputError(
            "holds no shard", path=root, remedy="give the --out that the shards were given"
        )
    found.sort(key=lambda pair: pair[1]["shard"])
    sizes = sorted({record["shard"][1] for _, record in found})
    if len(sizes) > 1:
        raise InputError(
            f"holds shards of {' and of '.join(map(str, sizes))}",
            path=root,
            remedy="remove the folders of those that do not belong to it",
        )
    numbers = [record["shard"][0] for _, record in found]
    for (folder, record), following in itertools.pairwise(found):
        if record["shard"] == following[1]["shard"]:
            raise InputError(
                f"is shard {record['shard'][0]}/{sizes[0]}, as is {folder.name}",
                path=following[0],
                remedy="remove one of them",
            )
    if missing := sorted({*range(1, sizes[0] + 1)} - {*numbers}):
        raise InputError(f"{_shards(missing, sizes[0])} missing", path=root, remedy="run them")
    if begun := [record["shard"][0] for _, record in found if not record["finished"]]:
        raise InputError(
            f"{_shards(begun, sizes[0])} not finished",
            path=root,
            remedy="run the same commands again: they go on",
        )
    return found


def _shards(numbers: Sequence[int], of: int) -> str:
    shown = ", ".join(f"{number}/{of}" for number in numbers[:MOST_NAMED])
    more = f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else ""
    return f"shard {shown}{more} {'is' if len(numbers) == 1 else 'are'}"


def _checked(out: Path, found: Sequence[tuple[Path, dict[str, Any]]]) -> list[Finished]:
    """Return the shards; InputError, naming it, for one that is not of the others' job."""
    shards = [Finished(folder, record, _identity(folder, record)) for folder, record in found]
    first = shards[0]
    for what, now in (("version", __version__), ("python", python_version())):
        if first.record[what] != now:
            raise InputError(
                f"shard {first.name} was made with {what} {first.record[what]!r:.80}, not {now}",
                path=first.folder,
                remedy="merge with what made the shards",
            )
    for shard in shards:
        _require_same(shard, first, "options", options_of(shard.record), options_of(first.record))
        for what, said in (("kinds of job", "kind"), ("version", "version"), ("Python", "python")):
            _require_same(shard, first, what, shard.record[said], first.record[said])
        old, new = first.identity or {}, shard.identity or {}
        for key in sorted({*old, *new}):
            _require_same(shard, first, key, new.get(key), old.get(key))
        for key in ("plan", "total", "journal", "kept", "key"):
            _require_same(shard, first, "settings or data", shard.record[key], first.record[key])
    taken: dict[int, Finished] = {}
    for shard in shards:
        for place, item in shard.record["items"]:
            other = taken.setdefault(place, shard)
            if other is not shard or not 0 <= place < first.record["total"]:
                raise InputError(
                    f"shard {shard.name} has done {item}, as has shard {other.name}",
                    path=shard.folder,
                    remedy="remove its folder and run it again",
                )
    if len(taken) != first.record["total"]:
        raise InputError(
            f"{first.record['total'] - len(taken)} items are in no shard",
            path=shards_of(out),
            remedy="remove their folders and run them again",
        )
    return shards


def _identity(folder: Path, record: Mapping[str, Any]) -> dict[str, Any] | None:
    place = settings_file(folder / record["journal"])
    if not place.is_file():
        return None
    found = parse_json(read_text(place), path=place)
    if type(found) is not dict:
        raise InputError("is not a file of settings", path=place, remedy="run its shard again")
    return dict(found)


def _require_same(shard: Finished, first: Finished, what: str, now: object, then: object) -> None:
    if now != then:
        shown = "" if what == "settings or data" else f": {now!r:.80}, there {then!r:.80}"
        raise InputError(
            f"shard {shard.name} was made with other {what} than shard {first.name}{shown}",
            path=shard.folder,
            remedy="run it again with the others' settings, its folder removed",
        )


class _Part:
    """A shard's rows and costs, found by item."""

    def __init__(self, shard: Finished, stack: ExitStack) -> None:
        self.shard = shard
        self._file = _open(shard, shard.journal, stack)
        self._places: dict[str, list[tuple[int, int]]] = {}
        """Of each item the first and the last row, from 0, as often as there are others between."""
        self._starts = array("Q")
        key, own = shard.record["key"], {item for _, item in shard.record["items"]}
        at, last = 0, None
        for number, line in enumerate(self._file):
            item = _item(line, key)
            if item not in own or not line.endswith(b"\n"):
                raise InputError(
                    f"is no row of shard {shard.name}",
                    path=shard.journal,
                    line=number + 1,
                    remedy="remove its folder and run it again",
                )
            self._starts.append(at)
            at += len(line)
            runs = self._places.setdefault(item, [])
            if item == last:
                runs[-1] = (runs[-1][0], number)
            else:
                runs.append((number, number))
            last = item
        if len(self._starts) != shard.record["rows"]:
            raise InputError(
                f"holds {len(self._starts)} rows where shard {shard.name} wrote"
                f" {shard.record['rows']}",
                path=shard.journal,
                remedy="copy it again, or run the shard again",
            )
        self.costs: BinaryIO | None = None
        self._costs = array("Q")
        if (shard.folder / COSTS).is_file():
            self.costs = _open(shard, shard.folder / COSTS, stack)
            at = 0
            for line in self.costs:
                self._costs.append(at)
                at += len(line)

    def lines(self, item: str) -> Iterator[tuple[str, str]]:
        """Yield the rows of an item, each with its cost."""
        for start, end in self._places.get(item, ()):
            for number in range(start, end + 1):
                cost = "{}"
                if self.costs is not None and number < len(self._costs):
                    cost = _line(self.costs, self._costs[number])
                yield _line(self._file, self._starts[number]), cost


def _line(file: BinaryIO, at: int) -> str:
    if file.tell() != at:
        file.seek(at)
    return file.readline().decode("ascii").rstrip("\n")


def _item(line: bytes, key: str) -> str:
    try:
        return str(json.loads(line.decode("ascii"))[key])
    except (ValueError, LookupError, TypeError, RecursionError):
        return "\0"


def _open(shard: Finished, path: Path, stack: ExitStack) -> BinaryIO:
    try:
        return stack.enter_context(path.open("rb"))
    except OSError as error:
        raise InputError(
            f"shard {shard.name} cannot be read: {error.strerror}",
            path=path,
            remedy="copy it again, or run the shard again",
        ) from None
