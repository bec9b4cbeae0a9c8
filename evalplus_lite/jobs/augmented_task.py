"""Augmentation of one task: its suite grows until it has enough inputs."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from evalplus_lite.errors import (
    CodecError,
    ContractError,
    InputError,
    ReferenceSolutionError,
    UnusableTask,
)
from evalplus_lite.execution.base import Row, Work, WorkerContext
from evalplus_lite.execution.records import from_row, from_rows, to_row
from evalplus_lite.generate.domains.constants import Constants, examples
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.layout import Layout
from evalplus_lite.generate.domains.promises import Promise
from evalplus_lite.generate.engine.call_sequences import Proposer, SequenceGenerator
from evalplus_lite.generate.engine.generator import AdaptedGenerator, CodeTexts, Generator
from evalplus_lite.generate.engine.guaranteed import at_open_places, probes
from evalplus_lite.generate.engine.pool import NEAR_EXAMPLES, Mix
from evalplus_lite.generate.engine.scale import LARGE, MOST, Rung, weight
from evalplus_lite.grading.evidence import (
    blamed,
    notes,
    own_refused,
    recorded,
    require_check,
    sentence,
    weighed,
)
from evalplus_lite.grading.null import require_effect
from evalplus_lite.grading.oracle import UNLISTED, Answers, answer
from evalplus_lite.grading.screens import FreeOrders, KnownRaises, SizeLimits
from evalplus_lite.grading.subsets import as_stress, joined, relinked, subset
from evalplus_lite.grading.times import reference_steps
from evalplus_lite.jobs.consensus import UNANSWERED
from evalplus_lite.jobs.expected import staged
from evalplus_lite.programs import definitions
from evalplus_lite.reduction.decisions import REFERENCE_LIMITS, decisions, test_outcomes
from evalplus_lite.reduction.kills import Kills, KillSuite
from evalplus_lite.reduction.survivors import unreached
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.guest_programs import TIES
from evalplus_lite.sandbox.steps import Meter, StepBudget
from evalplus_lite.store.opening import size_of
from evalplus_lite.store.writing import packed_row
from evalplus_lite.tasks.assertions import with_stated_contract
from evalplus_lite.tasks.call_sequences import with_sequences
from evalplus_lite.tasks.contracts import parse, shown, violations
from evalplus_lite.tasks.harnesses import has_documented, marked
from evalplus_lite.tasks.stated_constraints import StatedConstraints
from evalplus_lite.tasks.suite_file import suite_row
from evalplus_lite.tasks.texts.forms import SCALES, Drawing, Form, TextForm, Unfit
from evalplus_lite.tasks.texts.grammar import GrammarError
from evalplus_lite.tasks.texts.inference import text_form, values_of
from evalplus_lite.tasks.texts.input_format import ConstrainedForm
from evalplus_lite.types import Case, Returned, Suite, Task, Value
from evalplus_lite.values import wire

# The budget for one task.

GROWTH = 4
"""Growth factor of batches. Small ones teach the generator early, but each costs three processes,
whatever its size."""
STEPS, STEPS_AN_INPUT = 20_000_000, 10_000
"""Steps that all new inputs of a task may cost the reference together."""
LADDERS = 3
"""An additional 1/n of that budget measures how large inputs can get."""
MOST_PROPOSED = 8
"""Maximum batch size, as a multiple of the requested inputs, if few are valid."""
MAX_IDLE_BATCHES = 4
"""Batches without a single new valid input after which a task is done."""
MOST_SLOW = 8
"""Slow inputs after which a batch is given up."""
LIMITS = Limits(cpu=0.5, load=10.0)
MOST_STEPS, MOST_LADDER_STEPS = 10_000_000, 4_000_000
"""Maximum steps of the reference for one input, and for one of a ladder. The shares of the budget
are lower up to 18,000 and 1,600 requested inputs."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget for a task.

    ``inputs``: new cases requested. ``batch``: the size of the first batch, and of one after slow
    inputs; others may be ``GROWTH`` times as large as the one before. ``doubtful``: keep as tests
    inputs that violate a likely but unconfirmed constraint.
    """

    inputs: int = 1000
    batch: int = 250
    doubtful: bool = False

    def step_budget(self, *, of_ladders: bool = False) -> StepBudget:
        """Return the reference's step budget for all inputs that are tried."""
        total = STEPS + STEPS_AN_INPUT * self.inputs
        if not of_ladders:
            return StepBudget(total, MOST_STEPS)
        return StepBudget(total // LADDERS, MOST_LADDER_STEPS, shares=LADDERS)


# Input texts of whole programs: their form, a generator for it, and a task's own generator.

MOST_RANDOM = 120
"""Number of random inputs drawn from the form of a task's texts, as candidates."""
DRAWS = 4
"""Texts drawn at each scale."""
DRAW_LIMITS = Limits(cpu=2.0, load=5.0)
IN_FORM = re.compile(
    r"\b(?:expressions?|lines?|inputs?|texts?|formulas?|brackets|files?|rows?|entries|commands?)\b"
    r".*\b(?:valid|well-formed|correct)\b|\bdecimals?\b",
    re.I,
)
"""A statement that texts are well-formed, rather than that their content makes sense."""


@dataclass(frozen=True, slots=True)
class TextValues:
    """Maps a case's input text to its values: an ``ArgumentForm`` for an ``AdaptedGenerator``."""

    form: TextForm

    def values(self, arguments: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return the values in a text; None if it does not match the form."""
        try:
            return self.form.parse(arguments[0])
        except (Unfit, IndexError, AttributeError):
            return None

    def fit(self, values: tuple[Value, ...]) -> tuple[Value, ...] | None:
        """Return changed values made consistent with the form, or None."""
        return self.form.fit(values)

    def written(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the text of values."""
        return (self.form.render(values),)


def text_generator(
    task: Task, base: Sequence[Case], seed: str, seeds: Sequence[Case], *, doubts: bool = True
) -> AdaptedGenerator | None:
    """Return a generator of a task's input texts, None if its inputs are not single texts.

    Only a grammar or a contract limits values; without either, they stay near those of the base
    inputs.
    """
    try:
        form = text_form(task, base)
    except (GrammarError, Unfit) as error:
        raise InputError(f"{task.id}: {error}", remedy="mend its grammar or its inputs") from None
    if form is None or (values := values_of(form, base)) is None:
        return None
    # Values in the text are treated like arguments, with the same domains, filter and mutations.
    constants, is_free = Constants.of_task(task), not task.grammar and task.contract is None
    stated = form.stated if isinstance(form, ConstrainedForm) else None
    # A complete form bounds its values itself; otherwise they stay near those seen.
    if task.grammar or (stated is not None and stated.is_whole):
        input_filter = InputFilter.typed(values, choices=task.constraints)
    else:
        input_filter = InputFilter.of_task(replace(task, base=tuple(map(Case, values))))
    layout = None
    # In a single text, every feature would look like one that all texts share.
    if is_free and not task.generator and doubts and len(base) > 1:
        layout = Layout.of([case.arguments[0] for case in base], known=constants.strings)
    if is_free:
        # Names in an inferred form are not those of the task's text, so its statements cannot be
        # checked, except that texts with a layout are well-formed.
        stated = stated or StatedConstraints.read(task.prompt).kept([])
        unread = [each for each in stated.unread if layout is None or not IN_FORM.search(each)]
        promises = tuple(Promise.read(each, (), values) for each in unread)
        input_filter = replace(input_filter, unread=promises)
    if task.generator or not doubts:  # it shows what inputs may be
        input_filter = input_filter.undoubting()
    return AdaptedGenerator(
        TextValues(form),
        base,
        layout=layout,
        input_filter=input_filter,
        rng=random.Random(seed),
        seeds=seeds,
        sampled=_random(form, base, seed),
        constants=constants,
        mix=NEAR_EXAMPLES if is_free else Mix(),
        is_challenging=True,
        reference=(task.reference, task.entry_point),
    )


def _random(form: TextForm, base: Sequence[Case], seed: str) -> list[Case]:
    """Return inputs drawn at random from a form, alternating small and large ones."""
    if isinstance(form, ConstrainedForm):
        form = form.form
    if not isinstance(form, Form):
        return []
    texts = [case.arguments[0] for case in base]
    # A separate random stream, so that drawing texts does not change the generator's draws.
    drawing = Drawing(form, texts, random.Random(f"{seed}:drawing").random)
    scales = [1 + number % SCALES for number in range(MOST_RANDOM)]
    return [
        Case(values, "generator", None, (f"form, scale {scale}",))
        for scale in scales
        if (values := drawing.draw(scale)) is not None
    ]


def drawn(sandbox: Sandbox, task: Task) -> tuple[list[Case], str]:
    """Return the texts of a task's own generator, and its error if it has one."""
    if not task.generator:
        return [], ""
    # Alternate small and large scales, so that a generator that fails on large ones still yields
    # small texts.
    pairs = [(seed, 1 + seed % SCALES) for seed in range(DRAWS * SCALES)]
    # The generator is untrusted: it runs in the sandbox, and its errors become notes.
    meter = Meter(sandbox, Program(task.generator, "generate"), pairs, DRAW_LIMITS)
    run = meter.run(Inputs.of(pairs), on_outcome=lambda _, outcome: isinstance(outcome, Returned))
    cases: dict[str, Case] = {}
    fault = ""
    for (seed, scale), outcome in zip(pairs, run.outcomes, strict=True):
        if outcome is None:
            continue
        text: object = None
        if isinstance(outcome, Returned):
            with suppress(CodecError):
                # A text is a single value, so anything with parts is rejected undecoded.
                text = wire.decode(outcome.data, most=1)
        if type(text) is str:
            cases.setdefault(text, Case((text,), "generator", None, (f"scale {scale}",)))
        else:
            fault = fault or f"the generator returns no text for ({seed}, {scale}): {outcome}"
    return list(cases.values()), fault


# The result of augmenting a task: its suite, with accepted, dropped and skipped inputs.


@dataclass(frozen=True, slots=True)
class Augmented:
    """A task's suite, and the number of inputs dropped for each cause.

    ``unanswered`` are some of the inputs on which the reference raises or is too slow; ``doubts``
    are the reasons why stress cases are doubtful: they violate what all examples seem to share.
    """

    suite: Suite
    dropped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    unanswered: tuple[Case, ...] = ()
    unreached: str = ""
    """The parts of the reference that no case runs."""
    doubts: tuple[str, ...] = ()


# The start of augmentation: answers to a task's base cases, and a generator that has seen them.

BASE_LIMITS = Limits(cpu=20.0, load=10.0)
SHAPES = ("size", "rectangular", "square", "record")
RESHAPED = 40  # inputs of other shapes, per base case, on which to test a contract
SAMPLED = 16  # values from Hypothesis, which cost several times as much as our own


def base_answers(sandbox: Sandbox, task: Task) -> tuple[Answers, list[str]]:
    """Return the usable base cases, and notes on them; raise UnusableTask if there are none."""
    # A list of right answers covers only existing inputs, so new ones could not be judged.
    if task.rule.kind == "any":
        raise UnusableTask(task.id, "expected", f"{UNLISTED}: let a contract's check decide")
    # The task's own inputs are trusted: if the contract rejects one, that is only noted.
    refused = own_refused(sandbox, task)
    base = answer(
        sandbox, task, task.base, base_count=len(task.base), limits=BASE_LIMITS, contract=False
    )
    lines = notes(weighed(task, base))
    require_check(sandbox, task, base.suite)
    require_effect(sandbox, task, base.suite)
    if refused:
        lines.append(f"{len(refused)} base inputs are kept though {sentence(refused[0])}")
    return base, lines


def in_sequences(sandbox: Sandbox, task: Task) -> Task:
    """Convert a task of unit tests to call sequences, taken from passing tests.

    Other tasks, and those with a test that calls alone cannot replace, are returned unchanged.
    """
    if task.harness.kind != "unittest":
        return task
    passed, _ = base_answers(sandbox, task)
    read = with_sequences(replace(task, base=passed.suite.cases))
    if read is None:
        return task
    usable = answer(sandbox, read, read.base, base_count=len(read.base), limits=BASE_LIMITS)
    return task if usable.dropped else read


def generator_of(
    sandbox: Sandbox,
    task: Task,
    base: Sequence[Case],
    seed: int,
    seeds: Sequence[Case],
    *,
    is_own: bool,
    doubts: bool = True,
) -> Proposer:
    """Return a generator that has seen these base cases; ``seeds`` are proposed first.

    ``is_own``: the contract was written for the task, and is the only limit. Without ``doubts``
    no input counts as doubtful.
    """
    # Only seed and id: a suite must not depend on the other tasks, or on the worker that computes
    # it.
    name = f"{seed}:{task.id}"
    if (texts := text_generator(task, base, name, seeds, doubts=doubts)) is not None:
        return texts
    from evalplus_lite.generate.strategies import sampled  # a third of a second, not for --help

    constants = Constants.of_task(task)
    # Classes are tested by calls, so there are no arguments to infer a domain from.
    if task.harness.kind in ("sequence", "unittest"):  # tests have no arguments to change
        sequences = SequenceGenerator(
            base if task.harness.kind == "sequence" else (),
            owner=task.defined,
            rng=random.Random(name),
            methods=definitions.methods(task.reference, task.defined),
            constants=constants,
            reference=task.reference,
            prompt=task.prompt,
            is_documented=has_documented(task),
        )
        sequences.plant(seeds)
        return sequences
    # A contract written for the task decides: shapes that it does not require are free.
    seen = replace(task, base=tuple(base))
    if is_own:
        seen = _with_constraints(seen, dict.fromkeys(_free_shapes(sandbox, seen), False))
    code = CodeTexts(task.harness.code, base) if task.harness.code else None
    if code is not None:  # the filter treats it like the generator
        numbered = (replace(case, arguments=code.values(case.arguments)) for case in base)
        seen = replace(seen, base=tuple(numbered))
    input_filter = InputFilter.of_task(seen, is_own=is_own)
    if code is not None:
        input_filter = code.unrelated(input_filter)
    if not doubts:
        input_filter = input_filter.undoubting()
    # Cases of classes begin with constructor arguments, which calls in a prompt lack.
    calls = examples(task.prompt, task.entry_point) if not task.harness.constructed else []
    first = [Case(each, "docstring") for each in calls]
    make: Callable[..., Proposer] = Generator if code is None else partial(AdaptedGenerator, code)
    return make(
        base,
        input_filter=input_filter,
        rng=random.Random(name),
        seeds=[*first, *seeds],
        sampled=sampled(input_filter, count=SAMPLED, seed=name),
        constants=constants,
        mix=Mix() if task.contract else NEAR_EXAMPLES,
        is_challenging=True,
        reference=(task.reference, task.entry_point),
    )


def _free_shapes(sandbox: Sandbox, task: Task) -> list[str]:
    """Return the inferred shape constraints that the contract does not require.

    Rows need not have three cells just because they do in all examples.
    """
    shapes = [
        each.name
        for each in InputFilter.of_task(task, is_own=True).constraints
        if each.is_on and not each.is_chosen and each.name.rpartition(".")[2] in SHAPES
    ]
    if not shapes or task.contract is None:
        return []
    # Inputs of other shapes are checked by the contract. A constraint is free if it would exclude
    # some that the contract allows.
    others = [
        Case((*case.arguments[:place], other, *case.arguments[place + 1 :]))
        for case in task.base
        for place, value in enumerate(case.arguments)
        for other in islice(_reshaped(value), RESHAPED)
    ]
    refused = violations(sandbox, task.contract, others)
    allowed = [case for case, why in zip(others, refused, strict=True) if why is None]

    def admitted(on: str = "") -> int:
        off = {name: False for name in shapes if name != on}
        input_filter = InputFilter.of_task(_with_constraints(task, off), is_own=True)
        return sum(input_filter.admits(case.arguments) for case in allowed)

    # Compare each shape constraint alone with none at all.
    possible = admitted()
    return [name for name in shapes if admitted(name) < possible]


def _with_constraints(task: Task, choices: Mapping[str, bool]) -> Task:
    """Return a task for which these inferred constraints are chosen, unless its author did."""
    return replace(task, constraints={**choices, **task.constraints})


def _reshaped(value: Value) -> Iterator[Value]:
    """Yield a container shortened, lengthened and reversed; the same for its first row, and all."""
    if not isinstance(value, list | tuple) or not value:
        return
    kind = type(value)
    yield from (value[:-1], kind([*value, value[-1]]), value[::-1])
    for rows in zip(*map(_reshaped, value), strict=False):
        yield from (kind([rows[0], *value[1:]]), kind(rows), kind(rows[:-1]))


# Screens: checks of answered inputs, set up once from the base cases, which are never screened.

LONGEST_ANSWER = 1 << 15
"""Bytes, in wire form, of the expected output of a generated input."""
DOUBTFUL = "doubtful: "
"""The start of a stress case's reason if the input may not even be valid."""
_SAID_OF_TIES = re.compile(
    r"\b(?:ties?|tied|equal\w*|same)\b[^.]{0,200}\b(?:first|earlier|last|later|order|alphabetical\w*)\b"
    r"|\b(?:comes|come|occurs|appears?|stands?) first\b|order of (?:first )?appearance"
    r"|\b(?:original|input) order\b|\bstable\b",
    re.I,
)
"""Phrases about equal elements in a prompt, which make their order part of the task."""


class Screens:
    """The screens of a task's new inputs, by the base cases of a suite.

    Each takes answers and the generator of their inputs, and returns a reason for each position
    that it rejects.
    """

    def __init__(self, sandbox: Sandbox, task: Task, base: Suite, budget: Budget) -> None:
        self.sandbox, self.task, self.base = sandbox, task, base
        self.marked = marked(task)
        self.raises = KnownRaises.of(task, base)
        if self.marked and self.raises.is_for:  # those that the prompt names, of any method
            methods = {call[0] for case in task.base for call in case.arguments}
            named = {(each, name) for each in methods for name in task.harness.exceptions}
            self.raises = replace(self.raises, found=self.raises.found | named)
        orders = FreeOrders.of(sandbox, task, base)
        is_said = _SAID_OF_TIES.search(task.prompt) is not None
        ways = tuple(way for way in orders.ways if not (is_said and way in TIES))
        self.orders = replace(orders, ways=ways)
        self.size_limits = SizeLimits.of(sandbox, task)
        self.none_is_odd = (
            task.contract is None
            and not budget.doubtful
            and not re.search(r"\bNone\b|\bnull\b|nothing", task.prompt)
            and wire.encode(None) not in base.expected
        )

    def unforeseen(self, answers: Answers, _: Proposer) -> dict[int, str]:
        """Reject exceptions that neither a base case nor the prompt has."""
        places = self.raises.foreseen(answers.suite)

        def is_raising(n: int) -> bool:
            value = wire.decode(answers.suite.expected[n])  # or the results of several calls
            return any(map(_is_exception, value if type(value) is list else [value]))

        accepted = {*places}
        if self.marked and (raising := list(filter(is_raising, places))):
            # Answered before, and valid by the contract: only inputs that raise are run again.
            again = answer(
                self.sandbox,
                self.marked,
                [answers.suite.cases[n] for n in raising],
                base_count=0,
                limits=LIMITS,
                twice=False,
                contract=False,
            )
            accepted -= {*raising} - {raising[n] for n in again.kept}
        return {n: "raises" for n in range(len(answers.kept)) if n not in accepted}

    def long(self, answers: Answers, _: Proposer) -> dict[int, str]:
        """Reject very long answers, a few of which would fill the suite file."""
        # Sizes are uncompressed; a packed answer knows its own.
        sizes = enumerate(map(size_of, answers.suite.blobs.items()))
        return {n: f"{size} bytes" for n, size in sizes if size > LONGEST_ANSWER}

    def tied(self, answers: Answers, _: Proposer) -> dict[int, str]:
        """Reject inputs on which a right program may give another answer."""
        return self.orders.other(self.sandbox, answers.suite)

    def doubtful(self, answers: Answers, generator: Proposer) -> dict[int, str]:
        """Reject inputs that may not be valid, without a contract to decide."""
        reasons = {}
        for n, (case, data) in enumerate(
            zip(answers.suite.cases, answers.suite.expected, strict=True)
        ):
            why = generator.doubt(case)
            if why and not self._is_documented(case, data, generator):
                reasons[n] = DOUBTFUL + why
            # A reference that falls through to None was not meant for that input.
            elif self.none_is_odd and data == wire.encode(None):
                reasons[n] = f"{DOUBTFUL}the reference returns None, as for no example"
        return reasons

    def excessive(self, answers: Answers, _: Proposer) -> dict[int, str]:
        """Reject inputs that a right but naive program may not survive."""
        reasons = self.size_limits.demands(answers.suite.cases, answers.steps)
        return {n: reason for n, reason in enumerate(reasons) if reason}

    def _is_documented(self, case: Case, expected: bytes, generator: Proposer) -> bool:
        """Return whether every unusual part of a case raises, as the prompt documents."""
        if self.marked is None:
            return False
        value = wire.decode(expected)
        if not isinstance(generator, SequenceGenerator):
            return _is_exception(value)
        return all(_is_exception(value[at]) for at in generator.unusual(case))


def _is_exception(value: Value) -> bool:
    return type(value) is dict and value.keys() == {"raised"}


Screen: TypeAlias = Callable[[Screens, Answers, Proposer], dict[int, str]]
DROPPING: Mapping[str, Screen] = {
    "large": Screens.long,
    "raises": Screens.unforeseen,
    "tie": Screens.tied,
}
"""Screens whose rejected inputs are dropped, by the cause. Cheap ones come first: ties run the
reference on reordered inputs."""
STRESS: Mapping[str, Screen] = {"doubtful": Screens.doubtful, "excessive": Screens.excessive}
"""Screens whose rejected inputs become stress cases. Doubt comes first, as the stronger reason."""
SCREENS = {**DROPPING, **STRESS}


# A growing suite, batch by batch: propose, answer, screen, keep, and report to the generator.

ROUNDS = 6
"""Runs of the reference on ladders; each ends with the first slow input, which ends its ladder."""
MOST_TOPS = 6
"""Maximum number of a task's stress cases from ladders, the largest of each dimension."""
HEAVIEST = 25_000
"""Maximum number of characters and elements in a stress case."""
MOST_UNANSWERED = 10
MOST_STRESS = 40  # maximum number of a task's stress cases, apart from those of ladders
PROBED = 12  # at most one input in this many comes from measuring sizes
MOST_CROSSING = 6
"""Maximum number of inputs beyond a constraint to keep for a new outcome of a decision."""
SLOW = ("slow", "memory", "crashes")


class TaskAugmentation:
    """A task's growing suite: the base cases of ``screens``, then new ones."""

    def __init__(self, screens: Screens, generator: Proposer, budget: Budget) -> None:
        self.screens, self.generator, self.budget = screens, generator, budget
        self.sandbox, self.task = screens.sandbox, screens.task
        self.suites = [screens.base]
        self.stress: list[Suite] = []
        self.tops: list[Suite] = []
        self.beyond: list[Suite] = []
        self.apart: list[Case] = []
        self.unanswered: list[Case] = []
        self.notes: list[str] = []
        # Counters, in steps rather than seconds, so that they are equal on every machine.
        self.step_budget = budget.step_budget()
        self.dropped: Counter[str] = Counter()
        self.new = self.idle = self.proposed = 0
        self.size = budget.batch

    def probe(self) -> None:
        """Measure how large inputs can get; keep answered inputs, up to a share of the budget.

        Ladders of growing inputs set the generator's limits, which it must know before it proposes
        inputs. Moderate rungs are cases. Of those too large for a test, only the top of each ladder
        becomes a stress case.
        """
        if not self.budget.inputs:
            return
        step_budget = self.budget.step_budget(of_ladders=True)
        scales, steps = self.generator.scales, list[int]()
        left = self.generator.ladder(self.screens.base.cases)
        suites = [Suite(self.task.id, (), (), 0)]
        rungs: list[Rung] = []
        # Each round runs all remaining rungs; a slow one ends its ladder, and the other ladders are
        # tried again. The contract is only checked in the first round, which has all rungs of the
        # later ones.
        for turn in range(ROUNDS):
            if not left:
                break
            answers = answer(
                self.sandbox,
                self.task,
                [rung.case for rung in left],
                base_count=0,
                limits=Limits(load=10.0),
                contract=not turn,
                max_failures=1,
                step_budget=step_budget,
            )
            suites.append(answers.suite)
            steps += answers.steps
            rungs += [left[at] for at in answers.kept]
            causes = {id(drop.case): drop.cause for drop in answers.dropped}
            # The cost of each rung later shows which sizes the remaining steps can pay for.
            for at, taken in zip(answers.kept, answers.steps, strict=True):
                scales.ranges[left[at].dimension].charge(left[at].level, taken)
            for rung in left:
                cause = causes.get(id(rung.case))
                # A rung that was not reached in this round is tried in the next, unless its ladder
                # has ended with a slow rung meanwhile.
                if cause != "budget":
                    size_range = scales.ranges[rung.dimension]
                    size_range.learn(rung.level, accepted=cause is None, slow=cause in SLOW)
                    self.dropped.update([cause] if cause else [])
            left = [
                rung
                for rung in left
                if causes.get(id(rung.case)) == "budget" and not scales.is_beyond(rung)
            ]
        # Only after the last round: a dimension without a slow rung was limited by the contract, or
        # is unlimited.
        scales.settle()
        suite = joined(suites, {})
        top: dict[object, int] = {}
        for rung in rungs:
            top[rung.dimension] = max(top.get(rung.dimension, 0), rung.level)
        moderate = [at for at, rung in enumerate(rungs) if rung.size <= MOST[rung.dimension.way]]
        stress = {
            at: rung.dimension.way
            for at, rung in reversed(list(enumerate(rungs)))
            if rung.size > MOST[rung.dimension.way]
            and rung.level == top[rung.dimension]
            and weight(rung.case.arguments) <= HEAVIEST
        }
        tops = as_stress(suite, dict(islice(stress.items(), MOST_TOPS)))
        self.tops = [self._screened(Answers.of(tops), DROPPING).suite]
        # The last cases are the highest rungs, which are the most useful ones.
        answers = replace(Answers.of(suite), steps=tuple(steps))
        most = self.budget.inputs // PROBED
        self._keep(self._screened(answers.only(moderate[max(0, len(moderate) - most) :])).suite)

    def mix_types(self) -> None:
        """Keep a few inputs of types that no example has, if contract and reference accept them.

        Without a contract there are none, because nothing shows that such values are allowed.
        """
        most = self.budget.inputs // PROBED
        if not (most and self.task.contract and isinstance(self.generator, Generator)):
            return
        # A contract may only check answers, and say nothing about inputs.
        if not parse(self.task.contract).has_precondition:
            return
        tried = probes([case.arguments for case in self.screens.base.cases])
        answers = self._answered(
            [Case(each.arguments, "foreign", None, (each.kind.__name__,)) for each in tried]
        )
        # Rejected values are not inputs, so they are not counted.
        places = {at: place for place, at in enumerate(answers.kept)}
        chosen = [places[at] for at in at_open_places(tried, answers.kept)]
        answers = self._screened(answers.only(chosen))
        self._keep(answers.only(range(min(most, len(answers.kept)))).suite)

    def grow(self, inputs: int) -> None:
        """Propose batches and keep the usable inputs, until there are as many new ones."""
        while (missing := inputs - self.new) > 0 and self.idle < MAX_IDLE_BATCHES:
            self.generator.scales.affordable = self.step_budget.next_share
            # Enough for the missing number at the acceptance rate so far, smoothed by 20 imaginary
            # accepted proposals; the margin of 3 % plus five avoids another batch for a few inputs.
            expected = int(missing * 1.03 * (self.proposed + 20) / (self.new + 20)) + 5
            most = max(self.budget.batch, MOST_PROPOSED * self.budget.inputs)
            batch = self.generator.propose(min(self.size, expected, most))
            if not batch:
                return
            self.proposed += len(batch)
            answers = self._answered(batch)
            self.dropped.update(answers.causes)
            failed = [drop.case for drop in answers.dropped if drop.cause in UNANSWERED]
            self.unanswered.extend(failed[: MOST_UNANSWERED - len(self.unanswered)])
            # The generator counts parents by their position in the suite so far.
            answers = self._screened(answers)
            answers = answers.only(range(min(missing, len(answers.kept))))
            chosen = tuple(batch[number] for number in answers.kept)
            # Slow inputs are fed back, too, because they lower the limits of the next batch.
            slow = [drop.case for drop in answers.dropped if drop.cause in SLOW]
            self._keep(replace(answers.suite, cases=chosen), slow)
            self.idle = 0 if chosen else self.idle + 1
            # After slow inputs, return to small batches, which teach the generator sooner
            # (``GROWTH``).
            self.size = self.budget.batch if slow else GROWTH * self.size

    def _answered(self, cases: Sequence[Case]) -> Answers:
        return answer(
            self.sandbox,
            self.task,
            cases,
            base_count=0,
            limits=LIMITS,
            max_failures=MOST_SLOW,
            step_budget=self.step_budget,
        )

    def _screened(self, answers: Answers, screens: Mapping[str, Screen] = SCREENS) -> Answers:
        """Return the answers that pass every screen; count the others, or keep them as stress."""
        cases, places = answers.suite.cases, list(range(len(answers.kept)))
        stress: dict[int, str] = {}
        for name, screen in screens.items():
            reasons = screen(self.screens, answers.only(places), self.generator)
            rejected = {places[n]: reason for n, reason in sorted(reasons.items())}
            # The first tie of a task is shown as an example; all are counted.
            if name == "tie" and rejected and not self.dropped["tie"]:
                first, both = next(iter(rejected.items()))
                line = f"inputs with several right answers are left out: {both}"
                self.notes.append(f"{line}, on input {shown(cases[first])}")
            # Inputs that are too demanding are reported, so that later ones are smaller.
            if name in STRESS or name == "large":
                self.apart += [cases[n] for n in rejected]
            if name in STRESS:
                stress |= rejected
            else:
                self.dropped[name] += len(rejected)
            places = [n for n in places if n not in rejected]
        # To keep suite files small, stress cases beyond the bound are dropped.
        room = MOST_STRESS - sum(len(suite.cases) for suite in self.stress)
        self.stress.append(as_stress(answers.suite, stress, most=room))
        return answers.only(places)

    def _keep(self, suite: Suite, slow: Sequence[Case] = ()) -> None:
        """Append answered cases, and report them to the generator."""
        # Each set-aside case is reported to the generator once.
        apart, self.apart = self.apart, []
        self.generator.feedback(suite.cases, slow=slow, apart=apart)
        self.suites.append(suite)
        self.new += len(suite.cases)

    def cross_limits(self, most: int, seed: int) -> None:
        """Keep some inputs beyond an inferred constraint that the reference treats differently.

        If a decision of the reference has one outcome for all inputs so far, its author expected
        other inputs. Inputs with the second outcome may violate one constraint that is not stated.
        """
        if not most:
            return
        try:
            seen = self._outcomes(joined(self.suites, {}).cases)
            missing = test_outcomes(Program.of(self.task)) - seen.keys()
        except ReferenceSolutionError:  # too large to analyze, although it loads
            return
        if not missing:
            return
        constraints = self.generator.input_filter.constraints
        names = [each.name for each in constraints if not (each.is_chosen or each.is_stated)]
        base = self.screens.base
        try:
            wide = _with_constraints(self.task, dict.fromkeys(names, False))
            generator = generator_of(
                self.sandbox, wide, base.cases, seed, (), is_own=False, doubts=False
            )
        except InputError:  # a constraint that exists only because of another one
            return
        # The same steps with a generator that has no constraints.
        free = TaskAugmentation(self.screens, generator, self.budget)
        free.grow(self.budget.inputs)
        suite = joined(free.suites, {})
        outcomes = self._outcomes(suite.cases)
        each_off = (_with_constraints(self.task, {name: False}) for name in names)
        filters = list(map(InputFilter.of_task, each_off))

        def is_near(at: int) -> bool:
            arguments = suite.cases[at].arguments
            return any(each.admits(arguments) and not each.doubt(arguments) for each in filters)

        chosen: set[int] = set()
        for outcome in sorted(missing & outcomes.keys()):
            places = [
                at for at in range(base.base_count, len(suite.cases)) if outcomes[outcome] >> at & 1
            ]
            places.sort(key=lambda at: (weight(suite.cases[at].arguments), at))
            chosen.update(islice(filter(is_near, places), MOST_CROSSING))
        part = subset(suite, sorted(chosen)[:most])
        crossing = tuple(Case(each.arguments, "branch") for each in part.cases)
        self.beyond = [replace(part, cases=crossing)]
        self.new += len(crossing)

    def _outcomes(self, cases: Sequence[Case]) -> dict[str, int]:
        """Return the outcomes of the reference's decisions, each with the bitset of its cases."""
        inputs = Inputs.of(case.arguments for case in cases)
        return decisions(self.sandbox, Program.of(self.task), inputs, REFERENCE_LIMITS)

    def finish(self, seed: int, notes: Sequence[str]) -> Augmented:
        """Return the suite with the accepted, dropped, and set-aside inputs."""
        # ``beyond`` comes last, because the generator never saw these and counts parents without.
        suite = joined([*self.suites, *self.beyond], self._provenance(seed))
        # Among new cases, large ones come last: cheap cases decide first, and a program that fails
        # is not run on the rest.
        places = sorted(
            range(len(suite.cases)),
            key=lambda at: at >= suite.base_count and weight(suite.cases[at].arguments) > LARGE,
        )
        suite = subset(suite, places)
        suite = replace(suite, cases=relinked(suite.cases, places))
        # Stress cases form a separate suite, whose verdict no score counts.
        stress = joined([*self.stress, *self.tops, Suite(self.task.id, (), (), 0)], {})
        reasons = [case.reason for case in stress.cases]
        return Augmented(
            replace(suite, stress=stress if stress.cases else None),
            dict(sorted((+self.dropped).items())),
            (*notes, *self.notes),
            tuple(self.unanswered),
            unreached(self.sandbox, self.task, suite) if self.budget.inputs else "",
            tuple(each.removeprefix(DOUBTFUL) for each in reasons if each.startswith(DOUBTFUL)),
        )

    def _provenance(self, seed: int) -> dict[str, Any]:
        """Return the limits on the inputs: their number, sizes, and cost to the reference."""
        budget, steps = self.budget, self.step_budget
        # If the steps are used up, that is the reason, even if it also made batches empty.
        if self.new >= budget.inputs:
            end = "inputs"
        elif not steps.left:
            end = "steps"
        else:
            end = "patience" if self.idle >= MAX_IDLE_BATCHES else "space"
        constraints = self.generator.input_filter.constraints
        return {
            "seed": seed,
            "inputs": budget.inputs,
            "constraints": [constraint.to_json() for constraint in constraints],
            "bounds": {
                "kept": self.new,
                "proposed": self.proposed,
                "end": end,
                "steps": {"spent": steps.spent, "of": steps.total, "next": steps.next_share},
                "dropped": dict(sorted((+self.dropped).items())),
                "sizes": self.generator.scales.facts(),
            },
        }


def augment_task(
    sandbox: Sandbox, task: Task, *, seed: int, budget: Budget, seeds: Sequence[Case] = ()
) -> Augmented:
    """Return the task's base cases and new ones, with the reference's answers.

    A base case that the contract rejects is kept and noted; one that the reference cannot answer is
    dropped and noted. A task without a contract uses the assertions in its row. Raises UnusableTask
    if no case is left, or if the reference or contract fails.
    """
    # 1. The contract: the task's own, or one made from the assertions in its row.
    own, task = task.contract, with_stated_contract(task)
    is_own = own is not None and task.contract == own
    # 2. Base cases, which are trusted: they are answered first.
    base, lines = base_answers(sandbox, task)
    # 3. The generator, which learns from the base cases what inputs look like. Seeds of the task's
    # own generator come before a model's.
    cases, fault = drawn(sandbox, task)
    seeds = [*cases, *seeds]
    generator = generator_of(
        sandbox, task, base.suite.cases, seed, seeds, is_own=is_own, doubts=not budget.doubtful
    )
    # 4. New inputs: ladders, other types, then batches. If limits are inferred, a share is reserved
    # for inputs beyond them; ordinary ones get the rest of it.
    growing = TaskAugmentation(Screens(sandbox, task, base.suite, budget), generator, budget)
    is_bound = task.contract is not None or budget.doubtful or not isinstance(generator, Generator)
    reserved = 0 if is_bound else budget.inputs // PROBED
    growing.probe()
    growing.mix_types()
    growing.grow(budget.inputs - reserved)
    growing.cross_limits(reserved, seed)
    growing.grow(budget.inputs)
    return growing.finish(seed, [*lines, *([fault] if fault else [])])


def pool_kills(
    sandbox: Sandbox, task: Task, programs: Sequence[str], *, seed: int, budget: Budget
) -> tuple[Sequence[Case], list[Kills]]:
    """Return a pool of inputs for a task, and the inputs that reject each program.

    Both are empty if no input can be generated.
    """
    try:
        with blamed(task):
            pool = augment_task(sandbox, task, seed=seed, budget=budget).suite
            steps = reference_steps(sandbox, task, pool.cases)
            suite = KillSuite.of_mutants(sandbox, task, pool, steps)
    except UnusableTask:
        return (), []
    return pool.cases, list(suite.kills(sandbox, programs))


def augmenting(context: WorkerContext, settings: Row) -> Work:
    """Return the facts and suite row of (staged task, seeds, a model's contract or "").

    ``settings`` are (seed, budget). Without a suite they are None and the unusable task's (id,
    cause, detail). A model's contract that spoils its task is dropped: ``no_contract`` says why.
    """
    seed, budget = settings[0], from_row(Budget, settings[1])

    def augmented(task: Task, seeds: Sequence[Case]) -> tuple[Task, Augmented]:
        with blamed(task):
            # Unit tests become call sequences here, where a sandbox can run them.
            task = in_sequences(context.sandbox, task)
            result = augment_task(context.sandbox, task, seed=seed, budget=budget, seeds=seeds)
        return task, result

    def drafted(task: Task, seeds: Sequence[Case]) -> tuple[Task, Augmented]:
        task, result = augmented(task, seeds)
        if budget.inputs and len(result.suite.cases) == result.suite.base_count:
            raise UnusableTask(task.id, "contract", "it accepts no new input")
        return task, result

    def work(item: Row) -> Row:
        ref, rows, contract = item
        plain, _ = staged(context, ref)
        seeds, more = from_rows(Case, rows), {"contract": contract} if contract else {}
        try:
            try:
                make = drafted if contract else augmented
                task, result = make(replace(plain, contract=contract or plain.contract), seeds)
            except UnusableTask as error:
                if not contract:
                    raise
                more = {"no_contract": f"contract: {error}"}
                task, result = augmented(plain, seeds)
        except UnusableTask as error:
            return None, to_row(recorded(error))
        suite = result.suite
        sources = Counter(case.source for case in suite.cases)
        facts = {
            "task_id": task.id,
            "base_count": suite.base_count,
            "count": len(suite.cases),
            "stress": len(suite.stress.cases) if suite.stress else 0,
            "doubtful": len(result.doubts),
            "doubt": result.doubts[0] if result.doubts else "",
            "provenance": dict(suite.provenance),
            "sources": dict(sorted(sources.items())),
            "dropped": dict(result.dropped),
            "notes": list(result.notes),
            "unreached": result.unreached,
            **more,
        }
        # A packed row of the suite file, because the parent does not read cases.
        return facts, packed_row(suite_row(task, suite))

    return work


def refusing(context: WorkerContext, _: Row) -> Work:
    """Return for each input of (contract, inputs) None, or (reason, is faulty) of a rejection."""

    def refuse(item: Row) -> Row:
        contract, inputs = item
        try:
            reasons = violations(context.sandbox, contract, [*map(Case, inputs)])
        except ContractError as error:
            return [(str(error), True)] * len(inputs)
        return [each and (each.reason, each.faulty) for each in reasons]

    return refuse
