"""Running one function's calls while its inputs are looked for.

What decides which inputs a task gets is counted, not timed: steps of the program and of the
libraries that it calls. Time is a limit only on what no counter sees (a regular expression, a huge
power); where it took something away, ``cut`` says so.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from evalplus_lite.exe.inputs.validators import Executed
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import (
    CallableProgram,
    CallResult,
    Invocation,
    Measured,
    is_answer,
    measure,
    run,
)
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.exe.statistics.counting import COUNTERS, Instrumented, instrument
from evalplus_lite.types import Value
from evalplus_lite.values.source import literal

MAX_LOOKED_FOR = 2000
"""Characters of a value's text beyond which no docstring holds it."""


@dataclass(frozen=True, slots=True)
class ShownProgram:
    """The documentation in a program's text."""

    documentation: str

    @classmethod
    def of(cls, code: str) -> ShownProgram:
        """Read a program that parses: its docstrings, other idle strings, and comments."""
        idle = [
            node.value.value
            for node in ast.walk(ast.parse(code))
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ]
        comments: list[str] = []
        try:
            for token in tokenize.generate_tokens(io.StringIO(code).readline):
                if token.type == tokenize.COMMENT:
                    comments.append(token.string)
        except tokenize.TokenError:
            pass
        return cls("\n".join([*idle, *comments]))

    def gives_away(self, call: Invocation, answer: CallResult) -> bool:
        """Say whether the documentation holds every argument of a call, and its answer."""
        if not self.documentation:
            return False
        if answer.kind == "error":
            told = answer.type in self.documentation and answer.message in self.documentation
        else:
            told = self._holds(answer.value)
        return told and all(map(self._holds, (*call.args, *call.kwargs.values())))

    def _holds(self, value: Value) -> bool:
        try:
            text = literal(value, quote=repr)
        except (ValueError, RecursionError):  # more digits, or depth, than Python writes
            return False
        if len(text) > MAX_LOOKED_FOR:
            return False
        forms = {text, text.replace("'", '"')}
        if isinstance(value, str) and len(value) > 2:
            forms.add(value)
        return any(
            re.search(rf"(?<![\w.]){re.escape(form)}(?!\w|\.\d)", self.documentation)
            for form in forms
        )


CASE_STEPS = 20_000
"""Steps of one input."""
FUNCTION_STEPS = 1_000_000
"""Steps of all inputs; what spends them is the last batch."""
EXPLORING_CPU = 5.0
"""CPU seconds of an input; the paper's bound is 10 s."""
FUNCTION_CPU = 30.0
"""CPU seconds that inputs of a function may take."""
ALWAYS_LONG = 15
"""Inputs that are run all the same where every one takes more steps than a case may."""
MAX_SLOW = 3
"""Inputs of one batch that may take too long before the rest of it is left out."""
OUT_OF_TIME = "out of time"


@dataclass(slots=True)
class Runner:
    """Runs one function's calls in the plain sandbox and remembers what they touched."""

    function: MinedFunction
    sandboxes: Sandboxes
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
        is_late = self.seconds > 0.45 * FUNCTION_CPU
        return is_late or self.steps > FUNCTION_STEPS

    @property
    def cut(self) -> dict[str, int | str]:
        """What a task's row says where a limit took something away."""
        found: dict[str, int | str] = {}
        if self.is_spent:
            found["spent"] = "steps" if self.steps > FUNCTION_STEPS else "time"
        counts = {"slow": self.slow, "long": self.long}
        return found | {name: count for name, count in counts.items() if count}

    def execute(self, calls: list[Invocation]) -> list[Executed]:
        """Return what became of calls, with the path each took.

        Those of more than ``CASE_STEPS`` steps are ``slow``.
        """
        half = FUNCTION_CPU / 2
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
            is_given_away=is_answer(answer) and self._shown.gives_away(call, answer),
            is_accident=f"raise {answer.type}" not in self.function.code,
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
            is_accident=not measured.is_foreseen,
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
