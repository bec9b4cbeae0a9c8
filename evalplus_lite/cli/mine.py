"""``evalplus-lite mine``: execution tasks from real packages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    ForceOption,
    JsonOption,
    SandboxOption,
    SeedOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from evalplus_lite.mining.campaign import Campaign
    from evalplus_lite.mining.selecting.funnel import Funnel

MOST_REASONS = 12
"""Reasons a stage that the printed table shows; the file holds all."""


def mine(
    packages: Annotated[
        list[str],
        typer.Argument(metavar="PACKAGE...", help="Names, wheels, source archives or folders."),
    ],
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
    wide: Annotated[
        bool, typer.Option("--wide", help="Take Any, bytes, Iterator, datetime and object too.")
    ] = False,
    any_licence: Annotated[
        bool, typer.Option("--any-licence", help="Keep packages whose licence is not permissive.")
    ] = False,
    static: Annotated[
        bool, typer.Option("--static", help="Run nothing: programs without cases or proof.")
    ] = False,
    cases: Annotated[
        int, typer.Option("--cases", min=1, help="Cases a function at most; above 15 they grow.")
    ] = 15,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="A model to write inputs; default: none.")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="An OpenAI-compatible server (or OPENAI_BASE_URL)."),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Of one answer of the model.")
    ] = 4096,
    chain: Annotated[
        int, typer.Option("--chain", min=0, help="Also build so many chained tasks.")
    ] = 0,
    states: Annotated[
        int, typer.Option("--states", min=0, help="Also ask for variables at so many breakpoints.")
    ] = 0,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    force: ForceOption = False,
    json: JsonOption = False,
) -> int:
    """Turn typed, pure functions of real packages into execution tasks.

    Packages are read, never installed or imported here; names are downloaded by pip. Each function
    is written down with all it needs, proved equal to the original in the sandbox, checked in
    changed surroundings, and given cases that meet the seven validators. Writes PATH, and beside
    it the rejects with their reasons, timings and the funnel. Run again after a kill, it goes on.

    [bold]Example[/bold]  evalplus-lite mine idna humanize ./my_package -o out/mined/tasks.jsonl
    """
    from evalplus_lite.cli.console import Screen
    from evalplus_lite.cli.setup import keep_tables
    from evalplus_lite.execution.workers import check_workers
    from evalplus_lite.mining.campaign import Campaign, Outputs, PackageProgress
    from evalplus_lite.mining.mine import MiningSettings

    keep_tables()
    for name in packages:
        check_package(name)
    settings = MiningSettings(
        seed=seed,
        types="wide" if wide else "paper",
        keep_all=any_licence,
        cases=cases,
        static_only=static,
        model=model,
        max_tokens=max_tokens,
    )
    problems: list[str] = []
    with Screen() as screen:
        screen.stage("mine", len(packages))

        def report(progress: PackageProgress) -> None:
            if progress.problem:
                problems.append(progress.package)
                screen.note(f"{progress.package}: {progress.problem}")
            screen.advance()

        campaign = Campaign(
            packages,
            Outputs(out),
            settings,
            companions=companion or [],
            workers=check_workers(workers),
            config=_config(sandbox),
            source=_source(model, base_url),
            report=report,
            force=force,
        )
        funnel = campaign.run()
        extra = _extras(campaign, chain, states, seed)
    _show(funnel, out, extra, seed, as_json=json)
    return 1 if problems else 0


def check_package(name: str) -> None:
    """Raise InputError if a name is a path that leads to nothing, before any work is done."""
    from evalplus_lite.errors import InputError
    from evalplus_lite.mining.campaign import is_path

    path = Path(name)
    if is_path(name) and not path.exists():
        raise InputError("no such file or folder", path=path, remedy="check the path")
    if path.is_dir() and next(path.rglob("*.py"), None) is None:
        raise InputError("holds no Python file", path=path, remedy="give a package's folder")


def _config(tier: str) -> Any:
    from evalplus_lite.errors import InputError, one_of
    from evalplus_lite.sandbox import TIERS, SandboxConfig

    known = {name: name for name in TIERS}
    if tier not in known:
        raise InputError(f"no sandbox tier named {tier!r}", remedy=one_of(tier, known))
    return SandboxConfig(tier=known[tier], packages=())


def _source(model: str | None, base_url: str | None) -> Any:
    if model is None:
        return None
    from functools import partial

    from evalplus_lite.llm import Client

    Client(model, base_url=base_url)  # so that a missing key is told before any work
    return partial(Client, model, base_url=base_url)


def _extras(campaign: Campaign, chain: int, states: int, seed: int) -> dict[str, int]:
    """Write the optional files; return how many tasks each holds."""
    from evalplus_lite.mining.running.proof import Sandboxes
    from evalplus_lite.mining.tasks.breakpoints import write_states
    from evalplus_lite.mining.tasks.chains import write_chained

    found: dict[str, int] = {}
    if not chain and not states:
        return found
    with Sandboxes(campaign.config) as sandboxes:
        if chain:
            path = campaign.out.beside("chained.jsonl")
            found[str(path)] = write_chained(
                campaign.out.tasks, path, sandboxes, count=chain, seed=seed
            )
        if states:
            path = campaign.out.beside("states.jsonl")
            found[str(path)] = write_states(
                campaign.out.tasks, path, sandboxes, count=states, seed=seed
            )
    return found


def _show(funnel: Funnel, out: Path, extra: dict[str, int], seed: int, *, as_json: bool) -> None:
    from evalplus_lite.cli.console import print_json, print_table, say
    from evalplus_lite.cli.facts import facts

    if as_json:
        run = facts(seed=seed)
        print_json({"run": run, **funnel.to_json(), "tasks": str(out), "extra": extra})
        return
    print_table("Funnel", ["stage", "left"], [(s, funnel.counts[s]) for s in funnel.stages()])
    rows: list[tuple[str, str, int]] = []
    stages = dict.fromkeys(stage for stage, _ in funnel.reasons)
    for stage in stages:
        listed = sorted(
            ((count, reason) for (s, reason), count in funnel.reasons.items() if s == stage),
            key=lambda item: (-item[0], item[1]),
        )
        rows += [(stage, reason, count) for count, reason in listed[:MOST_REASONS]]
        rest = sum(count for count, _ in listed[MOST_REASONS:])
        if rest:
            rows.append((stage, f"{len(listed) - MOST_REASONS} other reasons", rest))
    if rows:
        print_table("Rejected", ["stage", "reason", "functions"], rows, left=2)
    say(f"tasks: {out}")
    for path, number in extra.items():
        say(f"{number} tasks: {path}")
