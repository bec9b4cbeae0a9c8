"""Which kinds of inputs reject wrong programs: every case of a suite against every program.

    python -m scripts.benchmarks.kinds SUITE SAMPLES... [--record FILE]

``SAMPLES`` hold wrong programs. For each source of cases: how many cases it has in their tasks, how
many programs (and tasks) at least one of them rejects by an answer, and how many nobody else's
case rejects.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from evalplus_lite import evaluate, load_dataset
from scripts.benchmarks.figures import Table, arguments

WRONG = ("fail", "error", "unrepresentable")


def main() -> None:
    """Count for each kind what it finds."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("suite", type=Path)
    parser.add_argument("samples", type=Path, nargs="+")
    options = parser.parse_args()
    data = load_dataset(options.suite)
    found, alone = Counter[str](), Counter[str]()
    tasks: dict[str, set[str]] = defaultdict(set)
    rows = evaluate(data, options.samples, details=True, extract=False).to_rows()
    for row in rows:
        suite = data.suites[row["task_id"]]
        kinds = {
            case.source
            for case, verdict in zip(suite.cases, row["details"], strict=True)
            if verdict in WRONG
        }
        found.update(kinds)
        alone.update(kinds if len(kinds) == 1 else ())
        for kind in kinds:
            tasks[kind].add(row["task_id"])
    judged = {row["task_id"] for row in rows}
    cases = Counter(case.source for task in judged for case in data.suites[task].cases)
    table = Table()
    for kind in sorted(cases, key=lambda each: (-found[each], each)):
        table.add(
            {
                "kind": kind,
                "cases": cases[kind],
                "programs rejected": found[kind],
                "of tasks": len(tasks[kind]),
                "a thousand cases": 1000 * found[kind] / cases[kind],
                "by no other kind": alone[kind],
            }
        )
    table.save(options.record, programs=len(rows))


if __name__ == "__main__":
    main()
