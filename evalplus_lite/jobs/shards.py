"""A job dealt out to several machines: each does some of its items, ``merging`` puts them together.

A shard is the same call with ``shard="2/4"``. It reads all input, does the items that are its own,
and leaves a journal of their rows in a folder of its own, with a record of what it was given. The
deal depends on the input alone. ``merge`` writes the rows of all shards as the journal of an
unsharded run, in its order, and has the job resume from it, with nothing left to do but its end:
so there is no second way to write results.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.store import parse_json, read_text, write_text
from evalplus_lite.store.locations import local_folder
from evalplus_lite.store.resuming import Rows, open_rows
from evalplus_lite.version import __version__

RECORD = "shard.json"
MEASURED = "measured.journal.jsonl"
FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
Kept: TypeAlias = Literal["inside", "beside", "apart"]
"""Where an unsharded run keeps its journal: in the folder of results, beside the file of results,
or, as it needs none, nowhere."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` of ``of``, counted from 1; the ``MERGED`` one is all of them, once gathered.

    ``command`` is what was typed, for ``merge`` to end with the same.
    """

    number: int
    of: int
    command: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, *, command: Sequence[str] = ()) -> Shard:
        """Return the shard of a text such as ``2/4``; InputError if it names none."""
        if text == "merged":
            return MERGED
        found = FORM.fullmatch(text)
        number, of = map(int, found.groups()) if found else (0, 0)
        if not 1 <= number <= of:
            raise InputError(
                f"shard is {text[:40]!r}",
                remedy="give its number, from 1, and how many there are, such as 2/4",
            )
        return cls(number, of, tuple(command))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


MERGED = Shard(0, 0)


def shards_of(out: Path) -> Path:
    """Return the folder of the shards of a job whose results go to ``out``."""
    whole = Path(os.path.abspath(out))  # "." and ".." have names there
    return (
        out.parent / f"{whole.name}.shards"
        if out.name == whole.name
        else whole.with_name(f"{whole.name}.shards")
    )


class Share:
    """What one shard of a job does, and where: made by ``share_of``, planned by the job."""

    def __init__(self, shard: Shard, out: Path, *, kind: str, journal: str, kept: Kept) -> None:
        self.shard, self._final = shard, out
        self._kind, self._kept = kind, kept
        self.folder = shards_of(out) / f"{shard.number}-of-{shard.of}"
        self._name = journal
        self._record: dict[str, Any] = {}
        self._facts: Mapping[str, Any] = {}
        self.items: frozenset[str] = frozenset()

    @property
    def is_part(self) -> bool:
        """Whether only some items are done; the merged one does what is left of all."""
        return self.shard != MERGED

    @property
    def out(self) -> Path:
        """Where the job is to write: what it was given, or the same below the shard's folder."""
        if not self.is_part:
            return self._final
        return self.folder / self._final.name if self._kept == "beside" else self.folder

    @property
    def journal(self) -> Path:
        """The file of rows."""
        if self.is_part:
            return self.folder / self._name
        return journal_of(self._final, self._name, self._kept)

    def plan(
        self,
        costs: Mapping[str, int],
        *,
        facts: Mapping[str, Any],
        key: str = "task_id",
        force: bool = False,
    ) -> None:
        """Choose the shard's ``items`` from all, which are given with what each is likely to cost.

        They stand in the order of an unsharded run's rows, which name them by ``key``. ``facts``
        are what rows depend on. InputError if this shard, or, of a merged one, any, was made of
        others.
        """
        self._facts = facts
        text = json.dumps([self._kind, facts, list(costs.items())], sort_keys=True)
        plan = hashlib.sha256(text.encode()).hexdigest()[:32]
        if not self.is_part:
            self._check_merged(plan)
            self.items = frozenset(costs)
            return
        names = list(costs)
        own = dealt(list(costs.values()), names, self.shard.of)[self.shard.number - 1]
        self.items = frozenset(names[place] for place in own)
        before = record_at(self.folder / RECORD)
        if before is not None and before["plan"] != plan and not force:
            raise InputError(
                f"shard {self.shard} was begun with other settings or data",
                path=self.folder,
                remedy="use the same to resume, choose another output, or remove that folder",
            )
        self._record = {
            "shard": [self.shard.number, self.shard.of],
            "finished": False,
            "kind": self._kind,
            "version": __version__,
            "python": python_version(),
            "plan": plan,
            "command": list(self.shard.command),
            "journal": self._name,
            "kept": self._kept,
            "key": key,
            "total": len(names),
            "items": [[place, names[place]] for place in own],
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write()

    def _check_merged(self, plan: str) -> None:
        for path in sorted(shards_of(self._final).glob(f"*/{RECORD}")):
            record = record_at(path)
            if record is not None and record["plan"] != plan:
                number, of = record["shard"]
                raise InputError(
                    f"shard {number}/{of} was made with other settings or data than are given now",
                    path=path.parent,
                    remedy="give what the shards were given",
                )

    def end(self) -> dict[str, Any]:
        """Note that all is done; return the summary of a shard."""
        with self.journal.open("rb") as file:
            rows = sum(1 for _ in file)
        self._record |= {"finished": True, "rows": rows}
        self._write()
        shard, total = str(self.shard), self._record["total"]
        return {
            "shard": shard,
            "items": len(self.items),
            "of_items": total,
            "rows": rows,
            "out": str(self._final),
        }

    def _write(self) -> None:
        write_text(self.folder / RECORD, json.dumps(self._record, indent=1) + "\n")

    def rows(self) -> Rows:
        """Return the journal of a job that keeps none when it is not sharded."""
        return open_rows(self.journal, identity=self._facts, batch=1)


def share_of(
    shard: Shard | str | None,
    out: str | os.PathLike[str] | None,
    *,
    kind: str,
    journal: str = MEASURED,
    kept: Kept = "apart",
) -> Share | None:
    """Return what a shard does of a job, None if there is to be no shard.

    InputError for a text that names no shard, and for a shard without ``out``.
    """
    if shard is None:
        return None
    if out is None:
        raise InputError("a shard without an output", remedy="give out, the same for every shard")
    local_folder(out)
    chosen = Shard.parse(shard) if isinstance(shard, str) else shard
    if not isinstance(chosen, Shard):
        raise InputError(f"shard is {shard!r}", remedy="give a text such as 2/4")
    return Share(chosen, Path(out), kind=kind, journal=journal, kept=kept)


def python_version() -> str:
    """Return what of this interpreter's version rows may depend on."""
    return ".".join(platform.python_version_tuple()[:2])


def journal_of(out: Path, name: str, kept: Kept) -> Path:
    """Return where the rows of all shards are gathered."""
    if kept == "inside":
        return out / name
    return out.with_name(name) if kept == "beside" else shards_of(out) / "merged" / name


def record_at(path: Path) -> dict[str, Any] | None:
    """Return a shard's record, None if there is none; InputError if it is not one."""
    if not path.is_file():
        return None
    found = parse_json(read_text(path), path=path)
    try:
        assert isinstance(found, dict)
        number, of = found["shard"]
        is_sound = type(number) is int and type(of) is int and 1 <= number <= of
        is_sound &= all(type(p) is int and type(n) is str for p, n in found["items"])
        is_sound &= found["kept"] in ("inside", "beside", "apart")
        is_sound &= found["journal"] == Path(found["journal"]).name
        names = ("plan", "kind", "version", "python", "key", "journal")
        is_sound &= all(type(found[name]) is str for name in names)
        is_sound &= type(found["finished"]) is bool and type(found["total"]) is int
        is_sound &= all(type(each) is str for each in found["command"])
        is_sound &= not found["finished"] or type(found["rows"]) is int
    except (AssertionError, LookupError, TypeError, ValueError):
        is_sound = False
    if not is_sound:
        raise InputError("is no record of a shard", path=path, remedy="run its shard again")
    return dict(found)


LOCAL = frozenset(
    {
        *("--shard", "--out", "-o", "--workers", "-w", "--log-file", "--sandbox", "--backend"),
        *("--require-tier", "--base-url", "--dataset", "-d", "--samples", "-s"),
    }
)
"""Options that may differ from shard to shard, with a value each: data is told by its content."""
BARE_LOCAL = ("--force", "--quiet", "-q", "--verbose", "-v", "--json")


def options_of(record: Mapping[str, Any]) -> list[str]:
    """Return a shard's command without what is its own."""
    found, rest = [], iter(record["command"])
    for argument in rest:
        if argument in LOCAL:
            next(rest, None)
        elif argument not in BARE_LOCAL and argument.partition("=")[0] not in LOCAL:
            found.append(argument)
    return found


def dealt(costs: Sequence[int], names: Sequence[str], parts: int) -> list[list[int]]:
    """Return which places each part has, in order: the dearest first, to whoever has least yet.

    Of equal costs the first by name comes first; of equal parts the one with fewer items, then the
    first. The dearest part is at most a third dearer than in the best deal.
    """
    found: list[list[int]] = [[] for _ in range(parts)]
    load = [(0, 0, part) for part in range(parts)]
    for place in sorted(range(len(costs)), key=lambda n: (-costs[n], names[n])):
        cost, count, part = load[0]
        heapq.heapreplace(load, (cost + costs[place], count + 1, part))
        found[part].append(place)
    return [sorted(each) for each in found]
