"""Your own tasks: one JSONL row each. docs/reference/formats.md has the schema."""

from __future__ import annotations

import ast
import builtins
import difflib
import os
import re
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

from evalplus_lite.errors import CodecError, InputError, one_of
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.store import Row, write_text
from evalplus_lite.tasks.assertions import with_assertions
from evalplus_lite.tasks.fields import MAX_TEXT, Fields, read_rule
from evalplus_lite.tasks.harnesses import inferred
from evalplus_lite.tasks.texts.forms import Unfit
from evalplus_lite.tasks.texts.grammar import GrammarError, form_of
from evalplus_lite.tasks.unit_tests import having_tests
from evalplus_lite.types import (
    HARNESSES,
    MOST_ITEMS,
    OBSERVED,
    Case,
    Harness,
    Rule,
    Style,
    Task,
    Value,
    defined_name,
)
from evalplus_lite.values import wire
from evalplus_lite.values.source import value_of

# Extra keys of tasks for whole programs: a grammar of their input texts, or a generator.

MAKING = ("grammar", "generator")
"""The keys of a task that define how to generate its input texts."""


def having_texts(fields: Fields, task: Task) -> Task:
    """Return a task with its row's grammar and generator; InputError if they are unusable."""
    stated = {key: fields.text(key, default="") for key in MAKING}
    if task.harness.kind != "script":
        given = next((key for key, text in stated.items() if text), None)
        if given:
            raise fields.refuse(f"{given!r} is for tasks whose harness is script")
        return task
    for position, case in enumerate(task.base, 1):
        if not all(type(each) is str for each in case.arguments) or not case.arguments:
            raise fields.refuse(f"inputs, number {position}: a script's input is one text")
    if stated["generator"]:
        tree = definitions.parse(stated["generator"])
        if tree is None or not definitions.defines(tree, "generate"):
            raise fields.refuse(
                "generator is not a program that defines `generate`",
                remedy="def generate(seed, scale): ... return text",
            )
    if stated["grammar"]:
        try:
            form = form_of(stated["grammar"])
        except GrammarError as error:
            raise fields.refuse(f"grammar: {error}", remedy="see docs/guide/harnesses.md") from None
        for position, case in enumerate(task.base, 1):
            try:
                form.parse(case.arguments[0])
            except Unfit as error:
                raise fields.refuse(
                    f"inputs, number {position} does not match the grammar: {error}",
                    remedy="correct one of the two",
                ) from None
    return replace(task, grammar=stated["grammar"], generator=stated["generator"])


ALIKE = 0.85
"""Similarity, 0 to 1, from which a name counts as a misspelled built-in exception."""
KEYS = (
    *("id", "prompt", "entry_point", "harness", "reference", "contract", "rule", "style"),
    *("inputs", "outputs", "programs", "tests", "constraints", *MAKING),
)
TESTS = {
    "unittest": "a module of unittest.TestCase classes",
    "assertions": "a line for each, such as assert f(1) == 2",
}


def own_task(fields: Fields) -> Task:
    """Return the task of a row; InputError names a key that is missing, unknown or mistyped.

    The reference is compiled, never run, and must define the entry point at its top level. Without
    one, programs are judged by the ``outputs``, and commands that need a reference skip the task.
    """
    fields.known(KEYS)
    harness = read_harness(fields)
    entry_point, reference = _entry_point(fields, harness), fields.text("reference", default="")
    programs = fields.items("programs", default=[])
    for position, source in enumerate(programs, 1):
        if type(source) is not str or len(source) > MAX_TEXT:
            raise fields.refuse(f"programs, number {position}: a text was expected")
        _read_program(fields, f"programs, number {position}", source, defined_name(entry_point))
    if programs and not reference:  # they must agree, so any of them will do
        reference, *programs = programs
    if reference:
        tree = _read_program(fields, "reference", reference, defined_name(entry_point))
        given = fields.row.data.get("harness")
        said = given if isinstance(given, dict) else ()
        harness = inferred(harness, tree, entry_point, prompt=fields.text("prompt"), given=said)
    contract = fields.text("contract", default="") or None
    if contract is not None:
        tree = _compiled(fields, "contract", contract)
        if not any(definitions.defines(tree, name) for name in ("precondition", "check")):
            raise fields.refuse("contract defines neither `precondition` nor `check`")
    base = _inputs(fields, harness)
    tests = fields.text("tests", default="")
    if tests and harness.kind not in TESTS:
        remedy = "; ".join(f'"harness": "{kind}" for {text}' for kind, text in TESTS.items())
        raise fields.refuse(f"'tests' are not for harness {harness.kind!r}", remedy=remedy)
    constraints = fields.object("constraints", default={}).row.data  # inference checks the names
    for name, is_on in constraints.items():
        if type(is_on) is not bool:
            raise fields.refuse(f"constraints: {name!r} is neither true nor false")
    task = read_task(
        fields,
        harness,
        reference=reference,
        programs=tuple(programs),
        base=base,
        outputs=_outputs(fields, len(base), read_rule(fields, harness)),
        constraints=dict(constraints),
    )
    if harness.kind != "unittest" and not (harness.kind == "assertions" and tests):
        return having_texts(fields, task)
    try:
        return (having_tests if harness.kind == "unittest" else with_assertions)(task, tests)
    except ValueError as error:
        raise fields.refuse(str(error), remedy=TESTS[harness.kind]) from None


def read_task(fields: Fields, harness: Harness, **own: Any) -> Task:
    """Return a task with the fields that rows of own tasks and of suite files share."""
    prompt, entry_point = fields.text("prompt"), _entry_point(fields, harness)
    begins = entry_point and re.search(
        rf"^[ \t]*(async[ \t]+)?def[ \t]+{re.escape(entry_point)}\b", prompt, re.MULTILINE
    )
    # A prompt that starts the function is to be completed.
    style = fields.text("style", default="completion" if begins else "solution")
    if style not in get_args(Style):
        raise fields.refuse(f"unknown style {style!r}", remedy=one_of(style, get_args(Style)))
    return Task(
        id=fields.id("id"),
        prompt=prompt,
        entry_point=entry_point,
        harness=harness,
        contract=fields.text("contract", default="") or None,
        rule=read_rule(fields, harness),
        style=cast("Style", style),
        **own,
    )


def read_harness(fields: Fields) -> Harness:
    """Return the harness of a row, given as a kind or an object; a plain call by default."""
    given = fields.row.data.get("harness", {})
    if type(given) is str:
        given = {"kind": given}
    if type(given) is not dict:
        raise fields.refuse("'harness' is neither a name nor an object")
    harness = Fields(fields.path, Row(fields.row.line, given))
    harness.known([each.name for each in dataclass_fields(Harness)], what=" in harness")
    kind = harness.text("kind", default="call")
    if kind not in HARNESSES:
        raise fields.refuse(f"unknown harness {kind!r}", remedy=one_of(kind, HARNESSES))
    observe = harness.items("observe", default=["value"])
    for name in observe:
        if name not in OBSERVED:
            raise fields.refuse(
                f"harness: nothing named {name!r} is observed", remedy=one_of(str(name), OBSERVED)
            )
    items = harness.count("items") if "items" in given else 0
    if items > MOST_ITEMS:
        raise fields.refuse(f"harness: items is {items}", remedy=f"at most {MOST_ITEMS}")
    code = harness.items("code", default=[])
    if not all(type(place) is int and 0 <= place < MOST_ITEMS for place in code):
        raise harness.refuse(
            f"harness: code is {code!r}", remedy="give the positions of arguments, from 0"
        )
    return Harness(
        kind,
        tuple(observe) or ("value",),
        items,
        harness.flag("awaited"),
        harness.flag("constructed"),
        harness.text("tests", default=""),
        harness.text("whole", default=""),
        harness.count("inside") if "inside" in given else 0,
        attributes=_names(harness, "attributes"),
        exceptions=_exceptions(fields, harness),
        code=tuple(code),
        keywords=harness.flag("keywords"),
        inferred=harness.flag("inferred"),
    )


def _names(harness: Fields, key: str) -> tuple[str, ...]:
    names = harness.items(key, default=[])
    for name in names:
        if type(name) is not str or not name.isidentifier():
            raise harness.refuse(f"harness: {key} holds {name!r}, which is not a Python name")
    return tuple(names)


def _exceptions(fields: Fields, harness: Fields) -> tuple[str, ...]:
    """Return the exception names; reject misspelled built-ins, with which no answer could pass.

    Unknown names are accepted: an imported library may raise exceptions that no text mentions.
    """
    names = _names(harness, "exceptions")
    known = {name for name, each in vars(builtins).items() if isinstance(each, type)}
    texts = " ".join(text for text in fields.row.data.values() if type(text) is str)
    for name in names:
        near = difflib.get_close_matches(name, sorted(known), n=1, cutoff=ALIKE)
        if near and name not in known and not re.search(rf"\b{name}\b", texts):
            raise harness.refuse(
                f"harness: exceptions holds {name!r}, which is not built in, nor in the task",
                remedy=f"did you mean {near[0]!r}?",
            )
    return names


def _entry_point(fields: Fields, harness: Harness) -> str:
    """Return the name that programs define: ``Class.method`` for a method, "" if none is needed."""
    if harness.kind in ("script", "assertions"):
        return fields.text("entry_point", default="")
    if harness.kind != "method":
        return fields.identifier("entry_point")
    owner, dot, method = fields.text("entry_point").partition(".")
    if not (dot and owner.isidentifier() and method.isidentifier()):
        raise fields.refuse(
            "entry_point of a method is not Class.method", remedy="such as Solution.twoSum"
        )
    return f"{owner}.{method}"


def _inputs(fields: Fields, harness: Harness) -> tuple[Case, ...]:
    found = []
    for position, item in enumerate(_values(fields, "inputs"), 1):
        if harness.kind in ("script", "assertions") and type(item) is str:
            item = [item]
        if type(item) not in (list, tuple):
            raise fields.refuse(
                f"inputs, number {position}: a list of the positional arguments was expected"
            )
        found.append(Case(tuple(item)))
    return tuple(found)


def _values(fields: Fields, key: str) -> list[Value]:
    """Return a list of values, given as tagged JSON or as a string with a Python literal."""
    if type(fields.row.data.get(key)) is not str:
        return [
            fields.value(item, name=f"{key}, number {position}")
            for position, item in enumerate(fields.items(key, default=[]), 1)
        ]
    try:
        found = value_of(parsing.parse(fields.text(key).strip(), mode="eval").body)
        if type(found) not in (list, tuple):
            raise ValueError("it is not a list")
    except parsing.UNREADABLE as error:
        raise fields.refuse(f"{key!r} is no list of Python literals: {error}") from None
    return list(found)


def _outputs(fields: Fields, count: int, rule: Rule) -> tuple[bytes, ...]:
    """Return a row's expected outputs, one for each input, or none at all."""
    given = _values(fields, "outputs")
    if given and len(given) != count:
        raise fields.refuse(
            f"there are {count} inputs, but {len(given)} outputs", remedy="give one for each input"
        )
    if rule.kind == "any" and not (given and all(type(each) is list and each for each in given)):
        raise fields.refuse(
            "the rule is 'any', but outputs are no lists",
            remedy="list what is right for each input",
        )
    found = []
    for position, item in enumerate(given, 1):
        try:
            found.append(wire.encode(item))
        except CodecError as error:
            raise fields.refuse(f"outputs, number {position}: {error}") from None
    return tuple(found)


def _read_program(fields: Fields, key: str, program: str, name: str) -> ast.Module:
    whole = "it must be a whole program"
    tree = _compiled(fields, key, program, remedy=whole)
    if name and not definitions.defines(tree, name):
        raise fields.refuse(f"{key} does not define {name!r}", remedy=whole)
    return tree


def _compiled(fields: Fields, key: str, program: str, *, remedy: str | None = None) -> ast.Module:
    tree = definitions.parse(program)
    if tree is None:
        line = definitions.fault(program)
        place = "" if line is None else f": look at its line {line}"
        raise fields.refuse(f"{key} does not compile{place}", remedy=remedy)
    return tree


# Templates: a commented example of each kind of task, to start from.


def templates() -> tuple[Path, ...]:
    """Return the example files of the folder ``examples``, one for each kind of task."""
    return tuple(sorted(Path(__file__).with_name("examples").glob("*.toml")))


def write_templates(folder: str | os.PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
    """Write a commented example of each kind of task into a folder, and return the files.

    The folder is created if missing. Without ``force``, raises InputError before writing anything
    if one of the files exists.
    """
    paths = tuple(Path(folder) / each.name for each in templates())
    for path in paths:
        if path.exists() and not force:
            raise InputError("already exists", path=path, remedy="another folder, or --force")
    for path, each in zip(paths, templates(), strict=True):
        write_text(path, each.read_text(encoding="utf-8"))
    return paths
