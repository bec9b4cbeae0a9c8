"""``evalplus-lite demo``: the whole pipeline on the real HumanEval, with recorded models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.augment import show as show_augmented
from evalplus_lite.cli.console import print_table, print_tables, say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.jobs.tables import suite
from evalplus_lite.reports.comparison import leaderboard
from evalplus_lite.reports.demonstration import ROUNDS, demonstrate

DATASET = "humaneval"


@takes("tasks", "seed", "force", *SANDBOX)
def demo(
    run: Run,
    out: options.Out = None,
    inputs: int = typer.Option(100, "--inputs", "-n", min=1, help="New inputs a task."),
) -> int:
    """Build a benchmark, rank real models on it, and shrink it.

    Needs no API key and no network. Augments all 164 tasks of HumanEval (seeds from a recorded
    model, mutation by type, contracts, the reference run twice), judges the recorded answers of
    each model on the base and the augmented tests, and reduces these to a mini suite that preserves
    branches, decisions, mutants and rejected samples. Writes everything to DIR, with report.html to
    open; if killed, it resumes when run again.
    """
    folder = out or Path("out", "demo")
    with run.started() as (session, _):
        data = run.opened(DATASET, session)
        result = demonstrate(
            data, folder, inputs=inputs, seed=run.seed, force=run.force, session=session
        )
    return run.ended(result, lambda: _show(result.summary, folder))


def _show(result: Mapping[str, Any], folder: Path) -> None:
    if result["models"]:
        print_tables(leaderboard(folder / "plus").tables())
    print_tables(suite(result["augmented"]))
    show_augmented(result["augmented"], folder)
    tasks = result["augmented"]["tasks"]
    sizes, mutants = result["sizes"], result["mutants"]
    print_table(
        f"HumanEval, {tasks} tasks: the tests",
        ["tests", "inputs", "a task", "mutants rejected"],
        [
            [
                name,
                sizes[name],
                f"{sizes[name] / max(tasks, 1):.1f}",
                f"{mutants[name]} of {mutants['all']}",
            ]
            for name in ROUNDS
        ],
    )
    say(f"all files: {folder}  (suite.jsonl.gz, plus/, mini/suite.jsonl.gz, mini/results.jsonl)")
    say("next: evalplus-lite evaluate -d humaneval -s your_samples.jsonl")
    say(f"the report, to open in a browser: {result['report']}")
