"""Results as JUnit XML: a test suite for each model, a test case for each sample.

The form is the one that Ant's JUnit task writes, in its strictest reading (the schema of Windy Road
Technology): what other readers want is a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from evalplus_lite.outputs.evaluation import Entrant, Evaluation, entrants
from evalplus_lite.outputs.rows import flat
from evalplus_lite.store.writing import replacing

UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document can hold, not even as a reference."""


def write_junit(evaluations: Sequence[Evaluation], path: Path) -> int:
    """Write the file and return how many samples it holds.

    A sample passes if it passes all cases there are, base and plus; else it is a failure of the
    verdict's name. Samples that could not be judged are errors, in a suite of their own.
    """
    count = number = 0
    with replacing(path) as stream:
        _write(stream, '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
        for each in entrants(evaluations):
            count += _write_suite(stream, each, number)
            number += 1
        for evaluation in evaluations:
            if evaluation.summary["infra"] or evaluation.summary["unusable"]:
                _write_unjudged(stream, evaluation, number)
                number += 1
        _write(stream, "</testsuites>\n")
    return count


def _write_suite(stream: BinaryIO, entrant: Entrant, number: int) -> int:
    """Write an entrant's samples; they are read twice, as their counts come first."""
    tests = failures = 0
    seconds = 0.0
    for row in _rows(entrant):
        tests += 1
        failures += not row["passed"]
        seconds += row["cpu"] if row["cpu"] == row["cpu"] else 0.0
    counts = {"tests": tests, "failures": failures, "errors": 0, "time": _seconds(seconds)}
    _write(stream, _head(entrant.evaluation, entrant.label, number, counts))
    for row in _rows(entrant):
        _write(stream, _case(row))
    _write(stream, _TAIL)
    return tests


def _rows(entrant: Entrant) -> Iterator[dict[str, Any]]:
    for row, cost in entrant.evaluation.measured():
        if entrant.is_of(row):
            yield flat(entrant.evaluation, row, cost)


def _case(row: Mapping[str, Any]) -> str:
    head = _tag(
        "testcase",
        name=f"sample {row['index']}",
        classname=row["task_id"],
        time=_seconds(row["cpu"]),
    )
    if row["passed"]:
        return f"    {head}</testcase>\n"
    verdict = row["verdict"] or row["plus"] or row["base"]
    lines = [f"{verdict} on case {row['case']}: {row['detail']}", f"base: {row['base']}"]
    lines += [f"plus: {row['plus']}"] if row["plus"] else []
    lines += [f"line of the program: {row['line']}"] if row["line"] else []
    lines += [
        f"{key.replace('_', ' ')}: {row[key]}"
        for prefix in ("", "smallest_")
        for key in (f"{prefix}input", f"{prefix}expected", f"{prefix}actual")
        if row[key]
    ]
    lines.append(f"program: {row['program']}")
    failure = _tag("failure", type=verdict, message=row["detail"])
    text = "\n".join(lines)
    return f"    {head}{failure}{_text(text)}</failure></testcase>\n"


def _write_unjudged(stream: BinaryIO, evaluation: Evaluation, number: int) -> None:
    lost, unusable = evaluation.summary["infra"], evaluation.summary["unusable"]
    counts = {"tests": len(lost) + len(unusable), "failures": 0, "errors": len(lost),
              "skipped": len(unusable), "time": _seconds(0)}  # fmt: skip
    _write(stream, _head(evaluation, f"{evaluation.label}: not judged", number, counts))
    for line in lost:
        name, _, cause = line.partition(": ")
        head = _tag("testcase", name=name, classname="not judged", time="0")
        error = _tag("error", type="infrastructure", message=cause)
        _write(stream, f"    {head}{error}</error></testcase>\n")
    for task in unusable:
        head = _tag("testcase", name=task["task_id"], classname="not judged", time="0")
        cause = f"{task['cause']}: {task['detail']}"
        _write(stream, f"    {head}<skipped>{_text(cause)}</skipped></testcase>\n")
    _write(stream, _TAIL)


_TAIL = "    <system-out></system-out>\n    <system-err></system-err>\n  </testsuite>\n"


def _head(evaluation: Evaluation, name: str, number: int, counts: Mapping[str, object]) -> str:
    run = evaluation.summary["run"]
    facts = {"dataset": evaluation.dataset, "content": evaluation.content, **{
        key: run[key] for key in ("version", "python", "sandbox") if key in run
    }}  # fmt: skip
    head = _tag(
        "testsuite",
        name=name,
        package=evaluation.dataset,
        id=str(number),
        hostname="localhost",  # where it ran is nobody's business
        timestamp=str(run["date"])[:19],
        **{key: str(value) for key, value in counts.items()},
    )
    properties = "".join(
        f"      {_tag('property', name=key, value=str(value))}</property>\n"
        for key, value in facts.items()
    )
    return f"  {head}\n    <properties>\n{properties}    </properties>\n"


def _seconds(seconds: float) -> str:
    return f"{seconds:.6f}" if seconds == seconds else "0"


def _tag(name: str, /, **attributes: str) -> str:
    parts = (f" {key}={quoteattr(_fit(value))}" for key, value in attributes.items())
    return f"<{name}{''.join(parts)}>"


def _text(text: str) -> str:
    return escape(_fit(text), {"\r": "&#13;"})


def _fit(text: str) -> str:
    return UNFIT.sub(lambda found: ascii(found[0])[1:-1], text)


def _write(stream: BinaryIO, text: str) -> None:
    stream.write(text.encode("utf-8"))
