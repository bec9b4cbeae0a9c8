"""The command line: arguments, options and printing, also for the wings' commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 done but something needs attention,
    2 bad input, 3 machine failure, 4 model server failure, 130 interrupted."""
    try:
        from evalplus_lite.cli.interruption import prompt_interrupts

        with prompt_interrupts():
            from evalplus_lite.cli.app import run

            return run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:  # while the command was loading or exiting
        print("evalplus-lite: interrupted", file=sys.stderr)
        return 130
