"""Kinds of requirements for small suites; a new kind is an entry in ``KINDS``."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TypeAlias

import coverage

from evalplus_lite.grading.times import reference_steps
from evalplus_lite.programs import program_key
from evalplus_lite.programs.mutation.mutants import Mutant, mutants
from evalplus_lite.programs.mutation.variants import kinds_of, variants
from evalplus_lite.reduction import kills
from evalplus_lite.reduction.decisions import REFERENCE_LIMITS, decisions
from evalplus_lite.reduction.kills import Kills, KillSuite
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.steps import FEWEST
from evalplus_lite.store.cache import cache_path, read_cached, write_cached
from evalplus_lite.tasks.contracts import violations
from evalplus_lite.types import Returned, Suite, Task, Value
from evalplus_lite.values import wire

# Branches of a reference that each case takes, by coverage.py: the only user of coverage.
#
# The reference is measured in the sandbox by coverage's public interface, one context a case. The
# possible branches are read from its text here, where nothing of it runs.

PACKAGES = ("coverage",)
"""Packages that the sandbox needs for ``branches``."""

_REPORT = "_evalplus_lite_report"
_FILE = "/reference/reference.py"
"""The apparent path of the reference inside; coverage does not measure code without a path."""

_MEASURE = """
import coverage as _coverage
import sandbox_inside
_measurement = _coverage.Coverage(
    data_file=None, config_file=False, branch=True, include=[{file!r}], messages=False
)
_measurement.set_option("run:core", "ctrace")
_code = compile({source!r}, {file!r}, "exec", dont_inherit=True)
_measurement.start()
_function = sandbox_inside.bind(
    sandbox_inside.Execution(_code, {spec!r}), {entry_point!r}, {spec!r}
)
_count = 0

def measured(*arguments):
    global _count
    if arguments == ({report!r},):
        _measurement.stop()
        data = _measurement.get_data()
        found = []
        for number in range(_count):
            data.set_query_context(str(number))
            found.append(sorted(set(data.arcs({file!r}) or ())))
        return found
    _measurement.switch_context(str(_count))
    _count += 1
    try:
        _function(*arguments)
    except Exception:
        pass
"""


def branching_lines(source: str) -> frozenset[int]:
    """Return the lines (from 1) of a program that can branch in two or more ways."""
    measurement = coverage.Coverage(data_file=None, config_file=False, branch=True, messages=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "reference.py")
        path.write_bytes(source.encode("utf-8", "surrogatepass"))
        # Without a recorded arc, coverage assumes that branches were not measured.
        data = measurement.get_data()
        try:
            data.add_arcs({str(path): [(-1, 1)]})
            return frozenset(measurement.branch_stats(str(path)))
        finally:
            data.close(force=True)  # an in-memory database, otherwise closed by garbage collection


def branches(
    sandbox: Sandbox, program: Program, cases: list[tuple[Value, ...]], limits: Limits | None = None
) -> dict[str, int]:
    """Return the bitset of the cases that take each branch (line to line), in line order.

    The sandbox must have ``PACKAGES``. Branches without cases are omitted; a negative line means
    leaving the function that starts there. The result is empty if the reference has no branches or
    does not survive its own cases.
    """
    lines = branching_lines(program.source)
    if not lines or not cases:
        return {}
    source = _MEASURE.format(
        file=_FILE,
        source=program.source,
        entry_point=program.entry_point,
        spec=program.harness.row,
        report=_REPORT,
    )
    limits = limits or Limits(cpu=30.0, load=10.0)
    run = sandbox.run(program.around(source, "measured"), Inputs.of([*cases, (_REPORT,)]), limits)
    answer = run.outcomes[-1]
    rows: dict[tuple[int, int], int] = {}
    if isinstance(answer, Returned):
        for case, arcs in enumerate(wire.decode(answer.data)):
            for start, end in arcs:
                if start in lines:
                    rows[start, end] = rows.get((start, end), 0) | 1 << case
    return {f"{start:04d}->{end}": row for (start, end), row in sorted(rows.items())}


FORMAT = 2


@dataclass(slots=True)
class CachedRows:
    """Bitsets by section and name, for one task and suite; ``close`` writes them back.

    A row is a list of bitsets; for a program, the cases that kill it, those it was run on, and
    whether it was stopped. A damaged file counts as empty.
    """

    path: Path | None
    sections: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    changed: bool = False

    @classmethod
    def open(cls, cache: Path | None, facts: Sequence[object]) -> CachedRows:
        """Read the rows that depend on these facts; without a cache nothing is stored."""
        path = cache_path(cache, "requirements", [FORMAT, *facts])
        return cls(path, read_cached(path, _sections) or {})

    def store(self, name: str, rows: Mapping[str, list[int]]) -> None:
        """Add rows to a section, which is created even if there are none."""
        self.sections.setdefault(name, {}).update(rows)
        self.changed = True

    def bitsets(self, name: str, compute: Callable[[], Mapping[str, int]]) -> Mapping[str, int]:
        """Return a section whose rows have one bitset each, computing it if missing."""
        if name not in self.sections:
            self.store(name, {key: [row] for key, row in compute().items()})
        return {key: row for key, (row,) in self.sections[name].items()}

    @property
    def stopped(self) -> frozenset[str]:
        """The programs that were stopped before they had run on all their cases."""
        rows = (item for section in self.sections.values() for item in section.items())
        return frozenset(key for key, row in rows if len(row) == 3 and row[2])

    def close(self) -> None:
        """Write the rows if they changed."""
        if self.path is not None and self.changed:
            rows = {
                name: {key: [format(bits, "x") for bits in row] for key, row in section.items()}
                for name, section in self.sections.items()
            }
            write_cached(self.path, [json.dumps(rows).encode()])
            self.changed = False


def _sections(file: BinaryIO) -> dict[str, dict[str, list[int]]]:
    return {
        name: {key: [int(bits, 16) for bits in row] for key, row in section.items()}
        for name, section in json.load(file).items()
    }


@dataclass(frozen=True, slots=True)
class CoverSubject:
    """The source of a task's requirements; ``samples`` are programs by ``program_key``.

    ``contract`` decides which plus cases are rejected.
    """

    task: Task
    suite: Suite
    samples: Mapping[str, str]
    contract: str | None = None

    @property
    def reference(self) -> Program:
        """The task's reference solution."""
        return Program.of(self.task)

    @property
    def arguments(self) -> list[tuple[object, ...]]:
        """The arguments of each case."""
        return [case.arguments for case in self.suite.cases]


Compute: TypeAlias = Callable[[Sandbox, "CoverSubject", CachedRows], Mapping[str, int]]
"""A function that returns a subject's requirements of one kind: by key, the bitset of cases that
satisfy it, in an order that depends only on the subject. Expensive results are kept in the rows."""


@dataclass(frozen=True, slots=True)
class RequirementKind:
    """A kind of requirement. In a choice, all kinds have the same total weight.

    Computing it needs ``packages`` in the sandbox.
    """

    plural: str
    compute: Compute
    packages: tuple[str, ...] = ()


def _branches(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> Mapping[str, int]:
    return cache.bitsets(
        "branch", lambda: branches(sandbox, subject.reference, subject.arguments, REFERENCE_LIMITS)
    )


def _decisions(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> Mapping[str, int]:
    inputs = Inputs.of(subject.arguments)
    return cache.bitsets(
        "decision", lambda: decisions(sandbox, subject.reference, inputs, REFERENCE_LIMITS)
    )


def _mutant_kills(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> Mapping[str, int]:
    programs = {key: mutant.source for key, mutant in mutants_by_key(subject.task).items()}
    return _planted_kills("mutant", programs, sandbox, subject, cache)


def _variant_kills(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> Mapping[str, int]:
    task = subject.task
    if task.harness.kind != "call":  # variants wrap a function
        return {}
    kinds = kinds_of(subject.arguments)
    answers = kinds_of(wire.decode(data) for data in subject.suite.expected)
    kinds |= {f"answer {kind}" for kind in answers}
    programs = dict(variants(task.reference, task.entry_point, kinds))
    return _planted_kills("variant", programs, sandbox, subject, cache)


def _planted_kills(
    kind: str,
    programs: Mapping[str, str],
    sandbox: Sandbox,
    subject: CoverSubject,
    cache: CachedRows,
) -> Mapping[str, int]:
    facts = (
        kind,
        kills.MUTANT_FEWEST,
        kills.MUTANT_FACTOR,
        kills.MUTANT_STEPS,
        kills.MOST_SLOW,
        kills.MUTANT_MEMORY,
    )

    def run(missing: Sequence[str]) -> Mapping[str, Kills]:
        steps = _reference_steps(sandbox, subject, cache)
        suite = KillSuite.of_mutants(sandbox, subject.task, subject.suite, steps)
        return _run(suite, sandbox, programs, missing)

    return _killed(cache, facts, programs, run)


def _sample_kills(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> Mapping[str, int]:
    facts = (
        "sample",
        FEWEST,
        kills.SAMPLE_STEPS,
        kills.SAMPLE_CASES,
        kills.MOST_SLOW,
        kills.MOST_LOST,
        kills.MEMORY,
    )
    task, suite, programs = subject.task, subject.suite, subject.samples

    def run(missing: Sequence[str]) -> Mapping[str, Kills]:
        """Run samples on the cheap cases, and those that survive on all cases.

        Samples that did not finish any cheap case are not run again.
        """
        steps = _reference_steps(sandbox, subject, cache)
        cheap = KillSuite.of_samples(task, suite, steps, most=kills.SAMPLE_STEPS)
        verdicts = _run(cheap, sandbox, programs, missing)
        if len(cheap.cases) < len(suite.cases):
            alive = [key for key, row in verdicts.items() if row.run and not row.killed]
            verdicts |= _run(KillSuite.of_samples(task, suite, steps), sandbox, programs, alive)
        return verdicts

    return _killed(cache, facts, programs, run)


KINDS: Mapping[str, RequirementKind] = {
    "branch": RequirementKind("branches", _branches, PACKAGES),
    "decision": RequirementKind("decision outcomes", _decisions),
    "mutant": RequirementKind("mutants", _mutant_kills),
    "variant": RequirementKind("variants", _variant_kills),
    "sample": RequirementKind("wrong samples", _sample_kills),
}
MODES: Mapping[str, tuple[str, ...]] = {
    "coverage": ("branch", "decision"),
    "mutants": ("mutant",),
    "variants": ("variant",),
    "samples": ("sample",),
    "classic": ("branch", "decision", "mutant", "sample"),
    "full": ("decision", "mutant", "variant", "sample"),
}
"""The kinds of requirement of each mode; given decisions, branches add nothing to ``full``.

``coverage``, ``mutants``, ``samples`` and ``classic`` (all three) are the columns of the EvalPlus
paper's Table 4.
"""


def packages(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the packages that a sandbox needs for these kinds."""
    return tuple(dict.fromkeys(name for kind in kinds for name in KINDS[kind].packages))


def mutants_by_key(task: Task) -> dict[str, Mutant]:
    """Return a task's mutants by the key of their requirement."""
    planted = mutants(task.reference, script=task.harness.kind == "script")
    return {program_key(mutant.source): mutant for mutant in planted}


def _killed(
    cache: CachedRows,
    facts: Sequence[object],
    programs: Mapping[str, str],
    run: Callable[[Sequence[str]], Mapping[str, Kills]],
) -> Mapping[str, int]:
    """Return the cases that reject each program, in order; only programs without rows are run.

    Rows depend on ``facts`` besides the task, the suite and the program.
    """
    section = " ".join(map(str, facts))
    known = cache.sections.get(section, {})
    if missing := [key for key in programs if key not in known]:
        rows = run(missing)
        cache.store(
            section, {key: [row.killed, row.run, row.is_stopped] for key, row in rows.items()}
        )
        known = cache.sections[section]
    return {key: known[key][0] for key in programs}


def _run(
    suite: KillSuite, sandbox: Sandbox, programs: Mapping[str, str], keys: Sequence[str]
) -> dict[str, Kills]:
    rows = suite.kills(sandbox, [programs[key] for key in keys])
    return dict(zip(keys, rows, strict=True))


def _reference_steps(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> Sequence[int]:
    if "steps" not in cache.sections:
        steps = reference_steps(sandbox, subject.task, subject.suite.cases)
        cache.store("steps", {"reference": steps})
    return cache.sections["steps"]["reference"]


@dataclass(frozen=True, slots=True, order=True)
class Requirement:
    """A test requirement; its kind is one of ``KINDS``."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """A task's cover matrix; ``base_count`` of ``count`` cases are the task's own.

    ``rows`` has every requirement that some case satisfies. ``unsatisfied`` are the mutants that
    survive all cases they were run on. ``refused`` are the plus cases that the task's contract
    rejects: cross-validation counts programs that only these reject separately. ``stopped`` are the
    samples that used up their limits: they may fail on more cases than their rows have.
    """

    task_id: str
    count: int
    base_count: int
    rows: Mapping[Requirement, int]
    unsatisfied: tuple[Requirement, ...] = ()
    refused: int = 0
    stopped: frozenset[str] = frozenset()


def build(
    sandbox: Sandbox,
    subject: CoverSubject,
    *,
    cache: Path | None = None,
    kinds: Collection[str] = MODES["full"],
) -> Matrix:
    """Return the matrix of a task, using cached parts."""
    cached = CachedRows.open(cache, _facts(sandbox, subject))
    rows: dict[Requirement, int] = {}
    for name, kind in KINDS.items():
        if name in kinds:
            computed = kind.compute(sandbox, subject, cached)
            rows |= {Requirement(name, key): row for key, row in computed.items()}
    suite = subject.suite
    refused = _refused(sandbox, subject, cached)
    cached.close()
    return Matrix(
        subject.task.id,
        len(suite.cases),
        suite.base_count,
        {requirement: row for requirement, row in rows.items() if row},
        tuple(each for each, row in rows.items() if not row and each.kind == "mutant"),
        refused,
        frozenset(cached.stopped & subject.samples.keys()),
    )


def _refused(sandbox: Sandbox, subject: CoverSubject, cache: CachedRows) -> int:
    """Return the plus cases that the contract rejects; none if it rejects a base case.

    Such a contract is for another function, or interprets the task differently.
    """
    contract, suite = subject.contract, subject.suite
    if contract is None or len(suite.cases) == suite.base_count:
        return 0
    digest = hashlib.sha256(contract.encode("utf-8", "surrogatepass")).hexdigest()

    def find() -> Mapping[str, int]:
        refusals = violations(sandbox, contract, suite.cases)
        return {"refused": sum(1 << case for case, why in enumerate(refusals) if why is not None)}

    row = cache.bitsets(f"contract {digest}", find)["refused"]
    return 0 if row & ((1 << suite.base_count) - 1) else row


def _facts(sandbox: Sandbox, subject: CoverSubject) -> list[str]:
    """Return everything that the rows of a task depend on, except the programs."""
    task, suite = subject.task, subject.suite
    return [
        task.reference,
        task.entry_point,
        task.contract or "",
        repr(task.rule),
        repr(task.harness),
        *sorted({*sandbox.config.packages}),
        Inputs.of(case.arguments for case in suite.cases).key,
        *(data.hex() for data in suite.expected),
    ]
