"""Names that a program uses and nobody defines: what it is missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import lru_cache

from evalplus_lite.programs import definitions
from evalplus_lite.types import Task

_ENTITIES = frozenset({"lt", "gt", "amp", "quot", "apos", "nbsp"})
_WORD = re.compile(r"[^\W\d]\w*")


def missing(statements: Sequence[ast.stmt], entry_point: str) -> frozenset[str]:
    """Return the names that the entry point needs and no statement binds."""
    needed = definitions.needed(statements, [entry_point])
    return definitions.undefined(needed) - all_bound(statements)


def all_bound(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that any of the statements binds."""
    return frozenset().union(*map(definitions.bound, statements))


def misread(tree: ast.Module) -> bool:
    """Return whether HTML parsed by chance: ``a &lt; b`` is ``a & lt; b`` in Python."""
    return bool(definitions.undefined(tree.body) & _ENTITIES)


def may_lack(text: str, task: Task) -> frozenset[str]:
    """Return the names that the text mentions and the prompt defines besides the entry point."""
    return _names(task.prompt, task.defined, task.style) & frozenset(_WORD.findall(text))


def prompt_definitions(task: Task) -> list[ast.stmt]:
    """Return what the prompt defines besides the entry point."""
    return _definitions(task.prompt, task.defined, task.style)


@lru_cache(maxsize=1024)
def _names(prompt: str, entry_point: str, style: str) -> frozenset[str]:
    return all_bound(_definitions(prompt, entry_point, style))


def _definitions(prompt: str, entry_point: str, style: str) -> list[ast.stmt]:
    if style != "completion":
        return []
    tree = definitions.parse(prompt) or definitions.parse(prompt.rstrip("\n") + "\n    pass")
    body = tree.body if tree else []
    return [statement for statement in body if entry_point not in definitions.bound(statement)]
