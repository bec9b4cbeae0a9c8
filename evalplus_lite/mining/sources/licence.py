"""Under which licence a package stands, and whether that permits derivative works.

The tables are data (``data/licences.toml``); what cannot be identified counts as not permissive.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence by its SPDX expression; ``source`` says where in the package that was found."""

    expression: str
    permissive: bool
    source: str


def identify(
    *, expression: str, field: str, classifiers: Sequence[str], texts: Iterable[str]
) -> Licence:
    """Return a package's licence from its metadata, or from its licence files' wording.

    Asked in this order: ``License-Expression`` (PEP 639), classifiers, the free ``License``
    field, the text of licence files.
    """
    tables = _tables()
    if expression.strip():
        return Licence(expression.strip(), is_permissive(expression), "expression")
    named = [tables["classifiers"].get(c.rpartition("::")[2].strip()) for c in classifiers]
    found = sorted({name for name in named if name})
    if found:
        # Several classifiers usually offer a choice.
        text = " OR ".join(found)
        return Licence(text, is_permissive(text), "classifier")
    # A long field is the licence's text itself.
    candidates = [(field, "field")] if len(field) > 0 else []
    for text, source in [*candidates, *((text, "file") for text in texts)]:
        if source == "field" and len(text) < 80 and (spdx := _by_name(text)):
            return Licence(spdx, is_permissive(spdx), source)
        for pattern in tables["texts"]:
            if re.search(pattern["pattern"], re.sub(r"\s+", " ", text), re.IGNORECASE):
                spdx = str(pattern["spdx"])
                return Licence(spdx, is_permissive(spdx), source)
    return Licence("unknown", False, "none")


def is_permissive(expression: str) -> bool:
    """Return whether an SPDX expression allows derivatives under permissive terms alone.

    Of ``A OR B`` one permissive choice is enough; ``A AND B`` needs both; exceptions after
    ``WITH`` only add permissions.
    """
    if len(expression) > _LONGEST_EXPRESSION:
        return False
    try:
        written = str(canonicalize_license_expression(expression))
        written = re.sub(r"\s+WITH\s+[\w.-]+", "", written)
        # Each licence becomes True or False, so that Python's own parser reads the rest.
        text = re.sub(r"[\w.+-]+", lambda name: _word(name[0]), written)
        return _holds(ast.parse(text, mode="eval").body)
    except (InvalidLicenseExpression, SyntaxError, RecursionError, MemoryError):
        return False


_LONGEST_EXPRESSION = 1000


def _word(name: str) -> str:
    if name in ("AND", "OR"):
        return name.lower()
    return str(name.lower() in {each.lower() for each in _tables()["permissive"]})


def _holds(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return (all if isinstance(node.op, ast.And) else any)(map(_holds, node.values))
    return isinstance(node, ast.Constant) and node.value is True


def _by_name(text: str) -> str | None:
    wanted = re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()
    for name, spdx in _tables()["names"].items():
        if re.sub(r"[^a-z0-9]+", " ", name.lower()).strip() == wanted:
            return str(spdx)
    return None


@functools.cache
def _tables() -> dict[str, Any]:
    data = resources.files("evalplus_lite.mining").joinpath("data/licences.toml")
    return tomllib.loads(data.read_text(encoding="utf-8"))
