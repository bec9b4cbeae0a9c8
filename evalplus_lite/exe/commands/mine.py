"""``evalplus-lite exe mine``: execution tasks from real packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_table, print_tables, say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.exe import mining
from evalplus_lite.exe.inputs.validators import MAX_CASES
from evalplus_lite.exe.lists import listed_packages
from evalplus_lite.exe.mining import MiningResult
from evalplus_lite.exe.selecting.annotations import TypeSet
from evalplus_lite.exe.selecting.static import MAX_CODE, UNLICENSED
from evalplus_lite.exe.settings import MiningSettings
from evalplus_lite.models import Client


@takes("seed", "backend", "require_tier", "force", "shard", *SANDBOX)
def mine(
    run: Run,
    packages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PACKAGE...",
            help="Names, wheels, source archives, folders, or git+https://host/project@commit.",
        ),
    ] = None,
    listed: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="FILE", help="A list of packages, one a line; several."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="PATH", help="The tasks' file (JSONL).")
    ] = Path("out/mined/tasks.jsonl"),
    companion: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="PATH",
            help="A library that packages here import, to inline from; several.",
        ),
    ] = None,
    with_deps: Annotated[
        bool | None,
        typer.Option(
            "--with-deps/--no-deps",
            help="Download what packages require, pure wheels. Default: of those given by name.",
        ),
    ] = None,
    stubs: Annotated[
        bool,
        typer.Option("--stubs", help="Also download stubs of packages without types: typeshed's."),
    ] = False,
    observe: Annotated[
        bool,
        typer.Option(
            "--observe",
            help="Run packages' own tests in the sandbox for the types that they call with.",
        ),
    ] = False,
    types: Annotated[
        TypeSet,
        typer.Option(
            "--types",
            help="paper: annotated functions, in the paper's types; known: more types (Any, bytes, "
            "datetime, enumerations, objects of classes), and functions without annotations where "
            "stubs, a default, the documentation or the use gives the type.",
        ),
    ] = "known",
    any_licence: Annotated[
        bool, typer.Option("--any-licence", help="Keep packages whose licence is not permissive.")
    ] = False,
    static: Annotated[
        bool, typer.Option("--static", help="Run nothing: programs without cases or proof.")
    ] = False,
    cases: Annotated[
        int,
        typer.Option("--cases", min=1, max=MAX_CASES, help="Maximum number of cases per function."),
    ] = MAX_CASES,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="A model to write inputs; default: none.")
    ] = None,
    base_url: options.BaseUrl = None,
    max_tokens: options.MaxTokens = 4096,
    temperature: Annotated[
        float, typer.Option("--temperature", "-t", min=0.0, max=2.0, help="Of the model.")
    ] = 0.8,
    tools: options.Tools = False,
    chain: Annotated[
        int, typer.Option("--chain", min=0, help="Also build so many chained tasks.")
    ] = 0,
    links: Annotated[int, typer.Option("--links", min=2, help="Functions of a chain.")] = 2,
    questions: Annotated[
        int,
        typer.Option(
            "--questions", min=0, help="Also ask of so many moments: lines run, state, next line."
        ),
    ] = 0,
    functions: Annotated[
        int | None, typer.Option("--functions", min=1, help="Run so many of a package at most.")
    ] = None,
    max_code: Annotated[
        int, typer.Option("--max-code", min=1, help="Only programs of so many characters.")
    ] = MAX_CODE,
    keep_all: Annotated[
        bool, typer.Option("--all", help="Keep trivial tasks, and all tasks of a class.")
    ] = False,
    refresh: Annotated[
        Path | None,
        typer.Option(
            "--refresh", metavar="TASKS", help="Mined tasks whose functions get new inputs."
        ),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option("--since", metavar="TASKS", help="Mined tasks to leave out: only new ones."),
    ] = None,
) -> int:
    """Turn typed, pure functions of real packages into execution tasks.

    Packages are read, never installed or imported here; names are downloaded by pip, repositories
    by git. Each function
    is written down with all it needs, proved equal to the original in the sandbox, checked in
    changed surroundings, and given cases that meet the seven validators. Writes PATH, and beside
    it the rejects with their reasons, timings and the funnel. Run again after a kill, it goes on.
    Exits with 1 if a package could not be had or read; the others are mined all the same.

    [bold]Example[/bold]  evalplus-lite exe mine idna humanize ./my_package -o out/mined/tasks.jsonl
    """
    settings = MiningSettings(
        seed=run.seed,
        types=types,
        any_licence=any_licence,
        cases=cases,
        static_only=static,
        model=model,
        max_tokens=max_tokens,
        temperature=temperature,
        tools=tools,
        functions=functions,
        with_deps=with_deps,
        stubs=stubs,
        observe=observe,
        max_code=max_code,
        keep_all=keep_all,
    )
    named = [*(packages or []), *(name for file in listed or [] for name in listed_packages(file))]
    if not named and refresh is None:
        raise InputError("no package was given", remedy="name one, or give a list with --from")
    # Made here, so that a missing key is reported before any work.
    client = None if model is None else Client(model, base_url=base_url)
    with run.started() as (session, _):
        result = mining.mine(
            named,
            refresh=refresh,
            since=since,
            settings=settings,
            companions=companion or [],
            client=client,
            chained=chain,
            links=links,
            questions=questions,
            shard=run.part(),
            out=out,
            force=run.force,
            session=session,
        )

    def show() -> None:
        _show(result, out)
        if result.funnel.counts["mined"]:
            name_report(out)

    problems = result.problems
    return run.ended(result, show, attention=lambda: problems, part_attention=problems)


_NONE = {
    "chained": "no function takes what another one gives, or what comes of it hardly differs",
    "questions": "at no line that can be asked about is there a value that the call did not give",
}
"""Why there may be none of what is built besides."""


def _show(result: MiningResult, out: Path) -> None:
    print_tables(result.tables())
    lost = {**result.problems, **result.refused}
    if lost:
        print_table("Packages left out", ["package", "why"], sorted(lost.items()), left=2)
    if UNLICENSED in result.refused.values():
        say("--any-licence keeps them; a project of your own says its licence in pyproject.toml:"
            ' license = "MIT"')  # fmt: skip
    kept = result.funnel.counts["mined"]
    say(f"tasks: {out}" if kept else f"no function was kept, so there is no task in {out}")
    for path, number in result.summary["extra"].items():
        why = "" if number else f" ({_NONE[path.split('.')[-2]]})"
        say(f"{number} tasks: {path}{why}")
