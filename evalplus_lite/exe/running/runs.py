"""Runs of a mined function, or of its original, on cases in the sandbox."""

from __future__ import annotations

import ast
import functools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any, Literal

from evalplus_lite.errors import CodecError
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import (
    Crashed,
    Outcome,
    OutOfMemory,
    Raised,
    Returned,
    TimedOut,
    Unrepresentable,
    Value,
)
from evalplus_lite.values import codec, wire
from evalplus_lite.values.kinds.containers import DefaultDict
from evalplus_lite.values.source import is_readable, literal

# Deeper calls exceed Python's stack in some versions only.
CALL_BRACKETS = 100


class UnaskableError(TypeError):
    """A value has a type that predictions cannot be compared with."""


def normal(value: Value) -> Any:
    """Return a plain value as the JSON tree for comparison with predictions."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, complex):
        return [number(value.real), number(value.imag)]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, set | frozenset):
        return sorted((normal(item) for item in value), key=text)
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    if isinstance(value, Mapping):
        return {key_text(key): normal(item) for key, item in value.items()}
    if isinstance(value, DefaultDict):
        return normal(value.items)
    raise UnaskableError(f"{type(value).__name__} is not a plain value")


def text(tree: Any) -> str:
    """Return the canonical text of a normal tree."""
    return json.dumps(tree, sort_keys=True, separators=(",", ":"))


def number(value: float) -> Any:
    """Return a number in the normal form of answers."""
    if isinstance(value, int):
        return value if abs(value).bit_length() < 10_000 else hex(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value.is_integer():
        return number(int(value))
    return value


def key_text(key: Value) -> str:
    """Return a dict key as a JSON string: a string itself, or the normal text of another key."""
    return key if isinstance(key, str) else text(normal(key))


def parts_of(value: Value) -> Iterator[Value]:
    """Yield a plain value and everything in it, keys included."""
    yield value
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from parts_of(each)


def is_told_apart(value: Value) -> bool:
    """Return whether no dict in a value has two keys with the same JSON text: ``2`` and ``"2"``."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, DefaultDict):
            item = item.items
        if isinstance(item, Mapping):
            if len({key_text(key) for key in item}) < len(item):
                return False
            pending += item.values()
        elif isinstance(item, list | tuple):
            pending += item
    return True


UNREADABLE = (
    ValueError, SyntaxError, TypeError, LookupError, CodecError, RecursionError, MemoryError,
)  # fmt: skip
"""Exceptions that reading untrusted literals or programs may raise."""
CPU_SECONDS = 10.0
"""The paper's bound on a case (validator 7)."""
MAX_PARTS, MAX_HASHED = 300_000, 1 << 14
"""Maximum number of values in an answer, and of elements in a set or keys in a dict: answers come
from untrusted code."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One input: positional and keyword arguments, all plain values."""

    args: tuple[Value, ...]
    kwargs: Mapping[str, Value] = field(default_factory=dict)

    @property
    def values(self) -> tuple[Value, ...]:
        """All arguments."""
        return (*self.args, *self.kwargs.values())

    @property
    def key(self) -> str:
        """A text equal for equal inputs: types count, the order of sets and keywords does not."""
        return canonical([list(self.args), dict(self.kwargs)])

    def written(self, name: str) -> str:
        """Return a call of the function ``name`` as Python source."""
        parts = [literal(arg, quote=repr) for arg in self.args]
        parts += [f"{key}={literal(value, quote=repr)}" for key, value in self.kwargs.items()]
        return f"{name}({', '.join(parts)})"

    def to_json(self) -> list[Any]:
        """Return ``[[args], {kwargs}]``, the paper's form, in the exact codec."""
        return [[codec.to_json(a) for a in self.args], codec.to_json(dict(self.kwargs))]

    @classmethod
    def from_json(cls, row: Sequence[Any]) -> Invocation:
        """Read the output of ``to_json``; raise ValueError or CodecError for anything else."""
        args, kwargs = map(codec.from_json, row)
        if type(args) is not list or type(kwargs) is not dict or {*map(type, kwargs)} - {str}:
            raise ValueError("an input is a list with a list of arguments and an object of others")
        return cls(tuple(args), kwargs)

    @classmethod
    def from_source(cls, text: str) -> Invocation | None:
        """Parse a call; return None if its arguments are not all literals of plain values.

        Raises one of ``UNREADABLE`` for a text that is no call, or too deep.
        """
        node = ast.parse(text, mode="eval").body
        if not isinstance(node, ast.Call):
            raise ValueError("no call")
        if any(isinstance(each, ast.Call) for each in ast.walk(node.func)):
            raise ValueError("several calls")
        if any(k.arg is None for k in node.keywords):
            return None
        named_twice = Counter(k.arg for k in node.keywords if k.arg).most_common(1)
        if named_twice and named_twice[0][1] > 1:
            raise ValueError(f"{named_twice[0][0]} is given twice")
        try:
            args = tuple(ast.literal_eval(argument) for argument in node.args)
            named = {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}
            codec.dumps([list(args), named])
        except (ValueError, TypeError, CodecError):
            return None
        if not is_readable([*args, *named.values()], max_brackets=CALL_BRACKETS):
            raise ValueError(f"more than {CALL_BRACKETS} nested brackets")
        return cls(args, named)


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call: a plain value, an exception, or neither.

    ``kind``: ``value``, ``error`` (``type`` and ``message``), ``slow``, or ``unfit`` (not a plain
    value, out of memory, crashed, or an endless iterator; ``message`` says which).
    """

    kind: Literal["value", "error", "slow", "unfit"]
    value: Value = None
    type: str = ""
    message: str = ""
    cpu: float = 0.0

    @property
    def key(self) -> str:
        """A text that is equal for equal answers; the order of sets and dicts does not count."""
        if self.kind == "value":
            return f"value {canonical(self.value)}"
        return f"{self.kind} {self.type}: {self.message}"


def is_answer(answer: CallResult) -> bool:
    """Return whether a call returned a plain value or raised an exception."""
    return answer.kind in ("value", "error")


INLINED = "inlined."
"""The prefix of class names in a program's module while it runs here."""
UNFIT_ERRORS = frozenset(
    "RecursionError MemoryError TooLong Untold SystemExit TimeoutError".split()
)
"""Exceptions caused by the machine, the stack or the reading of an answer, not by arguments."""


def canonical(value: Value) -> str:
    """Return a text that is equal for equal values; the order of sets and dicts does not count."""
    return json.dumps(_sorted(codec.to_json(value)), sort_keys=True, separators=(",", ":"))


def _sorted(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_sorted(item) for item in tree]
    if isinstance(tree, dict):
        pairs = {key: _sorted(item) for key, item in tree.items()}
        if list(pairs) == ["$dict"]:
            return {"$dict": sorted(pairs["$dict"], key=lambda pair: json.dumps(pair))}
        return pairs
    return tree


@dataclass(frozen=True, slots=True)
class CallableProgram:
    """A program to call: mined code, or the original module (``module`` set)."""

    name: str
    code: str = ""
    module: str = ""
    roots: tuple[str, ...] = ()
    driver: str = ""
    """Source of the function ``name``, if the original must be called through an entry point."""
    needs: tuple[tuple[str, str | None], ...] = ()
    """Names that the driver refers to, as (module, name); a None name is the module itself."""

    def program(
        self,
        *,
        variant: int = 0,
        counters: Sequence[str] = (),
        watch: bool = False,
        budget: int = 0,
    ) -> Program:
        """Return the complete program that the sandbox runs."""
        settings: dict[str, Any] = {"name": self.name, "variant": variant, "watch": watch,
                                    "counters": [*counters], "budget": budget}  # fmt: skip
        if self.module:
            own = ("module", "roots", "driver", "needs")
            settings |= {name: getattr(self, name) for name in own}
        else:
            settings["code"] = self.code
        return Program(f"{stage()}\nentry = build({settings!r})\n", "entry")


@dataclass(frozen=True, slots=True)
class RunResult:
    """The answers of one run, and what the code touched; ``failure`` if it did not load."""

    answers: tuple[CallResult, ...]
    touched: tuple[str, ...] = ()
    failure: str = ""
    seconds: float = 0.0
    """CPU seconds of the whole run, loading included."""


def run(
    sandbox: Sandbox,
    subject: CallableProgram,
    calls: Iterable[Invocation],
    *,
    variant: int = 0,
    cpu: float = CPU_SECONDS,
    load: float = 20.0,
    timed: bool = False,
    max_slow: int | None = None,
    total: float = math.inf,
) -> RunResult:
    """Call a subject on cases, each with fresh arguments.

    ``cpu``: CPU seconds per case; ``total``: for all cases; ``load``: to load. ``timed``: answers
    carry their CPU seconds. After ``max_slow`` timeouts, the remaining cases are not run and their
    answers are ``unfit``.
    """
    calls = list(calls)
    inputs = Inputs.of([*rows(calls), (None, None)])
    limits = Limits(cpu=cpu, load=load, total=total)
    slow = 0

    def on_outcome(case: int, outcome: Outcome) -> bool:
        nonlocal slow
        slow += isinstance(outcome, TimedOut)
        return max_slow is None or slow < max_slow

    program = subject.program(variant=variant)
    done = sandbox.run(program, inputs, limits, on_outcome=on_outcome, timed=timed)
    if slow and not isinstance(done.outcomes[-1], Returned) and not subject.module:
        # Cut short: run the quick cases again to learn what they touched (mined code only).
        outcomes = zip(calls, done.outcomes[:-1], strict=True)
        quick = [call for call, outcome in outcomes if isinstance(outcome, Returned | Raised)]
        again = run(sandbox, subject, quick, variant=variant, cpu=cpu, max_slow=1)
        answers = () if again.failure else tuple(map(answer_of, done.outcomes[:-1]))
        return replace(again, answers=answers, seconds=done.cpu + again.seconds)
    if done.load_failed:
        return RunResult((), failure=_describe(done.outcomes[0]), seconds=done.cpu)
    *answered, last = map(answer_of, done.outcomes)
    touched = tuple(last.value) if last.kind == "value" else ()
    return RunResult(tuple(answered), touched, seconds=done.cpu)


@dataclass(frozen=True, slots=True)
class Stop:
    """The program state in the entry point before ``line`` ran for the ``hit``-th time."""

    line: int
    hit: int
    state: Mapping[str, Value]


def stops(sandbox: Sandbox, subject: CallableProgram, call: Invocation) -> tuple[Stop, ...]:
    """Return the first program states of one call of mined code: its plain local variables."""
    inputs = Inputs.of(rows([call]))
    program = subject.program(watch=True)
    done = sandbox.run(program, inputs, Limits(cpu=CPU_SECONDS, load=20.0))
    answer = answer_of(done.outcomes[0])
    hits: Counter[int] = Counter()
    states: list[Stop] = []
    for line, state in answer.value or ():
        hits[line] += 1
        states.append(Stop(line, hits[line], state))
    return tuple(states)


def answer_of(outcome: Outcome | None) -> CallResult:
    """Convert an outcome of the sandbox to an answer."""
    if isinstance(outcome, Returned):
        try:
            if INLINED.encode() in outcome.data:
                raise CodecError("the answer contains the name of the program's module here")
            value = wire.decode(outcome.data, hash_limit=MAX_HASHED, most=MAX_PARTS)
            codec.to_json(value)
            if not is_told_apart(value):
                raise CodecError("a dict has keys with the same JSON text")
        except (CodecError, UnaskableError) as error:
            return CallResult("unfit", message=str(error))
        return CallResult("value", value=value, cpu=outcome.cpu)
    if isinstance(outcome, Raised):
        if outcome.type in UNFIT_ERRORS or INLINED in outcome.message:
            return CallResult("unfit", type=outcome.type, message=outcome.message)
        return CallResult("error", type=outcome.type, message=outcome.message, cpu=outcome.cpu)
    if isinstance(outcome, TimedOut):
        return CallResult("slow", message=f"more than {outcome.limit:g} s", cpu=outcome.cpu)
    return CallResult("unfit", message=_describe(outcome))


def _describe(outcome: Outcome | None) -> str:
    if isinstance(outcome, Raised):
        return f"{outcome.type}: {outcome.message}"
    if isinstance(outcome, Unrepresentable):
        return f"not a plain value: {outcome.type}"
    if isinstance(outcome, OutOfMemory):
        return "out of memory"
    if isinstance(outcome, Crashed):
        return f"crashed: {outcome.reason}"
    return "took too long" if isinstance(outcome, TimedOut) else "not run"


def rows(calls: Iterable[Invocation]) -> list[tuple[list[Value], dict[str, Value]]]:
    """Return calls in the sandbox's input form."""
    return [(list(call.args), dict(call.kwargs)) for call in calls]


@functools.cache
def stage() -> str:
    """Return the source of ``guest``, which precedes each program that the sandbox runs."""
    text = resources.files("evalplus_lite.exe.running").joinpath("guest.py")
    return text.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Measured:
    """Counts and branches of one call of an instrumented program."""

    steps: dict[str, int]
    """Counter -> count."""
    reached: frozenset[int] = frozenset()
    """Branch arms reached, as ``Instrumented`` numbers them."""
    spent: int = 0
    """Steps of all kinds, which count towards the budget."""
    is_whole: bool = True
    """Whether it ended within its budget."""
    is_read: bool = False
    """Whether its result differs from the plain data recorded for it, as a date does."""
    is_foreseen: bool = False
    """Whether a ``raise`` or ``assert`` of the program raised its exception."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """Measurements per call, None if unknown; CPU seconds in total, loading included."""

    calls: tuple[Measured | None, ...]
    late: frozenset[int]
    """Indices of calls that timed out."""
    seconds: float = 0.0


def measure(
    sandbox: Sandbox,
    subject: CallableProgram,
    calls: Iterable[Invocation],
    counters: Sequence[str],
    *,
    budget: int = 0,
    cpu: float = 10 * CPU_SECONDS,
    max_slow: int | None = None,
    total: float = math.inf,
) -> MeasuredRun:
    """Call an instrumented program on cases and return its counters.

    ``budget``: steps after which a call ends, keeping its counts so far (0: unlimited). ``cpu``:
    CPU seconds per case; ``total``: for all. ``max_slow``: timeouts after which the run ends.
    """
    late: set[int] = set()

    def on_outcome(case: int, outcome: Outcome) -> bool:
        if isinstance(outcome, TimedOut):
            late.add(case)
        return max_slow is None or len(late) < max_slow

    program = subject.program(counters=counters, budget=budget)
    limits = Limits(cpu=cpu, load=20.0, total=total)
    done = sandbox.run(program, Inputs.of(rows(calls)), limits, on_outcome=on_outcome)
    return MeasuredRun(tuple(map(_measured, done.outcomes)), frozenset(late), done.cpu)


def _measured(outcome: Outcome | None) -> Measured | None:
    answer = answer_of(outcome)
    if answer.kind != "value" or not isinstance(answer.value, list):
        return None
    steps, reached, *others = answer.value
    return Measured(steps, frozenset(reached), *others)
