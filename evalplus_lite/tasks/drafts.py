"""Tasks drafted from a program's text: the functions of a module."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.programs import definitions, parsing
from evalplus_lite.store import read_text
from evalplus_lite.tasks.custom import inferred
from evalplus_lite.types import CALL, Case, Harness, Rule, Task, Value
from evalplus_lite.values import wire
from evalplus_lite.values.codec import to_json
from evalplus_lite.values.source import value_of

# Examples in doctest's form: calls of a function with literals, and the literals they give.

LONGEST = 100_000
"""Characters of a text that is searched."""


@dataclass(frozen=True, slots=True)
class DraftCase:
    """A call and what it gives, or why it cannot be a case, with its line in the text (from 1)."""

    source: str
    line: int
    arguments: tuple[Value, ...] = ()
    output: bytes = b""
    """In wire form."""
    problem: str = ""


def examples(text: str, name: str) -> Iterator[DraftCase]:
    """Yield the examples in a text that call ``name``, those that cannot be cases too.

    The text may be a program, whose docstrings are searched then. Nothing is run.
    """
    if len(text) > LONGEST:
        return
    try:
        tree = parsing.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _examples(text, name)
        return
    places = [tree, *(node for node in ast.walk(tree) if isinstance(node, _DOCUMENTED))]
    for node in places:
        if (docstring := ast.get_docstring(node, clean=False)) is not None:
            yield from _examples(docstring, name, after=node.body[0].lineno - 1)


_QUOTES = re.compile(r'"""|\'\'\'')
_DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _examples(text: str, name: str, *, after: int = 0) -> Iterator[DraftCase]:
    try:
        found = doctest.DocTestParser().get_examples(text)
    except ValueError:  # its lines are indented in another way than doctest wants
        return
    for each in found:
        source, line = each.source.strip(), after + each.lineno + 1
        try:
            call = parsing.parse(source, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if not (
            isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name
        ):
            continue
        if each.exc_msg is not None:
            yield DraftCase(source, line, problem="it raises")
            continue
        try:
            if call.keywords:
                raise ValueError("an argument is given by name")
            arguments = tuple(value_of(argument) for argument in call.args)
            wire.encode(list(arguments))
        except (ValueError, CodecError) as error:
            yield DraftCase(source, line, problem=str(error))
            continue
        # The quotes that end a docstring may follow at once, where the text is no program.
        wanted = _QUOTES.split(each.want)[0].strip() or "None"
        try:
            value = value_of(parsing.parse(wanted, mode="eval").body)
            yield DraftCase(source, line, arguments, wire.encode(value))
        except (SyntaxError, ValueError, RecursionError, MemoryError, CodecError):
            yield DraftCase(source, line, problem="what it gives is no literal")


MAX_BYTES = 1 << 20
"""Of a file that is read."""
MOST_TASKS = 500
"""Functions of a module that are looked at: each is a walk through all of it."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of a file became no task or no case, where it is (lines from 1), and why."""

    name: str
    line: int
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return it as a summary holds it."""
        return {"name": self.name, "line": self.line, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class SourceModule:
    """A file of Python: its name without ``.py``, its text and its tree. Nothing of it is run."""

    name: str
    text: str
    tree: ast.Module

    @classmethod
    def read(cls, path: Path) -> SourceModule:
        """Read a file; InputError if it is no Python."""
        text = read_text(path, max_bytes=MAX_BYTES)
        try:
            tree: ast.Module = parsing.parse(text)
        except SyntaxError as error:
            raise InputError(f"is not Python: {error.msg}", path=path, line=error.lineno) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise InputError(f"is not Python: {error}", path=path) from None
        return cls(path.stem, text, tree)

    def function(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the last function of a name at the top level."""
        for node in reversed(self.tree.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
                return node
        return None

    def alone(self, name: str) -> str:
        """Return the part of the program that a function needs, as a program."""
        needed = definitions.needed(self.tree.body, [name])
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                needed.insert(0, node)  # which nothing uses by name
        return definitions.text_of(self.text, needed)

    def prompt(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        """Return a function's signature and docstring, after what the signature needs."""
        kind = type(node)
        docstring = node.body[:1] if ast.get_docstring(node) is not None else []
        stub = kind(
            name=node.name,
            args=node.args,
            body=docstring or [ast.Pass()],
            decorator_list=[],
            returns=node.returns,
            lineno=1,
            **({"type_params": node.type_params} if hasattr(node, "type_params") else {}),
        )
        missing = definitions.undefined([stub])
        head = definitions.text_of(self.text, definitions.needed(self.tree.body, missing))
        text = ast.unparse(ast.fix_missing_locations(stub))
        text = text if docstring else text.removesuffix("pass").rstrip(" ")
        return f"{head}\n\n{text}\n" if missing and head else f"{text}\n"


def module_tasks(program: SourceModule) -> tuple[list[Task], list[LeftOut]]:
    """Return a task for each public function of a module, its examples as cases with outputs.

    A function without examples has no cases yet. What is no task, or no case, is returned as well.
    """
    tasks: list[Task] = []
    lost: list[LeftOut] = []
    for node in program.tree.body:
        if len(tasks) == MOST_TASKS:
            lost.append(LeftOut("", node.lineno, f"no more than {MOST_TASKS} functions are taken"))
            break
        if isinstance(node, ast.ClassDef):
            lost.append(LeftOut(node.name, node.lineno, "a class: write its tasks by hand (init)"))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = node.name
        if name.startswith("_") or program.function(name) is not node:
            continue
        if node.args.kwonlyargs and None in node.args.kw_defaults:
            lost.append(LeftOut(name, node.lineno, "an argument must be given by name"))
            continue
        prompt = program.prompt(node)
        found = list(examples(ast.unparse(ast.Module([node], [])), name))
        lost += [
            LeftOut(name, node.lineno, f"the example {each.source}: {each.problem}")
            for each in found
            if each.problem
        ]
        good = [each for each in found if not each.problem]
        reference = program.alone(name)
        harness = harness_of(reference, name)
        tasks.append(
            Task(
                id=f"{program.name}/{name}",
                prompt=prompt,
                entry_point=name,
                reference=reference,
                harness=harness,
                base=tuple(Case(each.arguments) for each in good),
                # What an example shows is the value: of another harness the reference answers.
                outputs=tuple(each.output for each in good) if harness == CALL else (),
            )
        )
    return tasks, lost


def harness_of(reference: str, name: str) -> Harness:
    """Return how a function is invoked and observed, by its text."""
    tree = definitions.parse(reference)
    return CALL if tree is None else inferred(CALL, tree, name, given=())


def task_row(task: Task) -> dict[str, Any]:
    """Return a task as the row of a task file of one's own."""
    row: dict[str, Any] = {
        "id": task.id,
        "prompt": task.prompt,
        "entry_point": task.entry_point,
    }
    if task.reference:
        row["reference"] = task.reference
    row["inputs"] = [[to_json(value) for value in case.arguments] for case in task.base]
    if task.outputs:
        row["outputs"] = [to_json(wire.decode(each)) for each in task.outputs]
    if task.rule != Rule():
        row["rule"] = task.rule.row
    return row


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a file imports from modules, each with its module's last part."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").rpartition(".")[2]
            yield from ((alias.asname or alias.name, module) for alias in node.names)
