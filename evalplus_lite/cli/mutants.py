"""``evalplus-lite mutants``: what a suite does not notice."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, percent, print_json, print_table, say, sure
from evalplus_lite.cli.evidence import tell
from evalplus_lite.cli.setup import folder_for, opened, started
from evalplus_lite.cli.sharding import is_part, shard_of
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.jobs.mutants import MutantsResult, find_survivors, json_text

FORMS = ("table", "json", "stryker")


def known_form(value: str) -> str:
    """Return the form that results are printed in."""
    if value in FORMS:
        return value
    raise InputError(f"--format is {value!r}", remedy=one_of(value, FORMS))


def mutants(
    dataset: options.Dataset,
    out: options.Out = None,
    tasks: options.Tasks = None,
    most: Annotated[
        int, typer.Option("--show", min=0, help="Survivors to show, worst tasks first.")
    ] = 5,
    workers: options.Workers = None,
    backend: options.Backend = "processes",
    require_tier: options.RequireTier = None,
    sandbox: options.Sandbox = "auto",
    package: options.Packages = None,
    no_cache: options.Fresh = False,
    strict: options.Strict = False,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORM",
            callback=known_form,
            help="What is printed: table, json, or stryker (all mutants in Stryker's JSON).",
        ),
    ] = "table",
    shard: options.Shard = None,
    json: options.Json = False,
) -> int:
    """Plant small faults in the references and report those that no input notices.

    A survivor is either an input still to be written or no fault at all: those whose changed line
    many inputs run are suspected to be equivalent, and counted apart. Writes DIR/mutants.md, with
    the diff of every survivor, DIR/mutants.json, and DIR/mutants.stryker.json, with every mutant
    and the inputs that kill it, for viewers of Stryker's form: [bold]report DIR[/bold] holds one.

    [bold]Example[/bold]  evalplus-lite mutants -d humaneval+ --tasks 0-9
    """
    with started(
        workers,
        sandbox,
        package,
        is_cached=not no_cache,
        backend=backend,
        require_tier=require_tier,
    ) as (session, screen):
        data = opened(dataset, tasks, session)
        folder = folder_for(out, "mutants", dataset, data)
        result = find_survivors(
            data, strict=strict, out=folder, shard=shard_of(shard), session=session
        )
    if is_part(result.summary, json=json):
        return 0
    if form == "stryker":
        print(json_text(result.to_stryker()), end="")
    elif json or form == "json":
        print_json(result.summary)
    else:
        show(result, folder, most)
        name_report(folder, datasets=[dataset])
        tell(result.summary, screen)
    return 1 if result.unusable else 0


def show(result: MutantsResult, folder: Path, most: int) -> None:
    """Print the scores, and the survivors most worth an input."""
    summary = result.summary
    print_table(
        f"{summary['dataset']}: mutants of {summary['tasks']} references",
        ["", "mutants", "% [95 %]"],
        [
            ("all", summary["mutants"], ""),
            ("noticed", summary["killed"], sure(summary["score"], summary["interval"])),
            (
                "noticed by base inputs",
                summary["killed_by_base"],
                percent(summary["killed_by_base"] / max(1, summary["mutants"])),
            ),
            ("suspected equivalents", summary["suspected_equivalents"], ""),
            ("noticed, without those", summary["killed"], percent(summary["adjusted_score"])),
        ],
    )
    pairs = [(report, s) for report in result.reports for s in report.survivors if not s.is_suspect]
    pairs.sort(key=lambda pair: (pair[1].reached, pair[0].task_id, pair[1].mutant.line))
    for report, survivor in pairs[:most]:
        say("")
        say(f"{report.task_id}, {survivor.mutant.operator}, reached by {survivor.reached} inputs")
        for line in survivor.diff.splitlines()[2:]:
            say(line)
    say("")
    say(f"every survivor with its diff: {folder / 'mutants.md'}")
