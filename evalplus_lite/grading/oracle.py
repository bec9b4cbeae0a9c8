"""Expected outputs: run the reference twice, in different processes, hash seeds and orders.

An input whose answer is not reproducible, not a plain value, or too slow cannot be a test. It is
dropped, and counted by cause.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.errors import ReferenceSolutionError, UnusableTask
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.reference_runs import (
    CAUSES,
    FirstRun,
    SecondRun,
    expecting,
    is_tested,
    marked,
    shown_answer,
    upheld,
    weak,
    whole_tests,
)
from evalplus_lite.grading.stability import agrees, deranged
from evalplus_lite.grading.subsets import relinked, subset
from evalplus_lite.sandbox import Expected, Inputs, Limits, Program, RaiseLimit, Sandbox
from evalplus_lite.sandbox.steps import Meter, StepBudget, run_budgeted
from evalplus_lite.store.opening import Blob, Blobs, unpacked
from evalplus_lite.tasks.contracts import (
    accepts,
    as_text,
    has_check,
    run_check,
    violations,
)
from evalplus_lite.types import (
    Case,
    Cause,
    Outcome,
    Raised,
    Returned,
    Suite,
    Task,
    TimedOut,
    VerdictName,
    clip,
)

# Whether a task's other programs, all assumed to be right, give the same answers.

CONTRADICTS: frozenset[VerdictName | None] = frozenset({"fail", "error", "unrepresentable"})


def contradicted(sandbox: Sandbox, task: Task, suite: Suite) -> dict[int, str]:
    """Return the positions of cases that one of the task's programs contradicts, each with a line.
    A program that is too slow or large on a case does not count there."""
    details: dict[int, str] = {}
    if not suite.cases:
        return details
    prepared = PreparedSuite.by_steps(task, suite)
    # By steps, because dropping cases here decides the content of a suite file.
    for number, source in enumerate(task.programs, 1):
        verdict = evaluate_program(sandbox, prepared, source, details=True)
        for place, name in enumerate(verdict.details or ()):
            if name in CONTRADICTS:
                details.setdefault(place, f"number {number} of its programs answers otherwise")
    return details


OTHER_HASH_SEED = 1
NO_REFERENCE = "it has no reference"
# Maximum runs after the first; answers that still change then are unstable.
ROUNDS = 4
UNLISTED = "which answers are right is listed for the task's own inputs only"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A case that cannot be a test, with the cause and a readable line of detail."""

    case: Case
    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Answers:
    """A suite of the cases that the reference answers, and the dropped cases."""

    suite: Suite
    dropped: tuple[Dropped, ...]
    kept: tuple[int, ...]
    """The positions of the accepted cases among the given ones."""
    steps: tuple[int, ...] = ()
    """The steps of each accepted case, if they were counted."""

    @classmethod
    def of(cls, suite: Suite) -> Answers:
        """Wrap a suite without dropped cases."""
        return cls(suite, (), tuple(range(len(suite.cases))))

    def only(self, places: Sequence[int]) -> Answers:
        """Restrict the answers to these positions of the suite, keeping the dropped cases."""
        kept = tuple(self.kept[place] for place in places)
        steps = tuple(self.steps[place] for place in places) if self.steps else ()
        return replace(self, suite=subset(self.suite, places), kept=kept, steps=steps)

    @property
    def causes(self) -> dict[str, int]:
        """The numbers of dropped cases by cause."""
        return dict(sorted(Counter(drop.cause for drop in self.dropped).items()))


def answer(
    sandbox: Sandbox,
    task: Task,
    cases: Sequence[Case],
    *,
    base_count: int,
    limits: Limits,
    twice: bool = True,
    contract: bool = True,
    max_failures: int | None = None,
    step_budget: StepBudget | None = None,
) -> Answers:
    """Run the reference on the cases, and return the accepted ones with their answers.

    The first ``base_count`` cases are the task's own. With ``contract`` a case that violates the
    task's precondition is dropped as ``invalid``, and one on which the precondition itself fails as
    ``contract``. With ``twice`` the reference runs again with another hash seed and in another
    order, and must give the same answer (else ``unstable``). After ``max_failures`` slow or
    crashing cases, each of which costs its whole limit, the rest is dropped as ``budget``. With a
    ``step_budget`` the steps of each case are first counted and charged; one over its share is
    ``slow``. An answer that contradicts the task's own output is dropped as ``expected``. Raises
    ReferenceSolutionError if the reference does not load, UnusableTask if there is none.
    """
    if not task.reference:
        raise UnusableTask(task.id, "no reference", NO_REFERENCE)
    dropped: dict[int, Dropped] = {}
    inputs = Inputs.of(case.arguments for case in cases)
    # 1. The contract: on an input that it rejects, the reference may do anything.
    if contract and task.contract is not None:
        reasons = violations(sandbox, task.contract, cases, inputs=inputs)
        for number, violation in enumerate(reasons):
            if violation is not None:
                cause: Cause = "contract" if violation.faulty else "invalid"
                dropped[number] = Dropped(cases[number], cause, clip(violation.reason))
    program = Program.of(task)
    steps: dict[int, int] = {}
    # 2. The step budget, so that expensive inputs are dropped before they are timed.
    if step_budget is not None:
        live, inputs = _live(cases, dropped, inputs)
        counts = run_budgeted(
            sandbox, program, inputs, limits, step_budget, max_failures=max_failures
        )
        for number, count in zip(live, counts, strict=True):
            if isinstance(count, int):
                steps[number] = count
            else:
                dropped[number] = _drop(cases[number], count, "it takes too many steps, or waits")
    # 3. The first run. Later steps only remove cases from its answers.
    live, inputs = _live(cases, dropped, inputs)
    meter = Meter(sandbox, program, [cases[number].arguments for number in live], limits)
    roomy = replace(limits, cpu=10 * meter.allowance.cpu_limit)
    first = FirstRun(task, max_failures, None if step_budget is not None else meter)
    if step_budget is None:
        _run(sandbox, task, inputs, meter.limits, first, raise_limit=meter.raise_limit)
    else:
        _run(sandbox, task, inputs, roomy, first)
    slow = f"more than {meter.allowance.steps:,} steps, or waiting"
    for place, number in enumerate(live):
        if place not in first.answers:
            dropped[number] = _drop(cases[number], first.failed.get(place), slow)
    places, varied = sorted(first.answers), dict[int, bytes]()
    # 4. The second run: an answer that depends on order or hashing is not reproducible.
    if twice:
        # Its steps were within the limit, so be generous: time should not decide here.
        now = {place: cases[live[place]] for place in places}
        for place, detail in _unstable(sandbox, task, now, first.answers, roomy, varied).items():
            dropped[live[place]] = Dropped(now[place], "unstable", detail)
    # 5. Unit tests: the reference must pass them, and null programs must fail.
    if is_tested(task):
        left = {place: cases[live[place]] for place in places if live[place] not in dropped}
        failed = _failed(sandbox, task, left, first.answers, varied, roomy)
        for place, (cause, detail) in failed.items():
            dropped[live[place]] = Dropped(left[place], cause, detail)
    # 6. If the task's own output and the reference's answer agree by the rule, keep the former.
    answers = {live[p]: first.answers[p] for p in places if live[p] not in dropped}
    for number, given in enumerate(task.outputs[:base_count]):
        # In a contradiction, either the reference or the output is wrong. It is unknown which, so
        # drop the case.
        if number in answers and not agrees(answers[number], given, task):
            detail = (
                f"{shown_answer(given)}, the reference answers {shown_answer(answers.pop(number))}"
            )
            dropped[number] = Dropped(cases[number], "expected", detail)
        elif number in answers:
            answers[number] = given
    if task.rule.kind == "any":  # other right answers are known for the task's own inputs only
        for number in [each for each in answers if each >= len(task.outputs)]:
            del answers[number]
            dropped[number] = Dropped(cases[number], "expected", UNLISTED)
    kept = tuple(sorted(answers))
    suite = Suite(
        task.id,
        relinked((cases[number] for number in kept), kept),
        Blobs(answers[number] for number in kept),
        sum(number < base_count for number in kept),
    )
    # 7. The task's other programs, which are assumed to be right, may dispute new inputs.
    if twice and task.programs:
        # Cases with outputs stated by the task cannot be disputed.
        for place, detail in contradicted(sandbox, task, suite).items():
            if kept[place] >= len(task.outputs):
                dropped[kept[place]] = Dropped(cases[kept[place]], "expected", detail)
        places = [place for place, number in enumerate(kept) if number not in dropped]
        kept, suite = tuple(kept[place] for place in places), subset(suite, places)
    counted = tuple(steps[number] for number in kept) if step_budget is not None else ()
    return Answers(suite, tuple(dropped[n] for n in sorted(dropped)), kept, counted)


def _live(
    cases: Sequence[Case], dropped: Collection[int], inputs: Inputs
) -> tuple[list[int], Inputs]:
    """Return the positions of cases that are not dropped, and their encoding; ``inputs`` are those
    of the last call, or all."""
    live = [number for number in range(len(cases)) if number not in dropped]
    if len(live) == len(inputs):
        return live, inputs
    return live, Inputs.of(cases[number].arguments for number in live)


def _unstable(
    sandbox: Sandbox,
    task: Task,
    cases: Mapping[int, Case],
    answers: Mapping[int, Blob],
    limits: Limits,
    varied: dict[int, bytes],
) -> dict[int, str]:
    """Return the cases with another answer in the second run, with the difference.

    The reference runs in another process, with another hash seed, and in an order in which every
    case has moved: a case whose answer depends on earlier calls cannot be a test. If cases are
    lost, the others are run again without them, until the reference repeats all other answers.
    Different results of unit tests are stored in ``varied``.
    """
    other = sandbox.sibling(hash_seed=OTHER_HASH_SEED)
    left, lost = sorted(cases), dict[int, str]()
    # The first round moves every case. Later ones run the rest in the first run's order, without
    # changed cases.
    order = deranged(left)
    for _ in range(ROUNDS):
        second = SecondRun([answers[place] for place in order], task)
        inputs = Inputs.of(cases[place].arguments for place in order)
        _run(other, task, inputs, limits, second, expected=Expected.of(second.expected))
        changed = {
            place: _difference(answers[place], second.other.get(nth))
            for nth, place in enumerate(order)
            if nth not in second.same
        }
        # The check needs both answers in one process, so it runs once for all cases of a round.
        if has_check(task) and not is_tested(task):  # both answers may be right
            rows = (
                (cases[order[nth]], data, unpacked(answers[order[nth]]))
                for nth, data in second.data.items()
            )
            right = map(accepts, run_check(other, task, rows).outcomes)
            for nth, is_right in zip(second.data, right, strict=True):
                if is_right:
                    del changed[order[nth]]
        else:
            for nth, data in second.data.items():
                varied[order[nth]] = data
                del changed[order[nth]]
        lost |= changed
        # A changed case may have affected later ones, so those are run again without it.
        left = order = [place for place in left if place not in changed]
        if not changed:
            return lost
    # After the last round, no remaining case has been confirmed.
    return lost | {place: _difference(answers[place], None) for place in left}


def _failed(
    sandbox: Sandbox,
    task: Task,
    cases: Mapping[int, Case],
    answers: dict[int, Blob],
    varied: Mapping[int, bytes],
    limits: Limits,
) -> dict[int, tuple[Cause, str]]:
    """Return the unit tests that the reference fails in either run, with the details.

    The other ``answers`` are replaced by the expected results of a program (``expecting``).
    """
    failed: dict[int, tuple[Cause, str]] = {}
    # Order: values that the tests compute themselves; results on which both runs agree; whether
    # the reference passes; tests that any program could pass.
    known = _computed(sandbox, task, cases, limits)
    runs: list[tuple[int, bytes, bytes]] = []
    for place in cases:
        first, second = unpacked(answers[place]), varied.get(place)
        sides = None if known is None else known[place]
        whole = expecting(first, second, sides)
        if whole is None:
            failed[place] = "unstable", _difference(first, shown_answer(second or first))
            continue
        answers[place] = whole
        for data in filter(None, (first, second)):
            runs.append((place, data, expecting(data, None, sides) or whole))
    told = [(place, cases[place], each) for place, _, each in runs]
    sound = upheld(sandbox, task, [case for _, case, _ in told], [each for *_, each in told])
    for (place, data, _), is_sound in zip(runs, sound, strict=True):
        if not is_sound:
            failed[place] = "test", f"it sees {shown_answer(data)}"
    left = [place for place in cases if place not in failed]
    expected = [unpacked(answers[place]) for place in left]
    guessed = weak(sandbox, task, [cases[place] for place in left], expected)
    for place, data, is_weak in zip(left, expected, guessed, strict=True):
        if is_weak:
            # Weak tests stay in the suite with a mark: readers of the suite decide whether they
            # count.
            answers[place] = marked(data)
    return failed


def _computed(
    sandbox: Sandbox, task: Task, cases: Mapping[int, Case], limits: Limits
) -> dict[int, list[bytes | None]] | None:
    """Return the values that the tests compute themselves, in two runs of the reference."""
    program = whole_tests(task)
    if program is None or not cases:
        return None
    computed: dict[int, list[bytes | None]] = {place: [] for place in cases}
    inputs = Inputs.of(case.arguments for case in cases.values())
    for each in (sandbox, sandbox.sibling(hash_seed=OTHER_HASH_SEED)):
        run = each.run(program, inputs, limits)
        for at, place in enumerate(cases):
            outcome = run.outcomes[at] if at < len(run.outcomes) else None
            computed[place].append(outcome.data if isinstance(outcome, Returned) else None)
    return computed


def _difference(first: Blob, then: str | None) -> str:
    then = then or "something else or nothing"
    return f"first {shown_answer(first)}, then, after other calls, {then}"


def _run(
    sandbox: Sandbox,
    task: Task,
    inputs: Inputs,
    limits: Limits,
    observer: FirstRun | SecondRun,
    *,
    expected: Expected | None = None,
    raise_limit: RaiseLimit | None = None,
) -> None:
    if not len(inputs):
        return
    program = Program.of(task)
    _, loaded = sandbox.watch(
        program,
        inputs,
        limits,
        observer,
        expected=expected,
        raise_limit=raise_limit,
        own_clock=raise_limit is not None,
    )
    if not loaded:
        if isinstance(observer, FirstRun):
            failed = as_text(observer.failed.get(0))
        else:
            failed = f"the second time: {observer.other.get(0)}"
        raise ReferenceSolutionError(f"{task.id}: the reference does not load: {failed}")


def _drop(case: Case, outcome: Outcome | None, slow: str) -> Dropped:
    if outcome is None:
        return Dropped(case, "budget", "too many slow inputs before it")
    if isinstance(outcome, Raised) and _is_of_the_call(outcome):
        return Dropped(case, "arity", as_text(outcome))
    if isinstance(outcome, TimedOut):
        # Without the measured time, which differs between runs, because this is written to files.
        return Dropped(case, "slow", slow)
    return Dropped(case, CAUSES[type(outcome)], as_text(outcome))


def _is_of_the_call(raised: Raised) -> bool:
    """Return whether a call failed before entering the function, because of its arguments."""
    about = re.search(r"argument|takes|expected", raised.message)
    return raised.type == "TypeError" and raised.line is None and about is not None
