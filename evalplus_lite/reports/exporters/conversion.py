"""Conversion of results to CSV and JUnit XML."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from evalplus_lite.errors import InputError, one_of
from evalplus_lite.jobs.outputs import (
    RESULT_COLUMNS,
    Evaluation,
    ModelRun,
    Paths,
    entrants,
    flat,
    group_of,
    read_evaluations,
    result_rows,
)
from evalplus_lite.reports.exporters.suites import TEMPLATES
from evalplus_lite.store.writing import replacing

# Results as CSV, with a row for each sample.

FORMULA = re.compile(r"[=+\-@\t\r]")
"""The start of text that a spreadsheet would evaluate; programs choose some of the texts."""


def write_csv(evaluations: Sequence[Evaluation], stream: TextIO) -> int:
    """Write CSV (RFC 4180, with a header) and return the number of rows.

    Text that a spreadsheet would take for a formula gets an apostrophe in front; numbers do not.
    """
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(RESULT_COLUMNS)
    count = 0
    for row in result_rows(evaluations):
        writer.writerow(map(_cell, row.values()))
        count += 1
    return count


def _cell(value: Any) -> Any:
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return "" if math.isnan(value) else repr(value)
    if type(value) is str and FORMULA.match(value) and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.isprintable()


# Results as JUnit XML: a test suite for each model, a test case for each sample.

UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot represent, not even as a character reference."""


def write_junit(evaluations: Sequence[Evaluation], stream: TextIO) -> int:
    """Write the document and return its number of samples.

    A sample passes if it passes all base and plus cases; otherwise it is a failure with the
    verdict's name. Samples that could not be judged are errors, in a separate suite.
    """
    suites = [_suite(each) for each in entrants(evaluations)]
    count: int = sum(suite["counts"]["tests"] for suite in suites)
    for each in evaluations:
        lost, unusable = each.summary["infra"], each.summary["unusable"]
        if lost or unusable:
            counts = {"tests": len(lost) + len(unusable), "failures": 0, "errors": len(lost),
                      "skipped": len(unusable), "time": _seconds(0)}  # fmt: skip
            suites.append(
                {
                    **_facts(each),
                    "name": f"{each.label}: not judged",
                    "counts": counts,
                    "lost": [line.partition(": ")[::2] for line in lost],
                    "unusable": unusable,
                }
            )
    stream.writelines(TEMPLATES.get_template("junit.xml").generate(suites=suites))
    return count


def _suite(entrant: ModelRun) -> dict[str, Any]:
    """Return a model run as a test suite; its cases are read when they are written."""
    tests = failures = 0
    cpu = 0.0
    for row in _rows(entrant):
        tests += 1
        failures += not row["passed"]
        cpu += 0.0 if math.isnan(row["cpu"]) else row["cpu"]
    counts = {"tests": tests, "failures": failures, "errors": 0, "time": _seconds(cpu)}
    cases = map(_case, _rows(entrant))
    return {**_facts(entrant.evaluation), "name": entrant.label, "counts": counts, "cases": cases}


def _rows(entrant: ModelRun) -> Iterator[dict[str, Any]]:
    for row, cost in entrant.evaluation.measured():
        if group_of(row) == entrant.group:
            yield flat(entrant.evaluation, row, cost)


def _case(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its time, verdict and, if it failed, the lines on the failure."""
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
    text = "\n".join([*lines, f"program: {row['program']}"])
    return row | {"verdict": verdict, "text": text, "time": _seconds(row["cpu"])}


def _facts(evaluation: Evaluation) -> dict[str, Any]:
    run = evaluation.summary["run"]
    facts = {"dataset": evaluation.dataset, "content": evaluation.content, **{
        key: run[key] for key in ("version", "python", "sandbox") if key in run
    }}  # fmt: skip
    parts: dict[str, Any] = dict.fromkeys(("cases", "lost", "unusable"), ())
    return parts | {"facts": facts, "date": str(run["date"])[:19]}


def _seconds(seconds: float) -> str:
    return f"{seconds:.6f}" if seconds == seconds else "0"


def _fit(text: object) -> str:
    return UNFIT.sub(lambda found: ascii(found[0])[1:-1], str(text))


TEMPLATES.filters["attribute"] = lambda value: quoteattr(_fit(value))
TEMPLATES.filters["text"] = lambda value: escape(_fit(value), {"\r": "&#13;"})


FORMS = {"junit": write_junit, "csv": write_csv}
ENDINGS = {".xml": "junit", ".csv": "csv"}
"""The format for each file extension."""


def export_results(paths: Paths, out: str | os.PathLike[str], *, form: str | None = None) -> int:
    """Write the results of ``evaluate`` in one or several folders as CSV or JUnit XML.

        export_results("out/my-model", "results.xml")

    ``form`` is ``junit`` or ``csv``; by default the extension decides (``.xml``, ``.csv``). CSV has
    the columns of ``RESULT_COLUMNS`` and a row for each sample. Memory does not grow with the
    number of samples, and equal results give equal bytes. Returns the number of samples.

    Raises InputError for a path without results, an unknown form, or a file that cannot be
    written, and InfrastructureError if the disk is full.
    """
    path = Path(out)
    chosen = ENDINGS.get(path.suffix.lower(), "") if form is None else form
    if chosen not in FORMS:
        if form is None:
            remedy = f"call it ...{', ...'.join(ENDINGS)}, or give --to {', '.join(FORMS)}"
            raise InputError("has a name that tells no form of results", path=path, remedy=remedy)
        raise InputError(f"there is no form {form!r}", remedy=one_of(form, FORMS))
    evaluations = read_evaluations(paths)
    with replacing(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        count = FORMS[chosen](evaluations, text)
        text.detach()  # flushes; whoever opened the stream closes it
    return count
