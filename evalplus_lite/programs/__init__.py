"""Programs as text: syntax trees, definitions and fingerprints, each bounded for any text."""

from __future__ import annotations

import hashlib

from evalplus_lite.programs import helper
from evalplus_lite.programs.helper import TooLarge

__all__ = ["TooLarge", "normal_form", "program_hash", "program_key"]


def program_hash(source: str) -> str:
    """Return the name under which a program's text is known in results: 16 hex digits."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def program_key(source: str) -> str:
    """Return a name that programs with the same syntax tree share.

    Comments and layout do not count, docstrings do. A text that does not parse, or is too large to
    analyse, is named by its characters.
    """
    try:
        name: str = helper.ask("program_key", source=source)
    except TooLarge:
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return name


def normal_form(source: str) -> str:
    """Return a program as ``ast`` writes it, without docstrings.

    Equal programs have equal normal forms. Docstrings stay if the program reads ``__doc__``.
    Raises SyntaxError if the source is not Python, TooLarge if it is too large to analyse.
    """
    text, fault = helper.ask("normal_form", source=source)
    if fault is not None:
        raise SyntaxError(fault)
    found: str = text
    return found
