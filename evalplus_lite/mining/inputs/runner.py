"""Running one function's calls while its inputs are looked for.

What decides which inputs a task gets is counted, not timed: steps of the program and of the
libraries that it calls. Time is a limit only on what no counter sees (a regular expression, a huge
power); where it took something away, ``cut`` says so.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from evalplus_lite.mining.inputs.showing import ShownProgram
from evalplus_lite.mining.inputs.validators import Executed
from evalplus_lite.mining.running.measured import Measured, measure
from evalplus_lite.mining.running.proof import Sandboxes
from evalplus_lite.mining.running.runs import (
    CPU_SECONDS,
    CallableProgram,
    CallResult,
    Invocation,
    is_answer,
    run,
)
from evalplus_lite.mining.selecting.static import MinedFunction
from evalplus_lite.mining.statistics.runtime import COUNTERS, Instrumented, instrument

CASE_STEPS = 20_000
"""Steps of one input that was made by type."""
FUNCTION_STEPS = 1_000_000
"""Steps of all inputs made by type, for each fifteen cases; what spends them is the last batch."""
EXPLORING_CPU = 5.0
"""CPU seconds of an input made by type; the paper's bound of 10 s is for those of a model."""
FUNCTION_CPU = 30.0
"""CPU seconds that inputs of a function may take, for each fifteen cases."""
MODEL_CPU = 60.0
"""The same where a model writes them: it is asked for some that take long."""
ALWAYS_LONG = 15
"""Inputs that are run all the same where every one takes more steps than a case may."""
MAX_SLOW = 3
"""Inputs of one batch that may take too long before the rest of it is left out."""
OUT_OF_TIME = "out of time"


@dataclass(slots=True)
class Runner:
    """Runs one function's calls in the plain sandbox and remembers what they touched.

    ``share``: how many times fifteen cases are looked for.
    """

    function: MinedFunction
    sandboxes: Sandboxes
    share: int = 1
    known: Container[str] = frozenset()
    """Keys of inputs that are not wanted again."""
    touched: list[str] = field(default_factory=list)
    failure: str = ""
    slow: int = 0
    """Inputs left out because they took too long, or because another one of their batch did."""
    long: int = 0
    """Inputs of more steps than a case may take, run because all are: time alone bounds them."""
    steps: int = 0
    seconds: float = 0.0
    instrumented: Instrumented | None = field(init=False)
    _has_ended: bool = field(init=False, default=False)
    _shown: ShownProgram = field(init=False)
    _subject: CallableProgram = field(init=False)
    _counted: CallableProgram | None = field(init=False)

    def __post_init__(self) -> None:
        """Write the counters into the program once."""
        function = self.function
        self._shown = ShownProgram.of(function.code)
        self._subject = CallableProgram(function.name, code=function.code)
        found = self.instrumented = instrument(function.code, function.subject)
        self._counted = None if found is None else replace(self._subject, code=found.code)

    @property
    def is_spent(self) -> bool:
        """Whether the inputs tried have taken as long as a function's may."""
        # A batch may take half of it; one that was ended by that is the last.
        is_late = self.seconds > 0.45 * FUNCTION_CPU * self.share
        return is_late or self.steps > FUNCTION_STEPS * self.share

    @property
    def cut(self) -> dict[str, int | str]:
        """What a task's row says where a limit took something away."""
        found: dict[str, int | str] = {}
        if self.is_spent:
            found["spent"] = "steps" if self.steps > FUNCTION_STEPS * self.share else "time"
        counts = {"slow": self.slow, "long": self.long}
        return found | {name: count for name, count in counts.items() if count}

    def execute(self, calls: list[Invocation]) -> list[Executed]:
        """Return what became of calls made by type, with the path each took.

        Those of more than ``CASE_STEPS`` steps are ``slow``.
        """
        calls = self._new(calls)
        half = FUNCTION_CPU * self.share / 2
        if self._counted is None:
            return self._run(calls, [None] * len(calls), cpu=EXPLORING_CPU, total=half)
        found = measure(
            self.sandboxes.plain,
            self._counted,
            calls,
            COUNTERS,
            budget=CASE_STEPS,
            cpu=EXPLORING_CPU,
            max_slow=MAX_SLOW,
            total=half,
        )
        self.seconds += found.seconds
        self.steps += sum(each.spent for each in found.calls if each is not None)
        self.slow += len(found.late)
        executed: list[Executed] = []
        short: list[tuple[Invocation, Measured | None]] = []
        cut = max(found.late, default=0) if len(found.late) >= MAX_SLOW else len(calls)
        for place, (call, measured) in enumerate(zip(calls, found.calls, strict=True)):
            if place in found.late or place > cut:
                executed.append(Executed(call, CallResult("slow", message=OUT_OF_TIME)))
            elif measured is not None and not measured.is_whole:
                message = f"more than {CASE_STEPS} steps"
                executed.append(Executed(call, CallResult("slow", message=message)))
            else:
                short.append((call, measured))
        if not short and not self._has_ended and len(found.late) < MAX_SLOW:
            # The function is long by nature: a hash with its rounds, a table that it builds.
            long = [case.call.key for case in executed if case.answer.message != OUT_OF_TIME]
            taken = long[:ALWAYS_LONG]
            self.long += len(taken)
            executed = [case for case in executed if case.call.key not in taken]
            short = [p for p in zip(calls, found.calls, strict=True) if p[0].key in taken]
        self._has_ended = self._has_ended or bool(short)
        given = [call for call, _ in short]
        steps = [each for _, each in short]
        return executed + self._run(given, steps, cpu=EXPLORING_CPU, total=half)

    def execute_given(self, calls: list[Invocation]) -> list[Executed]:
        """Return what became of calls that a model wrote: each may take the paper's 10 s."""
        calls = self._new(calls)
        if self.seconds > MODEL_CPU * self.share:
            spent = CallResult("unfit", message="the function's time is spent")
            self.slow += len(calls)
            return [Executed(call, spent) for call in calls]
        left = max(1.0, MODEL_CPU * self.share - self.seconds)
        found = self._run(calls, [None] * len(calls), cpu=CPU_SECONDS, total=left)
        quick = [case.call for case in found if is_answer(case.answer)]
        steps = {
            call.key: measured
            for call, measured in zip(quick, self.measured(quick, budget=CASE_STEPS), strict=True)
        }
        return [self._executed(case.call, case.answer, steps.get(case.call.key)) for case in found]

    def _new(self, calls: list[Invocation]) -> list[Invocation]:
        return [call for call in calls if call.key not in self.known] if self.known else calls

    def _run(
        self,
        calls: list[Invocation],
        measured: Sequence[Measured | None],
        *,
        cpu: float,
        total: float,
    ) -> list[Executed]:
        if not calls:
            return []
        found = run(
            self.sandboxes.plain, self._subject, calls, cpu=cpu, max_slow=MAX_SLOW, total=total
        )
        self.seconds += found.seconds
        if found.failure:
            self.failure = found.failure
            return []
        self.touched += [what for what in found.touched if what not in self.touched]
        self.slow += sum(answer.kind == "slow" for answer in found.answers)
        listed = zip(calls, found.answers, measured, strict=True)
        return [self._executed(call, answer, each) for call, answer, each in listed]

    def _executed(
        self, call: Invocation, answer: CallResult, measured: Measured | None
    ) -> Executed:
        found = Executed(
            call,
            answer,
            oddity=self._shown.oddity(call),
            is_given_away=is_answer(answer) and self._shown.gives_away(call, answer),
        )
        if measured is None or self.instrumented is None:
            return found
        own = self.instrumented.own
        return replace(
            found,
            signature=tuple(n.bit_length() for n in measured.steps.values()),
            reached=frozenset(arm for arm in measured.reached if arm in own),
            beyond=frozenset(arm for arm in measured.reached if arm not in own),
            steps=measured.steps["lines"],
            depth=measured.steps["call_depth"],
        )

    def measured(self, calls: list[Invocation], *, budget: int = 0) -> list[Measured | None]:
        """Return what each call does; None where the program could not be instrumented."""
        if self._counted is None or not calls:
            return [None] * len(calls)
        found = measure(self.sandboxes.plain, self._counted, calls, COUNTERS, budget=budget)
        return list(found.calls)

    def timed(self, calls: list[Invocation]) -> tuple[float, ...]:
        """Return each call's CPU seconds in an untouched program."""
        if not calls:
            return ()
        found = run(self.sandboxes.plain, self._subject, calls, timed=True)
        return tuple(round(answer.cpu, 7) for answer in found.answers)
