"""Which job wrote what is at a path: told by the names of files, looked for in folders below, too.

for output in found_outputs(["out/demo"]):
    print(output.kind, output.path, output.summary["run"]["date"])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from evalplus_lite.errors import InputError
from evalplus_lite.store import parse_json, read_text
from evalplus_lite.store.labels import stem
from evalplus_lite.store.locations import place_of
from evalplus_lite.store.publishing import copied
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES

Kind = Literal[
    "evaluation",
    "suite",
    "reduction",
    "mutants",
    "stryker",
    "quality",
    "crossval",
    "audit",
    "score",
    "mining",
    "execution",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
NAMES: Mapping[str, tuple[str, Kind]] = {
    "results.jsonl": ("summary.json", "evaluation"),
    "results.parts.jsonl": ("summary.json", "evaluation"),
    "augment.journal.jsonl": ("summary.json", "suite"),
    "reduction.json": ("reduction.json", "reduction"),
    "mutants.json": ("mutants.json", "mutants"),
    "quality.json": ("quality.json", "quality"),
    "crossval.json": ("crossval.json", "crossval"),
    "audit.json": ("audit.json", "audit"),
    "exe-report.json": ("exe-report.json", "execution"),
}
"""By the file that only one job writes: the file of its summary, and the kind of job."""
FUNNEL = ".funnel.json"
"""How the file of ``mine`` ends that says what was rejected; tasks, beside it, have any name."""
DEPTH = 3
"""Folders below a given one that are looked into."""
WHOLE = frozenset({"quality.json"})
"""Where one of these is, what stands below is the same job's: its evaluations are no models'."""


@dataclass(frozen=True, slots=True)
class Output:
    """What one job wrote: its ``kind``, the ``folder``, and its ``summary`` as its file has it.

    ``path`` is the file of the summary.
    """

    kind: Kind
    folder: Path
    path: Path
    summary: Mapping[str, Any]


def found_outputs(paths: Iterable[str | os.PathLike[str]]) -> list[Output]:
    """Return what jobs wrote to these folders and those below, each once, by path within a given.

    A path may be the URL of a folder, of which a copy is made for as long as this process lives. It
    may also name a file of an output folder: then this job's alone. Raises InputError for a
    path that does not exist or holds nothing that a job wrote, for a run that has not ended, and
    for a summary that cannot be read.
    """
    found: dict[Path, Output] = {}
    for path in map(place_of, paths):
        if isinstance(path, str):
            path = copied(path, _needed)
        if not path.exists():
            raise InputError("does not exist", path=path, remedy="give a folder of results")
        outputs = list(_below(path, DEPTH)) if path.is_dir() else list(_named(path))
        if not outputs:
            raise InputError(
                "holds nothing that a command wrote",
                path=path,
                remedy=f"give a folder with one of {', '.join(sorted(NAMES))}, *{FUNNEL}",
            )
        found.update({each.path.resolve(): each for each in outputs if each.path.resolve() not in
                      found})  # fmt: skip
    return list(found.values())


def _needed(names: Sequence[str]) -> Iterator[str]:
    """Yield the files, of all in a folder and below, that stand beside what a job wrote."""
    folders = {
        folder
        for folder, _, name in (each.rpartition("/") for each in names)
        if (name in NAMES or name.endswith(FUNNEL)) and folder.count("/") < DEPTH
    }
    return (each for each in names if each.rpartition("/")[0] in folders)


def _below(folder: Path, depth: int) -> Iterator[Output]:
    for name in NAMES:
        if (folder / name).is_file():
            yield _read(folder, name)
    for path in sorted(folder.glob(f"*{FUNNEL}")):
        yield Output("mining", folder, path, _parsed(path))
    if depth and not any((folder / name).is_file() for name in WHOLE):
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
                yield from _below(inner, depth - 1)


def _named(path: Path) -> Iterator[Output]:
    """Yield the output that a file belongs to."""
    for name, (file, _) in NAMES.items():
        if path.name in (name, file) and (path.parent / name).is_file():
            yield _read(path.parent, name)
            return
    funnel = path.with_name(f"{stem(path)}{FUNNEL}")
    if path.name.endswith(FUNNEL) or funnel.is_file():
        place = path if path.name.endswith(FUNNEL) else funnel
        yield Output("mining", path.parent, place, _parsed(place))
    elif path.suffix == ".json":
        summary = _parsed(path)
        if {"tables", "wrong"} <= set(summary):
            yield Output("score", path.parent, path, summary)
        elif {"schemaVersion", "files"} <= set(summary):
            yield Output("stryker", path.parent, path, summary)


def _read(folder: Path, name: str) -> Output:
    file, kind = NAMES[name]
    path = folder / file
    if not path.is_file():
        raise InputError(
            f"has {name} but no {file}: the run has not ended",
            path=folder,
            remedy="run the same command again, it goes on where it stopped",
        )
    return Output(kind, folder, path, _parsed(path))


def _parsed(path: Path) -> Mapping[str, Any]:
    found = parse_json(read_text(path, max_bytes=OWN_LINE), path=path, max_values=OWN_VALUES)
    if type(found) is not dict:
        raise InputError("holds no JSON object", path=path, remedy="is this the right file?")
    return found
