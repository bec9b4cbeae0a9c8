"""Input generators written by a model: programs that draw inputs, run in the sandbox only.

The model writes a function ``generate(rng)``. Its text is checked for form, never run here. The
result is a program for the sandbox whose entry point takes a seed and returns the arguments.
"""

from __future__ import annotations

import ast

from evalplus_lite.models import Message, Request
from evalplus_lite.models.json_form import FormError, InputForm
from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction.blocks import fenced
from evalplus_lite.types import Task, Value

ENTRY_POINT = "draw_input"
_DRAW = f"""

def {ENTRY_POINT}(seed):
    import random

    return generate(random.Random(seed))
"""
_LONGEST_PROGRAM = 20_000
_EXAMPLES = 5
_TEMPERATURE = 0.8


class NoGenerator(ValueError):
    """A model's answer holds no usable generator; the message explains why, to the model too."""


def generator_prompt(task: Task, *, model: str, index: int = 0) -> Request:
    """Return the request for draw ``index`` of a generator for a task's inputs.

    The task must have base inputs, else InputError.
    """
    form = InputForm.of(task)
    rows = [case.arguments for case in task.base if len(case.arguments) == len(form.names)]
    shown = sorted((repr(list(row)) for row in rows), key=len)[:_EXAMPLES]
    lines = "\n".join(shown)
    text = (
        f"This Python program is right:\n\n```python\n{task.reference.strip()}\n```\n\n"
        f"{_taken(task, form)}"
        f" Some lists of arguments:\n\n{lines}\n\n"
        "Write a Python function `generate(rng)` that returns one such list of arguments. `rng` is"
        " a `random.Random`; take all chance from it. Each call should give another input that the"
        " program's description allows: sometimes small or empty, sometimes at the edge of a"
        " condition, sometimes large, and of a kind on which wrong programs for this task fail. Use"
        " the standard library only. Answer with the function in one ```python block and nothing"
        " else."
    )
    return Request(
        model=model,
        messages=(Message("user", text),),
        temperature=_TEMPERATURE,
        max_tokens=2048,
        index=index,
    )


def _taken(task: Task, form: InputForm) -> str:
    if task.harness.kind == "script":
        return "It takes one argument, the text on standard input."
    return f"Its function `{task.entry_point}` takes ({', '.join(form.names)})."


def parse_generator(text: str) -> str:
    """Return the generator in a model's answer, as a program that has not run anywhere yet.

    Its ``ENTRY_POINT`` takes an integer seed.

    Raises NoGenerator where no part of the answer is a Python program that defines ``generate``
    with one parameter.
    """
    problem = "the answer holds no Python program"
    for part in [*fenced(text), text]:
        if len(part) > _LONGEST_PROGRAM:
            problem = f"the program is longer than {_LONGEST_PROGRAM} characters"
            continue
        try:
            tree = parsing.parse(part)
        except parsing.UNREADABLE as error:
            if part is not text:
                problem = f"the program does not parse: {error}"
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "generate":
                if len(node.args.posonlyargs + node.args.args) == 1:
                    return part.rstrip() + "\n" + _DRAW
                problem = "`generate` must take one parameter, rng"
                break
        else:
            if tree.body and part is not text:
                problem = "the program defines no function `generate`"
    raise NoGenerator(problem)


def drawn_arguments(value: Value, task: Task) -> tuple[Value, ...] | None:
    """Return a generator's result as a task's arguments, None if it does not have their form."""
    try:
        return InputForm.of(task).read(value)
    except FormError:
        return None
