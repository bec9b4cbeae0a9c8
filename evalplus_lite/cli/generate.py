"""``evalplus-lite generate``: samples from a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import DatasetOption, ForceOption, JsonOption, OutOption, TasksOption

if TYPE_CHECKING:
    from evalplus_lite.llm import Usage
    from evalplus_lite.types import Task


def generate(
    dataset: DatasetOption,
    model: Annotated[str, typer.Option("--model", "-m", help="The model's name on its server.")],
    out: OutOption = None,
    tasks: TasksOption = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="An OpenAI-compatible server (or OPENAI_BASE_URL)."),
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Samples a task.")] = 1,
    temperature: Annotated[
        str,
        typer.Option("--temperature", "-t", metavar="T,T", help="One or more; 0 draws one sample."),
    ] = "0.2",
    greedy: Annotated[bool, typer.Option("--greedy", help="The same as --temperature 0.")] = False,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Of an answer.")] = 1024,
    stop: Annotated[
        list[str] | None, typer.Option("--stop", help="Where an answer ends; several times.")
    ] = None,
    completion: Annotated[
        bool, typer.Option("--completion", help="The model continues the prompt; default: chat.")
    ] = False,
    with_contracts: Annotated[
        bool, typer.Option("--with-contracts", help="Show the task's precondition in the prompt.")
    ] = False,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Requests at once.")] = 8,
    force: ForceOption = False,
    json: JsonOption = False,
) -> int:
    """Draw programs for a dataset's tasks from any OpenAI-compatible server.

    The key comes from OPENAI_API_KEY; a server on this machine needs none. Writes
    DIR/samples.jsonl, which `evaluate --samples` reads, each answer as the model gave it beside the
    program taken from it. Run again after a kill, it draws only what is missing.

    [bold]Example[/bold]  evalplus-lite generate -d humaneval -m my-model --base-url http://localhost:8000/v1
    """
    from evalplus_lite.cli.console import Screen, print_json, say
    from evalplus_lite.cli.setup import output_folder
    from evalplus_lite.errors import InputError
    from evalplus_lite.generate.completions import Sampling
    from evalplus_lite.generate.completions import generate as draw
    from evalplus_lite.llm import Client
    from evalplus_lite.tasks import load_dataset

    try:
        temperatures = (0.0,) if greedy else tuple(float(t) for t in temperature.split(","))
    except ValueError:
        raise InputError(f"--temperature {temperature}", remedy="numbers such as 0.2,0.8") from None
    sampling = Sampling(
        count=n,
        temperatures=temperatures,
        max_tokens=max_tokens,
        endpoint="completion" if completion else "chat",
        stop=tuple(stop) if stop else None,
        contracts="shown" if with_contracts else "hidden",
    )
    data = load_dataset(dataset, only=tasks)
    client = Client(model, base_url=base_url, concurrency=concurrency)
    folder = output_folder(out, "generate", dataset, data, model)
    path = folder / "samples.jsonl"
    with Screen() as screen:
        screen.stage("generate", len(data.tasks) * sampling.per_task)
        new = draw(
            data.tasks,
            client,
            sampling,
            path=path,
            extract=program_of,
            progress=lambda row: screen.advance(),
            force=force,
        )
    summary = {"samples": str(path), "new": new, "usage": usage(client.usage)}
    if json:
        print_json(summary)
    else:
        say(f"{new} new samples in {path}; {client.usage}")
    return 0


def program_of(task: Task, text: str) -> str:
    """Return the program that a chat answer to a task holds."""
    from evalplus_lite.programs import extract

    return extract(text, task, kind="solution").source


def usage(found: Usage) -> dict[str, Any]:
    """Return token counts as plain data."""
    from dataclasses import asdict

    return asdict(found)


def replayed(record: Path, tasks: tuple[Task, ...], path: Path) -> Path:
    """Draw a recorded model's samples again from its record, into ``path``."""
    from evalplus_lite.generate.completions import generate as draw
    from evalplus_lite.generate.recording import Recording, replay_samples

    plan = Recording.open(record)
    draw(tasks, replay_samples(record), plan.sampling, path=path, extract=program_of)
    return path
