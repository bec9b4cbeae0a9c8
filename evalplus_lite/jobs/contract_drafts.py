"""Contracts for tasks without one: tested drafts of a model, and inferred constraints."""

from __future__ import annotations

import ast
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import ContractError
from evalplus_lite.execution.base import Backend
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.evidence import Constraint
from evalplus_lite.generate.domains.filter import STATED, InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.jobs.datasets import prepared, run_facts
from evalplus_lite.jobs.seeds import refusals
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.models import (
    CutOffError,
    Message,
    ModelSource,
    NotRecordedError,
    RefusalError,
    Request,
)
from evalplus_lite.models.json_form import InputForm
from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction.blocks import fenced
from evalplus_lite.store import write_text
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.tasks.formulas import Comparison, Unreadable
from evalplus_lite.tasks.stated_constraints import StatedConstraint, of_function, parameters
from evalplus_lite.types import Case, Task
from evalplus_lite.values.source import shorten

# Preconditions drafted by a model: prompts and answers; nothing of an answer is run here.

_LONGEST = 20_000
_EXAMPLES = 8


class NoContract(ValueError):
    """A model's answer has no usable precondition; the message says why, also to the model."""


def contract_prompt(task: Task) -> Message:
    """Return the request for a draft of a task's precondition, in words.

    The task must have base inputs, else InputError.
    """
    form = InputForm.of(task)
    names = ", ".join(form.names)
    # The shortest examples, so that the prompt stays small.
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
    # Fenced blocks first, then the whole answer, which may have no fence.
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
        # A precondition that does not take the task's arguments would refuse every input.
        taken = function.args
        most = len(taken.posonlyargs) + len(taken.args)
        least = most - len(taken.defaults)
        if all(least <= arity <= most or (taken.vararg and arity >= least) for arity in arities):
            return part.strip() + "\n"
        problem = f"`precondition` must take {max(arities)} arguments, not {most}"
    raise NoContract(problem)


TURNS = 3
"""Further drafts in which problems are quoted back."""
TRIED = 100
_QUOTED = 5


@dataclass(frozen=True, slots=True)
class Draft:
    """A model's precondition: ``text`` is None where no draft accepts every base input.

    ``accepted`` of ``tried`` mutated inputs pass it: near none or all, it is hardly right.
    """

    task_id: str
    text: str | None
    turns: int
    problem: str = ""
    accepted: int = 0
    tried: int = 0


@dataclass(frozen=True, slots=True)
class ContractsResult(Result):
    """The outcome of each task that a model was asked about."""

    kind: ClassVar[str] = "contracts"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row a task: ``file`` (None where no draft will do), ``turns``, ..."""
        return list(self.summary["drafts"])


def suggest_contracts(
    dataset: Dataset | str | os.PathLike[str],
    source: ModelSource,
    *,
    out: str | os.PathLike[str],
    session: Session | None = None,
) -> ContractsResult:
    """Have a model draft preconditions, and write those that accept all base inputs into a folder.

    They are for someone to review. Raises LLMError if the server cannot be used.
    """
    with within(session) as opened:
        data = prepared(dataset, opened)
        folder = made_folder(out)
        opened.stage("contracts", len(data.tasks))

        drafts = []
        for draft in source.each(lambda task: suggest(opened.pool(), task, source), data.tasks):
            opened.advance()
            drafts.append(draft)
    rows = [_written(each, folder, source.model) for each in drafts]
    run = run_facts(data, model=source.model)
    return ContractsResult({"run": run, "dataset": data.name, "drafts": rows})


def _written(draft: Draft, folder: Path, model: str) -> dict[str, Any]:
    row: dict[str, Any] = {"task_id": draft.task_id, "turns": draft.turns}
    if draft.text is None:
        return {**row, "file": None, "problem": draft.problem}
    path = folder / f"{draft.task_id.replace('/', '_')}.py"
    write_text(path, f"# A draft by {' '.join(model.split())}: to be reviewed.\n{draft.text}")
    share = {"accepted": draft.accepted, "tried": draft.tried}
    return {**row, "file": str(path), "mutated_inputs": share}


def suggest(backend: Backend, task: Task, source: ModelSource) -> Draft:
    """Return a draft of a task's precondition that accepts the task's own inputs.

    It is run in the sandbox only, and is for a person to review. Raises LLMError if the server
    cannot be used at all.
    """
    # A conversation: each draft that refuses a base input is answered with that input.
    messages = [contract_prompt(task)]
    problem = ""
    for turn in range(TURNS + 1):
        try:
            reply = source.ask(request(messages, model=source.model), cut_off="keep")
        except (RefusalError, CutOffError, NotRecordedError) as error:
            return Draft(task.id, None, turn, str(error))
        try:
            text = parse_contract(reply.text, task)
            # A draft must accept the base inputs; the reviewer judges how many mutants it accepts.
            problem = _refusals(backend, task, text)
            if not problem:
                proposals = _proposals(task)
                reasons = refusals(backend, text, proposals)
                return Draft(task.id, text, turn + 1, "", reasons.count(None), len(reasons))
        except (NoContract, ContractError) as error:
            problem = str(error)
        # The conversation goes back whole: the model sees its draft and what is wrong with it.
        messages += [
            Message("assistant", reply.text),
            Message("user", f"This cannot be used: {problem}\n\nAnswer with the whole file again."),
        ]
    return Draft(task.id, None, TURNS + 1, problem)


def _refusals(backend: Backend, task: Task, text: str) -> str:
    reasons = refusals(backend, text, task.base)
    refused = [
        f"it refuses {shorten(list(case.arguments))}, which the task is tested with: {reason}"
        for case, reason in zip(task.base, reasons, strict=True)
        if reason is not None
    ]
    return "\n".join(refused[:_QUOTED])


def _proposals(task: Task) -> list[Case]:
    input_filter = InputFilter.typed([case.arguments for case in task.base])
    generator = Generator(task.base, input_filter=input_filter, rng=random.Random(f"0:{task.id}"))
    return generator.propose(TRIED)


def infer_constraints(task: Task) -> list[str]:
    """Return the lines of a contract that says what a task's base inputs and text imply for new
    ones, for a person to review and to paste into the task. A contract it has is not read.

    What cannot be written as an assertion, or is not assumed, is a comment. Of a task whose inputs
    are calls or tests there is only a comment: what calls in one place share binds no others.
    """
    kind = task.harness.kind
    if kind in ("sequence", "unittest", "assertions"):
        return [f"# no contract is inferred: the inputs of {kind!r} tasks are calls, not values"]
    # As augmentation would infer them, had the task no contract.
    input_filter = InputFilter.of_task(replace(task, contract=None))
    names = parameters(task)[: len(input_filter.domains)]
    names += [f"argument{n}" for n in range(len(names), len(input_filter.domains))]
    stated = of_function(task)[0].constraints
    body: list[str] = []
    for name, domain in zip(names, input_filter.domains, strict=True):
        body += _assertions(domain, name)
    for constraint in input_filter.constraints:
        if constraint.is_limit and not (constraint.is_chosen or constraint.is_stated):
            continue  # the assertions above hold it
        # A program that reads has one input, its text.
        text = (
            constraint.text.replace("argument 0", "the text")
            if kind == "script"
            else (constraint.text)
        )
        description = f"{text} ({constraint.support}; {constraint.name})"
        code = _code(constraint, names, stated) if constraint.is_on else None
        if code is not None:
            body.append(f"assert {code}, {text!r}  # {constraint.name}")
        else:
            body.append(f"# {'assumed' if constraint.is_on else 'not assumed'}: {description}")
    return [f"def precondition({', '.join(names)}):", *(f"    {line}" for line in body)]


_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, type(None))
_CODE = {
    "sorted": "list({0}) == sorted({0})",
    "descending": "list({0}) == sorted({0}, reverse=True)",
    "distinct": "all({0}.count(each) == 1 for each in {0})",
    "ordered-pairs": "all(list(row) == sorted(row) for row in {0})",
    "rectangular": "len({{len(row) for row in {0}}}) <= 1",
    "square": "all(len(row) == len({0}) for row in {0})",
    "less": "{0} < {1}",
    "at-most": "{0} <= {1}",
    "shorter": "len({0}) < len({1})",
    "no-longer": "len({0}) <= len({1})",
    "equal-length": "len({0}) == len({1})",
    "index": "0 <= {0} < len({1})",
    "count": "0 < {0} <= len({1})",
    "at-most-length": "0 <= {0} <= len({1})",
    "element": "{0} in {1}",
    "part": "{0} in {1}",
}
"""Constraints on whole arguments as expressions of their names."""


def _code(
    constraint: Constraint, names: Sequence[str], stated: Sequence[StatedConstraint]
) -> str | None:
    """Return a constraint as an expression, None where it has no simple one."""
    first, kind, *rest = constraint.name.split(".")
    if constraint.name.startswith(STATED):
        return _stated_code(stated[int(kind)], names)
    # Constraints within an argument have no short expression: they stay comments.
    if kind not in _CODE or not all(part.isdecimal() for part in (first, *rest)):
        return None
    return _CODE[kind].format(*(names[int(part)] for part in (first, *rest)))


def _stated_code(stated: StatedConstraint, names: Sequence[str]) -> str | None:
    if stated.formula:
        try:
            return Comparison.read(stated.formula).code(names)
        except Unreadable:
            return None
    name, kind = stated.order
    return _CODE[kind].format(name) if name in names and kind in _CODE else None


def _assertions(domain: Domain, name: str, depth: int = 0) -> list[str]:
    """Return the assertions that keep a value within a domain."""
    # An extended type has no name in a contract: it stays a comment.
    kinds = [kind for kind in domain.kinds if kind in _PLAIN]
    if len(kinds) < len(domain.kinds) or not kinds:
        return [f"# {name}: {' or '.join(kind.__name__ for kind in domain.kinds) or 'anything'}"]
    words = ["type(None)" if kind is type(None) else kind.__name__ for kind in kinds]
    has_type = f"is {words[0]}" if len(words) == 1 else f"in ({', '.join(words)})"
    lines = [f"assert type({name}) {has_type}, {name!r}"]
    # Checks of sizes and ranges hold for some of the types only, where there are several.
    groups: list[tuple[tuple[type, ...], list[str]]] = [
        ((int, float), _ranged(domain, name)),
        ((str,), _sized(domain, name) + _lettered(domain, name)),
        ((bytes,), _sized(domain, name)),
        ((list, tuple, set, frozenset), _sized(domain, name) + _inner(domain, name, depth)),
        ((dict,), _sized(domain, name) + _entries(domain, name, depth)),
    ]
    for of, checks in groups:
        if not checks or not set(of) & set(kinds):
            continue
        if set(kinds) <= set(of):
            lines += checks
        else:
            lines.append(f"if type({name}) in ({', '.join(kind.__name__ for kind in of)},):")
            lines += [f"    {line}" for line in checks]
    return lines


def _ranged(domain: Domain, name: str) -> list[str]:
    low = "" if domain.lowest is None else f"{domain.lowest!r} <= "
    high = "" if domain.highest is None else f" <= {domain.highest!r}"
    return [f"assert {low}{name}{high}, {name!r}"] if low or high else []


def _sized(domain: Domain, name: str) -> list[str]:
    low = f"{domain.smallest} <= " if domain.smallest else ""
    high = "" if domain.largest is None else f" <= {domain.largest}"
    return [f"assert {low}len({name}){high}, {name!r}"] if low or high else []


def _lettered(domain: Domain, name: str) -> list[str]:
    if domain.words:
        return [f"assert set({name}.split()) <= set({sorted(domain.words)!r}), {name!r}"]
    if domain.alphabet and not domain.has_any_characters:
        return [f"assert set({name}) <= set({domain.alphabet!r}), {name!r}"]
    return []


def _inner(domain: Domain, name: str, depth: int) -> list[str]:
    if domain.positions is not None:
        parts = enumerate(domain.positions)
        return [line for n, each in parts for line in _assertions(each, f"{name}[{n}]", depth)]
    return _loop(domain.items, name, depth)


def _entries(domain: Domain, name: str, depth: int) -> list[str]:
    values = _loop(domain.values, f"{name}.values()", depth)
    return _loop(domain.keys, name, depth) + values


def _loop(domain: Domain | None, items: str, depth: int) -> list[str]:
    if domain is None:
        return []
    item = "item" if not depth else f"item{depth}"
    lines = _assertions(domain, item, depth + 1)
    return [f"for {item} in {items}:", *(f"    {line}" for line in lines)]
