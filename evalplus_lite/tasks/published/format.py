"""A format of a published set's rows: what tells them, how one becomes a task, where files are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from evalplus_lite.store import Row
from evalplus_lite.tasks.contracts import load_contracts
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.download import Release
from evalplus_lite.types import Task

Source: TypeAlias = Release | Callable[[], Path]
"""Where a set's file is: a release to be downloaded once, or a function that finds it."""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of published tasks besides their rows, by task id.

    ``contracts`` are contract files, ``tests`` the test programs that a mini file leaves out.
    """

    contracts: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of row: the keys that tell it, and how it becomes a task.

    A row is of the format most of whose ``keys`` it has, all of them. ``task`` raises
    ``Fields.refuse`` for a row that cannot be used: it is listed, and does not stop the others.
    ``sources`` are the sets of this format that have names. ``contracts`` is the folder of
    contract files that ship with the project, and ``prefix`` what their numbers follow in ids.
    ``tests`` gives the test programs that a file lacks, seen from its first row.
    """

    name: str
    keys: Collection[str]
    task: Callable[[Fields, Background], Task]
    sources: Mapping[str, Source] = field(default_factory=dict)
    contracts: str = ""
    prefix: str = ""
    tests: Callable[[Row], Mapping[str, str]] | None = None

    def known_contracts(self) -> dict[str, str]:
        """Return the contract files' texts by task id: a file's name begins with its number."""
        if not self.contracts:
            return {}
        texts = load_contracts(self.contracts)
        return {f"{self.prefix}{int(stem.partition('_')[0])}": text for stem, text in texts.items()}

    def background(self, first: Row) -> Background:
        """Return what is known besides the rows of a file that begins with ``first``."""
        return Background(self.known_contracts(), self.tests(first) if self.tests else {})
