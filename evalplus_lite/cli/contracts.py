"""``evalplus-lite contracts``: preconditions for tasks that have none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    OutOption,
    SandboxOption,
    TasksOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from evalplus_lite.pipelines.contract_drafts import Draft
    from evalplus_lite.sandbox import Sandbox
    from evalplus_lite.types import Task

app = typer.Typer(
    name="contracts",
    help="Say what a task's inputs may be: drafts by a model, or what its inputs imply.",
    no_args_is_help=True,
)


@app.command("suggest")
def suggest(
    dataset: DatasetOption,
    model: Annotated[
        str | None, typer.Option("--model", help="Ask this model (key: OPENAI_API_KEY).")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Its OpenAI-compatible server.")
    ] = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option("--replay", metavar="FILE", help="Recorded replies instead of a server."),
    ] = None,
    out: OutOption = None,
    tasks: TasksOption = None,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    json: JsonOption = False,
) -> int:
    """Have a model draft preconditions, for a person to review.

    A draft must accept all base inputs of its task, which is tried in the sandbox; what it refuses
    is quoted back, up to three times. Writes DIR/<task>.py for each draft that does. Read it, and
    put its text into the task's ``contract`` field. Exits with 1 where some task got none.

    [bold]Example[/bold]  evalplus-lite contracts suggest -d tasks.jsonl --model gpt-4o -o drafts
    """
    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool, output_folder
    from evalplus_lite.errors import InputError
    from evalplus_lite.llm import Client, Replay
    from evalplus_lite.pipelines.contract_drafts import suggest as draft

    if not model and not replay:
        raise InputError(
            "no model to ask", remedy="give --model, or --replay with recorded replies"
        )
    source = Replay(*replay, model=model) if replay else Client(str(model), base_url=base_url)
    screen = Screen()
    with screen, open_pool(workers, sandbox, screen) as pool:
        data = open_dataset(dataset, tasks, pool, screen)
        folder = output_folder(out, "contracts", dataset, data)
        screen.stage("contracts", len(data.tasks))

        def one(box: Sandbox, task: Task) -> Draft:
            screen.advance()
            return draft(box, task, source)

        drafts = list(pool.imap(one, data.tasks))
    rows = [_written(each, folder, source.model) for each in drafts]
    if json:
        print_json({"run": facts(data, model=source.model), "dataset": data.name, "drafts": rows})
    else:
        _show(drafts, rows, folder)
    return 0 if all(each.text for each in drafts) else 1


@app.command("infer")
def infer(
    dataset: DatasetOption,
    tasks: TasksOption = None,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    json: JsonOption = False,
) -> int:
    """Print what is taken for granted about inputs where a task has no contract.

    [bold]Example[/bold]  evalplus-lite contracts infer -d tasks.jsonl
    """
    from evalplus_lite.cli.console import Screen, print_json, say
    from evalplus_lite.cli.setup import open_dataset, open_pool
    from evalplus_lite.pipelines.contract_drafts import inferred

    screen = Screen()
    with screen, open_pool(workers, sandbox, screen) as pool:
        data = open_dataset(dataset, tasks, pool, screen)
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


def _written(draft: Draft, folder: Path, model: str) -> dict[str, object]:
    from evalplus_lite.store import write_text

    row: dict[str, object] = {"task_id": draft.task_id, "turns": draft.turns}
    if draft.text is None:
        return {**row, "file": None, "problem": draft.problem}
    path = folder / f"{draft.task_id.replace('/', '_')}.py"
    write_text(path, f"# A draft by {' '.join(model.split())}: to be reviewed.\n{draft.text}")
    share = {"accepted": draft.accepted, "tried": draft.tried}
    return {**row, "file": str(path), "mutated_inputs": share}


def _show(drafts: list[Draft], rows: list[dict[str, object]], folder: Path) -> None:
    from evalplus_lite.cli.console import print_table, say

    print_table(
        f"{sum(draft.text is not None for draft in drafts)} of {len(drafts)} tasks have a draft",
        ["task", "draft", "turns", "accepts", "of mutated"],
        [
            [
                draft.task_id,
                f"{row['file']}" if draft.text else f"none: {draft.problem[:100]}",
                draft.turns,
                draft.accepted,
                draft.tried,
            ]
            for draft, row in zip(drafts, rows, strict=True)
        ],
        left=2,
    )
    say(f"drafts to be reviewed: {folder}")
