"""Sharding of jobs over several machines: each does part of the items, ``merge`` combines them.

A shard is the same call with ``shard="2/4"``. It reads all input, does its own items, and writes a
journal of their rows to a separate folder, with a record of its inputs. The partition depends only
on the input. ``merge`` writes the rows of all shards as the journal of an unsharded run, in its
order, and lets the job resume from it, with only the last steps left. So there is only one way in
which results are written.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import COSTS, measured, unfinished
from evalplus_lite.jobs.session import VERSIONS
from evalplus_lite.store import dump_row, parse_json, read_text, write_text
from evalplus_lite.store.journal import open_rows, settings_file
from evalplus_lite.store.locations import local_folder
from evalplus_lite.store.opening import opened
from evalplus_lite.store.rows import filling, scratch_database

RECORD = "shard.json"
FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
MOST_SHARDS, MOST_ROWS = 10**6 - 1, 1 << 60
"""Upper bounds: a record with more is damaged."""
Kept: TypeAlias = Literal["inside", "beside"]
"""The place of an unsharded run's journal: in the folder of results, or next to the file of
results."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` of ``of``, counted from 1; ``MERGED`` stands for all gathered parts.

    ``command`` is the command line, which ``merge`` finally runs.
    """

    number: int
    of: int
    command: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, *, command: Sequence[str] = ()) -> Shard:
        """Parse a shard such as ``2/4``; raise InputError if that fails."""
        if text == "merged":
            return MERGED
        match = FORM.fullmatch(text)
        number, of = map(int, match.groups()) if match else (0, 0)
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
    return (out if out.name == whole.name else whole).with_name(f"{whole.name}.shards")


class ShardPlan:
    """A shard of a job, with its folder and items: made by ``share_of``, planned by the job."""

    def __init__(self, shard: Shard, out: Path, *, kind: str, journal: str, kept: Kept) -> None:
        self.shard, self.is_part = shard, shard != MERGED  # the merged shard covers all items
        self._final, self._kind, self._kept, self._name = out, kind, kept, journal
        self.folder = shards_of(out) / f"{shard.number}-of-{shard.of}"
        # The job's output: the original one, or the same name in the shard's folder.
        self.out = out
        if self.is_part:
            self.out = self.folder / out.name if kept == "beside" else self.folder
        self._record: dict[str, Any] = {}
        self.items: frozenset[str] = frozenset()

    def plan(
        self,
        costs: Mapping[str, int],
        *,
        facts: Mapping[str, Any],
        key: str = "task_id",
        force: bool = False,
    ) -> None:
        """Choose the shard's ``items``, given all items with their expected costs.

        Items are in the order of an unsharded run's rows, which name them by ``key``. Rows depend
        on ``facts``. Raises InputError if this shard, or any of those to merge, has another plan.
        """
        # The plan is a hash of everything that decides rows and their partition: shards with equal
        # plans fit together.
        text = json.dumps([self._kind, facts, list(costs.items())], sort_keys=True)
        plan = hashlib.sha256(text.encode()).hexdigest()[:32]
        if not self.is_part:
            for path in sorted(shards_of(self._final).glob(f"*/{RECORD}")):
                record = record_at(path)
                if record is not None and record["plan"] != plan:
                    number, of = record["shard"]
                    raise InputError(
                        f"shard {number}/{of} was made with other settings or data than are given"
                        " now",
                        path=path.parent,
                        remedy="pass the arguments of the shards",
                    )
            self.items = frozenset(costs)
            return
        names = list(costs)
        own = dealt(list(costs.values()), names, self.shard.of)[self.shard.number - 1]
        self.items = frozenset(names[place] for place in own)
        # If settings or data changed after the shard started, its rows would be a mixture.
        before = None if force else record_at(self.folder / RECORD)
        if before is not None:
            _require_versions(before, str(self.shard), self.folder)
            if before["plan"] != plan:
                raise InputError(
                    f"shard {self.shard} was begun with other settings or data",
                    path=self.folder,
                    remedy="use the same to resume, choose another output, or remove that folder",
                )
        self._record = {
            "shard": [self.shard.number, self.shard.of],
            "finished": False,
            "kind": self._kind,
            **VERSIONS,
            "plan": plan,
            "command": list(self.shard.command),
            "journal": self._name,
            "kept": self._kept,
            "key": key,
            "total": len(names),
            "items": [[place, names[place]] for place in own],
        }
        # Recorded as unfinished before any row, so that ``merge`` rejects this shard until ``end``.
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write()

    def end(self) -> dict[str, Any]:
        """Mark the shard as finished; return its summary."""
        with (self.folder / self._name).open("rb") as file:
            rows = sum(1 for _ in file)
        # From the number of rows, a merge can detect a partially copied journal.
        self._record |= {"finished": True, "rows": rows}
        self._write()
        return {
            "shard": str(self.shard),
            "items": len(self.items),
            "of_items": self._record["total"],
            "rows": rows,
            "out": str(self._final),
        }

    def _write(self) -> None:
        write_text(self.folder / RECORD, json.dumps(self._record, indent=1) + "\n")


def share_of(
    shard: Shard | str | None,
    out: str | os.PathLike[str] | None,
    *,
    kind: str,
    journal: str,
    kept: Kept = "inside",
) -> ShardPlan | None:
    """Return the plan for a job's shard; None without sharding.

    Raises InputError for an invalid ``shard``, and for a shard without ``out``.
    """
    if shard is None:
        return None
    if out is None:
        raise InputError("a shard without an output", remedy="give out, the same for every shard")
    local_folder(out)
    chosen = shard if isinstance(shard, Shard) else Shard.parse(str(shard))
    return ShardPlan(chosen, Path(out), kind=kind, journal=journal, kept=kept)


def record_at(path: Path) -> dict[str, Any] | None:
    """Return a shard's record, or None without a file; raise InputError if it is invalid."""
    if not path.is_file():
        return None
    record = parse_json(read_text(path), path=path)
    if not _is_record(record):
        raise InputError("is not a record of a shard", path=path, remedy="run its shard again")
    return dict(record)


SHAPE: Mapping[str, type] = {
    **dict.fromkeys(("plan", "kind", "version", "python", "key", "journal", "kept"), str),
    **dict.fromkeys(("shard", "items", "command"), list),
    "finished": bool,
    "total": int,
}
"""The keys of a record, which may be from another machine, and the types of their values."""


def _is_record(record: Any) -> bool:
    return (
        type(record) is dict
        and all(type(record.get(key)) is kind for key, kind in SHAPE.items())
        and [*map(type, record["shard"])] == [int, int]
        and 1 <= record["shard"][0] <= record["shard"][1] <= MOST_SHARDS
        and 0 <= record["total"] < MOST_ROWS
        and all(type(each) is list and [*map(type, each)] == [int, str] for each in record["items"])
        and all(0 <= place < record["total"] for place, _ in record["items"])
        and all(type(each) is str for each in record["command"])
        and record["kept"] in get_args(Kept)
        # A bare name, so that a foreign record cannot point to a file outside its folder.
        and record["journal"] == Path(record["journal"]).name
        and type(record.get("rows", None if record["finished"] else 0)) is int
        and 0 <= record.get("rows", 0) < MOST_ROWS
    )


def dealt(costs: Sequence[int], names: Sequence[str], parts: int) -> list[list[int]]:
    """Assign items to parts, most expensive first, each to the smallest part; return positions.

    Ties in cost are broken by name; among equal parts, the one with fewer items wins, then the
    first. The largest part costs at most a third more than in the optimal partition.
    """
    # Every shard computes the whole partition independently, and takes its own part.
    parts_of: list[list[int]] = [[] for _ in range(parts)]
    load = [(0, 0, part) for part in range(parts)]
    # The longest-processing-time rule: each item goes to the part with the lowest cost so far.
    for place in sorted(range(len(costs)), key=lambda n: (-costs[n], names[n])):
        cost, count, part = load[0]
        heapq.heapreplace(load, (cost + costs[place], count + 1, part))
        parts_of[part].append(place)
    return [sorted(each) for each in parts_of]


# Merging: write one journal, in the order of an unsharded run, and let the job finish.

Found = TypeVar("Found")
MOST_NAMED = 10


def merge(
    out: str | os.PathLike[str],
    job: Callable[..., Found],
    *arguments: Any,
    force: bool = False,
    **options: Any,
) -> Found:
    """Combine the shards of a job in ``out``, and return the result of the unsharded call.

        for number in (1, 2):  # perhaps on two machines
            evaluate("tasks.jsonl", "samples.jsonl", out="out/run", shard=f"{number}/2")
        merge("out/run", evaluate, "tasks.jsonl", "samples.jsonl").pass_at_k

    ``job`` is the function that was called, followed by its arguments. The files are those of an
    unsharded run, byte for byte except for measured values. The same call resumes after a kill;
    ``force`` empties ``out`` first. Raises InputError, naming the shard, if one is missing,
    unfinished, or made with other settings, data or versions than the others.
    """
    gather(out, force=force)
    return job(*arguments, out=out, shard=MERGED, **options)


def gather(out: str | os.PathLike[str], *, force: bool = False) -> tuple[str, ...]:
    """Write all shards' rows as the journal of an unsharded run; return the shards' command.

    Raises InputError as ``merge`` does.
    """
    # 1. Before writing anything, check that all shards exist, are finished, and fit together.
    folder = Path(out)
    shards = _found(folder)
    _require_one_job(shards)
    first = shards[0].record
    folder.parent.mkdir(parents=True, exist_ok=True)
    # 2. Sort the rows, on disk, by their item's position in an unsharded run.
    schema = "create table rows (place integer, line text, cost text)"
    with contextlib.closing(scratch_database(schema)) as base:
        # All shards are read, and rejected if damaged, before anything is written.
        for shard in shards:
            with filling("rows of shards"):
                base.executemany("insert into rows values (?, ?, ?)", _rows(shard))
        base.execute("create index places on rows (place)")
        lines = base.execute("select line, cost from rows order by place, rowid")
        has_costs = any((shard.folder / COSTS).is_file() for shard in shards)
        # 3. Write the journal of an unsharded run. If a killed merge began it, its rows must be
        # the same.
        name = first["journal"]
        path = folder / name if first["kept"] == "inside" else folder.with_name(name)
        with (
            open_rows(path, identity=shards[0].identity(), force=force) as journal,
            measured(folder if has_costs else None, journal, force=force) as costs,
        ):
            if force:
                unfinished(path.parent, name)
            for row in journal.rows():
                line, _ = next(lines, ("", ""))
                if line != dump_row(row.data):
                    raise InputError(
                        "holds other rows than the shards",
                        path=journal.path,
                        line=row.line,
                        remedy="choose another output, or --force to replace it",
                    )
            for line, cost in lines:
                if costs is not None:
                    costs.append_line(cost)
                journal.append_line(line)
    return tuple(first["command"])


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished shard: its folder and record."""

    folder: Path
    record: dict[str, Any]

    @property
    def name(self) -> str:
        """Its number and the number of shards."""
        number, of = self.record["shard"]
        return f"{number}/{of}"

    @property
    def journal(self) -> Path:
        """The file with its rows."""
        return self.folder / str(self.record["journal"])

    def identity(self) -> dict[str, Any] | None:
        """Return the settings of its journal, or None."""
        path = settings_file(self.journal)
        if not path.is_file():
            return None
        identity = parse_json(read_text(path), path=path)
        if type(identity) is not dict:
            raise InputError("is not a file of settings", path=path, remedy="run its shard again")
        return dict(identity)


def _found(out: Path) -> list[Finished]:
    """Return all shards, by number; raise InputError if some are missing."""
    root = shards_of(out)
    paths = sorted(root.glob(f"*/{RECORD}"))
    shards = [Finished(path.parent, record) for path in paths if (record := record_at(path))]
    if not shards:
        raise InputError(
            "holds no shard", path=root, remedy="give the --out that the shards were given"
        )
    # By number, because by name 10 comes before 2.
    shards.sort(key=lambda shard: shard.record["shard"])
    first, *other_sizes = sorted({shard.record["shard"][1] for shard in shards})
    if other_sizes:
        raise InputError(
            f"holds shards of {' and of '.join(map(str, (first, *other_sizes)))}",
            path=root,
            remedy="remove the folders of those that do not belong to it",
        )
    for shard, following in itertools.pairwise(shards):
        if shard.name == following.name:
            raise InputError(
                f"is shard {shard.name}, as is {shard.folder.name}",
                path=following.folder,
                remedy="remove one of them",
            )
    names = {shard.name for shard in shards}
    missing = [f"{n}/{first}" for n in range(1, first + 1) if f"{n}/{first}" not in names]
    begun = [shard.name for shard in shards if not shard.record["finished"]]
    for some, problem, remedy in (
        (missing, "missing", "run them"),
        (begun, "not finished", "run the same commands again: they resume"),
    ):
        if some:
            more = f" and {len(some) - MOST_NAMED} more" if len(some) > MOST_NAMED else ""
            shown = f"{', '.join(some[:MOST_NAMED])}{more} {'is' if len(some) == 1 else 'are'}"
            raise InputError(f"shard {shown} {problem}", path=root, remedy=remedy)
    return shards


def _require_one_job(shards: Sequence[Finished]) -> None:
    """Raise InputError, naming the shard, unless all belong to the same job."""
    # All records are compared before any row is read; the first difference is reported.
    first, settings = shards[0], shards[0].identity() or {}
    for shard in shards:
        _require_versions(shard.record, shard.name, shard.folder)
        # Settings can be reported in detail; the plan also covers data and partition.
        own = shard.identity() or {}
        other = [
            f"{key} than shard {first.name}: {own.get(key)!r:.80}, there {settings.get(key)!r:.80}"
            for key in sorted({*settings, *own})
            if own.get(key) != settings.get(key)
        ]
        if shard.record["plan"] != first.record["plan"]:
            other.append(f"settings or data than shard {first.name}")
        if other:
            raise InputError(
                f"shard {shard.name} was made with other {other[0]}",
                path=shard.folder,
                remedy="run it again with the others' settings, its folder removed",
            )


def _require_versions(record: Mapping[str, Any], name: str, folder: Path) -> None:
    """Raise InputError unless a shard was made with this version of ours and of Python."""
    for what, now in VERSIONS.items():
        if record[what] != now:
            raise InputError(
                f"shard {name} was made with {what} {record[what]!r:.80}, not {now}",
                path=folder,
                remedy="use the version that made it, or remove its folder and run it again",
            )


def _rows(shard: Finished) -> Iterator[tuple[int, str, str]]:
    """Yield a shard's rows with their item's position, and costs; raise InputError if damaged."""
    places = {item: place for place, item in shard.record["items"]}
    costs_file = shard.folder / COSTS
    count = 0
    with ExitStack() as stack:
        try:
            rows = stack.enter_context(opened(shard.journal, packed=True))
        except InputError as error:
            raise InputError(
                f"of shard {shard.name} {error.problem}",
                path=shard.journal,
                remedy="copy it again, or run the shard again",
            ) from None
        costs: Iterator[bytes] = iter(())  # a run without costs gets an empty one for each row
        if costs_file.is_file():
            costs = iter(stack.enter_context(opened(costs_file, packed=True)))
        for count, line in enumerate(rows, 1):
            try:
                text = line.decode("ascii")
                place = places.get(str(json.loads(text)[shard.record["key"]]))
                cost = next(costs, b"{}").decode("ascii").rstrip("\n")
            except (ValueError, LookupError, TypeError, RecursionError):
                place = None
            if place is None or not text.endswith("\n"):
                raise InputError(
                    f"is not a row of shard {shard.name}",
                    path=shard.journal,
                    line=count,
                    remedy="remove its folder and run it again",
                )
            yield place, text.rstrip("\n"), cost
    if count != shard.record["rows"]:
        raise InputError(
            f"holds {count} rows where shard {shard.name} wrote {shard.record['rows']}",
            path=shard.journal,
            remedy="copy it again, or run the shard again",
        )
