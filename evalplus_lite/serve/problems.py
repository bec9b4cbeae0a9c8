"""Problems as SandboxFusion's data sets state them: texts in and out, or code that asserts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.serve.service import Asked, Service, UnknownTask
from evalplus_lite.store.parsing import parse_json

TOLERANCE = 1e-6
"""Numbers with a fraction that a program prints may differ by so much, as there."""
SHOWN = 200
"""Characters of an input or an output that an answer repeats."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What an answer is judged by, and what to say of each test."""

    asked: Asked
    cases: tuple[dict[str, Any], ...] = ()
    is_known: bool = False
    """Whether it is of a data set that is loaded: then all its cases are one test."""

    def infos(self, count: int) -> list[dict[str, Any] | None]:
        """Return what is said of each of so many tests."""
        return [*self.cases] if len(self.cases) == count else [None] * count


def problem(
    service: Service, dataset: str, id: int | str, provided: Any, kind: str | None
) -> Problem:
    """Return a problem: of a data set that is loaded, else the one that is ``provided``.

    Raises UnknownTask if there is none, InputError for one that cannot be read here.
    """
    if dataset in service.datasets:
        return Problem(service.task(service.known_id(dataset, id), dataset), is_known=True)
    row = _row(provided, id)
    if row is None:
        raise UnknownTask(
            f"no data set {dataset[:100]!r} is loaded, and provided_data holds no problem {id!r}"
        )
    test = row.get("test")
    if type(test) is str:
        test = parse_json(test)
    if type(test) is list:
        return _of_texts(test)
    if type(test) is dict and type(test.get("code")) is str:
        return _of_code(row, test)
    raise InputError(
        f"provided_data.test is not understood (dataset_type {kind!r})",
        remedy="give a list of {input: {stdin}, output: {stdout}}, or {code}",
    )


def _row(provided: Any, id: int | str) -> dict[str, Any] | None:
    if type(provided) is dict:
        return provided
    rows = [each for each in provided or [] if str(each.get("id")) == str(id)]
    return rows[0] if rows else None


def _of_texts(tests: list[Any]) -> Problem:
    inputs, outputs = [], []
    for number, each in enumerate(tests):
        given = each if type(each) is dict else {}
        into, out = given.get("input"), given.get("output")
        if type(into) is not dict or type(out) is not dict or "stdout" not in out:
            raise InputError(f"test {number} lacks input.stdin or output.stdout")
        if into.keys() - {"stdin"} or out.keys() - {"stdout"}:
            raise InputError(f"test {number} uses files, which are not judged here")
        inputs.append(str(into.get("stdin", "")))
        outputs.append(str(out["stdout"]))
    infos = tuple(
        {"input": {"stdin": a[:SHOWN]}, "output": {"stdout": b[:SHOWN]}}
        for a, b in zip(inputs, outputs, strict=True)
    )
    return Problem(Asked.given("printed", (inputs, outputs, TOLERANCE), "request"), infos)


def _of_code(row: dict[str, Any], test: dict[str, Any]) -> Problem:
    labels = row.get("labels")
    if type(labels) is str:
        labels = parse_json(labels)
    language = labels.get("programming_language") if type(labels) is dict else None
    if language not in (None, "python") or test.get("asset") or "#<INSERT>" in test["code"]:
        raise InputError(
            "provided_data.test is of another language, or has files",
            remedy="such tests can be run with /run_code, which judges nothing",
        )
    return Problem(Asked.given("assertions", [test["code"]], "request"))
