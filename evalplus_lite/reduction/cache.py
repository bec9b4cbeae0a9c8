"""Results computed earlier for a suite: JSON files named by the content they depend on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalplus_lite.store import write_text
from evalplus_lite.store.cache import KEEPER, mark_used

FORMAT = 2


@dataclass(slots=True)
class CachedRows:
    """Bitsets by section and name, for one task and suite; written back by ``close``.

    A row is a list of bitsets; of a program, the cases that kill it, those it was run on, and
    whether it was stopped. A foreign or damaged file counts as empty: its content is computed
    again.
    """

    path: Path | None
    sections: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    changed: bool = False

    @classmethod
    def open(cls, folder: Path | None, digest: str) -> CachedRows:
        """Read the rows of a content digest; without a folder nothing is stored."""
        if folder is None:
            return cls(None)
        path = folder / digest[:2] / f"{digest}.json"
        try:
            text = path.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return cls(path)
        mark_used(path)
        try:
            return cls(path, _read(json.loads(text)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return cls(path)

    def section(self, name: str) -> Mapping[str, list[int]] | None:
        """Return a section; None where it was never stored."""
        return self.sections.get(name)

    def store(self, name: str, rows: Mapping[str, list[int]]) -> None:
        """Add rows to a section, which then exists even if there are none."""
        self.sections.setdefault(name, {}).update(rows)
        self.changed = True

    def bitsets(self, name: str, compute: Callable[[], Mapping[str, int]]) -> Mapping[str, int]:
        """Return the one bitset of each row of a section, computed if it was never stored."""
        if name not in self.sections:
            self.store(name, {key: [row] for key, row in compute().items()})
        return {key: row for key, (row,) in self.sections[name].items()}

    @property
    def stopped(self) -> frozenset[str]:
        """The programs that were stopped before they had met all their cases."""
        rows = (item for section in self.sections.values() for item in section.items())
        return frozenset(key for key, row in rows if len(row) == 3 and row[2])

    def close(self) -> None:
        """Write the rows if they changed; InputError where the folder cannot be written."""
        if self.path is not None and self.changed:
            rows = {
                name: {key: [format(bits, "x") for bits in row] for key, row in section.items()}
                for name, section in self.sections.items()
            }
            write_text(self.path, json.dumps({"format": FORMAT, "rows": rows}) + "\n")
            KEEPER.wrote(self.path.parents[2], self.path)
            self.changed = False


def _read(tree: Any) -> dict[str, dict[str, list[int]]]:
    if tree["format"] != FORMAT:
        return {}
    return {
        name: {key: [int(bits, 16) for bits in row] for key, row in section.items()}
        for name, section in tree["rows"].items()
    }
