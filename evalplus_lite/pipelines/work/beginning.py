"""What augmenting a task begins with: its base cases answered, and a generator that knows them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from evalplus_lite.errors import UnusableTask
from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.engine.call_sequences import SequenceGenerator
from evalplus_lite.generate.engine.code_arguments import CodeGenerator, CodeTexts
from evalplus_lite.generate.engine.generator import Generator
from evalplus_lite.generate.engine.proposer import Proposer
from evalplus_lite.grading.evidence import notes, own_refused, require_check, sentence, weighed
from evalplus_lite.grading.idle import require_effect
from evalplus_lite.grading.oracle import UNLISTED, Answers, answer
from evalplus_lite.pipelines.work.text_inputs import text_generator
from evalplus_lite.programs import definitions
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.call_sequences import with_sequences
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Case, Task, Value

BASE_LIMITS = Limits(cpu=20.0, load=10.0)
SHAPES = ("size", "rectangular", "square", "record")
RESHAPED = 40  # inputs of other shapes that a contract is asked about, for each base case
SAMPLED = 16  # by Hypothesis: each takes several times as long to make as one of ours


def base_answers(sandbox: Sandbox, task: Task) -> tuple[Answers, list[str]]:
    """Return the base cases that can be kept, and notes on them; raises UnusableTask if none."""
    if task.rule.kind == "any":
        raise UnusableTask(task.id, "expected", f"{UNLISTED}: have a contract's check tell it")
    refused = own_refused(sandbox, task)
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=BASE_LIMITS, contract=False
    )
    told = notes(weighed(task, base))
    require_check(sandbox, task, base.suite)
    require_effect(sandbox, task, base.suite)
    if refused:
        told.append(f"{len(refused)} base inputs are kept though {sentence(refused[0])}")
    return base, told


def in_sequences(sandbox: Sandbox, task: Task) -> Task:
    """Return a task of unit tests as one of call sequences, read off those that its reference
    passes; any other task, or one whose tests show no calls, as it is."""
    if task.harness.kind != "unittest":
        return task
    passed, _ = base_answers(sandbox, task)
    return with_sequences(replace(task, base=passed.suite.cases)) or task


def generator_of(
    sandbox: Sandbox,
    task: Task,
    base: Sequence[Case],
    seed: int,
    seeds: Sequence[Case],
    *,
    is_own: bool,
) -> Proposer:
    """Return a generator that has seen these base cases; ``seeds`` are proposed first.

    ``is_own``: the contract was written for the task, and is the only limit.
    """
    name = f"{seed}:{task.id}"
    if (found := text_generator(task, base, name, seeds)) is not None:
        return found
    from evalplus_lite.generate.strategies import sampled  # a third of a second, not for --help

    constants = Constants.of_task(task)
    name = f"{seed}:{task.id}"
    if task.harness.kind in ("sequence", "unittest"):  # tests have no arguments to change
        known = base if task.harness.kind == "sequence" else ()
        sequences = SequenceGenerator(
            known,
            owner=task.defined,
            rng=random.Random(name),
            methods=definitions.methods(task.reference, task.defined),
            constants=constants,
        )
        sequences.plant(seeds)
        return sequences
    seen = replace(task, base=tuple(base))
    if is_own:
        free = dict.fromkeys(_free_shapes(sandbox, seen), False)
        seen = replace(seen, constraints={**free, **task.constraints})
    code = CodeTexts(task.harness.code, base) if task.harness.code else None
    if code is not None:  # to a filter it is what it is to the generator
        seen = replace(seen, base=tuple(map(code.numbered, base)))
    input_filter = InputFilter.of_task(seen, constants=constants, is_own=is_own)
    if code is not None:
        input_filter = code.unrelated(input_filter)
    shown = examples(task.prompt, task.entry_point) if not task.harness.constructed else []
    first = [Case(each, "docstring") for each in shown]
    make = Generator if code is None else partial(CodeGenerator, code)
    return make(
        base,
        input_filter=input_filter,
        rng=random.Random(name),
        seeds=[*first, *seeds],
        sampled=sampled(input_filter, count=SAMPLED, seed=name),
        constants=constants,
        is_challenging=True,
    )


def _free_shapes(sandbox: Sandbox, task: Task) -> list[str]:
    """Return the inferred constraints on shape that the contract, asked about others, does not
    share: rows need not be of three cells since they are in all examples."""
    shapes = [
        each.name
        for each in InputFilter.of_task(task, is_own=True).found
        if each.is_on and not each.is_chosen and each.name.rpartition(".")[2] in SHAPES
    ]
    if not shapes or task.contract is None:
        return []
    others = [
        Case((*case.arguments[:place], other, *case.arguments[place + 1 :]))
        for case in task.base
        for place, value in enumerate(case.arguments)
        for other in islice(_reshaped(value), RESHAPED)
    ]
    refused = violations(sandbox, task.contract, others)
    allowed = [case for case, why in zip(others, refused, strict=True) if why is None]

    def admitted(on: Sequence[str]) -> list[Case]:
        off = {name: False for name in shapes if name not in on}
        task_of = replace(task, constraints={**off, **task.constraints})
        input_filter = InputFilter.of_task(task_of, is_own=True)
        return [case for case in allowed if input_filter.admits(case.arguments)]

    possible = len(admitted([]))
    return [name for name in shapes if len(admitted([name])) < possible]


def _reshaped(value: Value) -> Iterator[Value]:
    """Yield a container shorter, longer and turned round; with its first row so, and all rows."""
    if not isinstance(value, list | tuple) or not value:
        return
    kind = type(value)
    yield from (value[:-1], kind([*value, value[-1]]), value[::-1])
    for rows in zip(*map(_reshaped, value), strict=False):
        yield from (kind([rows[0], *value[1:]]), kind(rows), kind(rows[:-1]))
