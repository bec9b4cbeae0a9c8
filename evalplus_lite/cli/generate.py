"""``evalplus-lite generate``: draw samples from a model."""

from __future__ import annotations

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import say
from evalplus_lite.cli.run import Run, takes
from evalplus_lite.jobs import generation
from evalplus_lite.jobs.datasets import default_folder
from evalplus_lite.models import Client
from evalplus_lite.models.completions import Sampling, SamplingResult
from evalplus_lite.tasks import load_dataset


@takes("tasks", "force", "shard", "json")
def generate(
    run: Run,
    dataset: options.Dataset,
    model: options.Model,
    out: options.Out = None,
    base_url: options.BaseUrl = None,
    n: int = typer.Option(1, "--n", "-n", min=1, help="Samples per task."),
    temperature: str = typer.Option(
        "0.2", "--temperature", "-t", metavar="T,T", help="One or more; 0 draws one sample."
    ),
    max_tokens: options.MaxTokens = 1024,
    stop: list[str] | None = typer.Option(
        None, "--stop", help="Stop string of an answer; repeatable."
    ),
    completion: bool = typer.Option(
        False, "--completion", help="Let the model continue the prompt; default: chat."
    ),
    with_contracts: bool = typer.Option(
        False, "--with-contracts", help="Show the task's precondition in the prompt."
    ),
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
) -> int:
    """Draw programs for a dataset's tasks from any OpenAI-compatible server.

    The key is read from OPENAI_API_KEY; a server on this machine needs none. Writes
    DIR/samples.jsonl for `evaluate --samples`, with the model's answers and the programs extracted
    from them. Run again after a kill, it draws only missing samples. Exits with 1 if some requests
    got no usable answer, or if every answer is cut off, empty or refused.

    [bold]Example[/bold]  evalplus-lite generate -d humaneval -m my-model --base-url http://localhost:8000/v1
    """
    sampling = Sampling(
        count=n,
        temperatures=tuple(options.numbers(temperature, float, "--temperature")),
        max_tokens=max_tokens,
        endpoint="completion" if completion else "chat",
        stop=tuple(stop) if stop else None,
        contracts="shown" if with_contracts else "hidden",
    )
    data = load_dataset(dataset, only=run.tasks)
    client = Client(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    folder = out or default_folder("generate", dataset, data, model)
    wait = f"an answer of {client.url}, for {timeout:g} s at most"
    with run.started() as (session, screen), screen.waiting(wait):
        result = generation.generate_samples(
            data, client, sampling, out=folder, force=run.force, shard=run.part(), session=session
        )
    drawn = result.drawn

    def show() -> None:
        say(f"{drawn.new} new samples, {drawn.rows} in all: {result.path}")
        say(f"tokens: {drawn.prompt_tokens} in, {drawn.completion_tokens} out")
        for line in troubles(drawn):
            say(line)

    return run.ended(
        result,
        show,
        attention=lambda: drawn.failed or not drawn.usable,
        part_attention=drawn.failed or (drawn.rows and not drawn.usable),
    )


def troubles(drawn: SamplingResult) -> list[str]:
    """Return the problems of the samples, one line each."""
    problems = [
        (drawn.cut, "were cut off at the token limit (--max-tokens)"),
        (drawn.refused, "were refused by the model or a filter"),
        (drawn.empty, "are empty"),
    ]
    lines = [f"{count} of {drawn.rows} answers {what}" for count, what in problems if count]
    if drawn.too_long:
        more = f" and {len(drawn.too_long) - 5} more" if len(drawn.too_long) > 5 else ""
        lines.append(
            f"skipped, too long for the model: {', '.join(drawn.too_long[:5])}{more} (lower"
            " --max-tokens or serve the model with a longer context, then run again)"
        )
    if drawn.failed:
        lines.append(f"{drawn.failed} requests failed, run again to draw them: {drawn.problem}")
    return lines
