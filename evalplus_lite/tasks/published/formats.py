"""The published sets' rows as tasks: HumanEval, HumanEval+, MBPP+ and MBPP+ with literal inputs."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalplus_lite.programs import definitions, parsing
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.argument_types import repaired
from evalplus_lite.tasks.published.comparison import CHECKED, published_rule
from evalplus_lite.types import Case, Task, Value
from evalplus_lite.values.literals import assigned, literal_calls


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of published tasks besides their rows, by task id.

    ``contracts`` are contract files, ``tests`` the test programs that a mini file leaves out.
    """

    contracts: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)


def humaneval_task(fields: Fields, background: Background) -> Task:
    """Return a task of the original HumanEval; its base cases stay in ``extra["test"]``.

    They are arguments of calls that only running ``check`` shows (``recover``). The task takes its
    contract file, and the repaired reference in it where the original one is wrong.
    """
    id, entry_point, prompt = _heading(fields)
    body, test = fields.text("canonical_solution"), fields.text("test")
    contract = background.contracts.get(id)
    reference = contract and _repaired_reference(contract, entry_point)
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=reference or prompt + body,
        contract=contract,
        extra={"canonical_solution": body, "test": test},
    )


def humaneval_plus_task(fields: Fields, background: Background) -> Task:
    """Return a task of HumanEval+ or its mini form, with real types where its asserts show them."""
    id, entry_point, prompt = _heading(fields)
    body = fields.text("canonical_solution")
    test = fields.text("test", default=background.tests.get(id, ""))
    base, plus = _cases(fields, test, "candidate")
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=prompt + body,
        base=base,
        plus=plus,
        contract=background.contracts.get(id) if id in CHECKED else None,
        rule=published_rule(id, fields.number("atol", default=0.0)),
        extra=_rest(fields, "canonical_solution", "test", "contract", "atol"),
    )


def mbpp_plus_task(fields: Fields, background: Background) -> Task:
    """Return a task of MBPP+, with the real types that its assertions show."""
    id, entry_point, prompt = _heading(fields)
    base, plus = _cases(fields, fields.text("assertion"), entry_point)
    return Task(
        id=id,
        prompt=prompt,
        entry_point=entry_point,
        reference=fields.text("canonical_solution"),
        base=base,
        plus=plus,
        contract=background.contracts.get(id),
        rule=published_rule(id, fields.number("atol", default=0.0)),
        style="solution",
        extra=_rest(fields, "canonical_solution", "assertion", "contract", "atol"),
    )


def mbpp_literal_task(fields: Fields, background: Background) -> Task:
    """Return a task of MBPP+ in the form that holds its inputs as Python literals in ``test``.

    The base cases are those inputs that occur in the calls of ``test_list``.
    """
    id = f"Mbpp/{fields.count('task_id')}"
    source, asserts = fields.text("code"), [str(line) for line in fields.items("test_list")]
    try:
        entry_point = _called(asserts, source)
        test = parsing.parse(fields.text("test"))
        inputs, atol = [tuple(item) for item in assigned(test, "inputs")], _atol(test)
        shown = [
            call for line in asserts for call in literal_calls(parsing.parse(line), entry_point)
        ]
    except (ValueError, SyntaxError, TypeError) as error:
        raise fields.refuse(f"task {id}: its inputs cannot be read: {error}") from None
    base = [arguments for arguments in inputs if arguments in shown]
    plus = [arguments for arguments in inputs if arguments not in shown]
    return Task(
        id=id,
        prompt=f'"""\n{fields.text("prompt")}\n{asserts[0]}\n"""\n',
        entry_point=entry_point,
        reference=source,
        base=_as_cases(base, "base"),
        plus=_as_cases(plus, "plus"),
        contract=background.contracts.get(id),
        rule=published_rule(id, atol),
        style="solution",
        extra=_rest(fields, "test_list", "test_imports", "source_file"),
    )


def _heading(fields: Fields) -> tuple[str, str, str]:
    return fields.id("task_id"), fields.identifier("entry_point"), fields.text("prompt")


def _cases(fields: Fields, examples: str, called: str) -> tuple[tuple[Case, ...], tuple[Case, ...]]:
    """Return base and plus cases with the types that the calls in ``examples`` show."""
    base, plus = (_argument_lists(fields, key) for key in ("base_input", "plus_input"))
    try:
        shown = list(literal_calls(parsing.parse(examples), called))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise fields.refuse(f"its assertions are not Python: {error}") from None
    inputs = repaired(base + plus, shown)
    return _as_cases(inputs[: len(base)], "base"), _as_cases(inputs[len(base) :], "plus")


def _argument_lists(fields: Fields, key: str) -> list[list[Any]]:
    # One MBPP+ task without plus inputs has an empty object there.
    value = [] if fields.row.data.get(key) == {} else fields.items(key)
    for arguments in value:
        if type(arguments) is not list:
            raise fields.refuse(f"{key!r} holds something other than lists of arguments")
    return value


def _as_cases(inputs: Iterable[Sequence[Value]], source: str) -> tuple[Case, ...]:
    return tuple(Case(tuple(arguments), source) for arguments in inputs)


def _rest(fields: Fields, *keys: str) -> dict[str, Any]:
    return {key: fields.row.data[key] for key in keys if key in fields.row.data}


def _repaired_reference(contract: str, entry_point: str) -> str | None:
    """Return the program within a contract file that defines the entry point, if there is one."""
    tree = definitions.parse(contract)
    if tree is None or not definitions.defines(tree, entry_point):
        return None
    return definitions.text_of(contract, definitions.needed(tree.body, [entry_point]))


def _called(asserts: Sequence[str], source: str) -> str:
    """Return the function of the program that the first assertion calls."""
    program = definitions.parse(source) or parsing.parse("")
    for name in _called_names(asserts[0] if asserts else ""):
        if definitions.defines(program, name):
            return name
    raise ValueError("no assertion calls the program")


def _called_names(source: str) -> Iterator[str]:
    for node in ast.walk(parsing.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def _atol(test: ast.Module) -> float:
    """Return the tolerance that the test's own loop hands to its ``assertion``."""
    for node in test.body[::-1]:
        for inner in ast.walk(node):
            match inner:
                case ast.Call(
                    func=ast.Name(id="assertion"), args=[_, _, ast.Constant(value=float(atol))]
                ):
                    if not math.isfinite(atol):
                        raise ValueError("its tolerance is not finite")
                    return atol
        if isinstance(node, ast.For):
            break
    return 0.0
