"""``evalplus-lite exe predict``: ask a model what code does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import say
from evalplus_lite.cli.run import Run, takes
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.exe import prediction
from evalplus_lite.exe.asking.predict import PredictionSettings
from evalplus_lite.exe.asking.prompt import Asked
from evalplus_lite.models import Client

MOST_NAMED = 5
"""Rows that are named one by one."""


@takes("force", "shard", "json")
def predict(
    run: Run,
    tasks: options.Mined,
    model: options.Model,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="The predictions' file.")
    ] = None,
    base_url: options.BaseUrl = None,
    of: Annotated[
        str, typer.Option("--of", metavar="WHAT", help="What is asked for: output or input.")
    ] = "output",
    samples: Annotated[int, typer.Option("--n", "-n", min=1, help="Answers a case.")] = 1,
    temperature: Annotated[float, typer.Option("--temperature", "-t", min=0.0)] = 0.0,
    max_tokens: options.MaxTokens = 1024,
    cases: Annotated[
        int | None, typer.Option("--cases", min=1, help="Only the first cases of each task.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Only the first tasks with cases.")
    ] = None,
    max_code: Annotated[
        int | None, typer.Option("--max-code", min=1, help="Only programs of so many characters.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="TAG", help="Leave tasks of a tag out (hash); several."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="TAG", help="Only tasks of a tag or split (hard); several: all."
        ),
    ] = None,
    structured: Annotated[
        bool, typer.Option("--structured", help="Have the server hold answers to a JSON schema.")
    ] = False,
    tools: options.Tools = False,
    examples: Annotated[
        bool, typer.Option("--examples", help="Show three worked examples first (small models).")
    ] = False,
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
) -> int:
    """Ask a model for the value or exception of every case.

    With --of input it is asked for a call that gives the known value instead, of the cases that
    give one. The model sees the whole program and the call, and answers in JSON; an answer that
    cannot be read is returned to it once, with the parse error. Nothing that it writes is executed
    here. Run again after a kill, it goes on.

    [bold]Example[/bold]  evalplus-lite exe predict out/mined/tasks.jsonl -m my-model --base-url http://localhost:8000/v1
    """
    source = Client(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    kind = "predictions" if of == "output" else f"{of}.predictions"
    path = out or tasks.with_name(f"{tasks.stem}.{model.replace('/', '_')}.{kind}.jsonl")
    asking = PredictionSettings(
        samples=samples,
        temperature=temperature,
        max_tokens=max_tokens,
        structured=structured,
        tools=tools,
        examples=examples,
        of=asked_of(of),
    )
    wait = f"an answer of {source.url}, for {timeout:g} s at most"
    with run.started() as (session, screen), screen.waiting(wait):
        result = prediction.predict(
            tasks,
            source,
            asking=asking,
            cases=cases,
            limit=limit,
            max_code=max_code,
            shard=run.part(),
            without=without or (),
            tagged=tag or (),
            out=path,
            force=run.force,
            session=session,
        )

    def show() -> None:
        tokens = result.summary["tokens"]
        asked = f"asked {result.summary['asked']}"
        say(f"{asked}; tokens: {tokens['prompt']} in, {tokens['completion']} out")
        if not result.predictions:
            say("no case is left: of tasks that have any, by --limit, --max-code, --tag, --without")
        if unasked := result.summary["unasked"]:
            say(
                f"{unasked} questions were too long for the model, or refused, and count as wrong; "
                "--max-code leaves long programs out"
            )
        name_left_out(result.summary)
        say(f"predictions: {path}")

    return run.ended(result, show)


def asked_of(value: str) -> Asked:
    """Return what predictions are of; InputError names the two kinds."""
    for kind in get_args(Asked):
        if value == kind:
            return kind  # type: ignore[no-any-return]  # get_args knows no types
    raise InputError(f"--of is {value!r}", remedy=one_of(value, get_args(Asked)))


def name_left_out(summary: Mapping[str, Any]) -> None:
    """Say which rows of a file of execution tasks cannot be asked about, and why."""
    rows = summary.get("left_out", [])
    for row in rows[:MOST_NAMED]:
        say(f"left out: {row['task_id']} (line {row['line']}): {row['reason']}")
    if len(rows) > MOST_NAMED:
        say(f"left out: {len(rows) - MOST_NAMED} more rows; --json names all")
    if summary.get("ignored"):
        say(f"{summary['ignored']} predictions are about rows that are left out, and not counted")
