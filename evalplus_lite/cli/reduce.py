"""``evalplus-lite reduce``: a small suite that keeps a large one's strength."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.arguments import all_paths
from evalplus_lite.cli.console import name_report, percent, print_json, print_table, say
from evalplus_lite.cli.evidence import tell
from evalplus_lite.cli.setup import folder_for, opened, started
from evalplus_lite.cli.sharding import is_part, shard_of
from evalplus_lite.jobs import reduction
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.reduction.requirements import KINDS
from evalplus_lite.store.locations import place_of

OptionalSamples = Annotated[
    list[Path] | None,
    typer.Option(
        "--samples",
        "-s",
        metavar="PATH",
        help="Model output whose wrong programs the small suite must still reject.",
        parser=place_of,
        callback=all_paths,
    ),
]
ModeOption = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="KINDS",
        help="What to go by: full, or coverage, mutants, variants, samples, classic, shapes.",
    ),
]
MultiplicityOption = Annotated[
    int | None,
    typer.Option(
        "--multiplicity",
        "-k",
        min=1,
        help="Cases that each requirement is kept by; default: cases are chosen by what they add.",
    ),
]
BudgetOption = Annotated[
    float | None,
    typer.Option("--budget", min=0, help="Plus cases a task on average, in place of -k."),
]


def reduce(
    dataset: options.Dataset,
    samples: OptionalSamples = None,
    out: options.Out = None,
    tasks: options.Tasks = None,
    mode: ModeOption = "full",
    multiplicity: MultiplicityOption = None,
    budget: BudgetOption = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Smallest suites by HiGHS (extra: exact).")
    ] = False,
    refused: Annotated[
        bool,
        typer.Option("--refused", help="Credit inputs that a task's contract refuses, too."),
    ] = False,
    workers: options.Workers = None,
    backend: options.Backend = "processes",
    require_tier: options.RequireTier = None,
    sandbox: options.Sandbox = "auto",
    package: options.Packages = None,
    no_cache: options.Fresh = False,
    strict: options.Strict = False,
    shard: options.Shard = None,
    json: options.Json = False,
) -> int:
    """Choose few inputs that still find wrong programs, seen and unseen.

    What counts are branches, decisions, input classes, and kills of mutants, variants and samples.
    Base inputs are always kept and credited; inputs that a contract refuses never are, unless with
    --refused. Writes
    DIR/suite.jsonl.gz, which every other command takes as --dataset, and DIR/reduction.json.
    Prints the size, a proved lower bound for any suite that keeps as much, and the gap between the
    two. Exits with 1 if a task cannot be used.

    [bold]Example[/bold]  evalplus-lite reduce -d humaneval+ -s model_a.jsonl -s model_b.jsonl
    """
    policy = Policy(mode, multiplicity, budget, refused)
    with started(
        workers,
        sandbox,
        package,
        is_cached=not no_cache,
        backend=backend,
        require_tier=require_tier,
    ) as (session, screen):
        data = opened(dataset, tasks, session)
        folder = folder_for(out, "reduce", dataset, data)
        result = reduction.reduce(
            data,
            samples or [],
            policy=policy,
            exact=exact,
            shard=shard_of(shard),
            strict=strict,
            out=folder,
            session=session,
        )
    if is_part(result.summary, json=json):
        return 0
    if json:
        print_json(result.summary)
    else:
        show(result.summary, folder)
        tell(result.summary, screen)
        name_report(folder)
    return 1 if result.unusable else 0


def show(summary: Mapping[str, Any], folder: Path) -> None:
    """Print what was kept, and how near to the smallest it is."""
    tasks = max(1, summary["tasks"])
    rows = [
        ("inputs before", summary["cases"], summary["cases"] / tasks),
        ("base inputs, kept", summary["base"], summary["base"] / tasks),
        ("further inputs chosen", summary["chosen"], summary["chosen"] / tasks),
    ]
    if summary["bound"] is not None:
        rows.append(("proven lower bound", summary["bound"], summary["bound"] / tasks))
    print_table(
        f"{summary['dataset']}: {summary['tasks']} tasks, {summary['mode']}",
        ["", "inputs", "a task"],
        rows,
    )
    counts = summary["requirements"].items()
    kinds = ", ".join(f"{count} {KINDS[kind].plural}" for kind, count in counts)
    say(f"chosen by: {kinds or 'nothing was asked for'}")
    if summary["gap"] is not None:
        say(
            f"at most {percent(summary['gap'])} % larger than the smallest suite that keeps as much"
        )
    say(f"the suite: {folder / 'suite.jsonl.gz'}")
