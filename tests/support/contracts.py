"""What tests of contracts and of the references in use share: calls in a sandbox, and faults."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Outcome, Task
from support.backends import beside_sandboxes

LIMITS = Limits(cpu=2.0, load=10.0)


def number(task: Task) -> int:
    return int(task.id.rpartition("/")[2])


def contract(task: Task) -> str:
    assert task.contract is not None, task.id
    return task.contract


def call(
    sandbox: Sandbox, source: str, entry_point: str, inputs: Sequence[Sequence[Any]]
) -> Sequence[Outcome | None]:
    return sandbox.run(Program(source, entry_point), Inputs.of(inputs), LIMITS).outcomes


def faults(tasks: Sequence[Task], find: Callable[[Sandbox, Task], object]) -> dict[str, object]:
    """Return what ``find`` says of each task that it says something of."""
    found = beside_sandboxes(find, tasks)
    return {task.id: fault for task, fault in zip(tasks, found, strict=True) if fault}


def parameters(source: str, function: str) -> list[str]:
    """Return a function's parameter names; where it is defined twice, the last one counts."""
    found = [node for node in parsing.parse(source).body if isinstance(node, ast.FunctionDef)]
    (last,) = [node for node in found if node.name == function][-1:]
    return [argument.arg for argument in last.args.args]
