"""``evalplus-lite predict``: ask a model what code does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalplus_lite.cli.options import ForceOption, JsonOption, TimeoutOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalplus_lite.mining.tasks.mined import MinedTask

MinedOption = Annotated[
    Path, typer.Argument(metavar="TASKS", help="Mined tasks, or a CRUXEval file (JSONL).")
]


def predict(
    tasks: MinedOption,
    model: Annotated[str, typer.Option("--model", "-m", help="The model's name on its server.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="The predictions' file.")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="An OpenAI-compatible server (or OPENAI_BASE_URL)."),
    ] = None,
    samples: Annotated[int, typer.Option("--n", "-n", min=1, help="Answers a case.")] = 1,
    temperature: Annotated[float, typer.Option("--temperature", "-t", min=0.0)] = 0.0,
    max_tokens: Annotated[int, typer.Option("--max-tokens", min=1, help="Of an answer.")] = 1024,
    cases: Annotated[
        int | None, typer.Option("--cases", min=1, help="Only the first cases of each task.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only the first tasks with cases.")
    ] = None,
    max_code: Annotated[
        int | None, typer.Option("--max-code", min=1, help="Only programs of so many characters.")
    ] = None,
    structured: Annotated[
        bool, typer.Option("--structured", help="Have the server hold answers to a JSON schema.")
    ] = False,
    examples: Annotated[
        bool, typer.Option("--examples", help="Show three worked examples first (small models).")
    ] = False,
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, help="Requests at once.")] = 8,
    timeout: TimeoutOption = 300.0,
    force: ForceOption = False,
    json: JsonOption = False,
) -> int:
    """Ask a model for the value or exception of every case.

    The model sees the whole program and the call, and answers in JSON; an answer that cannot be
    read is returned to it once, with the parse error. Nothing that it writes is executed. Run
    again after a kill, it goes on.

    [bold]Example[/bold]  evalplus-lite predict out/mined/tasks.jsonl -m my-model --base-url http://localhost:8000/v1
    """
    import itertools
    from dataclasses import replace

    from evalplus_lite.cli.console import Screen, print_json, say
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.llm import Client
    from evalplus_lite.mining.asking.predict import Prediction, PredictionSettings
    from evalplus_lite.mining.asking.predict import predict as run
    from evalplus_lite.pipelines.facts import file_facts

    source = Client(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    path = out or tasks.with_name(f"{tasks.stem}.{model.replace('/', '_')}.predictions.jsonl")
    chosen = (task for task in read_any(tasks) if task.cases)
    if max_code is not None:
        chosen = (task for task in chosen if len(task.code) <= max_code)
    listed = [replace(task, cases=task.cases[:cases]) for task in itertools.islice(chosen, limit)]
    asking = PredictionSettings(
        samples=samples,
        temperature=temperature,
        max_tokens=max_tokens,
        structured=structured,
        examples=examples,
    )
    with Screen() as screen:
        screen.stage("predict", samples * sum(len(task.cases) for task in listed))

        def report(prediction: Prediction) -> None:
            screen.advance()

        with screen.waiting(f"an answer of {source.url}, for {timeout:g} s at most"):
            asked = run(listed, source, path, asking=asking, report=report, force=force)
    usage = source.usage
    if json:
        tokens = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
        found = {"asked": asked, "predictions": str(path), "tokens": tokens}
        print_json({"run": facts(tasks=file_facts([tasks]), model=model), **found})
    else:
        say(f"asked {asked}; tokens: {usage.prompt_tokens} in, {usage.completion_tokens} out")
        say(f"predictions: {path}")
    return 0


def read_any(path: Path) -> Iterator[MinedTask]:
    """Yield the tasks of a mined file or of a CRUXEval file."""
    from evalplus_lite.mining.tasks.cruxeval import CruxevalFile, is_cruxeval
    from evalplus_lite.mining.tasks.mined import read_tasks
    from evalplus_lite.store import read_jsonl

    first = next(iter(read_jsonl(path)), None)
    if first is not None and is_cruxeval(first.data):
        yield from CruxevalFile(path).tasks()
    else:
        yield from read_tasks(path)
