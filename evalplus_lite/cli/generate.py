"""``evalplus-lite generate``: samples from a model."""

from __future__ import annotations

from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, say
from evalplus_lite.cli.setup import folder_for, started
from evalplus_lite.cli.sharding import is_part, shard_of
from evalplus_lite.errors import InputError
from evalplus_lite.jobs import generation
from evalplus_lite.models import Client
from evalplus_lite.models.completions import Sampling, SamplingResult
from evalplus_lite.tasks import load_dataset


def generate(
    dataset: options.Dataset,
    model: options.Model,
    out: options.Out = None,
    tasks: options.Tasks = None,
    base_url: options.BaseUrl = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Samples a task.")] = 1,
    temperature: Annotated[
        str | None,
        typer.Option(
            "--temperature", "-t", metavar="T,T", help="One or more; default 0.2; 0: one sample."
        ),
    ] = None,
    greedy: Annotated[bool, typer.Option("--greedy", help="The same as --temperature 0.")] = False,
    max_tokens: options.MaxTokens = 1024,
    stop: Annotated[
        list[str] | None, typer.Option("--stop", help="Where an answer ends; several times.")
    ] = None,
    completion: Annotated[
        bool, typer.Option("--completion", help="The model continues the prompt; default: chat.")
    ] = False,
    with_contracts: Annotated[
        bool, typer.Option("--with-contracts", help="Show the task's precondition in the prompt.")
    ] = False,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
    force: options.Force = False,
    shard: options.Shard = None,
    json: options.Json = False,
) -> int:
    """Draw programs for a dataset's tasks from any OpenAI-compatible server.

    The key comes from OPENAI_API_KEY; a server on this machine needs none. Writes
    DIR/samples.jsonl, which `evaluate --samples` reads, each answer as the model gave it beside the
    program taken from it. Run again after a kill, it draws only what is missing. Exits with 1 if
    the server gave some requests no usable answer, or if every answer is cut off, empty or refused.

    [bold]Example[/bold]  evalplus-lite generate -d humaneval -m my-model --base-url http://localhost:8000/v1
    """
    if greedy and temperature is not None:
        raise InputError(f"--greedy and --temperature {temperature}", remedy="give one of them")
    temperature = "0" if greedy else "0.2" if temperature is None else temperature
    try:
        temperatures = tuple(float(t) for t in temperature.split(","))
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
    client = Client(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    folder = folder_for(out, "generate", dataset, data, model)
    wait = f"an answer of {client.url}, for {timeout:g} s at most"
    with started() as (session, screen), screen.waiting(wait):
        result = generation.generate(
            data,
            client,
            sampling,
            out=folder,
            force=force,
            shard=shard_of(shard),
            session=session,
        )
    drawn = result.drawn
    if is_part(result.summary, json=json):
        return 1 if drawn.failed or (drawn.rows and not drawn.usable) else 0
    if json:
        print_json(result.summary)
    else:
        say(f"{drawn.new} new samples, {drawn.rows} in all: {result.path}")
        say(f"tokens: {drawn.prompt_tokens} in, {drawn.completion_tokens} out")
        for line in troubles(drawn):
            say(line)
    return 1 if drawn.failed or not drawn.usable else 0


def troubles(drawn: SamplingResult) -> list[str]:
    """Return what is wrong with the samples, a line each."""
    told = [
        (drawn.cut, "were cut off at the token limit (--max-tokens)"),
        (drawn.refused, "were refused by the model or a filter"),
        (drawn.empty, "are empty"),
    ]
    lines = [f"{count} of {drawn.rows} answers {what}" for count, what in told if count]
    if drawn.too_long:
        more = f" and {len(drawn.too_long) - 5} more" if len(drawn.too_long) > 5 else ""
        lines.append(
            f"skipped, too long for the model: {', '.join(drawn.too_long[:5])}{more} (lower"
            " --max-tokens or serve the model with a longer context, then run again)"
        )
    if drawn.failed:
        lines.append(f"{drawn.failed} requests failed, run again to draw them: {drawn.problem}")
    return lines
