"""Seed inputs from a language model (EvalPlus paper, section 2.1).

Each prompt shows the reference, some base inputs and one of three instructions, and asks for inputs
in the same form. Answers are checked for form, duplicates, and the caller's ``valid``. Problems are
quoted back, at most a few times. Prompts depend only on the task and the seed, so that recorded
replies can replace the model.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from evalplus_lite.models import (
    CutOffError,
    Message,
    ModelSource,
    NotRecordedError,
    RefusalError,
    Request,
)
from evalplus_lite.models.errors import ServerError, TooLongError
from evalplus_lite.models.json_form import InputForm, called, read_answer, shorten
from evalplus_lite.types import Case, Task, Value
from evalplus_lite.values import identity

Valid: TypeAlias = Callable[[Sequence[tuple[Value, ...]]], Sequence[str | None]]
"""Returns for each input why it violates the task's precondition, None if it does not.

It is called in the thread that queries the model. Use a sandbox: a model wrote the input.
"""

Aim: TypeAlias = Literal["corner", "intricate", "deceptive"]

AIMS: Mapping[Aim, str] = {
    "corner": (
        "Make them corner cases that the program still has to answer: the smallest and emptiest"
        " inputs it takes, ties, repetitions, zero, negative numbers, the edges of each condition."
    ),
    "intricate": (
        "Make them intricate: rich in structure and size, with many different elements, so that"
        " every part of the program has work to do."
    ),
    "deceptive": (
        "Make them deceptive: inputs on which a hasty programmer's version, though right on the"
        " inputs above, would give a wrong answer."
    ),
}
"""The three kinds of instruction, in our words."""

_LONGEST_EXAMPLE = 400
_LONGEST_ECHO = 2_000
_MOST_QUOTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedPlan:
    """The plan for a task's prompts: ``per_aim`` inputs for each aim, about 30 in total as in the
    paper.

    ``feedback`` is the maximum number of turns that quote problems back; ``examples`` is the number
    of base inputs shown.
    """

    per_aim: int = 10
    aims: tuple[Aim, ...] = ("corner", "intricate", "deceptive")
    feedback: int = 3
    examples: int = 5
    temperature: float | None = 0.8
    max_tokens: int | None = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedResult:
    """A model's usable inputs for a task, and the causes of dropped ones.

    ``dropped`` counts inputs by cause: ``form``, ``double``, ``invalid``, ``surplus``. ``failures``
    describes requests without inputs (refused, too long, not recorded, failed), one line each;
    ``broken`` counts those that the server failed on.
    """

    task_id: str
    cases: tuple[Case, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    turns: int = 0
    failures: tuple[str, ...] = ()
    broken: int = 0
    contract: str = ""
    """The contract that the model wrote; "" if it was not asked for one, or none is usable."""


def llm_seeds(
    task: Task,
    source: ModelSource,
    *,
    seed: int = 0,
    plan: SeedPlan | None = None,
    valid: Valid | None = None,
) -> SeedResult:
    """Return a model's new inputs for a task: typed, distinct, and all ``valid``.

    The task must have base inputs (else InputError). A request without a usable answer ends its aim
    and is reported in ``failures``; an unusable server raises LLMError.
    """
    plan = plan or SeedPlan()
    form = InputForm.of(task)
    seen = {identity.key(case.arguments) for case in task.base}
    dropped: Counter[str] = Counter()
    cases: list[Case] = []
    failures: list[str] = []
    turns = broken = 0
    for aim in plan.aims:
        messages: tuple[Message, ...] = (
            Message("user", seed_prompt(task, form, plan, aim=aim, seed=seed)),
        )
        count = 0
        for turn in range(plan.feedback + 1):
            request = _request(messages, source.model, form, plan)
            try:
                reply = source.ask(request, cut_off="keep")
            except (
                RefusalError, CutOffError, NotRecordedError, ServerError, TooLongError
            ) as error:  # fmt: skip
                broken += isinstance(error, ServerError)
                # A record ends where the live dialogue went differently; keep the inputs so far.
                if turn == 0 or not isinstance(error, NotRecordedError):
                    failures.append(f"{aim}: {error}")
                break
            turns += 1
            problems: list[str] = []
            answer = read_answer(reply.text, form, entry_point=task.entry_point)
            dropped["form"] += len(answer.problems)
            problems += answer.problems
            reasons = [None] * len(answer.inputs) if valid is None else valid(answer.inputs)
            for arguments, reason in zip(answer.inputs, reasons, strict=True):
                cause, problem = "", ""
                if count >= plan.per_aim:
                    cause = "surplus"
                elif (name := identity.key(arguments)) in seen:
                    cause, problem = "double", "was there before"
                elif reason is not None:
                    cause, problem = "invalid", f"breaks the precondition: {reason}"
                if cause:
                    dropped[cause] += 1
                    if problem:
                        problems.append(f"{shorten(list(arguments))}: {problem}")
                    continue
                seen.add(name)
                count += 1
                cases.append(Case(arguments, source="llm", operators=(aim,)))
            missing = plan.per_aim - count
            if missing <= 0 or not problems:
                break
            messages += (
                Message("assistant", reply.text[:_LONGEST_ECHO]),
                Message("user", _feedback(problems, missing)),
            )
    return SeedResult(
        task_id=task.id,
        cases=tuple(cases),
        dropped=dict(sorted(dropped.items())),
        turns=turns,
        failures=tuple(failures),
        broken=broken,
    )


def seed_prompt(task: Task, form: InputForm, plan: SeedPlan, *, aim: Aim, seed: int) -> str:
    """Return the prompt for one aim: reference, sampled base inputs, instruction, form."""
    # The same examples for every aim, because servers cache a common prefix.
    shown = _examples(task, form, plan, random.Random(f"{seed}:{task.id}"))
    how = (
        'Answer with JSON only: {"inputs": [...]}, where each input is an object with the'
        f" argument{'s' if len(form.names) > 1 else ''} {', '.join(form.names)}."
    )
    described = task.prompt.strip() in task.reference
    words = "" if described else f"A task:\n\n```python\n{task.prompt.strip()}\n```\n\n"
    return (
        f"{words}This Python program is right:\n\n```python\n{task.reference.strip()}\n```\n\n"
        f"Some inputs of {called(task)} that are known:\n\n{json.dumps({'inputs': shown})}\n\n"
        f"Write {plan.per_aim} new inputs of the same form that test whether other people's"
        f" programs for this task are right. {AIMS[aim]} Each input must be one that the program's"
        f" description allows, and differ from the others. {how}"
    )


def _examples(task: Task, form: InputForm, plan: SeedPlan, rng: random.Random) -> list[Any]:
    """Return sampled base inputs in the form of the prompt: short ones, or the shortest."""
    written: list[tuple[int, Any]] = []
    for case in task.base:
        if len(case.arguments) != len(form.names):
            continue
        if (tree := form.write(case.arguments)) is not None:
            written.append((len(repr(tree)), tree))
    short = [pair for pair in written if pair[0] <= _LONGEST_EXAMPLE]
    if not short:
        short = sorted(written, key=lambda pair: pair[0])[:1]
    return [tree for _, tree in rng.sample(short, min(plan.examples, len(short)))]


def _request(messages: tuple[Message, ...], model: str, form: InputForm, plan: SeedPlan) -> Request:
    schema = json.dumps(form.schema(count=plan.per_aim), separators=(",", ":"))
    return Request(
        model=model,
        messages=messages,
        temperature=plan.temperature,
        max_tokens=plan.max_tokens,
        schema=schema,
    )


def _feedback(problems: list[str], missing: int) -> str:
    quoted = "\n".join(f"- {problem}" for problem in problems[:_MOST_QUOTED])
    return (
        f"These cannot be used:\n{quoted}\n\n"
        f"Write {missing} more, in the same form, without these faults."
    )
