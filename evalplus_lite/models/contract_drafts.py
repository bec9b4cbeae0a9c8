"""Preconditions drafted by a model: prompts and answers; nothing of an answer is run here."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from evalplus_lite.errors import ContractError
from evalplus_lite.models import Message, Request
from evalplus_lite.models.json_form import InputForm
from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction.blocks import fenced
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Task

_LONGEST = 20_000
_EXAMPLES = 8


class NoContract(ValueError):
    """A model's answer holds no usable precondition; the message explains why, to the model too."""


def contract_prompt(task: Task) -> Message:
    """Return the request for a draft of a task's precondition, in words.

    The task must have base inputs, else InputError.
    """
    form = InputForm.of(task)
    names = ", ".join(form.names)
    rows = sorted((repr(list(case.arguments)) for case in task.base), key=len)[:_EXAMPLES]
    shown = "\n".join(rows)
    return Message(
        "user",
        f"A task:\n\n```python\n{task.prompt.strip()}\n```\n\n"
        f"A right program for it:\n\n```python\n{task.reference.strip()}\n```\n\n"
        f"Some lists of arguments that it is called with:\n\n{shown}\n\n"
        f"Write a Python function `precondition({names})` that says which arguments the task's own"
        " words allow. It returns nothing and asserts one thing after the other: the types first,"
        " then what the words demand. Give each assertion a message that says what must be so. What"
        " the words leave open stays open, unless wrong and right programs could not be told apart"
        " there. Use the standard library only. Answer with one ```python block that begins with a"
        " docstring of one line, and nothing else.",
    )


def request(messages: Sequence[Message], *, model: str) -> Request:
    """Return the request that asks for the next draft, by the likeliest answer."""
    return Request(model=model, messages=tuple(messages), temperature=0.0, max_tokens=2048)


def parse_contract(text: str, task: Task) -> str:
    """Return the contract file in a model's answer, not run anywhere yet.

    Raises NoContract where no part of the answer is a Python file whose ``precondition`` takes the
    task's arguments.
    """
    arities = {len(case.arguments) for case in task.base}
    problem = "the answer holds no Python program that defines `precondition`"
    parts: list[str] = [*fenced(text), text]
    for part in parts:
        try:
            if len(part) > _LONGEST or not parse(part).has_precondition:
                continue
        except (ContractError, MemoryError, RecursionError):
            continue
        (function, *_) = (
            node
            for node in parsing.parse(part).body
            if isinstance(node, ast.FunctionDef) and node.name == "precondition"
        )
        taken = function.args
        most = len(taken.posonlyargs) + len(taken.args)
        least = most - len(taken.defaults)
        if all(least <= arity <= most or (taken.vararg and arity >= least) for arity in arities):
            return part.strip() + "\n"
        problem = f"`precondition` must take {max(arities)} arguments, not {most}"
    raise NoContract(problem)
