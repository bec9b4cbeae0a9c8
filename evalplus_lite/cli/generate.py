"""``evalplus-lite generate``: samples from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_tables, say
from evalplus_lite.cli.run import SANDBOX, Run, folder_for, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs import generation
from evalplus_lite.jobs.contract_drafts import suggest_contracts
from evalplus_lite.models import Client, Replay
from evalplus_lite.models.completions import Sampling, SamplingResult
from evalplus_lite.tasks import load_dataset


@takes("tasks", "force", "shard", *SANDBOX)
def generate(
    run: Run,
    dataset: options.Dataset,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="The model's name on its server.")
    ] = None,
    out: options.Out = None,
    base_url: options.BaseUrl = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Samples a task.")] = 1,
    temperature: Annotated[
        str, typer.Option("--temperature", "-t", metavar="T,T", help="One or more; 0: one sample.")
    ] = "0.2",
    max_tokens: options.MaxTokens = 1024,
    stop: Annotated[
        list[str] | None, typer.Option("--stop", help="A string that ends an answer; repeatable.")
    ] = None,
    completion: Annotated[
        bool, typer.Option("--completion", help="The model continues the prompt; default: chat.")
    ] = False,
    with_contracts: Annotated[
        bool, typer.Option("--with-contracts", help="Show the task's precondition in the prompt.")
    ] = False,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
    draft_contracts: Annotated[
        bool, typer.Option("--draft-contracts", help="Draft preconditions instead, for review.")
    ] = False,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            "--replay", metavar="FILE", help="With --draft-contracts: recorded replies, no server."
        ),
    ] = None,
) -> int:
    """Draw programs for a dataset's tasks from any OpenAI-compatible server.

    The key comes from OPENAI_API_KEY; a server on this machine needs none. Writes
    DIR/samples.jsonl, which `evaluate --samples` reads, each with the model's answer and the
    program extracted from it. Run again after a kill, it draws only missing samples. Exits with 1
    if some requests got no usable answer, or if every answer is cut off, empty or refused.

    With --draft-contracts the model writes preconditions for tasks without one. A draft has to
    accept all base inputs of its task, which is tried in the sandbox; rejected inputs are quoted
    back, up to three times. Writes DIR/<task>.py for each accepted draft. Read it, and put its text
    into the task's ``contract`` field. Exits with 1 if a task got none.

    [bold]Example[/bold]  evalplus-lite generate -d humaneval -m my-model --base-url http://localhost:8000/v1
    [bold]Example[/bold]  evalplus-lite generate --draft-contracts -d tasks.jsonl -m my-model
    """
    if draft_contracts:
        run.refuse(
            "n temperature max_tokens stop completion with_contracts force shard",
            "does not go with --draft-contracts",
        )
        if not model and not replay:
            raise InputError("no model to ask", remedy="give --model, or --replay with replies")
        source = (
            Replay(*replay, model=model)
            if replay
            else Client(str(model), base_url=base_url, concurrency=concurrency, timeout=timeout)
        )
        return _drafted(run, dataset, source, out)
    run.refuse("replay workers sandbox", "needs --draft-contracts")
    if not model:
        raise InputError("no model to ask", remedy="give --model")
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
    data = load_dataset(dataset, only=run.tasks)
    client = Client(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    folder = folder_for(out, "generate", dataset, data, model)
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


def _drafted(run: Run, dataset: str, source: Client | Replay, out: Path | None) -> int:
    with run.started() as (session, _):
        data = run.opened(dataset, session)
        folder = folder_for(out, "contracts", dataset, data)
        result = suggest_contracts(data, source, out=folder, session=session)

    def show() -> None:
        print_tables(result.tables())
        say(f"drafts to be reviewed: {folder}")

    return run.ended(
        result, show, attention=lambda: not all(row["file"] for row in result.to_rows())
    )


def troubles(drawn: SamplingResult) -> list[str]:
    """Return the problems of the samples, a line each."""
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
