"""The search for a function's cases: known calls, mutations of them, then calls drawn by type.

Counted steps, of the program and of the libraries that it calls, decide which inputs a task gets.
CPU time only limits work that no counter sees (a regular expression, a huge power); if it removed
inputs, ``cut`` records it.
"""

from __future__ import annotations

import ast
import functools
import io
import random
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from evalplus_lite.exe.inputs.call_space import (
    CallSpace,
    Nearby,
    annotated,
    arguments_of_call,
    as_typed,
    call_of,
    fits,
    hints,
    is_unknown,
    texts_of,
    words_in,
)
from evalplus_lite.exe.inputs.known import KnownCall, PackageValues, calls_of_model
from evalplus_lite.exe.inputs.validators import MAX_CASES, PLACEHOLDERS, Executed, judge, select
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
from evalplus_lite.exe.statistics.measures import is_bare_string
from evalplus_lite.exe.tasks.worth import HARD
from evalplus_lite.models import ModelSource
from evalplus_lite.types import Arguments, Value
from evalplus_lite.values.source import literal

MAX_LOOKED_FOR = 2000
"""Maximum characters of a value's literal that is searched for in documentation."""


def documentation(code: str) -> str:
    """Return a valid program's docstrings, other bare strings, and comments."""
    nodes = ast.walk(ast.parse(code))
    idle = [ast.literal_eval(node.value) for node in nodes if is_bare_string(node)]
    with suppress(tokenize.TokenError):
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                idle.append(token.string)
    return "\n".join(idle)


def gives_away(text: str, call: Invocation, answer: CallResult) -> bool:
    """Return whether a documentation text holds every argument of a call, and its answer."""
    if not text:
        return False
    if answer.kind == "error":
        is_told = answer.type in text and answer.message in text
    else:
        is_told = _holds(text, answer.value)
    return is_told and all(_holds(text, each) for each in call.values)


def _holds(text: str, value: Value) -> bool:
    try:
        written = literal(value, quote=repr)
    except (ValueError, RecursionError):  # too many digits or levels for Python to write
        return False
    if len(written) > MAX_LOOKED_FOR:
        return False
    forms = {written, written.replace("'", '"')}
    if isinstance(value, str) and len(value) > 2:
        forms.add(value)
    return any(re.search(rf"(?<![\w.]){re.escape(form)}(?!\w|\.\d)", text) for form in forms)


CASE_STEPS = 20_000
"""Maximum steps of one input."""
FUNCTION_STEPS = 1_000_000
"""Step budget of all inputs; the batch that exceeds it is the last."""
EXPLORING_CPU = 5.0
"""Maximum CPU seconds of an input; the paper's bound is 10 s."""
FUNCTION_CPU = 30.0
"""Maximum CPU seconds for all inputs of a function."""
MAX_SLOW = 3
"""Timeouts in one batch after which its remaining inputs are skipped."""
OUT_OF_TIME = "out of time"


@dataclass(slots=True)
class Runner:
    """Runs one function's calls in the plain sandbox and records what they touched."""

    function: MinedFunction
    sandboxes: Sandboxes
    touched: list[str] = field(default_factory=list)
    failure: str = ""
    slow: int = 0
    """Number of inputs left out for a timeout, their own or one of the same batch."""
    steps: int = 0
    seconds: float = 0.0
    instrumented: Instrumented | None = field(init=False)
    _documentation: str = field(init=False)
    _subject: CallableProgram = field(init=False)
    _counting: CallableProgram | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Instrument the program with counters, once."""
        function = self.function
        self._documentation = documentation(function.code)
        self._subject = CallableProgram(function.name, code=function.code)
        self.instrumented = instrument(function.code, function.subject)
        if self.instrumented is not None:
            self._counting = replace(self._subject, code=self.instrumented.code)

    @property
    def is_spent(self) -> bool:
        """Whether the step or time budget of the function is used up."""
        # A batch may take half of the time; one that reached that limit is the last.
        is_late = self.seconds > 0.45 * FUNCTION_CPU
        return is_late or self.steps > FUNCTION_STEPS

    @property
    def cut(self) -> dict[str, int | str]:
        """Facts for the task's row about limits that cut the search short; empty if none did."""
        why = "steps" if self.steps > FUNCTION_STEPS else "time"
        spent = {"spent": why} if self.is_spent else {}
        return {**spent, **({"slow": self.slow} if self.slow else {})}

    def execute(self, calls: list[Invocation]) -> list[Executed]:
        """Run calls and return their answers, with the path each took.

        Calls of more than ``CASE_STEPS`` steps are ``slow``.
        """
        plain = self.sandboxes.plain
        bounds: dict[str, Any] = {
            "cpu": EXPLORING_CPU, "max_slow": MAX_SLOW, "total": FUNCTION_CPU / 2
        }  # fmt: skip
        executed: list[Executed] = []
        short: list[tuple[Invocation, Measured | None]] = [(call, None) for call in calls]
        if self._counting is not None:
            counts = measure(plain, self._counting, calls, COUNTERS, budget=CASE_STEPS, **bounds)
            self.seconds += counts.seconds
            self.steps += sum(each.spent for each in counts.calls if each is not None)
            self.slow += len(counts.late)
            cut = max(counts.late) if len(counts.late) >= MAX_SLOW else len(calls)
            short = []
            for place, (call, measured) in enumerate(zip(calls, counts.calls, strict=True)):
                if place in counts.late or place > cut:
                    executed.append(Executed(call, CallResult("slow", message=OUT_OF_TIME)))
                elif measured is not None and not measured.is_whole:
                    why = f"more than {CASE_STEPS} steps"
                    executed.append(Executed(call, CallResult("slow", message=why)))
                else:
                    short.append((call, measured))
        if not short:
            return executed
        result = run(plain, self._subject, [call for call, _ in short], **bounds)
        self.seconds += result.seconds
        if result.failure:
            self.failure = result.failure
            return executed
        self.touched += [what for what in result.touched if what not in self.touched]
        self.slow += sum(answer.kind == "slow" for answer in result.answers)
        for (call, measured), answer in zip(short, result.answers, strict=True):
            executed.append(self._executed(call, answer, measured))
        return executed

    def _executed(
        self, call: Invocation, answer: CallResult, measured: Measured | None
    ) -> Executed:
        executed = Executed(
            call,
            answer,
            is_given_away=is_answer(answer) and gives_away(self._documentation, call, answer),
            is_accident=f"raise {answer.type}" not in self.function.code,
        )
        if measured is None or self.instrumented is None:
            return executed
        own = self.instrumented.own
        return replace(
            executed,
            signature=tuple(n.bit_length() for n in measured.steps.values()),
            reached=frozenset(arm for arm in measured.reached if arm in own),
            beyond=frozenset(arm for arm in measured.reached if arm not in own),
            steps=measured.steps["lines"],
            depth=measured.steps["call_depth"],
            is_accident=not measured.is_foreseen,
        )

    def measured(self, calls: list[Invocation]) -> Sequence[Measured | None]:
        """Return the counts of each call; None if the program could not be instrumented."""
        if self._counting is None:
            return [None] * len(calls)
        return measure(self.sandboxes.plain, self._counting, calls, COUNTERS).calls

    def timed(self, calls: list[Invocation]) -> tuple[float, ...]:
        """Return each call's CPU seconds in the program without instrumentation."""
        result = run(self.sandboxes.plain, self._subject, calls, timed=True)
        return tuple(round(answer.cpu, 7) for answer in result.answers)


ROUNDS = 6
FIRST, LATER = 60, 54
_DRAWN_ALONE, _DRAWN_BESIDE = 0.5, 0.1
"""Shares of newly drawn calls in a batch: without known calls, and with them."""
MAX_TEXT = 4000
"""Maximum length of an input's text in characters; longer ones are too tedious to predict."""

Execute = Callable[[list[Invocation]], list[Executed]]


class Explorer:
    """Proposes calls of one function, and mutates those with a new output, path or branch."""

    def __init__(
        self,
        function: MinedFunction,
        *,
        seed: str,
        values: PackageValues,
        written: Sequence[KnownCall] = (),
        shared: frozenset[str] = frozenset(),
    ) -> None:
        self._call = functools.partial(call_of, function.signature)
        self._arguments = functools.partial(arguments_of_call, function.signature)
        self._known = [*values.of_function(function), *written]
        self._space = CallSpace.of(function, values.texts, [call for call, _ in self._known])
        self._of_known = [self._arguments(call) for call, _ in self._known]
        taken = function.signature.parameters
        self.is_guess = not self._known and any(
            p.is_required and is_unknown(p) and not hints(p.name) for p in taken
        )
        self._random = random.Random(f"{seed}:fresh").random
        fixed = frozenset(re.findall(r"[A-Za-z]+", function.code))
        domains = [slot.domain for slot in self._space.slots]
        self._near = Nearby(domains, self._random, fixed)
        self._kinds = [*map(annotated, taken, function.built or [None] * len(taken))]
        # Tests may pass types that contradict the annotations. For each such known call, add a
        # twin whose arguments have the annotated types.
        for known in filter(lambda each: not self._is_typed(each), self._of_known):
            self._known.append((self._call(self._typed(known)), "mutated"))
        # For each known call with words that other tasks use, add a twin with other words.
        for known in self._of_known:
            words = sorted(self._near.words_of(known) & shared)
            twin = self._call(self._near.renamed(known, words))
            self._known += [(twin, "mutated")] if words else []
        self._parents: list[tuple[Arguments, str, int]] = []
        """Calls to mutate, with their source and the number of lines that they run."""
        self._seen: set[str] = set()
        self._outputs: set[str] = set()
        self._paths: set[tuple[int, ...]] = set()
        self._reached: set[int] = set()

    def step(self, execute: Execute, count: int) -> list[Executed]:
        """Run up to ``count`` new calls, known ones first, and learn from their answers."""
        first = not self._seen
        proposed, self._known = self._known, []
        share = _DRAWN_BESIDE if self._of_known else 1.0 if first else _DRAWN_ALONE
        for _ in range(int(share * count)):
            drawn = self._space.draw(self._random, self._of_known)
            proposed.append((self._call(drawn), "types"))
        others = [arguments for arguments, _, _ in self._parents]
        while self._parents and len(proposed) < count:
            # Of two calls, take the longer run: those are rarer, and harder to trace.
            two = [self._parents[int(self._random() * len(self._parents))] for _ in range(2)]
            parent, source, _ = max(two, key=lambda each: each[2])
            near = self._call(self._near.call(parent, others))
            proposed.append((near, source if source == "types" else "mutated"))
        fresh: dict[str, tuple[Invocation, str]] = {}
        for call, source in proposed:
            if call.key not in self._seen and len(call.key) <= MAX_TEXT:
                fresh[call.key] = call, source
            self._seen.add(call.key)
        executed: list[Executed] = []
        for case in execute([call for call, _ in fresh.values()]) if fresh else ():
            arguments, source = self._arguments(case.call), fresh[case.call.key][1]
            executed.append(replace(case, source=source, is_typed=self._is_typed(arguments)))
            arms = case.reached | case.beyond
            is_new = case.answer.key not in self._outputs or case.signature not in self._paths
            is_new = is_new or not arms <= self._reached
            self._outputs.add(case.answer.key)
            self._paths.add(case.signature)
            self._reached |= arms
            is_usable = is_answer(case.answer) and not (case.is_error and case.is_accident)
            if is_new and is_usable:
                self._parents.append((arguments, source, case.steps))
        return executed

    def _is_typed(self, arguments: Arguments) -> bool:
        return all(map(fits, arguments, self._kinds))

    def _typed(self, arguments: Arguments) -> Arguments:
        """Return a call with each argument converted to its annotated type, or else a new one."""
        values = [*self._space.draw(self._random)]
        for at, (value, kind) in enumerate(zip(arguments, self._kinds, strict=True)):
            with suppress(ValueError, OverflowError):
                values[at] = as_typed(value, kind)
        return tuple(values)


def _is_nearly_hard(cases: list[Executed]) -> bool:
    """Return whether a run comes to half of a hard task's lines, but too few runs are hard."""
    hard = sum(case.is_hard for case in cases)
    half = any(2 * case.steps >= HARD["lines"] and case.depth >= HARD["depth"] for case in cases)
    return half and 2 * hard <= MAX_CASES


UNKNOWN = "no call is known, nor a parameter's type"
"""Why no case of a function is searched for."""


def find_cases(
    function: MinedFunction,
    runner: Runner,
    *,
    seed: int,
    rounds: int = ROUNDS,
    values: PackageValues | None = None,
    source: ModelSource | None = None,
    used: Mapping[Hashable, int] | None = None,
) -> tuple[list[Executed], list[Executed], dict[str, Any]] | None:
    """Run calls of a function until enough cases pass the validators, or its budget is used up.

    Return all cases run, the chosen ones, and the facts about the search for the task's row; None
    if no call is known and a required parameter's type cannot be guessed. With ``source``, a model
    is asked for more calls.
    """
    written, asked = ([], {}) if source is None else calls_of_model(function, source)
    explorer = Explorer(
        function,
        seed=f"{seed}:{function.id}",
        values=values or PackageValues(),
        written=written,
        shared=PLACEHOLDERS | {w for text in texts_of([*(used or ())]) for w in words_in(text)},
    )
    if explorer.is_guess:
        return None
    wanted = runner.instrumented.wanted if runner.instrumented else frozenset()
    cases: list[Executed] = []
    chosen: list[Executed] = []
    number = 0
    for number in range(1, rounds + 1):
        cases += explorer.step(runner.execute, FIRST if number == 1 else LATER)
        chosen = select(cases, used=used)
        left = wanted.difference(*(case.reached for case in cases))
        # Always run a second round: the first cases that pass are rarely the best.
        is_full = len(chosen) == MAX_CASES and not _is_nearly_hard(cases)
        is_enough = number > 1 and not left and is_full
        # Stricter than the validators: no output may make up more than half.
        most = max(Counter(case.answer.key for case in chosen).values(), default=0)
        is_varied = 2 * most <= len(chosen)
        if runner.is_spent or (is_enough and is_varied and not judge(chosen)):
            break
    facts = {"rounds": number, "pool": len(cases), **asked}
    if runner.cut:
        facts["cut"] = runner.cut
    return cases, chosen, {"generation": facts}
