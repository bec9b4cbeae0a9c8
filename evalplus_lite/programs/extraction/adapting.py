"""Programs that answer in another form than was asked for: a method, a coroutine."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

_LOOP = re.compile(r"\b(?:asyncio|trio|anyio|curio|aio\w+)\b")


def method_call(tree: ast.Module, name: str) -> str | None:
    """Return a function of that name that calls the method of a class, None if no class has it.

    The method has the function's name, or is the only public one of a class ``Solution``. The class
    can be made without arguments.
    """
    for node in reversed(tree.body):
        if not isinstance(node, ast.ClassDef):
            continue
        methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        public = [method for method in methods if not method.startswith("_")]
        if name in methods:
            chosen = name
        elif node.name == "Solution" and len(public) == 1:
            chosen = public[0]
        else:
            continue
        if "__init__" not in methods or not _asks_for_more(methods["__init__"].args):
            return (
                f"\n\ndef {name}(*args, **kwargs):\n"
                f"    return {node.name}().{chosen}(*args, **kwargs)\n"
            )
    return None


def _asks_for_more(arguments: ast.arguments) -> bool:
    given = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return given > 1 or any(default is None for default in arguments.kw_defaults)


def synchronous(source: str, tree: ast.Module, name: str) -> str | None:
    """Return a program without ``async`` and ``await``, None if they mean something.

    That is if the function is not a coroutine, or uses an event loop.
    """
    coroutine = any(isinstance(n, ast.AsyncFunctionDef) and n.name == name for n in tree.body)
    if not coroutine or _LOOP.search(source):
        return None
    try:
        gone = list(_keywords(source))
    except (tokenize.TokenError, SyntaxError):
        return None
    lines = list(io.StringIO(source))
    for row, first, last in reversed(gone):
        line = lines[row - 1]
        lines[row - 1] = line[:first] + line[last:].lstrip(" \t")
    return "".join(lines)


def _keywords(source: str) -> Iterator[tuple[int, int, int]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.string in ("async", "await") and token.type == tokenize.NAME:
            yield token.start[0], token.start[1], token.end[1]
