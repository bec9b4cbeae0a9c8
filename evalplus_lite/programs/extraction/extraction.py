"""Extraction of the program in an answer: the answer itself if it is one, else by a search."""

from __future__ import annotations

import ast
import re
import textwrap

from evalplus_lite.programs import definitions, helper
from evalplus_lite.programs.extraction.blocks import MOST_STATEMENTS
from evalplus_lite.programs.extraction.search import SEARCHED_CHARACTERS, Search, without_thinking
from evalplus_lite.programs.extraction.trimming import (
    Extraction,
    Kind,
    acts,
    borrows_besides,
    has_definitions,
    may_lack,
    misread,
    missing,
    only_nests,
)
from evalplus_lite.types import Task

_LOOK_TWICE = re.compile(
    # Lines that may be prose, or marks such as [DONE], and HTML entities.
    r"^(?!(?:import|from|class|def|del|global|pass)\b)"
    r"~*[A-Za-z_][\w ,]*(?::[ \t]*[A-Za-z_][^#\n=]*)?\r?$"
    r"|^\[[/\w ]*\][ \t]*\r?$"
    r"|&(?:lt|gt|amp|quot|apos|nbsp);",
    re.MULTILINE,
)


def extract(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Return the program in an answer to ``task``.

    ``kind`` says whether the answer is meant as a whole ``solution``, or as a ``completion`` that
    follows the prompt (if the task's style has those). The last block that defines the entry point,
    with a body, counts; missing parts come from other blocks and from the prompt. For a task
    without an entry point it is the last whole program, and nothing is pruned.
    """
    whole = joined(text, task, kind=kind)
    if len(text) > SEARCHED_CHARACTERS and len(without_thinking(text)) > SEARCHED_CHARACTERS:
        return Extraction(whole, ("too large to look into",))
    if _is_fine(whole, text, task, kind):
        return Extraction(whole)
    return Search(task, kind).program(text) or Extraction(whole, ("found no program",))


def joined(text: str, task: Task, *, kind: Kind) -> str:
    """Return the program of an answer that needs no search: a completion follows the prompt."""
    if kind == "completion" and task.style == "completion":
        return task.prompt + text
    return text


def _is_fine(whole: str, text: str, task: Task, kind: Kind) -> bool:
    """Return whether the answer already is a program; the usual case, so without a tree."""
    if len(text) > SEARCHED_CHARACTERS or task.defined not in whole:
        return False
    if definitions.fault(whole) is not None:
        return False
    if not task.defined:
        tree = definitions.tree_of(whole)
        if tree is None or not (acts(tree) or has_definitions(tree)):
            return False
        return not _has_prose(tree) and not misread(tree)
    name = re.escape(task.defined)
    head = re.compile(rf"^(async\s+)?def\s+{name}\b", re.MULTILINE)
    borrowed = re.search(rf"^from\b.*\bimport\b.*\b{name}\b", text, re.MULTILINE)
    lent = may_lack(text, task) if kind == "solution" else frozenset()
    simple = head.search(text) if kind == "solution" else None
    if simple and not simple[1] and not (lent or borrowed or _LOOK_TWICE.search(text)):
        return True
    tree = definitions.tree_of(whole)
    if tree is not None and len(tree.body) > MOST_STATEMENTS:
        return True
    if tree is None or not definitions.defines(tree, task.defined) or _has_prose(tree):
        return False
    if lent & missing(tree.body, task.defined):
        return False
    if misread(tree) or borrows_besides(tree, task.defined) or _is_coroutine(tree, task):
        return False
    if kind == "solution" or not head.search(textwrap.dedent(text)):
        return True
    # A completion with a head of its own, indented, is a function that is never called.
    return not only_nests(tree, task.defined)


def _is_coroutine(tree: ast.Module, task: Task) -> bool:
    return any(
        isinstance(node, ast.AsyncFunctionDef) and node.name == task.defined for node in tree.body
    )


def _has_prose(tree: ast.Module) -> bool:
    """Return whether words at the top level parse as names that nothing defines.

    Remains of fences ("python") and some sentences ("Note: recursion") compile, but fail as soon as
    they are executed.
    """
    unknown = definitions.undefined(tree.body)
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Call):
            said: ast.AST = statement
        elif isinstance(statement, ast.AnnAssign) and statement.value is None:
            said = statement.annotation
        else:
            continue
        if definitions.used(said) & unknown:
            return True
    return False


# Extraction in a helper process: for texts of anyone, at a bounded cost.


def extract_bounded(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Return what ``extraction.extract`` returns; an answer that is too large stays as it is."""
    try:
        source, steps = helper.ask(
            "extract",
            text=text,
            prompt=task.prompt,
            entry_point=task.entry_point,
            style=task.style,
            kind=kind,
        )
    except helper.TooLarge:
        return Extraction(joined(text, task, kind=kind), ("too large to look into",))
    return Extraction(source, tuple(steps))
