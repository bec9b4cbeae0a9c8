"""Build the page of the Python API from the docstrings of the public names.

    python -m scripts.api_reference > api.md

The page is not kept in git: ``scripts/docs`` generates it for the site.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import itertools
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import evalplus_lite
from evalplus_lite import exe, reports, results, serving

FACES = (evalplus_lite, results, reports, exe, serving)
"""The public modules."""

HEAD = """# Python API

The names of `evalplus_lite`, its `results` and its wings (`reports`, `exe` and `serving`), from the
docstrings.
Everything else is internal and may change in any version.
"""


def reference() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(part for face in FACES for part in of_face(face))])


def of_face(face: ModuleType) -> Iterator[str]:
    """Yield the parts about a public module."""
    names = [name for name in face.__all__ if not name.startswith("_")]
    exported = {name: getattr(face, name) for name in names}
    sections: dict[str, list[str]] = {"Functions": [], "Classes": [], "Errors": []}
    others = []
    for name, value in sorted(exported.items(), key=lambda item: item[0].lower()):
        if inspect.isclass(value):
            is_error = issubclass(value, BaseException)
            sections["Errors" if is_error else "Classes"].append(of_class(name, value))
        elif inspect.isroutine(value):
            sections["Functions"].append(entry(f"### {name}", name, value))
        else:
            others.append(f"- `{name}`")
    if face is not evalplus_lite:
        yield f"## {face.__name__}\n\n{(face.__doc__ or '').splitlines()[0]}\n"
    for title, entries in sections.items():
        if entries:
            yield f"## {title}\n" if face is evalplus_lite else ""
            yield from entries
    if others:
        yield "\n".join(others) + "\n"


def of_class(name: str, value: type) -> str:
    """Return a class with its public methods and properties."""
    if issubclass(value, BaseException | enum.Enum):
        bases = ", ".join(f"`{base.__name__}`" for base in value.__bases__)
        return f"### {name}\n\nA kind of {bases}. {text(value)}\n"
    parts = [entry(f"### {name}", name, value), *fields(value)]
    for member, found in sorted(vars(value).items()):
        function = found.__func__ if isinstance(found, classmethod | staticmethod) else found
        if member.startswith("_") or not inspect.getdoc(function):
            continue
        if isinstance(found, property | functools.cached_property):
            parts.append(f"#### {name}.{member}\n\n{text(found)}\n")
        elif inspect.isroutine(function):
            parts.append(entry(f"#### {name}.{member}", member, function))
    return "\n".join(parts)


def fields(value: type) -> Iterator[str]:
    """Yield a record's fields that have a sentence below them, as a list."""
    body = ast.parse(inspect.getsource(value)).body[0]
    assert isinstance(body, ast.ClassDef)
    lines = [
        f"- `{ast.unparse(field.target)}`: {plain(' '.join(str(below.value.value).split()))}\n"
        for field, below in itertools.pairwise(body.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
    ]
    if lines:
        yield "".join(lines)


def entry(heading: str, name: str, value: Any) -> str:
    """Return a heading, the call, and the docstring."""
    return f"{heading}\n\n```python\n{call(name, value)}\n```\n\n{text(value)}\n"


def call(name: str, value: Any) -> str:
    """Return how something is called, an argument a line if there are many."""
    signature = inspect.signature(value)
    shown = list(arguments(signature))
    result = annotation(signature.return_annotation)
    arrow = f" -> {result}" if result and not inspect.isclass(value) else ""
    line = f"{name}({', '.join(shown)}){arrow}"
    if len(line) <= 96:
        return line
    lines = "".join(f"    {argument},\n" for argument in shown)
    return f"{name}(\n{lines}){arrow}"


def arguments(signature: inspect.Signature) -> Iterator[str]:
    """Yield the arguments, with the marks for positional and keyword-only ones."""
    has_star = False
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        has_star |= parameter.kind is parameter.VAR_POSITIONAL
        stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
        mark = stars.get(parameter.kind.name, "")
        kind = annotation(parameter.annotation)
        argument = f"{mark}{parameter.name}" + (f": {kind}" if kind else "")
        if parameter.default is not parameter.empty:
            argument += (" = " if kind else "=") + default(parameter.default)
        yield argument


def annotation(found: Any) -> str:
    """Return an annotation as it stands in the source; empty if there is none."""
    if found is inspect.Signature.empty:
        return ""
    return found if isinstance(found, str) else getattr(found, "__name__", str(found))


def default(value: Any) -> str:
    """Return a default, ``...`` if it has no short form."""
    shown = repr(value)
    return "..." if shown.startswith("<") or len(shown) > 40 else shown


def text(value: Any) -> str:
    """Return a docstring as Markdown, its examples as blocks of code."""
    if inspect.isclass(value) and "__doc__" not in vars(value):
        return ""
    shown = plain(inspect.getdoc(value) or "")
    return re.sub(
        r"(?m)^>>> (?:.+\n?)+", lambda m: f"```python\n{m[0].rstrip()}\n```\n", shown
    ).rstrip()


def plain(words: str) -> str:
    """Return text with code marked as in Markdown."""
    return re.sub(r"``([^`]+)``", r"`\1`", words)


if __name__ == "__main__":
    print(reference(), end="")
