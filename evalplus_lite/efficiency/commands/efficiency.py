"""``evalplus-lite efficiency``: models ranked by the work of their right programs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_tables, say
from evalplus_lite.cli.run import JOB, Run, takes
from evalplus_lite.efficiency import job
from evalplus_lite.efficiency.explanation import explain
from evalplus_lite.jobs.datasets import default_folder


@takes(*JOB, "seed", "force")
def efficiency(
    run: Run,
    dataset: options.Dataset,
    samples: options.Samples,
    out: options.Out = None,
    levels: Annotated[
        int, typer.Option("--levels", min=3, max=10, help="Number of sizes, each doubled.")
    ] = job.LEVELS,
    counter: Annotated[
        Literal["work", "cpu"],
        typer.Option("--counter", help="Count work, or measure CPU time as a cross-check."),
    ] = "work",
    task: Annotated[
        str,
        typer.Option(
            "--explain", metavar="ID", help="Show the work of a task's slowest program by line."
        ),
    ] = "",
) -> int:
    """Rank models by the work of their right programs on growing inputs.

    Work (statements, and the data that built-in functions process) is counted, not timed, so the
    result is the same on every machine. Every answer on every input is compared with the
    reference's; a wrong, failed or late program counts as inefficient. A program that could reach
    the counter is marked "uncounted". DIR/efficiency.jsonl has a row for each program: units by
    size, their growth, score and rank. Resumes when run again after a kill. --explain shows the
    slowest right program of a task next to the fastest, with each line's share of the work.

    [bold]Example[/bold]  evalplus-lite efficiency -d humaneval -s old.jsonl -s new.jsonl
    """
    with run.started() as (session, _):
        data = run.opened(dataset, session)
        folder = out or default_folder("efficiency", dataset, data)
        result = job.efficiency(
            data,
            samples,
            levels=levels,
            counter=counter,
            seed=run.seed,
            strict=run.strict,
            out=folder,
            force=run.force,
            session=session,
        )
        pair = result.extremes(task) if task else None
        found = pair and explain(
            data, task, pair[0], faster=pair[1], seed=run.seed, session=session
        )

    def show() -> None:
        print_tables(result.tables())
        if found:
            print_tables([found])
        elif task:
            say(f"{task}: no right program was counted on all sizes")
        reasons: dict[str, list[str]] = {}
        for id, reason in result.summary["not_measured"].items():
            reasons.setdefault(reason, []).append(id)
        for reason, missing in reasons.items():
            more = " ..." if len(missing) > 5 else ""
            say(f"not measured: {len(missing)} ({reason}): {', '.join(missing[:5])}{more}")
        name_report(folder)

    return run.ended(result, show, attention=lambda: not result.summary["tasks"])
