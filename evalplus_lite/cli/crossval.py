"""``evalplus-lite crossval``: does a small suite hold on a model that it never saw?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.arguments import all_paths
from evalplus_lite.cli.console import name_report, percent, print_json, print_table, say, sure
from evalplus_lite.cli.evidence import tell
from evalplus_lite.cli.setup import folder_for, opened, started
from evalplus_lite.cli.sharding import is_part, shard_of
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.cross_validation import SIZES, cross_validate, policies_to_try
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.store.locations import place_of

DEFAULT_CURVE = ",".join(f"{size:g}" for size in SIZES)


def crossval(
    dataset: options.Dataset,
    samples: options.Samples,
    judge: Annotated[
        list[Path] | None,
        typer.Option(
            "--judge",
            metavar="PATH",
            help="Samples that have no part in choosing: all others choose, these judge.",
            parser=place_of,
            callback=all_paths,
        ),
    ] = None,
    out: options.Out = None,
    tasks: options.Tasks = None,
    multiplicity: Annotated[
        str,
        typer.Option("--multiplicity", "-k", metavar="N,N", help="Covers to try in every mode."),
    ] = "1",
    curve: Annotated[
        str, typer.Option("--curve", metavar="N,N", help="Sizes to try in every mode, or ''.")
    ] = DEFAULT_CURVE,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare", metavar="NAME|PATH", help="A ready-made smaller suite to compare with."
        ),
    ] = None,
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
    """Leave one model out: choose suites by the others' samples, judge it by them.

    For each mode and model: inputs a task, pass@1 on base, all and chosen inputs, and how many of
    the distinct programs that only plus inputs reject are still rejected; random suites of the same
    size beside it. A file is a model, unless its rows name one. With --judge the suites are chosen
    once, by the --samples, and judged by other programs. Writes DIR/crossval.json.

    [bold]Example[/bold]  evalplus-lite crossval -d humaneval+ -s a.jsonl -s b.jsonl -s c.jsonl
    """
    policies = read_policies(multiplicity, curve)
    with started(
        workers,
        sandbox,
        package,
        is_cached=not no_cache,
        backend=backend,
        require_tier=require_tier,
    ) as (session, screen):
        data = opened(dataset, tasks, session)
        folder = folder_for(out, "crossval", dataset, data)
        result = cross_validate(
            data,
            samples,
            judges=judge or [],
            policies=policies,
            compare=compare or [],
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
        name_report(folder)
        tell(result.summary, screen)
    return 1 if result.unusable else 0


def read_policies(multiplicities: str, curve: str) -> dict[str, Policy]:
    """Return the policies to try, by name: each mode with each multiplicity and each size."""
    try:
        covers = [int(part) for part in multiplicities.split(",") if part.strip()]
        sizes = [float(part) for part in curve.split(",") if part.strip()]
    except ValueError as error:
        raise InputError(f"{error}", remedy="give numbers such as 1,4") from None
    return policies_to_try(covers, sizes)


def show(summary: Mapping[str, Any], folder: Path) -> None:
    """Print the pooled table, and pass@1 of each model under the fullest policies."""
    rows = []
    for line in summary["pooled"]:
        rows.append(
            (
                line["policy"],
                f"{line['size']:.1f}",
                f"{line['kept']:.0f}/{line['failures']}",
                sure(line["share"], line["interval"]),
                percent(line["share_random"]),
                f"{line['kept_accepted']:.0f}/{line['failures_accepted']}",
            )
        )
    print_table(
        f"{summary['dataset']}: plus-only failures of unseen models that are still rejected",
        ["suite", "plus inputs a task", "rejected", "% [95 %]", "random %", "in contract"],
        rows,
    )
    print_table(
        "pass@1 of each model, left out",
        ["model", "suite", *(f"{name} % [95 %]" for name in ("base", "all", "chosen", "random"))],
        [
            (
                line["model"],
                line["policy"],
                *(sure(line["pass@1"][k], line["intervals"][k]) for k in KINDS),
            )
            for line in summary["models"]
            if "size" not in line["policy"]
        ],
        left=2,
    )
    say(f"every line: {folder / 'crossval.json'}")


KINDS = ("base", "plus", "reduced", "random")
