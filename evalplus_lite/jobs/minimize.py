"""The smallest input that a wrong program fails on, shrunk from the one that decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.minimizer import minimize, weight
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.oracle import answer
from evalplus_lite.grading.screens import KnownRaises
from evalplus_lite.sandbox import Limits, Sandbox
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.tasks.texts.forms import TextForm
from evalplus_lite.tasks.texts.inference import text_form, values_of
from evalplus_lite.types import Case, Failure, Suite, Task, Value, VerdictName

LIMITS = Limits(cpu=0.2, load=10.0)
"""A candidate that keeps the reference busy for longer is too large for a person to read."""
MOST = 1500
"""Candidates tried for a program."""
SHRUNK: tuple[VerdictName, ...] = ("fail", "error", "unrepresentable")
"""Verdicts worth it: a program that hangs would hang on every candidate."""
LARGEST = 5_000
"""Parts that an input may have at most: of a larger one too many candidates would be tried."""

Arguments = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Smallest:
    """A one-case suite with the input and the reference's answer, and the program's failure."""

    suite: Suite
    failure: Failure


class Shrinker:
    """Shrinks inputs of tasks.

    The task's contract decides which candidates are valid, or the one in ``contracts`` (texts by
    task id); without one, constraints are inferred from all the inputs of the suite.
    """

    def __init__(self, contracts: Mapping[str, str] | None = None) -> None:
        self._contracts = contracts or {}
        self._shapes: dict[str, _Shape] = {}

    def smallest(
        self, sandbox: Sandbox, prepared: PreparedSuite, source: str, failure: Failure
    ) -> Smallest | None:
        """Return the simplest failing input found, perhaps the original one.

        None without a reference, or for a verdict that shrinking does not explain.
        """
        arguments = prepared.suite.cases[failure.case].arguments
        if failure.verdict not in SHRUNK or weight(arguments)[0] > LARGEST:
            return None
        # A smaller input needs a right answer, and a rule that says which inputs are valid.
        task = prepared.task
        if not task.reference:  # the right output for another input is unknown
            return None
        if task.contract is None:
            task = replace(task, contract=self._contracts.get(task.id))
        if task.harness.kind == "unittest":  # a test stays as it is
            return None
        shape = self._of(task, prepared.suite)
        known = KnownRaises.of(task, prepared.suite)

        # All candidates of a round are answered and judged in one run of each program.
        def fails(candidates: Sequence[Arguments]) -> list[bool]:
            inputs_of = [shape.input(each) for each in candidates]
            admitted = [number for number, each in enumerate(inputs_of) if each is not None]
            inputs = [each for each in inputs_of if each is not None]
            failure = _failing(sandbox, task, source, inputs, known)
            failing = {admitted[place] for place in failure}
            return [number in failing for number in range(len(candidates))]

        calls = task.harness.kind == "sequence"
        best = minimize(shape.values(arguments), fails, most=MOST, calls=calls)
        return _shown(sandbox, prepared.task, source, shape.input(best) or arguments)

    def _of(self, task: Task, suite: Suite) -> _Shape:
        if task.id not in self._shapes:
            self._shapes[task.id] = _Shape.of(task, suite)
        return self._shapes[task.id]


@dataclass(frozen=True, slots=True)
class _Shape:
    """Valid inputs where no contract decides; texts are changed as their values."""

    form: TextForm | None
    filter: InputFilter | None

    @classmethod
    def of(cls, task: Task, suite: Suite) -> _Shape:
        try:
            form = text_form(task, suite.cases[: suite.base_count])
        except ValueError:  # a text is not of the grammar
            form = None
        values = values_of(form, suite.cases) if form else None
        is_stated = task.contract is not None and parse(task.contract).has_precondition
        if is_stated or task.grammar or task.harness.kind == "sequence":
            return cls(form if values else None, None)
        if values:
            return cls(form, InputFilter.infer(values))
        return cls(None, InputFilter.infer([case.arguments for case in suite.cases]))

    def values(self, arguments: Arguments) -> Arguments:
        return arguments if self.form is None else self.form.parse(arguments[0])

    def input(self, values: Arguments) -> Arguments | None:
        """Return the arguments of these values, None if they may not be."""
        if self.form is not None:
            fitted = self.form.fit(values)
            if fitted is None or (self.filter is not None and not self.filter.admits(fitted)):
                return None
            return (self.form.render(fitted),)
        return values if self.filter is None or self.filter.admits(values) else None


def _failing(
    sandbox: Sandbox, task: Task, source: str, candidates: Sequence[Arguments], known: KnownRaises
) -> set[int]:
    """Return which candidates are valid, answered by the reference, and failed by the program."""
    if not candidates:
        return set()
    cases = [Case(each) for each in candidates]
    answers = answer(sandbox, task, cases, base_count=0, limits=LIMITS, twice=False, max_failures=2)
    answers = answers.only(known.foreseen(answers.suite))
    if not answers.suite.cases:
        return set()
    # A prepared one finds the first failure, which is all that a greedy descent needs.
    failure = evaluate_program(sandbox, PreparedSuite.by_steps(task, answers.suite), source).failure
    if failure is None or failure.verdict not in SHRUNK:
        return set()
    return {answers.kept[failure.case]}


def _shown(sandbox: Sandbox, task: Task, source: str, best: Arguments) -> Smallest | None:
    # The input is shown to a person, whatever it costs: it may be the original one.
    roomy = replace(LIMITS, cpu=20.0)
    answers = answer(
        sandbox, task, [Case(best)], base_count=0, limits=roomy, twice=False, contract=False
    )
    if not answers.suite.cases:
        return None
    failure = evaluate_program(sandbox, PreparedSuite.by_steps(task, answers.suite), source).failure
    return None if failure is None else Smallest(answers.suite, failure)
