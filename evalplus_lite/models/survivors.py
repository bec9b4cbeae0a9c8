"""Asking a model for inputs on which a program that survives a suite differs from the reference."""

from __future__ import annotations

from evalplus_lite.models import Message, Request
from evalplus_lite.models.json_form import InputForm, called
from evalplus_lite.types import Task

INPUTS = 5
"""Inputs asked for, for each survivor."""
_TEMPERATURE = 0.8


def distinguishing_prompt(task: Task, form: InputForm, diff: str, *, model: str) -> Request:
    """Return the request for inputs that tell a task's reference from a program with this diff.

    The task must have base inputs of the form, else InputError.
    """
    names = ", ".join(form.names)
    shown = sorted((repr(list(case.arguments)) for case in task.base), key=len)[:INPUTS]
    examples = "\n".join(shown)
    text = (
        f"A task:\n\n```python\n{task.prompt.strip()}\n```\n\n"
        f"This program is right:\n\n```python\n{task.reference.strip()}\n```\n\n"
        f"A change to it, which no test so far has noticed:\n\n```diff\n{diff}\n```\n\n"
        f"Some lists of arguments of {called(task)}:\n\n{examples}\n\n"
        "First say in a sentence on which inputs the changed program gives another answer. If"
        " there are none, since both are the same function, say that they are equivalent. Else"
        f" write {INPUTS} such inputs that the task's description allows, as JSON:"
        f' {{"inputs": [...]}}, where each input is an object with the'
        f" argument{'s' if len(form.names) > 1 else ''} {names}."
    )
    return Request(
        model=model,
        messages=(Message("user", text),),
        temperature=_TEMPERATURE,
        max_tokens=2048,
        schema=None,
    )
