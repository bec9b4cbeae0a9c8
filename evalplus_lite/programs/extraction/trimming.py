"""Trimming of a program's superfluous statements, and the choice of the piece that is a script."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from evalplus_lite.programs import definitions
from evalplus_lite.types import Task

# The steps of extraction.

Kind: TypeAlias = Literal["solution", "completion"]
Step: TypeAlias = Literal[
    "left out the thinking",
    "removed terminal escapes",
    "removed model tokens",
    "replaced odd characters",
    "expanded tabs",
    "unescaped HTML",
    "took the text out of JSON",
    "took what was typed in a session",
    "took a fenced block",
    "joined blocks",
    "cut what does not compile",
    "continued the prompt",
    "mended the indentation",
    "took definitions from the prompt",
    "made a function of a method",
    "dropped examples",
    "found no program",
    "too large to look into",
]
# All steps of extraction, in the order in which they are reported.
STEPS: tuple[Step, ...] = get_args(Step)


@dataclass(frozen=True, slots=True)
class Extraction:
    """A program and the steps of its extraction; without steps it is the answer itself."""

    source: str
    steps: tuple[Step, ...] = ()


# Names that a program uses without a definition.

_ENTITIES = frozenset({"lt", "gt", "amp", "quot", "apos", "nbsp"})
_WORD = re.compile(r"[^\W\d]\w*")


def missing(statements: Sequence[ast.stmt], entry_point: str) -> frozenset[str]:
    """Return the names that the entry point needs but no statement binds."""
    needed = definitions.needed(statements, [entry_point])
    return definitions.undefined(needed) - all_bound(statements)


def all_bound(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that any of the statements binds."""
    return frozenset().union(*map(definitions.bound, statements))


def misread(tree: ast.Module) -> bool:
    """Return whether HTML parsed by chance: ``a &lt; b`` is ``a & lt; b`` in Python."""
    return bool(definitions.undefined(tree.body) & _ENTITIES)


def may_lack(text: str, task: Task) -> frozenset[str]:
    """Return the names, except the entry point, that the prompt defines and the text mentions."""
    return _missing_from(task.prompt, task.defined, task.style) & frozenset(_WORD.findall(text))


def prompt_definitions(task: Task) -> list[ast.stmt]:
    """Return the prompt's definitions except the entry point."""
    return _definitions(task.prompt, task.defined, task.style)


@lru_cache(maxsize=1024)
def _missing_from(prompt: str, entry_point: str, style: str) -> frozenset[str]:
    return all_bound(_definitions(prompt, entry_point, style))


def _definitions(prompt: str, entry_point: str, style: str) -> list[ast.stmt]:
    if style != "completion":
        return []
    tree = definitions.parse(prompt) or definitions.parse(prompt.rstrip("\n") + "\n    pass")
    body = tree.body if tree else []
    return [statement for statement in body if entry_point not in definitions.bound(statement)]


# Statements of an answer's program besides its function: examples, tests, third-party imports.

_SPEAKING = frozenset({"print", "input", "exit", "quit", "__name__"})


def superfluous(tree: ast.Module, entry_point: str) -> list[ast.stmt]:
    """Return the top-level statements to remove before the entry point is loaded.

    The entry point does not need them, and they call it, test it, use the terminal, use undefined
    names, or import packages outside the standard library.
    """
    defining = [node for node in tree.body if not _borrows(node, entry_point)] or tree.body
    kept = {id(statement) for statement in definitions.needed(defining, [entry_point])}
    missing = definitions.undefined(tree.body)
    tainted = {entry_point, *_SPEAKING, *missing}
    dropped: list[ast.stmt] = []
    for statement in tree.body:
        if id(statement) in kept:
            continue
        if isinstance(statement, _DEFINITIONS):
            # A function is harmful only when called, but then everything that it uses counts.
            if definitions.used(statement) & tainted:
                tainted |= definitions.bound(statement)
            if definitions.used_at_once(statement) & missing:
                dropped.append(statement)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            if not _comes_with_python(statement):
                dropped.append(statement)
                tainted |= definitions.bound(statement)
        elif isinstance(statement, ast.Assert) or definitions.used(statement) & tainted:
            dropped.append(statement)
            tainted |= definitions.bound(statement)
    return dropped


def only_borrows(tree: ast.Module, name: str) -> bool:
    """Return whether a program gets a name only from a module outside the standard library.

    Tests that import the function under test do so.
    """
    binding = [node for node in tree.body if name in definitions.bound(node)]
    return bool(binding) and all(_borrows(node, name) for node in binding)


def borrows_besides(tree: ast.Module, name: str) -> bool:
    """Return whether a program defines a name but also imports it from elsewhere."""
    return not only_borrows(tree, name) and any(_borrows(node, name) for node in tree.body)


def _borrows(statement: ast.stmt, name: str) -> bool:
    return (
        isinstance(statement, (ast.Import, ast.ImportFrom))
        and name in definitions.bound(statement)
        and not _comes_with_python(statement)
    )


def only_nests(tree: ast.Module, name: str) -> bool:
    """Return whether the last function with this name only defines another one with this name."""
    functions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    if not functions:
        return False
    inner = [node for node in functions[-1].body if not isinstance(node, ast.Expr)]
    return bool(inner) and all(
        isinstance(node, ast.FunctionDef) and node.name == name for node in inner
    )


def _comes_with_python(statement: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(statement, ast.ImportFrom):
        modules = [statement.module or ""] if not statement.level else [""]
    else:
        modules = [alias.name for alias in statement.names]
    return all(name.partition(".")[0] in sys.stdlib_module_names for name in modules)


_READS = frozenset({"input", "open", "stdin", "fileinput", "read", "argv"})
_PRINTS = frozenset({"print", "stdout", "write"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def acts(tree: ast.Module) -> bool:
    """Return whether a program calls something when run, and prints."""
    return bool(_names(tree) & _PRINTS) and any(map(_is_act, tree.body))


def reads(tree: ast.Module) -> bool:
    """Return whether a program reads its input."""
    return bool(_names(tree) & _READS)


def chosen(trees: Sequence[tuple[str, ast.Module]]) -> tuple[str, bool] | None:
    """Return the piece that is the program, and whether several were joined; None without one.

    It is the last piece that uses no undefined names, reads and prints. A solution in several
    pieces, one with functions and one that calls them, is joined. Tests and snippets come before or
    after a program; they read nothing, or use names of the program.
    """
    whole = [(text, tree) for text, tree in trees if not definitions.undefined(tree.body)]
    if programs := [text for text, tree in whole if acts(tree) and reads(tree)]:
        return programs[-1], False
    if len(trees) > 1:
        text = "\n".join(each for each, _ in trees)
        body = [statement for _, tree in trees for statement in tree.body]
        tree = ast.Module(body, [])
        if acts(tree) and reads(tree) and not definitions.undefined(body):
            return text, True
    for is_likely in (acts, has_definitions):
        for some in (whole, trees):
            if programs := [text for text, tree in some if is_likely(tree)]:
                return programs[-1], False
    return None


def has_definitions(tree: ast.Module) -> bool:
    """Return whether a program defines functions or classes, unlike prose."""
    return any(isinstance(statement, _DEFINITIONS) for statement in tree.body)


def _names(tree: ast.Module) -> frozenset[str]:
    names = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute))
    )
    return frozenset(names)


def _is_act(statement: ast.stmt) -> bool:
    """Return whether a statement calls something, unlike definitions and remarks."""
    return not isinstance(statement, _DEFINITIONS) and any(
        isinstance(node, ast.Call) for node in ast.walk(statement)
    )
