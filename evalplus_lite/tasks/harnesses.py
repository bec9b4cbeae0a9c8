"""Harness inference: how to call a reference and what to observe, judging by its source."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection
from dataclasses import replace
from typing import TypeAlias

from evalplus_lite.programs import definitions
from evalplus_lite.programs.definitions import changed_in_place, last_name
from evalplus_lite.types import Harness, Observed, Task

ITEMS = 1000
"""Number of items of a generator that are compared."""
KNOWN_DECORATORS = frozenset({"cache", "lru_cache", "staticmethod", "classmethod", "wraps"})
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
ANYTHING = frozenset({"Exception", "BaseException"})  # name no particular error


def inferred(
    harness: Harness,
    tree: ast.Module,
    entry_point: str,
    *,
    given: Collection[str],
    prompt: str = "",
) -> Harness:
    """Return a harness completed from the reference's source; ``given`` fields stay unchanged.

    An exception that the reference raises by name and the prompt mentions counts as an answer.
    """
    found = harness
    function = _function(tree, entry_point) if harness.kind in ("call", "method") else None
    if function is not None:
        own = list(definitions.within_scope(function.body))
        is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own)
        if is_generator and "items" not in given:
            found = replace(found, items=ITEMS)
        if isinstance(function, ast.AsyncFunctionDef) and not is_generator:
            found = found if "awaited" in given else replace(found, awaited=True)
        values = (node.value for node in own if isinstance(node, ast.Return))
        returns = any(getattr(value, "value", value) is not None for value in values)
        if not (is_generator or returns or {"observe", "attributes"} & set(given)):
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


def has_documented(task: Task) -> bool:
    """Return whether exceptions count as answers because the task's prompt names them."""
    harness = task.harness
    return harness.inferred and "exception" in harness.observe and bool(harness.exceptions)


class _Marking(ast.NodeTransformer):
    """Replaces documented exceptions that a program raises by name with a marked subclass."""

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
    """Return a task that accepts only exceptions which its prompt names and its reference raises by
    name, since others of the same types are accidents; None if there are none."""
    tree = definitions.parse(task.reference) if has_documented(task) else None
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
    """Return the effects to observe of a function that returns nothing, judging by its source."""
    a = function.args
    names = {each.arg for each in (*a.posonlyargs, *a.args, *a.kwonlyargs)} - {"self", "cls"}
    names |= {each.arg for each in (a.vararg, a.kwarg) if each is not None}
    changes = any(changed_in_place(node) in names for node in ast.walk(function))
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
    """Return the function of this name, unless an unknown decorator may change its behavior."""
    body: list[ast.stmt] = tree.body
    *owners, name = entry_point.split(".")
    for owner in owners:
        classes = [n for n in body if isinstance(n, ast.ClassDef) and n.name == owner]
        body = classes[-1].body if classes else []
    found = [n for n in body if isinstance(n, Function) and n.name == name]
    if not found:
        return None
    called = [d.func if isinstance(d, ast.Call) else d for d in found[-1].decorator_list]
    return found[-1] if all(last_name(each) in KNOWN_DECORATORS for each in called) else None


def _prints(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("print", "pprint")
    return isinstance(node, ast.Attribute | ast.Name) and last_name(node) == "stdout"


def _raised(tree: ast.Module) -> tuple[str, ...]:
    """Return the names of exceptions that the program raises by name, in order."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    raised = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    names = [last_name(e.func if isinstance(e, ast.Call) else e) for e in raised]
    builtin = {
        name
        for name, each in vars(builtins).items()
        if isinstance(each, type) and issubclass(each, Exception)
    }
    return tuple(dict.fromkeys(n for n in names if n in (own | builtin) - ANYTHING))
