"""``evalplus-lite contracts``: preconditions for tasks that have none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, print_table, say
from evalplus_lite.cli.setup import folder_for, opened, started
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.contract_drafts import inferred, suggest_contracts
from evalplus_lite.models import Client, Replay

app = typer.Typer(
    add_completion=False,
    name="contracts",
    help="Say what a task's inputs may be: drafts by a model, or what its inputs imply.",
    no_args_is_help=True,
)


@app.command("suggest")
def suggest(
    dataset: options.Dataset,
    model: Annotated[
        str | None, typer.Option("--model", help="Ask this model (key: OPENAI_API_KEY).")
    ] = None,
    base_url: options.BaseUrl = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option("--replay", metavar="FILE", help="Recorded replies instead of a server."),
    ] = None,
    out: options.Out = None,
    tasks: options.Tasks = None,
    workers: options.Workers = None,
    sandbox: options.Sandbox = "auto",
    json: options.Json = False,
) -> int:
    """Have a model draft preconditions, for a person to review.

    A draft must accept all base inputs of its task, which is tried in the sandbox; what it refuses
    is quoted back, up to three times. Writes DIR/<task>.py for each draft that does. Read it, and
    put its text into the task's ``contract`` field. Exits with 1 where some task got none.

    [bold]Example[/bold]  evalplus-lite contracts suggest -d tasks.jsonl --model gpt-4o -o drafts
    """
    if not model and not replay:
        raise InputError(
            "no model to ask", remedy="give --model, or --replay with recorded replies"
        )
    source = Replay(*replay, model=model) if replay else Client(str(model), base_url=base_url)
    with started(workers, sandbox) as (session, _):
        data = opened(dataset, tasks, session)
        folder = folder_for(out, "contracts", dataset, data)
        result = suggest_contracts(data, source, out=folder, session=session)
    rows = result.to_rows()
    if json:
        print_json(result.summary)
    else:
        _show(rows, folder)
    return 0 if all(row["file"] for row in rows) else 1


@app.command("infer")
def infer(
    dataset: options.Dataset,
    tasks: options.Tasks = None,
    workers: options.Workers = None,
    sandbox: options.Sandbox = "auto",
    json: options.Json = False,
) -> int:
    """Print what is taken for granted about inputs where a task has no contract.

    [bold]Example[/bold]  evalplus-lite contracts infer -d tasks.jsonl
    """
    with started(workers, sandbox) as (session, _):
        data = opened(dataset, tasks, session)
    found = {task.id: inferred(task) for task in data.tasks if task.base}
    if json:
        print_json(found)
        return 0
    for task in data.tasks:
        note = " (has a contract, which decides instead)" if task.contract else ""
        say(f"{task.id}{note}")
        for line in found.get(task.id, ["no base input to infer from"]):
            say(f"  {line}")
    return 0


def _show(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    none = {"accepted": 0, "tried": 0}
    print_table(
        f"{sum(row['file'] is not None for row in rows)} of {len(rows)} tasks have a draft",
        ["task", "draft", "turns", "accepts", "of mutated"],
        [
            [
                row["task_id"],
                row["file"] or f"none: {row['problem'][:100]}",
                row["turns"],
                *row.get("mutated_inputs", none).values(),
            ]
            for row in rows
        ],
        left=2,
    )
    say(f"drafts to be reviewed: {folder}")
