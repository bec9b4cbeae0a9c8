"""Contracts for tasks without one: tested drafts of a model, and inferred constraints."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from evalplus_lite.errors import ContractError
from evalplus_lite.execution.base import Backend
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.jobs.datasets import prepared, run_facts
from evalplus_lite.jobs.seeds import refusals
from evalplus_lite.jobs.session import Result, Session, made_folder, within
from evalplus_lite.models import CutOffError, Message, ModelSource, NotRecordedError, RefusalError
from evalplus_lite.models.contract_drafts import (
    NoContract,
    contract_prompt,
    parse_contract,
    request,
)
from evalplus_lite.store import write_text
from evalplus_lite.tasks import Dataset
from evalplus_lite.types import Case, Task
from evalplus_lite.values.source import shorten

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
    messages = [contract_prompt(task)]
    problem = ""
    for turn in range(TURNS + 1):
        try:
            reply = source.ask(request(messages, model=source.model), cut_off="keep")
        except (RefusalError, CutOffError, NotRecordedError) as error:
            return Draft(task.id, None, turn, str(error))
        try:
            text = parse_contract(reply.text, task)
            problem = _refusals(backend, task, text)
            if not problem:
                proposals = _proposals(task)
                reasons = refusals(backend, text, proposals)
                return Draft(task.id, text, turn + 1, "", reasons.count(None), len(reasons))
        except (NoContract, ContractError) as error:
            problem = str(error)
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
    """Return, a line each, the constraints that a task's base inputs imply for new ones.

    A task's contract is not read: where there is one, it decides instead.
    """
    input_filter = InputFilter.of_task(replace(task, contract=None))
    lines = [f"{' or '.join(map(str, input_filter.arities))} arguments"]
    for position, domain in enumerate(input_filter.domains):
        lines += _described(domain, f"argument {position}")
    lines += [
        f"{'always' if constraint.is_on else 'not applied'}: {constraint.text} "
        f"({constraint.support}; {constraint.name})"
        for constraint in input_filter.found
        if not constraint.is_limit or constraint.is_chosen
    ]
    limits = [
        constraint.name
        for constraint in input_filter.found
        if constraint.is_limit and constraint.is_on
    ]
    return [*lines, f"limits: {', '.join(limits)}"] if limits else lines


def _described(domain: Domain, name: str) -> list[str]:
    facts = ["/".join(kind.__name__ for kind in domain.kinds) or "nothing seen"]
    if {int, float} & set(domain.kinds):
        facts.append(f"from {_number(domain.lowest)} to {_number(domain.highest)}")
    if domain.smallest or domain.largest is not None:
        facts.append(f"{domain.smallest} to {_number(domain.largest)} elements")
    if domain.alphabet:
        facts.append(f"characters {shorten(domain.alphabet)}")
    if domain.words:
        facts.append(f"words {shorten(sorted(domain.words))}")
    facts += [
        field.name[3:]
        for field in fields(domain)
        if field.name.startswith("is_") and domain.items and getattr(domain, field.name)
    ]
    lines = [f"{name}: {', '.join(facts)}"]
    if domain.positions is not None:
        for number, inner in enumerate(domain.positions):
            lines += _described(inner, f"{name}, element {number}")
    elif domain.items is not None:
        lines += _described(domain.items, f"{name}, elements")
    if domain.keys is not None:
        lines += _described(domain.keys, f"{name}, keys")
    if domain.values is not None:
        lines += _described(domain.values, f"{name}, values")
    return lines


def _number(number: float | None) -> str:
    return "any" if number is None else f"{number:g}"
