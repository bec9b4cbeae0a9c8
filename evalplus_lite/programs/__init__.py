"""What a program's text says, found out by a helper process: bounded for any text.

``extract`` makes a program of an answer, ``program_key`` and ``normal_form`` tell equal programs.
"""

from __future__ import annotations

import hashlib

from evalplus_lite.programs import helper
from evalplus_lite.programs.extraction import Extraction, Kind, joined
from evalplus_lite.programs.helper import TooLarge
from evalplus_lite.types import Task

__all__ = ["TooLarge", "extract", "normal_form", "program_key"]


def extract(text: str, task: Task, *, kind: Kind = "solution") -> Extraction:
    """Return what ``extraction.extract`` does, but for any text at a bounded price.

    An answer that is too large to look into stays as it stands.
    """
    try:
        source, steps = helper.ask(
            "extract",
            text=text,
            prompt=task.prompt,
            entry_point=task.entry_point,
            style=task.style,
            kind=kind,
        )
    except TooLarge:
        return Extraction(joined(text, task, kind=kind), ("too large to look into",))
    return Extraction(source, tuple(steps))


def program_key(source: str) -> str:
    """Return a name that programs with the same syntax tree share.

    What does not parse, or is too large to look into, is named by its text. Comments and layout do
    not count, docstrings do.
    """
    try:
        name: str = helper.ask("program_key", source=source)
    except TooLarge:
        return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return name


def normal_form(source: str) -> str:
    """Return a program as ``ast`` writes it, without docstrings.

    Equal programs have equal normal forms. Docstrings stay where the program reads ``__doc__``.
    Raises SyntaxError if the source is not Python, TooLarge if it is too large to look into.
    """
    text, fault = helper.ask("normal_form", source=source)
    if fault is not None:
        raise SyntaxError(fault)
    found: str = text
    return found
