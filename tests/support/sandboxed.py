"""A program's text run in a sandbox, on some cases or one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from evalplus_lite.sandbox import Inputs, Limits, Program, ProgramRun, Sandbox
from evalplus_lite.types import Outcome


def run(
    sandbox: Sandbox,
    source: str,
    *cases: Sequence[Any],
    limits: Limits = Limits(),  # noqa: B008 - frozen
    **options: Any,
) -> ProgramRun:
    """Run a program text that defines ``f``."""
    program = Program(textwrap.dedent(source), "f")
    return sandbox.run(program, Inputs.of(cases), limits, **options)


def only(sandbox: Sandbox, source: str, *arguments: Any, **options: Any) -> Outcome | None:
    """Return what happened on the one case of these arguments."""
    (outcome,) = run(sandbox, source, arguments, **options).outcomes
    return outcome
