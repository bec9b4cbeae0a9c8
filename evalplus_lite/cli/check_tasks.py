"""``evalplus-lite check-tasks``: tested parts of each task, skipped parts, and reasons."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evalplus_lite.cli.console import print_json, print_tables, say
from evalplus_lite.cli.options import one_path
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.jobs.contract_drafts import infer_constraints
from evalplus_lite.jobs.own_tasks import STATUSES
from evalplus_lite.jobs.own_tasks import check_tasks as check

WORDS = {"ready": "ready", "remarks": "with remarks", "unusable": "unusable"}


@takes("tasks", "package", *SANDBOX)
def check_tasks(
    run: Run,
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="NAME|PATH", help="A data set, a file, or a folder of files.", callback=one_path
        ),
    ],
    constraints: Annotated[
        bool,
        typer.Option("--constraints", help="Show the input constraints that the inputs imply."),
    ] = False,
) -> int:
    """Show what is tested for each task, and what is skipped.

    The reference is run on the task's own inputs, twice and in another order, and on the examples
    in its prompt. The table shows whether it loads, answers its inputs (with the task's outputs, if
    any), gives the same answers again, with observable and comparable values, in time; whether the
    contract accepts these inputs; and the steps of the longest run (a typical machine makes 20
    million a second). Lost inputs and remarks follow. Exits with 1 if a task cannot be used.

    With --constraints nothing is checked: it shows the inferred constraints on new inputs for each
    task without a contract.

    [bold]Example[/bold]  evalplus-lite check-tasks tasks.jsonl
    """
    if constraints:
        return _constraints(run, dataset)
    with run.started() as (session, _):
        result = check(dataset, tasks=run.tasks, session=session)

    def show() -> None:
        print_tables(result.tables())
        _show_remarks(result.to_rows())
        counts = ", ".join(f"{result.summary[status]} {WORDS[status]}" for status in STATUSES)
        say(f"{result.summary['dataset']}: {counts}")

    return run.ended(result, show, attention=lambda: result.unusable)


def _constraints(run: Run, dataset: str) -> int:
    with run.started() as (session, _):
        data = run.opened(dataset, session)
    found = {task.id: infer_constraints(task) for task in data.tasks if task.base}
    if run.json:
        print_json(found)
        return 0
    for task in data.tasks:
        note = " (has a contract, which decides instead)" if task.contract else ""
        say(f"{task.id}{note}")
        for line in found.get(task.id, ["no base input to infer from"]):
            say(f"  {line}")
    return 0


def _show_remarks(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        for remark in row["remarks"]:
            count = f"{remark['count']} " if remark["count"] > 1 else ""
            say(f"{row['task_id']}: {count}{remark['kind']}: {remark['detail']}")
