"""Branches of a reference that each case takes, by coverage.py: the only user of coverage.

The reference is measured in the sandbox by coverage's public interface, one context a case. The
possible branches are read from its text here, where nothing of it runs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import coverage

from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox
from evalplus_lite.types import Returned, Value
from evalplus_lite.values import wire

PACKAGES = ("coverage",)
"""Packages that the sandbox of ``branches`` must have."""

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
        # Without any arc on record coverage takes it that branches were not measured.
        data = measurement.get_data()
        try:
            data.add_arcs({str(path): [(-1, 1)]})
            return frozenset(measurement.branch_stats(str(path)))
        finally:
            data.close(force=True)  # a database in memory, else closed by the collector


def branches(
    sandbox: Sandbox, program: Program, cases: list[tuple[Value, ...]], limits: Limits | None = None
) -> dict[str, int]:
    """Return the bitset of the cases that take each branch (line to line).

    The sandbox must have ``PACKAGES``. A branch that no case takes is left out; a negative line
    means leaving the function that starts there. The order is that of the lines. The result is
    empty if the reference has no branch or does not survive its own cases.
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
