"""``evalplus-lite check-tasks``: what of each task will be tested, what not, and why."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.arguments import one_path
from evalplus_lite.cli.console import print_json, print_table, say
from evalplus_lite.cli.setup import started
from evalplus_lite.jobs.checking import STATUSES
from evalplus_lite.jobs.checking import check_tasks as check

WORDS = {"ready": "ready", "remarks": "with remarks", "unusable": "unusable"}
ANSWERS = {True: "yes", False: "NO", None: "-"}


def check_tasks(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="NAME|PATH", help="A data set, a file, or a folder of files.", callback=one_path
        ),
    ],
    tasks: options.Tasks = None,
    workers: options.Workers = None,
    sandbox: options.Sandbox = "auto",
    packages: options.Packages = None,
    json: options.Json = False,
) -> int:
    """Say of each task what will be tested, what is ignored, and why.

    The reference is run on the task's own inputs, twice and in another order, and on the examples
    in its prompt. Shown are whether it loads, answers its inputs (with the outputs given, if there
    are any), answers them alike, in a way that is observed, with values that can be compared, and
    in time; whether the contract accepts these inputs; how many steps the longest takes (a usual
    machine makes 20 million a second); and below the table whatever is lost or odd. Exits with 1 if
    a task cannot be used.

    [bold]Example[/bold]  evalplus-lite check-tasks tasks.jsonl
    """
    with started(workers, sandbox, packages) as (session, _):
        result = check(dataset, tasks=tasks, session=session)
    if json:
        print_json(result.summary)
    else:
        _show(result.to_rows())
        counts = ", ".join(f"{result.summary[status]} {WORDS[status]}" for status in STATUSES)
        say(f"{result.summary['dataset']}: {counts}")
    return 1 if result.unusable else 0


def _show(rows: list[dict[str, Any]]) -> None:
    names = list(rows[0]["checks"])[1:]
    table = [
        (
            row["task_id"],
            row["status"],
            _tested(row),
            *(ANSWERS[row["checks"][name]] for name in names),
            f"{row['usable']}/{row['given']}",
            "" if row["steps"] is None else f"{row['steps']:,}",
        )
        for row in rows
    ]
    heading = ["task", "status", "tested", *names, "inputs used", "steps"]
    print_table("Tasks", heading, table, left=3 + len(names))
    for row in rows:
        for remark in row["remarks"]:
            count = f"{remark['count']} " if remark["count"] > 1 else ""
            say(f"{row['task_id']}: {count}{remark['kind']}: {remark['detail']}")


def _tested(row: dict[str, Any]) -> str:
    """Return how a task's programs are invoked, what is looked at, and how it is compared."""
    if row["harness"] is None:
        return ""
    return f"{row['harness']}, {' and '.join(row['observe'])}, {row['compared']}"
