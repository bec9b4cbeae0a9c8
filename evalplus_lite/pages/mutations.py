"""Mutants in Stryker's form as a page needs them: who kills whom, and as many as it can hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.store import parse_json, read_text
from evalplus_lite.store.reading import OWN_LINE, OWN_VALUES

MOST_BYTES = 3_000_000
"""What a document may have in a page before lists of tests are cut."""
LISTED = 5
"""Tests that a list keeps then."""


@dataclass(frozen=True, slots=True)
class MutatedFile:
    """A task's mutants: ``killers`` has for each the positions of the tests that kill it."""

    name: str
    tests: int
    killers: tuple[tuple[int, ...], ...]
    operators: tuple[str, ...]
    lines: tuple[int, ...]


def read_mutations(path: Path) -> dict[str, Any]:
    """Return a document of Stryker's schema; InputError if it is none."""
    found = parse_json(read_text(path, max_bytes=OWN_LINE), path=path, max_values=OWN_VALUES)
    return checked(found, path)


def checked(found: Any, path: Path) -> dict[str, Any]:
    """Return a document read from ``path``; InputError if it is not of the schema."""
    try:
        list(mutated_files(found))
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InputError(
            "is no mutation report of Stryker's schema",
            path=path,
            remedy="write it anew with evalplus-lite mutants",
        ) from None
    return dict(found)


def mutated_files(document: Mapping[str, Any]) -> Iterator[MutatedFile]:
    """Yield the files of a document with the tests of the same name."""
    tests = document.get("testFiles") or {}
    for name, file in document["files"].items():
        place = {test["id"]: n for n, test in enumerate(tests.get(name, {"tests": ()})["tests"])}
        mutants = file["mutants"]
        yield MutatedFile(
            name.removesuffix(".py"),
            len(place),
            tuple(
                tuple(sorted(place[id] for id in each.get("killedBy", ()) if id in place))
                for each in mutants
            ),
            tuple(str(each["mutatorName"]) for each in mutants),
            tuple(int(each["location"]["start"]["line"]) for each in mutants),
        )


def together(documents: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return documents as one; of several, each in a folder of its name."""
    if len(documents) == 1:
        return dict(documents[0][1])
    files: dict[str, Any] = {}
    tests: dict[str, Any] = {}
    for number, (name, document) in enumerate(documents):
        folder = f"{number + 1} {name}"
        for inner, file in document["files"].items():
            mutants = [_renamed(each, number) for each in file["mutants"]]
            files[f"{folder}/{inner}"] = {**file, "mutants": mutants}
        for inner, file in (document.get("testFiles") or {}).items():
            named = [{**each, "id": f"{number}.{each['id']}"} for each in file["tests"]]
            tests[f"{folder}/{inner}"] = {**file, "tests": named}
    return {**documents[0][1], "files": files, "testFiles": tests}


def _renamed(mutant: Mapping[str, Any], number: int) -> dict[str, Any]:
    lists = {
        key: [f"{number}.{id}" for id in mutant[key]]
        for key in ("killedBy", "coveredBy")
        if key in mutant
    }
    return {**mutant, **lists, "id": f"{number}.{mutant['id']}"}


def fitted(document: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """Return a document that a page can hold, and what was left out, in words, or "".

    First lists of tests are cut to a few, then tests left out; None if it is too large even so.
    """
    if _size(document) <= MOST_BYTES:
        return dict(document), ""
    few = _without(document, LISTED)
    if _size(few) <= MOST_BYTES:
        return few, f"Of the inputs that kill or run a mutant the first {LISTED} are shown."
    none = _without(document, 0)
    if _size(none) <= MOST_BYTES:
        return none, "For their number, inputs are not shown here."
    return None, "There are too many mutants to show each here: mutants.stryker.json has them."


def _size(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document, separators=(",", ":")))


def _without(document: Mapping[str, Any], most: int) -> dict[str, Any]:
    files = {
        name: {**file, "mutants": [_cut(each, most) for each in file["mutants"]]}
        for name, file in document["files"].items()
    }
    kept = {
        id
        for file in files.values()
        for each in file["mutants"]
        for key in ("killedBy", "coveredBy")
        for id in each.get(key, ())
    }
    tests = {
        name: {**file, "tests": [each for each in file["tests"] if each["id"] in kept]}
        for name, file in (document.get("testFiles") or {}).items()
    }
    found = {**document, "files": files}
    found.pop("testFiles", None)
    return {**found, "testFiles": tests} if most else found


def _cut(mutant: Mapping[str, Any], most: int) -> dict[str, Any]:
    lists = {key: mutant[key][:most] for key in ("killedBy", "coveredBy") if key in mutant and most}
    rest = {key: value for key, value in mutant.items() if key not in ("killedBy", "coveredBy")}
    return {**rest, **lists}
