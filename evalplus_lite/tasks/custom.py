"""Tasks of the user's own: one JSONL row each. docs/reference/formats.md has the schema."""

from __future__ import annotations

import ast
import builtins
import difflib
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast, get_args

from evalplus_lite.errors import CodecError, InputError, one_of
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.store import Row, write_text
from evalplus_lite.tasks.assertions import with_assertions
from evalplus_lite.tasks.fields import MAX_TEXT, Fields, read_rule
from evalplus_lite.tasks.texts.forms import Unfit
from evalplus_lite.tasks.texts.grammar import GrammarError, form_of
from evalplus_lite.tasks.unit_tests import having_tests
from evalplus_lite.types import (
    HARNESSES,
    MOST_ITEMS,
    OBSERVED,
    Case,
    Harness,
    Observed,
    Rule,
    Style,
    Task,
    Value,
    defined_name,
)
from evalplus_lite.values import wire
from evalplus_lite.values.source import value_of

# What tasks of whole programs state besides: the form of their input texts, or what makes them.

MAKING = ("grammar", "generator")
"""The keys of a task that say how its input texts are made."""


def having_texts(fields: Fields, task: Task) -> Task:
    """Return a task with the ``MAKING`` of its row, checked; InputError if it cannot be used."""
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
        _check(fields, stated["grammar"], task)
    return replace(task, grammar=stated["grammar"], generator=stated["generator"])


def _check(fields: Fields, grammar: str, task: Task) -> None:
    try:
        form = form_of(grammar)
    except GrammarError as error:
        raise fields.refuse(f"grammar: {error}", remedy="see docs/guide/harnesses.md") from None
    for position, case in enumerate(task.base, 1):
        try:
            form.parse(case.arguments[0])
        except Unfit as error:
            raise fields.refuse(
                f"inputs, number {position} is not of the grammar: {error}",
                remedy="one of the two is to be mended",
            ) from None


# What the text of a reference says of how it is to be invoked, where its task does not.

ITEMS = 1000
"""Items of a generator that are looked at."""
KNOWN_DECORATORS = frozenset({"cache", "lru_cache", "staticmethod", "classmethod", "wraps"})
MUTATORS = frozenset(
    "append extend insert remove pop popitem clear sort reverse add discard update setdefault "
    "appendleft popleft extendleft rotate".split()
)
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
ANYTHING = frozenset({"Exception", "BaseException"})  # told by their very name


def inferred(
    harness: Harness,
    tree: ast.Module,
    entry_point: str,
    *,
    given: Collection[str],
    prompt: str = "",
) -> Harness:
    """Return a harness with what the reference's text says, but for what is ``given``.

    An exception that the reference raises by name and the prompt names is an answer.
    """
    found = harness
    function = _function(tree, entry_point) if harness.kind in ("call", "method") else None
    if function is not None:
        is_generator = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in _own(function))
        if is_generator and "items" not in given:
            found = replace(found, items=ITEMS)
        if isinstance(function, ast.AsyncFunctionDef) and not is_generator:
            found = found if "awaited" in given else replace(found, awaited=True)
        if not (is_generator or _returns(function) or {"observe", "attributes"} & set(given)):
            found = replace(found, observe=_effects(tree, function) or found.observe)
    named = _documented(tree, prompt) if harness.kind in ("call", "method", "sequence") else ()
    if named and not {"observe", "exceptions"} & set(given):
        observe = tuple(dict.fromkeys((*found.observe, "exception")))
        found = replace(found, observe=observe, exceptions=named)
    elif named and "exception" in found.observe and "exceptions" not in given:
        found = replace(found, exceptions=_raised(tree))
    found = replace(found, inferred=harness.inferred or found != harness)
    if "exceptions" in given and "observe" not in given:
        found = replace(found, observe=("value", "exception"))
    if "exception" in found.observe and "exceptions" not in given:
        found = replace(found, exceptions=found.exceptions or _raised(tree))
    return found


def _documented(tree: ast.Module, prompt: str) -> tuple[str, ...]:
    return tuple(n for n in _raised(tree) if re.search(rf"\b{re.escape(n)}\b", prompt))


class _Marking(ast.NodeTransformer):
    """Raises a subclass of its own where the program raises a documented exception by name."""

    name = "EvalplusLiteDocumented"

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        call = node.exc if isinstance(node.exc, ast.Call) else None
        kind = call.func if call else node.exc
        if isinstance(kind, ast.Name) and kind.id in self.names:
            # The reference may have a variable of its own called type.
            text = f"().__class__.__class__({self.name!r}, ({kind.id},), {{}})"
            marked = ast.parse(text, mode="eval").body
            if call:
                call.func = marked
            else:
                node.exc = marked
        return node


def marked(task: Task) -> Task | None:
    """Return a task whose answers are only those exceptions that its prompt names and its reference
    raises by name, as other exceptions of their types are accidents; None if there are none."""
    if not (
        task.harness.inferred and task.harness.exceptions and "exception" in task.harness.observe
    ):
        return None
    tree = definitions.parse(task.reference)
    names = _documented(tree, task.prompt) if tree else ()
    if not tree or not names:
        return None
    try:
        reference = ast.unparse(ast.fix_missing_locations(_Marking(names).visit(tree)))
    except (RecursionError, MemoryError):  # an expression of hundreds of terms
        return None
    harness = replace(task.harness, exceptions=(_Marking.name,))
    return replace(task, reference=reference, harness=harness)


def _effects(tree: ast.Module, function: Function) -> tuple[Observed, ...]:
    """Return what a function that returns nothing can be there for, by its text."""
    a = function.args
    names = {each.arg for each in (*a.posonlyargs, *a.args, *a.kwonlyargs)} - {"self", "cls"}
    names |= {each.arg for each in (a.vararg, a.kwarg) if each is not None}
    changes = any(_is_changed(node, names) for node in ast.walk(function))
    prints = any(_prints(node) for node in ast.walk(tree))
    always = any(isinstance(statement, ast.Raise) for statement in function.body)
    raises = not (prints or changes or always) and bool(_raised(tree))
    found: list[Observed] = []
    if names and (changes or not prints):
        found.append("arguments")
    if prints:
        found.append("printed")
    if raises:
        found.append("exception")
    return tuple(found)


def _function(tree: ast.Module, entry_point: str) -> Function | None:
    """Return the function of this name, if its text alone says what a call does."""
    body: list[ast.stmt] = tree.body
    *owners, name = entry_point.split(".")
    for owner in owners:
        classes = [n for n in body if isinstance(n, ast.ClassDef) and n.name == owner]
        body = classes[-1].body if classes else []
    found = [n for n in body if isinstance(n, Function) and n.name == name]
    if not found or not all(map(_is_known, found[-1].decorator_list)):
        return None
    return found[-1]


def _is_known(decorator: ast.expr) -> bool:
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return _last_name(node) in KNOWN_DECORATORS


def _last_name(node: ast.expr | None) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _own(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, but for those of functions within."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _returns(function: Function) -> bool:
    values = (node.value for node in _own(function) if isinstance(node, ast.Return))
    return any(not (v is None or (isinstance(v, ast.Constant) and v.value is None)) for v in values)


def _prints(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("print", "pprint")
    return isinstance(node, ast.Attribute | ast.Name) and _last_name(node) == "stdout"


def _is_changed(node: ast.AST, names: Collection[str]) -> bool:
    """Return whether an expression changes what one of the names stands for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in MUTATORS and _root(node.func.value) in names
    if isinstance(node, ast.Subscript | ast.Attribute):
        return not isinstance(node.ctx, ast.Load) and _root(node) in names
    return False


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _raised(tree: ast.Module) -> tuple[str, ...]:
    """Return the names of exceptions that the text raises by name, in their order."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    raised = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    names = [_last_name(e.func if isinstance(e, ast.Call) else e) for e in raised]
    return tuple(dict.fromkeys(n for n in names if n not in ANYTHING and _is_fault(n, own)))


def _is_fault(name: str, own: Collection[str]) -> bool:
    known = getattr(builtins, name, None)
    return name in own or (isinstance(known, type) and issubclass(known, Exception))


ALIKE = 0.85
"""How alike a name is to a built-in exception's, of 1, that is taken for a misspelling of it."""
KEYS = (
    "id",
    "prompt",
    "entry_point",
    "harness",
    "reference",
    "contract",
    "rule",
    "style",
    "inputs",
    "outputs",
    "programs",
    "tests",
    "constraints",
    *MAKING,
)
TESTS = {
    "unittest": "a module of unittest.TestCase classes",
    "assertions": "a line for each, such as assert f(1) == 2",
}


def own_task(fields: Fields) -> Task:
    """Return the task of a row; InputError names what is missing, unknown or of a wrong type.

    The reference is compiled, never run: it must define the entry point at its top level. It may be
    missing: then programs are judged by the ``outputs``, and what needs a reference leaves it out.
    """
    fields.known(KEYS)
    id, harness = fields.id("id"), read_harness(fields)
    entry_point = read_entry_point(fields, harness)
    prompt, reference = fields.text("prompt"), fields.text("reference", default="")
    programs = _programs(fields, defined_name(entry_point))
    if programs and not reference:  # they have to agree, so any of them will do
        reference, *programs = programs
    if reference:
        tree = _read_reference(fields, reference, defined_name(entry_point))
        given = fields.row.data.get("harness")
        said = given if isinstance(given, dict) else ()
        harness = inferred(harness, tree, entry_point, prompt=prompt, given=said)
    contract = fields.text("contract", default="") or None
    if contract is not None:
        _check_contract(fields, contract)
    base = _inputs(fields, harness)
    rule = read_rule(fields, harness)
    tests = fields.text("tests", default="")
    task = Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        harness=harness,
        reference=reference,
        programs=tuple(programs),
        base=base,
        outputs=_outputs(fields, len(base), rule),
        contract=contract,
        rule=rule,
        style=read_style(fields, prompt, entry_point),
        constraints=_constraints(fields),
    )
    if harness.kind != "unittest" and not (harness.kind == "assertions" and tests):
        return having_texts(fields, task)
    try:
        return (having_tests if harness.kind == "unittest" else with_assertions)(task, tests)
    except ValueError as error:
        raise fields.refuse(str(error), remedy=TESTS[harness.kind]) from None


def read_harness(fields: Fields) -> Harness:
    """Return the harness of a row: the name of its kind, or an object; a plain call by default."""
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
        code=_places(harness),
        keywords=harness.flag("keywords"),
        inferred=harness.flag("inferred"),
    )


def _names(harness: Fields, key: str) -> tuple[str, ...]:
    names = harness.items(key, default=[])
    for name in names:
        if type(name) is not str or not name.isidentifier():
            raise harness.refuse(f"harness: {key} holds {name!r}, which is no Python name")
    return tuple(names)


def _exceptions(fields: Fields, harness: Fields) -> tuple[str, ...]:
    """Return the names of exceptions; a misspelled built-in one would let no answer pass.

    Others are not looked for: a library that the program imports may raise what no text names.
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


def _places(harness: Fields) -> tuple[int, ...]:
    places = harness.items("code", default=[])
    if not all(type(place) is int and 0 <= place < MOST_ITEMS for place in places):
        raise harness.refuse(
            f"harness: code is {places!r}", remedy="give the places of arguments, from 0"
        )
    return tuple(places)


def read_entry_point(fields: Fields, harness: Harness) -> str:
    """Return what a row's programs define: a name, ``Class.method`` for a method, "" for none."""
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


def read_style(fields: Fields, prompt: str, entry_point: str) -> Style:
    """Return a row's style; by default ``completion`` if the prompt begins the function."""
    begins = entry_point and re.search(
        rf"^[ \t]*(async[ \t]+)?def[ \t]+{re.escape(entry_point)}\b", prompt, re.MULTILINE
    )
    style = fields.text("style", default="completion" if begins else "solution")
    if style not in get_args(Style):
        raise fields.refuse(f"unknown style {style!r}", remedy=one_of(style, get_args(Style)))
    return cast("Style", style)


def _programs(fields: Fields, name: str) -> list[str]:
    """Return the programs of a row that are taken to be right; refused if one is no program."""
    found = fields.items("programs", default=[])
    for position, source in enumerate(found, 1):
        if type(source) is not str or len(source) > MAX_TEXT:
            raise fields.refuse(f"programs, number {position}: a text was expected")
        _read_reference(fields, source, name)
    return found


def _constraints(fields: Fields) -> dict[str, bool]:
    """Return the input constraints that a row turns on or off; names are checked on inference."""
    choices = fields.object("constraints", default={}).row.data
    for name, is_on in choices.items():
        if type(is_on) is not bool:
            raise fields.refuse(f"constraints: {name!r} is neither true nor false")
    return dict(choices)


def _inputs(fields: Fields, harness: Harness) -> tuple[Case, ...]:
    found = []
    for position, item in enumerate(_values(fields, "inputs"), 1):
        if harness.kind == "script" and type(item) is str:
            item = [item]
        if type(item) not in (list, tuple):
            raise fields.refuse(
                f"inputs, number {position}: a list of the positional arguments was expected"
            )
        found.append(Case(tuple(item)))
    return tuple(found)


def _values(fields: Fields, key: str) -> list[Value]:
    """Return a list of values: as tagged JSON, or a string with the list as a Python literal."""
    if type(fields.row.data.get(key)) is not str:
        return [
            fields.value(item, name=f"{key}, number {position}")
            for position, item in enumerate(fields.items(key, default=[]), 1)
        ]
    try:
        found = value_of(parsing.parse(fields.text(key).strip(), mode="eval").body)
        if type(found) not in (list, tuple):
            raise ValueError("it is no list")
    except parsing.UNREADABLE as error:
        raise fields.refuse(f"{key!r} is no list of Python literals: {error}") from None
    return list(found)


def _outputs(fields: Fields, count: int, rule: Rule) -> tuple[bytes, ...]:
    """Return the right answers that a row gives, one for each of its inputs, or none."""
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


def _read_reference(fields: Fields, reference: str, name: str) -> ast.Module:
    tree = definitions.parse(reference)
    if tree is None:
        raise fields.refuse(
            f"reference does not compile{_place(reference)}", remedy="it must be a whole program"
        )
    if name and not definitions.defines(tree, name):
        raise fields.refuse(
            f"reference does not define {name!r}", remedy="it must be a whole program"
        )
    return tree


def _place(program: str) -> str:
    line = definitions.fault(program)
    return "" if line is None else f": look at its line {line}"


def _check_contract(fields: Fields, contract: str) -> None:
    tree = definitions.parse(contract)
    if tree is None:
        raise fields.refuse(f"contract does not compile{_place(contract)}")
    if not any(definitions.defines(tree, name) for name in ("precondition", "check")):
        raise fields.refuse("contract defines neither `precondition` nor `check`")


# Commented examples of each kind of task, as files that a user begins with.


def templates() -> tuple[Path, ...]:
    """Return the files of examples, one a kind: whatever is in the folder ``examples``."""
    return tuple(sorted(Path(__file__).with_name("examples").glob("*.toml")))


def write_templates(folder: str | os.PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
    """Write a commented example of each kind of task into a folder, and return the files.

    The folder is made if need be. Raises InputError, before anything is written, if one of the
    files is there already, unless ``force`` replaces it.
    """
    paths = tuple(Path(folder) / each.name for each in templates())
    for path in paths:
        if path.exists() and not force:
            raise InputError("is there already", path=path, remedy="another folder, or --force")
    for path, each in zip(paths, templates(), strict=True):
        write_text(path, each.read_text(encoding="utf-8"))
    return paths
