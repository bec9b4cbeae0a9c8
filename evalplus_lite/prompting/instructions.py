"""What a model is told to write a program: an instruction, or the beginning of the program."""

from __future__ import annotations

import ast
import textwrap

from evalplus_lite.programs import parsing
from evalplus_lite.types import Task


def precondition_words(contract: str) -> str | None:
    """Return the source of a contract's ``precondition``, None where it holds none."""
    try:
        tree = parsing.parse(contract)
    except (SyntaxError, ValueError):
        return None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "precondition":
            return ast.get_source_segment(contract, node)
    return None


def instruction(task: Task, shown: str | None = None) -> str:
    """Return what a chat model is asked for; ``shown`` is a precondition that it is told."""
    text = f"{_begin(task)} in one ```python block and nothing else.\n\n"
    if task.harness.kind == "script":
        text += f"{task.prompt.strip()}\n"
    else:
        text += f"```python\n{task.prompt.rstrip()}\n```\n"
    if shown is not None:
        text += (
            "\nEvery call fulfils this precondition, so the function need not check it:\n\n"
            f"```python\n{shown}\n```\n"
        )
    return text


def _begin(task: Task) -> str:
    if task.harness.kind == "script":
        return (
            "Write a whole Python program that solves this problem: it reads standard input and"
            " prints to standard output. Answer with the program"
        )
    if task.style == "completion":
        begin = "Complete this Python function."
    else:
        begin = f"Write the Python function {task.entry_point} that this text asks for."
    return f"{begin} Answer with the whole function"


def as_comment(shown: str | None) -> str:
    """Return the precondition as the first lines of the body, which the model then continues."""
    if shown is None:
        return ""
    lines = ["Every call fulfils this precondition:", *textwrap.dedent(shown).splitlines()]
    return "".join(f"    # {line}".rstrip() + "\n" for line in lines)
