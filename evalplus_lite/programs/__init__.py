"""Programs as text: syntax trees, definitions and fingerprints, with limits for hostile text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from evalplus_lite.programs import helper
from evalplus_lite.programs.helper import TooLarge

__all__ = ["TooLarge", "fingerprints", "normal_form", "program_hash", "program_key", "text_name"]


def program_hash(source: str) -> str:
    """Return the name of a program's text in results: 16 hex digits."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def program_key(source: str) -> str:
    """Return a name that programs with the same syntax tree share.

    Comments and layout are ignored, docstrings are not. A text that does not parse, or is too large
    to analyze, is named by a hash of its text.
    """
    try:
        return str(helper.ask("program_key", source=source))
    except TooLarge:
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def fingerprints(sources: Sequence[str]) -> list[str]:
    """Return a name for each program, equal only for programs that behave alike: 32 hex digits.

    Programs share a name if they compile to the same code: comments, layout and line numbers are
    ignored, docstrings are not. A program that may read its own layout (``service``), does not
    compile or is too large to analyze is named by its text.
    """
    try:
        return list(helper.ask("fingerprints", sources=list(sources)))
    except TooLarge:
        if len(sources) > 1:  # only some may be too large
            return [name for source in sources for name in fingerprints([source])]
        return [text_name(sources[0])]


def text_name(source: str) -> str:
    """Return the name that ``fingerprints`` gives to a program named by its text."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def normal_form(source: str) -> str:
    """Return a program in ``ast.unparse`` format, without docstrings.

    Equal programs have equal normal forms. Docstrings stay if the program reads ``__doc__``.
    Raises SyntaxError if the source is not Python, TooLarge if it is too large to analyze.
    """
    text, fault = helper.ask("normal_form", source=source)
    if fault is not None:
        raise SyntaxError(fault)
    return str(text)
