"""Writing a report: one file where that is small enough, else an index and a file a task."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from evalplus_lite import __version__
from evalplus_lite.pages.document import FORMAT, Index, SuitePart
from evalplus_lite.pages.gathering import shelve, task_parts
from evalplus_lite.pages.overview import suite_section
from evalplus_lite.pages.rendering import page, script_json
from evalplus_lite.pages.sections import Section
from evalplus_lite.pages.shelf import Parts, Shelf
from evalplus_lite.pages.suites import Judged, suite_part
from evalplus_lite.store import replacing

MOST_BYTES = 10_000_000
"""What one file may hold before its tasks get files of their own."""


def write_report(
    path: Path, suites: Sequence[Judged], further: Sequence[Section], *, title: str, most: int
) -> list[Path]:
    """Write the page on these suites, with further sections, and return the files.

    Of more than ``most`` bytes of tasks, each goes to a file of its own in the folder beside
    ``path`` that is called as it is, without its ending, with ``-tasks``.
    """
    index: Index = {
        "format": FORMAT,
        "version": __version__,
        "title": title,
        "suites": [suite_part(each) for each in suites],
    }
    with Parts() as parts:
        for number, suite in enumerate(suites):
            with Shelf() as shelf:
                shelve(suite, shelf)
                for place, part in enumerate(task_parts(suite, shelf)):
                    parts.add(f"task-{number}-{place}", script_json(part))
        if parts.size <= most:
            return [_write(path, index, _sections(index, further), parts)]
        return list(_split(path, index, further, parts))


def _sections(index: Index, further: Sequence[Section]) -> list[Section]:
    found = []
    for number, suite in enumerate(index["suites"]):
        suffix = "" if number == 0 else f"?suite={number + 1}"
        links = [
            f"{row.get('file', '')}#/task/{_named(row['id'], place)}{suffix}"
            for place, row in enumerate(suite["tasks"])
        ]
        title = suite["name"] if len(index["suites"]) > 1 else "Results"
        found.append(suite_section(number, suite, links, title=title))
    return [*found, *further]


def _named(id: str, place: int) -> str:
    """Return what addresses call a task, as ``named`` in views.js does."""
    try:
        return quote(id, safe="!'()*")
    except UnicodeEncodeError:
        return f"%40{place}"


def _split(path: Path, index: Index, further: Sequence[Section], parts: Parts) -> Iterator[Path]:
    folder = path.with_name(f"{path.stem}-tasks")
    for number, suite in enumerate(index["suites"]):
        for place, row in enumerate(suite["tasks"]):
            row["file"] = f"{quote(os.fsencode(folder.name))}/{_name(number, place)}"
    for number, suite in enumerate(index["suites"]):
        for place in range(len(suite["tasks"])):
            key = f"task-{number}-{place}"
            inner = _beside(index, number, place, path.name)
            yield _write(folder / _name(number, place), inner, (), [(key, parts.text(key))])
    yield _write(path, index, _sections(index, further), ())  # last: what it leads to is there


def _name(number: int, place: int) -> str:
    return f"{number + 1}-{place + 1}.html"


def _beside(index: Index, number: int, place: int, home: str) -> dict[str, Any]:
    """Return the index for a task's own page: that task, and how to reach those beside it."""
    suites: list[Any] = []
    for each, suite in enumerate(index["suites"]):
        rows = [
            {"id": row["id"], "file": _name(each, n), "counts": row["counts"]}
            if each == number and abs(n - place) <= 1
            else None
            for n, row in enumerate(suite["tasks"])
        ]
        suites.append(_slim(suite, rows if each == number else []))
    return {
        **index,
        "suites": suites,
        "home": f"../{quote(os.fsencode(home))}",
        "task": [number, place],
    }


def _slim(suite: SuitePart, rows: list[Any]) -> dict[str, Any]:
    sides = [{"label": side["label"]} for side in suite["entrants"]]
    return {**suite, "entrants": sides, "tasks": rows}


def _write(path: Path, index: Any, sections: Sequence[Section], parts: Any) -> Path:
    with replacing(path) as stream:
        for text in page(
            title=index["title"],
            index=index,
            sections=sections,
            parts=parts,
            home=index.get("home", ""),
        ):
            stream.write(text.encode("utf-8", "replace"))  # paths may hold what is no UTF-8
    return path
