"""Jobs sharded over several machines: each does some of the items, ``merge`` combines them.

A shard is the same call with ``shard="2/4"``. It reads all input, does its own items, and leaves a
journal of their rows in a separate folder, with a record of its inputs. The partition depends on
the input alone. ``merge`` writes the rows of all shards as the journal of an unsharded run, in its
order, and lets the job resume from it, with only the end left to do. So results are written in one
way only.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import itertools
import json
import os
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, TypeVar, get_args

from evalplus_lite.errors import InputError
from evalplus_lite.jobs.outputs import COSTS, measured
from evalplus_lite.store import dump_row, parse_json, read_text, write_text
from evalplus_lite.store.journal import open_rows, settings_file
from evalplus_lite.store.locations import local_folder
from evalplus_lite.store.rows import filling, scratch_database
from evalplus_lite.version import __version__

RECORD = "shard.json"
FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
Kept: TypeAlias = Literal["inside", "beside"]
"""Where an unsharded run keeps its journal: in the folder of results, or next to the file of
results."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` of ``of``, counted from 1; the ``MERGED`` one is all of them, once gathered.

    ``command`` is the command line, with which ``merge`` ends.
    """

    number: int
    of: int
    command: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, *, command: Sequence[str] = ()) -> Shard:
        """Return the shard of a text such as ``2/4``; InputError if it names none."""
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
    return (
        out.parent / f"{whole.name}.shards"
        if out.name == whole.name
        else whole.with_name(f"{whole.name}.shards")
    )


class ShardPlan:
    """The part and the folder of one shard of a job: made by ``share_of``, planned by the job."""

    def __init__(self, shard: Shard, out: Path, *, kind: str, journal: str, kept: Kept) -> None:
        self.shard, self._final = shard, out
        self._kind, self._kept = kind, kept
        self.folder = shards_of(out) / f"{shard.number}-of-{shard.of}"
        self._name = journal
        self._record: dict[str, Any] = {}
        self.items: frozenset[str] = frozenset()

    @property
    def is_part(self) -> bool:
        """Whether only some items are done; the merged shard covers all."""
        return self.shard != MERGED

    @property
    def out(self) -> Path:
        """The job's output folder: the original one, or the same below the shard's folder."""
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
        """Choose the shard's ``items`` from all, with their expected costs.

        They are in the order of an unsharded run's rows, which name them by ``key``. Rows depend on
        ``facts``. InputError if this shard, or any for a merged one, was made from others.
        """
        # The plan is a hash of all that decides rows and their partition: shards with equal plans
        # fit together.
        text = json.dumps([self._kind, facts, list(costs.items())], sort_keys=True)
        plan = hashlib.sha256(text.encode()).hexdigest()[:32]
        if not self.is_part:
            self._check_merged(plan)
            self.items = frozenset(costs)
            return
        names = list(costs)
        own = dealt(list(costs.values()), names, self.shard.of)[self.shard.number - 1]
        self.items = frozenset(names[place] for place in own)
        # Settings or data may have changed since the shard was begun: its rows would be of both.
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
                    remedy="pass the arguments of the shards",
                )

    def end(self) -> dict[str, Any]:
        """Record that all is done; return the summary of a shard."""
        with self.journal.open("rb") as file:
            rows = sum(1 for _ in file)
        # The count of rows lets a merge notice a journal that was copied only in part.
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


def share_of(
    shard: Shard | str | None,
    out: str | os.PathLike[str] | None,
    *,
    kind: str,
    journal: str,
    kept: Kept = "inside",
) -> ShardPlan | None:
    """Return the plan of a job's shard; None without sharding.

    InputError for a text that does not name a shard, and for a shard without ``out``.
    """
    if shard is None:
        return None
    if out is None:
        raise InputError("a shard without an output", remedy="give out, the same for every shard")
    local_folder(out)
    chosen = Shard.parse(shard) if isinstance(shard, str) else shard
    if not isinstance(chosen, Shard):
        raise InputError(f"shard is {shard!r}", remedy="give a text such as 2/4")
    return ShardPlan(chosen, Path(out), kind=kind, journal=journal, kept=kept)


def python_version() -> str:
    """Return the part of this interpreter's version that rows may depend on."""
    return ".".join(platform.python_version_tuple()[:2])


def journal_of(out: Path, name: str, kept: Kept) -> Path:
    """Return where the rows of all shards are gathered."""
    return out / name if kept == "inside" else out.with_name(name)


def record_at(path: Path) -> dict[str, Any] | None:
    """Return a shard's record, None without a file; InputError for an invalid one."""
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
"""The keys of a record, which may come from another machine, and the types of their values."""


def _is_record(record: Any) -> bool:
    return (
        type(record) is dict
        and all(type(record.get(key)) is kind for key, kind in SHAPE.items())
        and [*map(type, record["shard"])] == [int, int]
        and 1 <= record["shard"][0] <= record["shard"][1]
        and all(type(each) is list and [*map(type, each)] == [int, str] for each in record["items"])
        and all(type(each) is str for each in record["command"])
        and record["kept"] in get_args(Kept)
        and record["journal"] == Path(record["journal"]).name
        and (not record["finished"] or type(record.get("rows")) is int)
    )


LOCAL = frozenset(
    {
        *("--shard", "--out", "-o", "--workers", "-w", "--sandbox", "--backend"),
        *("--require-tier", "--base-url", "--dataset", "-d", "--samples", "-s"),
    }
)
"""Options with a value that may differ from shard to shard: data is compared by content."""
BARE_LOCAL = ("--force", "--quiet", "-q", "--verbose", "-v", "--json")


def options_of(record: Mapping[str, Any]) -> list[str]:
    """Return a shard's command without its own options."""
    options, rest = [], iter(record["command"])
    # What a machine may choose for itself is not compared: folders, workers, where data lies.
    for argument in rest:
        if argument in LOCAL:
            next(rest, None)
        elif argument not in BARE_LOCAL and argument.partition("=")[0] not in LOCAL:
            options.append(argument)
    return options


def dealt(costs: Sequence[int], names: Sequence[str], parts: int) -> list[list[int]]:
    """Return the positions of each part, in order: expensive items first, to the smallest part.

    Of equal costs the first by name comes first; of equal parts the one with fewer items, then the
    first. The largest part costs at most a third more than in the best partition.
    """
    # Every shard computes the whole partition, and takes its own part: no shard knows of another.
    parts_of: list[list[int]] = [[] for _ in range(parts)]
    load = [(0, 0, part) for part in range(parts)]
    # The longest-processing-time rule: each item goes to the part that has least so far.
    for place in sorted(range(len(costs)), key=lambda n: (-costs[n], names[n])):
        cost, count, part = load[0]
        heapq.heapreplace(load, (cost + costs[place], count + 1, part))
        parts_of[part].append(place)
    return [sorted(each) for each in parts_of]


# Shards put together: one journal, in the order of an unsharded run, and the job's own end.

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

    ``job`` is the function that was called, the rest its arguments. The files are those of an
    unsharded run, byte for byte except for measured values. The same call resumes after a kill;
    ``force`` empties ``out`` first. Raises InputError, naming the shard, if one is missing, not
    finished, or made with other settings, data or versions than the others.
    """
    gather(out, force=force)
    return job(*arguments, out=out, shard=MERGED, **options)


def gather(out: str | os.PathLike[str], *, force: bool = False) -> tuple[str, ...]:
    """Write the rows of all shards as the journal of an unsharded run; return the shards' command.

    Raises InputError as ``merge``.
    """
    # 1. Every shard is there, finished, and of one job: nothing is written before that is known.
    place = Path(out)
    shards = _checked(_found(place))
    first = shards[0].record
    for path in (place, shards_of(place)):
        path.parent.mkdir(parents=True, exist_ok=True)
    # 2. The rows, sorted by their item's place in an unsharded run: on disk, however many.
    schema = "create table rows (place integer, line text, cost text)"
    with contextlib.closing(scratch_database(schema)) as base:
        # All shards are read, and refused if damaged, before anything is written.
        for shard in shards:
            with filling("rows of shards"):
                base.executemany("insert into rows values (?, ?, ?)", _rows(shard))
        base.execute("create index places on rows (place)")
        lines = base.execute("select line, cost from rows order by place, rowid")
        has_costs = any((shard.folder / COSTS).is_file() for shard in shards)
        # 3. The journal of an unsharded run, perhaps begun by a merge that was killed: what it
        # holds must be the same rows.
        path = journal_of(place, first["journal"], first["kept"])
        with (
            open_rows(path, identity=shards[0].identity, force=force) as journal,
            measured(place if has_costs else None, journal, force=force) as costs,
        ):
            for row, (line, _) in zip(journal.rows(), lines, strict=False):
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
    records = [(path.parent, record) for path in paths if (record := record_at(path)) is not None]
    if not records:
        raise InputError(
            "holds no shard", path=root, remedy="give the --out that the shards were given"
        )
    # By number: folders sort by name, in which 10 comes before 2.
    records.sort(key=lambda pair: pair[1]["shard"])
    sizes = sorted({record["shard"][1] for _, record in records})
    if len(sizes) > 1:
        raise InputError(
            f"holds shards of {' and of '.join(map(str, sizes))}",
            path=root,
            remedy="remove the folders of those that do not belong to it",
        )
    numbers = [record["shard"][0] for _, record in records]
    for (folder, record), following in itertools.pairwise(records):
        if record["shard"] == following[1]["shard"]:
            raise InputError(
                f"is shard {record['shard'][0]}/{sizes[0]}, as is {folder.name}",
                path=following[0],
                remedy="remove one of them",
            )
    if missing := sorted({*range(1, sizes[0] + 1)} - {*numbers}):
        raise InputError(f"{_shards(missing, sizes[0])} missing", path=root, remedy="run them")
    if begun := [record["shard"][0] for _, record in records if not record["finished"]]:
        raise InputError(
            f"{_shards(begun, sizes[0])} not finished",
            path=root,
            remedy="run the same commands again: they resume",
        )
    return records


def _shards(numbers: Sequence[int], of: int) -> str:
    shown = ", ".join(f"{number}/{of}" for number in numbers[:MOST_NAMED])
    more = f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else ""
    return f"shard {shown}{more} {'is' if len(numbers) == 1 else 'are'}"


def _checked(found: Sequence[tuple[Path, dict[str, Any]]]) -> list[Finished]:
    """Return the shards; InputError names one that is not of the same job."""
    # All records are compared before any row is read: the first difference is named.
    shards = [Finished(folder, record, _identity(folder, record)) for folder, record in found]
    first = shards[0]
    # Rows may depend on our version and on Python's: who merges must have made the shards.
    for what, now in (("version", __version__), ("python", python_version())):
        if first.record[what] != now:
            raise InputError(
                f"shard {first.name} was made with {what} {first.record[what]!r:.80}, not {now}",
                path=first.folder,
                remedy="merge with the version that made the shards",
            )
    for shard in shards:
        _require_same(shard, first, "options", options_of(shard.record), options_of(first.record))
        for what, said in (("kinds of job", "kind"), ("version", "version"), ("Python", "python")):
            _require_same(shard, first, what, shard.record[said], first.record[said])
        old, new = first.identity or {}, shard.identity or {}
        for key in sorted({*old, *new}):
            _require_same(shard, first, key, new.get(key), old.get(key))
        # A plan decides what is dealt, and to whom: of equal plans, each item is in one shard.
        plans = shard.record["plan"], first.record["plan"]
        _require_same(shard, first, "settings or data", *plans)
    return shards


def _identity(folder: Path, record: Mapping[str, Any]) -> dict[str, Any] | None:
    place = settings_file(folder / record["journal"])
    if not place.is_file():
        return None
    identity = parse_json(read_text(place), path=place)
    if type(identity) is not dict:
        raise InputError("is not a file of settings", path=place, remedy="run its shard again")
    return dict(identity)


def _require_same(shard: Finished, first: Finished, what: str, now: object, then: object) -> None:
    if now != then:
        shown = "" if what == "settings or data" else f": {now!r:.80}, there {then!r:.80}"
        raise InputError(
            f"shard {shard.name} was made with other {what} than shard {first.name}{shown}",
            path=shard.folder,
            remedy="run it again with the others' settings, its folder removed",
        )


def _rows(shard: Finished) -> Iterator[tuple[int, str, str]]:
    """Yield a shard's rows with the place of their item, and their costs; InputError if damaged."""
    places = {item: place for place, item in shard.record["items"]}
    count = 0
    with ExitStack() as stack:
        rows = _open(shard, shard.journal, stack)
        has_costs = (shard.folder / COSTS).is_file()
        costs = iter(_open(shard, shard.folder / COSTS, stack)) if has_costs else iter(())
        for count, line in enumerate(rows, 1):
            place = places.get(_item(line, shard.record["key"]))
            if place is None or not line.endswith(b"\n"):
                raise InputError(
                    f"is not a row of shard {shard.name}",
                    path=shard.journal,
                    line=count,
                    remedy="remove its folder and run it again",
                )
            # A run that recorded no costs has an empty one for each row.
            yield place, _text(line), _text(next(costs, b"{}"))
    if count != shard.record["rows"]:
        raise InputError(
            f"holds {count} rows where shard {shard.name} wrote {shard.record['rows']}",
            path=shard.journal,
            remedy="copy it again, or run the shard again",
        )


def _text(line: bytes) -> str:
    return line.decode("ascii").rstrip("\n")


def _item(line: bytes, key: str) -> str:
    try:
        return str(json.loads(line.decode("ascii"))[key])
    except (ValueError, LookupError, TypeError, RecursionError):
        # No item has this name, so the row is refused.
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
