"""Input contracts: one readable file a task, run in the sandbox, never imported.

A contract file defines ``precondition`` with the task's own parameters, whose assertions say what
an input must be. It may define a repaired reference under the task's entry point, and
``check(inputs, output, expected) -> bool`` where many answers are right.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evalplus_lite import syntax
from evalplus_lite.errors import ContractError
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.steps import Meter
from evalplus_lite.types import Case, Outcome, Raised, Returned

PACKAGE = Path(__file__).resolve().parent
VALIDITY_LIMITS = Limits(cpu=1.0, load=3.0)


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract file's text and which functions it defines."""

    source: str
    functions: frozenset[str]

    @property
    def has_check(self) -> bool:
        """Whether the file says by itself which answers are right."""
        return "check" in self.functions

    @property
    def has_precondition(self) -> bool:
        """Whether the file restricts the inputs."""
        return "precondition" in self.functions


@cache
def parse(source: str) -> Contract:
    """Return the contract of a file's text; ContractError where it cannot be one."""
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError) as error:
        raise ContractError(f"a contract is not Python: {error}") from None
    names = frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    if not {"precondition", "check"} & names:
        raise ContractError("a contract defines neither `precondition` nor `check`")
    return Contract(source, names)


def bundled(name: str) -> Path:
    """Return a folder that ships with the project: ``contracts`` or ``data``.

    In a checkout it stands beside the package, in an installation within it.
    """
    inside = PACKAGE / f"_{name}"
    return inside if inside.is_dir() else PACKAGE.parent / name


def load_contracts(name: str) -> dict[str, str]:
    """Return the contract texts of a data set by file stem (such as ``032_find_zero``)."""
    folder = bundled("contracts") / name
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}


def violations(
    sandbox: Sandbox,
    source: str,
    cases: Sequence[Case],
    *,
    limits: Limits = VALIDITY_LIMITS,
    inputs: Inputs | None = None,
) -> list[str | None]:
    """Return for each case why the contract rejects it, or None where it accepts.

    ``inputs`` are the cases' arguments, where the caller has them encoded already.

    Raises ContractError where the file does not load. A precondition that raises anything but
    AssertionError, or does not finish, rejects too: its message says what happened.
    """
    if not parse(source).has_precondition:
        return [None] * len(cases)
    if inputs is None:
        inputs = Inputs.of(case.arguments for case in cases)
    arguments = [case.arguments for case in cases]
    run = Meter(sandbox, Program(source, "precondition"), arguments, limits).run(inputs)
    if run.load_failed:
        raise ContractError(f"a contract does not load: {run.outcomes[0]}")
    return [_reason(outcome) for outcome in run.outcomes]


def _reason(outcome: Outcome | None) -> str | None:
    if isinstance(outcome, Returned):
        return None
    if isinstance(outcome, Raised) and outcome.type == "AssertionError":
        return outcome.message or "an assertion without a message"
    return f"the precondition did not finish: {outcome}"
