"""The program of ours that runs another one as an interpreter runs a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from evalplus_lite.sandbox.guest import plain
from evalplus_lite.sandbox.limits import Program
from evalplus_lite.sandbox.streams import Streams


def plain_program(streams: Streams) -> Program:
    """Return it with the streams that the other one is to have; ``guest.plain`` says the rest."""
    return Program(_text(), "run", pipes=streams)


@cache
def _text() -> str:
    return Path(plain.__file__).read_text(encoding="utf-8")
