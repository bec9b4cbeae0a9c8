"""The central types: frozen, slotted values that every stage reads and writes.

An ``Outcome`` records *what happened* when a program ran on a case (its ``str`` is one
human-readable line, without measurements). A verdict says *what it means*;
``evalplus_lite.grading.observer`` derives it from outcome and expected output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, get_args

from evalplus_lite.store.opening import Blobs

# The invocation of a program on a case, and the observed results: data of the task.

HarnessKind: TypeAlias = Literal[
    "call", "method", "sequence", "factory", "script", "assertions", "unittest"
]
Observed: TypeAlias = Literal["value", "arguments", "printed", "exception", "message"]
HARNESSES: tuple[HarnessKind, ...] = get_args(HarnessKind)
OBSERVED: tuple[Observed, ...] = get_args(Observed)
MOST_ITEMS = 100_000
_WORDS: Mapping[Observed, str] = {
    "value": "the return value",
    "arguments": "the arguments after the call",
    "printed": "standard output",
    "exception": "the type of the exception",
    "message": "its message",
}


@dataclass(frozen=True, slots=True)
class Harness:
    """How a program is invoked on a case's arguments, and what counts as its answer.

    ``kind`` selects the invocation. ``call`` calls the function that the entry point names.
    ``method`` calls that method of a new object (``Solution.twoSum``), created from the first
    argument's items if ``constructed``. ``sequence`` creates an object of the class and calls it as
    the arguments say, each a list of a method's name and its arguments (the first may name the
    class, with the constructor's). ``factory`` calls the function with the items of the first
    argument, then its result with those of each further one; the answer is a list of these results.
    ``script`` runs the whole program with the one argument as standard input. ``assertions``
    evaluates the one argument, an expression, among the program's names. ``unittest`` runs a test
    of the text ``tests``, which a case names by class and method; the answer is what each assertion
    saw (``tasks.unit_tests``), with ``inside`` of them left to the program's process.

    ``observe`` names the parts of the answer: a single one as it is, several as a dict by name.
    ``value`` is the return value (for a script its standard output), ``arguments`` are the
    arguments after the call, ``printed`` is standard output, ``exception`` the name of the type of
    a raised exception (with ``message``, also its text), which is an answer then. With
    ``exceptions``, only those and their subclasses count, under these names. For an ordered
    iterable, the first ``items`` are the answer, as a list (0: an iterator is not an answer). An
    object is represented by those of its ``attributes`` that it has, its parts alike. ``awaited``:
    the function is to be awaited.

    The arguments at the places of ``code`` are Python expressions to be evaluated; with
    ``keywords`` the last argument is a dict of keyword arguments.
    """

    kind: HarnessKind = "call"
    observe: tuple[Observed, ...] = ("value",)
    items: int = 0
    awaited: bool = False
    constructed: bool = False
    tests: str = ""
    whole: str = ""
    """The tests with their expected values, for the reference alone: no program receives it."""
    inside: int = 0
    attributes: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    code: tuple[int, ...] = ()
    keywords: bool = False
    inferred: bool = False
    """Whether part of this was inferred from the reference, which users are notified of."""

    @property
    def has_streams(self) -> bool:
        """Whether standard input and output are files in memory, rather than /dev/null."""
        return self.kind == "script" or "printed" in self.observe

    @property
    def row(self) -> dict[str, Any]:
        """The fields that differ from a plain call's: JSON, empty for the plain call."""
        plain, found = Harness(), {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            key: list(value) if type(value) is tuple else value
            for key, value in found.items()
            if value != getattr(plain, key)
        }

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Harness:
        """Return the harness of a ``row`` of ours."""
        parts: dict[str, Any] = {
            key: tuple(value) if type(value) is list else value for key, value in row.items()
        }
        return cls(**parts)

    @property
    def words(self) -> str:
        """The observed parts, in words."""
        found = [_WORDS[each] for each in self.observe]
        if self.items:
            found.append(f"the first {self.items:,} items of an iterator")
        return ", ".join(found) + (", once it is awaited" if self.awaited else "")


CALL = Harness()


def defined_name(entry_point: str) -> str:
    """Return the name that a program must define at its top level: none for a script."""
    return entry_point.partition(".")[0]


# How an output is compared with the expected one: data of the task, never of a dataset.

RuleKind: TypeAlias = Literal[
    "python",
    "strict",
    "unordered",
    "truthiness",
    "multiset",
    "sorted",
    "any",
    "lines",
    "tokens",
    "numbers",
]
Measure: TypeAlias = Literal["", "len", "abs", "lower"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Step: TypeAlias = str | int
ANY = "*"
"""A step to every item of a list, and every value of a dict."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance at the places that the steps ``at`` (keys, places, or ``ANY``) lead to."""

    at: tuple[Step, ...]
    atol: float = 0.0
    rtol: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule for comparing an output with the expected one; data of the task, never of a dataset.

    ``kind`` selects it. ``python``: Python equality on plain values, with a tolerance if the
    expected leaf is a float. ``strict``: also the same type at every leaf. ``unordered``: as sets
    of elements. ``truthiness``: only whether the output is neither None nor False (0 and "" are
    neither). ``multiset``: lists and tuples at these ``levels`` (1, the outermost, by default) may
    hold their items in any order. ``sorted``: items with an equal key may be in any order; the key
    is at the steps ``key`` in an item, or its measure ``by``. ``any``: it equals an item of the
    expected list, as under ``python``. For printed text: ``lines`` (ignores white space at the end
    of a line or of the text), ``tokens`` (compares only the parts between white space) or
    ``numbers`` (as ``tokens``, with a tolerance if the expected token is a number with a fraction
    or an exponent). ``atol`` and ``rtol`` are the absolute and relative tolerance of a float leaf,
    and of such a token. ``fields`` have tolerances of their own; the last one that leads to a place
    or above it applies.
    """

    kind: RuleKind = "python"
    atol: float = 1e-6
    rtol: float = 1e-7
    levels: tuple[int, ...] = ()
    key: tuple[Step, ...] = ()
    by: Measure = ""
    fields: tuple[Tolerance, ...] = ()

    @property
    def is_arranged(self) -> bool:
        """Whether it depends on the position of a value in an output."""
        return self.kind in ("multiset", "sorted") or bool(self.fields)

    @property
    def free_levels(self) -> frozenset[int]:
        """The levels at which a list's order is not compared."""
        if self.kind not in ("multiset", "sorted"):
            return frozenset()
        return frozenset(self.levels or (1,)) if self.kind == "multiset" else frozenset((1,))

    @property
    def row(self) -> dict[str, Any]:
        """Plain data for JSON: kind, tolerances, and other values that differ from the default."""
        row: dict[str, Any] = {"kind": self.kind, "atol": self.atol, "rtol": self.rtol}
        fields = [{"at": list(f.at), "atol": f.atol, "rtol": f.rtol} for f in self.fields]
        others = {
            "levels": list(self.levels), "key": list(self.key), "by": self.by, "fields": fields
        }  # fmt: skip
        return row | {name: value for name, value in others.items() if value}

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Rule:
        """Return the rule of a ``row`` of ours."""
        fields = (Tolerance(tuple(f["at"]), f["atol"], f["rtol"]) for f in row.get("fields", ()))
        return cls(
            row["kind"],
            row["atol"],
            row["rtol"],
            tuple(row.get("levels", ())),
            tuple(row.get("key", ())),
            row.get("by", ""),
            tuple(fields),
        )


PYTHON = Rule()


Value: TypeAlias = Any
"""A Python value: None, bool, int, float, complex, str, bytes, and list, tuple, set, frozenset or
dict of such (the plain ones); or of a type in ``values.kinds``, such as Decimal or date."""

VerdictName: TypeAlias = Literal[
    "pass", "fail", "error", "timeout", "crash", "memory", "unrepresentable"
]
VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)
SHOWN = 200
"""Characters of a value or a message that one line shows."""

Cause: TypeAlias = Literal[
    "unreadable",
    "duplicate",
    "test",
    "load",
    "no inputs",
    "raises",
    "arity",
    "unstable",
    "unrepresentable",
    "slow",
    "crashes",
    "memory",
    "invalid",
    "contract",
    "unobserved",
    "guessable",
    "format",
    "budget",
    "expected",
    "no reference",
    "weak",
    "defect",
]
"""Why a task or an input cannot serve as evidence; docs/guide/own-tasks.md explains each."""

Style: TypeAlias = Literal["completion", "solution"]


Arguments: TypeAlias = tuple[Value, ...]
"""The positional arguments of a call."""


# Not frozen: a set has 10^5 of these, and a frozen one takes six times as long to make.
@dataclass(slots=True, unsafe_hash=True)
class Case:
    """One input: its positional arguments, and their source.

    ``source`` is ``base``, ``plus`` (shipped with a published set), ``llm``, ``docstring``,
    ``constant``, ``boundary``, ``guaranteed``, ``hypothesis``, ``generator``, ``mutation``,
    ``magnitude``, ``length``, ``branch`` (violates an inferred constraint) or ``foreign`` (of a
    type that no example has). ``parent`` is the position in the suite of the case it was derived
    from; ``operators`` names the mutations applied, in order; ``reason`` says why a case is a
    stress case.
    """

    arguments: Arguments
    source: str = "base"
    parent: int | None = None
    operators: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A programming problem with its ground truth.

    ``reference`` is a whole program that defines ``entry_point`` ("" for a script), to be invoked
    by ``harness``. ``contract`` is the source of a contract file (``precondition`` and, where many
    answers are right, ``check``) or None. ``base`` are the cases the task came with, ``plus`` those
    that a published set added.
    """

    id: str
    prompt: str
    entry_point: str
    reference: str
    base: tuple[Case, ...] = ()
    plus: tuple[Case, ...] = ()
    grammar: str = ""
    """The form of a script's input texts, as ``tasks.texts.grammar`` reads it; "" to infer it."""
    generator: str = ""
    """A program that defines ``generate(seed, scale)``, which returns such a text; "" for none."""
    programs: tuple[str, ...] = ()
    """Further programs that are assumed to be right: an input that they dispute is not a test."""
    outputs: tuple[bytes, ...] = ()
    """The right answers to the base cases in wire form, if the task came with them."""
    contract: str | None = None
    rule: Rule = PYTHON
    harness: Harness = CALL
    style: Style = "completion"
    """Whether a solution continues the prompt (HumanEval) or is a whole program (MBPP)."""
    constraints: Mapping[str, bool] = field(default_factory=dict)
    """Inferred input constraints to turn on or off, by name, whatever the evidence for them
    (``generate.domains.evidence``)."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of a dataset's file, preserved for a faithful export."""

    @property
    def cases(self) -> tuple[Case, ...]:
        """Base cases, then plus cases: the order in which a program runs on them."""
        return self.base + self.plus

    @property
    def defined(self) -> str:
        """The name that a program must define at its top level, "" for none."""
        return defined_name(self.entry_point)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A task that no program can be judged by, as it has no usable case: never a pass.

    ``detail`` is a human-readable sentence, with an input that shows the problem if there is one.
    The ``task_id`` of a row that has none is ``line 7``.
    """

    task_id: str
    cause: Cause
    detail: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One model-written program for a task; ``index`` counts the samples of that task.

    A sample whose index is taken, for its model and temperature, gets the next free one in a job.

    ``temperature`` is its sampling temperature, None if unknown.
    """

    task_id: str
    source: str
    model: str = ""
    index: int = 0
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """The program returned a plain value; ``data`` is its wire form (``values.wire``)."""

    data: bytes
    cpu: float = 0.0

    def __str__(self) -> str:
        return f"returned a value of {len(self.data)} bytes"


@dataclass(frozen=True, slots=True)
class Raised:
    """The program raised; ``line`` is the line of the program where it did, if known."""

    type: str
    message: str
    line: int | None = None
    cpu: float = 0.0

    def __str__(self) -> str:
        return clip(f"{self.type}: {self.message}" if self.message else self.type)


@dataclass(frozen=True, slots=True)
class TimedOut:
    """The case took longer than a limit, of ``limit`` seconds, which ``over`` names.

    ``case``: CPU time; ``reference``: that, and also the reference's multiple; ``wait``: waiting
    (sleep, a lock); ``wall``: wall time; ``load``: loading the program; ``total``: all cases
    together.
    """

    cpu: float
    limit: float
    over: Literal["case", "reference", "wait", "wall", "load", "total"] = "case"

    def __str__(self) -> str:
        # No measured time: those differ from run to run, and this is written to files.
        return _OVER[self.over].format(f"{self.limit:g} s")


_OVER = {
    "case": "took longer than its limit of {} of CPU time",
    "reference": "took longer than {} and than the reference allows",
    "wait": "waited longer than its limit of {}",
    "wall": "took longer than its limit of {} of wall time",
    "load": "took longer to load than its limit of {}",
    "total": "all cases together took longer than their limit of {}",
}


@dataclass(frozen=True, slots=True)
class Crashed:
    """The process ended without an answer: ``signal`` if one killed it, else ``exit_code``."""

    signal: int | None = None
    exit_code: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        return self.reason or "the process ended without an answer"


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """The program asked for more than its memory limit."""

    limit: int

    def __str__(self) -> str:
        return "asked for more than its memory limit"


@dataclass(frozen=True, slots=True)
class Unrepresentable:
    """The program returned something that is not a plain value; ``type`` names it."""

    type: str
    cpu: float = 0.0

    def __str__(self) -> str:
        return clip(f"returned {self.type}, which is not a plain value")


def clip(text: str) -> str:
    """Return the text as one printable line of bounded length."""
    line = " ".join(text[: 10 * SHOWN].split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    return line if len(line) <= SHOWN else line[:SHOWN] + "..."


Outcome: TypeAlias = Returned | Raised | TimedOut | Crashed | OutOfMemory | Unrepresentable


@dataclass(frozen=True, slots=True, repr=False)
class Suite:
    """A task's cases with the reference's outputs.

    ``expected[i]`` is the wire form of the right output for ``cases[i]``. The first ``base_count``
    cases are the task's own. ``stress`` holds cases aimed at slow programs, which have a separate
    verdict and count for nothing else.
    """

    task_id: str
    cases: tuple[Case, ...]
    expected: Sequence[bytes]
    base_count: int
    provenance: Mapping[str, Any] = field(default_factory=dict)
    stress: Suite | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.expected, Blobs):
            object.__setattr__(self, "expected", Blobs(self.expected))

    def __repr__(self) -> str:
        """Return a line: a suite may hold thousands of cases."""
        return f"<Suite {self.task_id}: {len(self.cases)} cases, {self.base_count} of them base>"

    @property
    def blobs(self) -> Blobs:
        """The expected outputs as they are held: large ones compressed."""
        assert isinstance(self.expected, Blobs)
        return self.expected


@dataclass(frozen=True, slots=True)
class Failure:
    """The case that decided a verdict other than pass."""

    case: int
    verdict: VerdictName
    detail: str
    """One readable line: the exception, the signal, the limit, or got/expected shortened."""
    line: int | None = None
    actual: bytes | None = None
    """The wrong answer in wire form, if there was one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A sample's verdicts, for the base cases and for base and plus together.

    ``plus`` is None if the dataset has no plus cases at all; ``cpu`` is in seconds.
    """

    base: VerdictName
    plus: VerdictName | None
    failure: Failure | None = None
    details: tuple[VerdictName | None, ...] | None = None
    """One entry for each case (None: not run), only if all details were requested."""
    cpu: float = 0.0
    memory: int = 0
    """Most bytes resident at a time; 0: not known."""

    @property
    def passed(self) -> bool:
        """Whether the program passed every case, base and plus."""
        return self.base == "pass" and self.plus in ("pass", None)
