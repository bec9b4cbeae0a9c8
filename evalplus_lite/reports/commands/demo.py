"""``evalplus-lite demo``: the whole pipeline on the real HumanEval, with a recorded model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.augment import show as show_augmented
from evalplus_lite.cli.console import print_table, say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.jobs.tables import sure
from evalplus_lite.reports.demonstration import ROUNDS, demonstrate

DATASET = "humaneval"


@takes("tasks", "seed", "force", *SANDBOX)
def demo(
    run: Run,
    out: options.Out = None,
    inputs: Annotated[int, typer.Option("--inputs", "-n", min=1, help="New inputs a task.")] = 100,
) -> int:
    """Build, judge and shrink a benchmark: HumanEval and a real model's recorded answers.

    No key, no network, no question. Augments all 164 tasks (seeds of a recorded model, mutation by
    type, contracts, the reference run twice), judges the recorded samples on the base and the
    augmented tests, and reduces these to a mini suite that keeps branches, decisions, mutants and
    rejected samples. Writes all of it to DIR, with report.html to look at; run again after a kill,
    it goes on.
    """
    folder = out or Path("out", "demo")
    with run.started() as (session, _):
        data = run.opened(DATASET, session)
        result = demonstrate(
            data, folder, inputs=inputs, seed=run.seed, force=run.force, session=session
        )
    return run.ended(result, lambda: _show(result.summary, folder))


def _show(result: Mapping[str, Any], folder: Path) -> None:
    show_augmented(result["augmented"], folder)
    tasks = result["augmented"]["tasks"]
    scores, sizes, mutants = result["pass_at_k"], result["sizes"], result["mutants"]
    intervals = result["intervals"]
    names = list(scores["base"])
    title = f"HumanEval, {tasks} tasks"
    if result["model"]:
        title += f"; {result['samples']} samples recorded of {result['model']}"
    print_table(
        title,
        ["tests", "inputs", "a task", "mutants rejected", *(f"{name} % [95 %]" for name in names)],
        [
            [
                name,
                sizes[name],
                f"{sizes[name] / max(tasks, 1):.1f}",
                f"{mutants[name]} of {mutants['all']}",
                *(sure(scores[name].get(each), intervals[name].get(each)) for each in names),
            ]
            for name in ROUNDS
        ],
    )
    say(f"all files: {folder}  (suite.jsonl.gz, plus/, mini/suite.jsonl.gz, mini/results.jsonl)")
    say("next: evalplus-lite evaluate -d humaneval -s your_samples.jsonl")
    say(f"the report, to open in a browser: {result['report']}")
