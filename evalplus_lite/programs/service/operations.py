"""Operations on untrusted texts, which are parsed and compiled but never run.

``helper`` starts this, with its socket as standard input.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import marshal
import os
import resource
import signal
import socket
import types
import warnings
from collections.abc import Callable
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction import Kind, Step
from evalplus_lite.programs.extraction.extraction import extract
from evalplus_lite.programs.helper import CPU_SECONDS, LENGTH, MEMORY, OUT_OF_MEMORY, receive
from evalplus_lite.programs.service.layout import is_blind
from evalplus_lite.types import Style, Task


def main() -> None:
    """Answer requests until the other side goes away; a text that takes too much ends it."""
    parsing.trust_this_process()
    channel = socket.socket(fileno=0)
    # Whoever started this may ignore or block the signal that bounds a text, which is inherited.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _warm_up()
    for limit, value in (
        (resource.RLIMIT_AS, _held() + MEMORY),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    while True:
        try:
            operation, fields = json.loads(receive(channel))
            # The signal ends the process wherever it is: nothing in Python has to cooperate.
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            reply = json.dumps(_reply(operation, fields)).encode()
            signal.setitimer(signal.ITIMER_PROF, 0)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except ConnectionError:
            os._exit(0)
        channel.sendall(LENGTH.pack(len(reply)) + reply)


def _reply(operation: str, fields: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": OPERATIONS[operation](**fields)}
    except RecursionError:
        return {"refused": "too large to look into: nested too deep"}


def _extract(
    text: str, prompt: str, entry_point: str, style: Style, kind: Kind
) -> tuple[str, tuple[Step, ...]]:
    task = Task("", prompt, entry_point, "", style=style)
    extraction = extract(text, task, kind=kind)
    return extraction.source, extraction.steps


def _program_key(source: str) -> str:
    try:
        text = ast.dump(parsing.parse(source))
    except (SyntaxError, ValueError):
        text = source
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _fingerprints(sources: list[str]) -> list[str]:
    return [_fingerprint(source) for source in sources]


def _fingerprint(source: str) -> str:
    data = source.encode("utf-8", "surrogatepass")
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, OverflowError):
        code = compile(source, "", "exec", dont_inherit=True)
        if is_blind(source, code):
            # An older format than the newest: it does not depend on reference counts.
            data = marshal.dumps(_without_lines(code), 2)
    return hashlib.sha256(data).hexdigest()[:32]


def _without_lines(code: types.CodeType) -> types.CodeType:
    constants = tuple(
        _without_lines(each) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    return code.replace(co_linetable=b"", co_firstlineno=1, co_consts=constants)


def _normal_form(source: str) -> tuple[str, str | None]:
    try:
        tree = parsing.parse(source)
    except (SyntaxError, ValueError) as error:
        return "", str(error)
    if "__doc__" not in source:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                _drop_docstring(node)
    return ast.unparse(tree) + "\n", None


def _drop_docstring(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module,
) -> None:
    match node.body[:1]:
        case [ast.Expr(value=ast.Constant(value=str()))]:
            node.body = node.body[1:]
            if not node.body and not isinstance(node, ast.Module):
                node.body = [ast.Pass()]


def _fits(source: str, mode: str) -> bool:
    """Compile and parse as the caller will, with the same errors; return whether Python warned."""
    warned = False

    def note(*_: object) -> None:
        nonlocal warned
        warned = True

    fails = (SyntaxError, ValueError, RecursionError, OverflowError)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note  # type: ignore[assignment]
        if mode == "exec":
            with contextlib.suppress(*fails):
                compile(source, "program", "exec", dont_inherit=True)
        with contextlib.suppress(*fails):
            ast.parse(source, mode=mode)
    return warned


def _reach(source: str) -> str:
    """Return "" if a program can reach nothing of its own layout, else the reason for doubt."""
    try:
        code = compile(source, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError) as error:
        return f"does not compile: {error}"
    return "" if is_blind(source, code) else "uses more than plain Python"


OPERATIONS: dict[str, Callable[..., Any]] = {
    "extract": _extract,
    "fits": _fits,
    "fingerprints": _fingerprints,
    "program_key": _program_key,
    "reach": _reach,
    "normal_form": _normal_form,
}


def _warm_up() -> None:
    """Have all that is imported or made at first use in place, before memory is bounded."""
    task = Task("", "", "f", "", style="solution")
    extract("```python\ndef f(x):\n    return x\n```\nThis is it.\n", task)
    _normal_form("def f(x):\n    return f'{x}'\n")
    _fingerprint("def f(x):\n    return type(x)\n")


def _held() -> int:
    """Return the bytes of address space that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
