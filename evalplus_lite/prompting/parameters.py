"""What a task's programs and their parameters are called."""

from __future__ import annotations

import ast

from evalplus_lite.programs import parsing
from evalplus_lite.types import Task


def parameter_names(task: Task, *, arity: int) -> tuple[str, ...]:
    """Return the names of the first ``arity`` parameters of the reference's entry point."""
    names = ["stdin"] if task.harness.kind == "script" else []
    for node in parsing.parse(task.reference).body:
        if isinstance(node, ast.FunctionDef) and node.name == task.entry_point:
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    return tuple(names[i] if i < len(names) else f"argument{i + 1}" for i in range(arity))


def called(task: Task) -> str:
    """Return how a prompt names what takes the inputs."""
    return f"`{task.entry_point}`" if task.entry_point else "the program"
