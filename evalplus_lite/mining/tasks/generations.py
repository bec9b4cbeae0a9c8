"""CRUXEval's files of generations: an object that has for each task a list of expressions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.store import parse_json, read_beginning, read_text

_BEGINNING = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[')


def is_generations(path: Path) -> bool:
    """Return whether a file holds generations, by how it begins."""
    return _BEGINNING.match(read_beginning(path)) is not None


def read_generations(path: Path, known: Collection[str]) -> Iterator[tuple[str, int, str]]:
    """Yield task, number and text of each expression, the tasks in the file's order.

    ``known`` are ids of tasks: one may follow the set's name there (``cruxeval/sample_0``). Raises
    InputError, naming the task, for anything but lists of strings.
    """
    full = {id.rpartition("/")[2]: id for id in known}
    for name, texts in parse_json(read_text(path), path=path).items():
        if type(texts) is not list or any(type(text) is not str for text in texts):
            raise InputError(f"{name[:60]!r} has something other than a list of texts", path=path)
        for number, text in enumerate(texts):
            yield full.get(name, name), number, text
