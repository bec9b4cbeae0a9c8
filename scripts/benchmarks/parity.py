"""Our verdicts on real samples beside evalplus': every difference, with the case that decides it.

    python -m scripts.benchmarks.parity --record docs/measurements/parity.json [--work FOLDER]

Needs the shared data: sample files, their data sets, and evalplus' verdicts. Judges every sample at
the limits preset ``evalplus`` by the real command, which resumes in ``--work``. Exits with 1 if a
difference has no known cause.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scripts.benchmarks.checkout import (
    DATASETS,
    ROOT,
    SHARED,
    read_rows,
    result_rows,
    sample_files,
)
from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import evalplus_lite

CAUSES = {
    "key": "Types: the base input has an integer as a dictionary's key, as in the set's own "
    "`check`; JSON made it a string, and evalplus feeds that",
    "time": "Time: CPU seconds of the program, not wall-clock seconds of a machine under load",
    "Mbpp/287": "Numbers: the expected output is a float, and a number within its tolerance is "
    "right; evalplus wants a float too, so the exact integer fails",
    "Mbpp/255": "Oracle: inputs whose answer takes more than 4 GiB or 16 MiB are not tests; the "
    "sample is the reference, word for word, and fails there with evalplus",
}


def main() -> int:
    """Judge and compare."""
    parser = arguments(__doc__)
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "parity")
    options = parser.parse_args()
    models, differences, unexplained = Table(), Table(is_quiet=True), 0
    for family, dataset in DATASETS.items():
        for path in sample_files(family):
            model = path.name.removesuffix(".jsonl.gz")
            folder = options.work / f"{family}-{model}"
            chosen = ("--dataset", dataset, "--samples", path, "--limits", "evalplus", "--raw")
            workers = ("--workers", options.workers)
            evalplus_lite("evaluate", *chosen, "--out", folder, "--json", *workers)
            ours = result_rows(folder)
            verdicts = read_rows(SHARED / "verdicts" / family / f"{model}.jsonl")
            theirs = {(row["task_id"], row["index"]): row for row in verdicts}
            pairs = [(row, theirs[row["task_id"], row["index"]]) for row in ours]
            unlike = [(row, other) for row, other in pairs if passes(row) != passes(other)]
            models.add(
                {
                    "samples": f"{family}/{model}",
                    "programs": len(ours),
                    "base: ours": sum(passes(row)[0] for row in ours),
                    "base: evalplus": sum(passes(row)[0] for row in verdicts),
                    "plus: ours": sum(passes(row)[1] for row in ours),
                    "plus: evalplus": sum(passes(row)[1] for row in verdicts),
                    "differ": len(unlike),
                }
            )
            for row, other in unlike:
                why = cause(row, other)
                unexplained += why is None
                differences.add(
                    {
                        "samples": f"{family}/{model}",
                        "task[index]": f"{row['task_id']}[{row['index']}]",
                        "ours": f"{row['base']}/{row['plus']}",
                        "evalplus": f"{other['base']}/{other['plus']}",
                        "the case that decides": decisive(row),
                        "cause": why or "**unexplained**",
                    }
                )
    print(f"{len(differences.rows)} differences, {unexplained} unexplained")
    every = {"columns": differences.columns, "rows": differences.rows}
    models.save(options.record, differences=every)
    return 1 if unexplained else 0


def passes(row: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether base tests pass, and whether base and plus tests do."""
    return row["base"] == "pass", row["base"] == "pass" == row["plus"]


def cause(row: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """Return why the verdicts differ, if a published rule says it."""
    failure = row.get("failure") or {}
    if row["task_id"] in CAUSES and row["plus"] == "pass":
        return CAUSES[row["task_id"]]
    if '"$dict"' in json.dumps(failure.get("input")) and theirs["base"] == "pass":
        return CAUSES["key"]
    if row["plus"] in ("pass", "timeout") and "pass" in (row["base"], theirs["base"]):
        return CAUSES["time"]
    return None


def decisive(row: dict[str, Any]) -> str:
    """Return the case that decided, in a line."""
    failure = row.get("failure") or {}
    if not failure:
        return "all cases pass"
    return f"{json.dumps(failure['input'])[:100]}: {failure['detail'][:120]}"


if __name__ == "__main__":
    raise SystemExit(main())
