"""Running one function's calls while its inputs are looked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from evalplus_lite.mining.inputs.validators import Executed
from evalplus_lite.mining.running.proof import Sandboxes
from evalplus_lite.mining.running.runs import CallableProgram, Invocation, count, is_answer, run
from evalplus_lite.mining.selecting.static import MinedFunction
from evalplus_lite.mining.statistics.runtime import COUNTERS, instrument

EXPLORING_CPU = 1.0
"""CPU seconds a case while looking for inputs; the paper's bound of 10 s is for models' cases."""


MAX_SLOW = 8
"""Inputs of one batch that may take too long before the rest of it is left out."""
PATH_STEPS = 20_000
"""Steps after which a path is told apart from others no further."""


@dataclass(slots=True)
class Runner:
    """Runs one function's calls in the plain sandbox and remembers what they touched."""

    function: MinedFunction
    sandboxes: Sandboxes
    cpu: float = EXPLORING_CPU
    touched: list[str] = field(default_factory=list)
    failure: str = ""
    _subject: CallableProgram = field(init=False)
    _counted: CallableProgram | None = field(init=False)

    def __post_init__(self) -> None:
        """Write the counters into the program once."""
        function = self.function
        self._subject = CallableProgram(function.name, function.signature, code=function.code)
        code = instrument(function.code)
        self._counted = None if code is None else replace(self._subject, code=code)

    def execute(self, calls: list[Invocation]) -> list[Executed]:
        """Return what became of each call, with the path it took."""
        found = run(self.sandboxes.plain, self._subject, calls, cpu=self.cpu, max_slow=MAX_SLOW)
        if found.failure:
            self.failure = found.failure
            return []
        self.touched += [what for what in found.touched if what not in self.touched]
        quick = [c for c, a in zip(calls, found.answers, strict=True) if is_answer(a)]
        paths = dict(
            zip((c.key for c in quick), self.counters(quick, budget=PATH_STEPS), strict=True)
        )
        return [
            Executed(
                call, answer, tuple(n.bit_length() for n in (paths.get(call.key) or {}).values())
            )
            for call, answer in zip(calls, found.answers, strict=True)
        ]

    def counters(self, calls: list[Invocation], *, budget: int = 0) -> list[dict[str, int] | None]:
        """Return each call's counters; None where the program could not be instrumented."""
        if self._counted is None or not calls:
            return [None] * len(calls)
        return count(self.sandboxes.plain, self._counted, calls, COUNTERS, budget=budget)

    def timed(self, calls: list[Invocation]) -> tuple[float, ...]:
        """Return each call's CPU seconds in an untouched program."""
        if not calls:
            return ()
        found = run(self.sandboxes.plain, self._subject, calls, cpu=self.cpu, timed=True)
        return tuple(round(answer.cpu, 7) for answer in found.answers)
