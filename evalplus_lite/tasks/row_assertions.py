"""Stated contracts: what a published row itself asserts of its task's inputs.

HumanEval+ and MBPP+ carry such assertions, meant for the start of the solution's body. They mostly
state types, so they admit more than most prompts mean; the guards still keep to the forms seen.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace

from evalplus_lite.errors import ContractError
from evalplus_lite.programs import parsing
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.types import Task


def with_stated_contract(task: Task) -> Task:
    """Return the task with its row's assertions as precondition, where it has no other.

    A ``check`` that it has is kept. Assertions that cannot be read are left aside.
    """
    if task.contract is not None and parse(task.contract).has_precondition:
        return task
    stated = task.extra.get("contract")
    text = precondition(task.reference, task.entry_point, stated) if isinstance(stated, str) else ""
    if not text:
        return task
    return replace(task, contract="\n\n".join(filter(None, (task.contract, text))))


def precondition(reference: str, entry_point: str, stated: str) -> str:
    """Return a contract file's text of assertions on the reference's parameters; "" if unusable."""
    try:
        nodes = parsing.parse(reference).body
        functions = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == entry_point]
        imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
        arguments = functions[-1].args
        for each in ast.walk(arguments):
            if isinstance(each, ast.arg):
                each.annotation = None  # it may need names that the assertions do not
        head = f"def precondition({ast.unparse(arguments)}):\n"
        text = head + textwrap.indent(textwrap.dedent(stated.strip("\n")), "    ") + "\n"
        has_any = any(isinstance(node, ast.Assert) for node in ast.walk(parsing.parse(text)))
        text = "\n".join([*map(ast.unparse, imports), text])
        parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, IndexError, ContractError):
        return ""
    return text if has_any else ""
