"""``evalplus-lite quality``: how well suites tell right programs from wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.arguments import all_names, all_paths, one_path
from evalplus_lite.cli.console import (
    Screen,
    ends,
    name_report,
    percent,
    print_json,
    print_table,
    say,
    short,
    sure,
)
from evalplus_lite.cli.evidence import tell
from evalplus_lite.cli.setup import folder_for, opened, started
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import samples_name
from evalplus_lite.jobs.quality import POOL, QualityResult
from evalplus_lite.jobs.quality import quality as measured
from evalplus_lite.statistics.detection import MOST_CASES
from evalplus_lite.store.locations import place_of

MOST_SHOWN = 10
"""False alarms of a suite that are shown."""


def quality(
    dataset: Annotated[
        list[str],
        typer.Option(
            "--dataset",
            "-d",
            metavar="NAME|PATH",
            help="A suite to look at: several times for suites side by side.",
            callback=all_names,
        ),
    ],
    right: Annotated[
        list[Path] | None,
        typer.Option(
            "--right",
            metavar="PATH",
            help="Programs known to be right.",
            parser=place_of,
            callback=all_paths,
        ),
    ] = None,
    wrong: Annotated[
        list[Path] | None,
        typer.Option(
            "--wrong",
            metavar="PATH",
            help="Programs known to be wrong.",
            parser=place_of,
            callback=all_paths,
        ),
    ] = None,
    samples: Annotated[
        list[Path] | None,
        typer.Option(
            "--samples",
            "-s",
            metavar="PATH",
            help="Programs that --truth tells apart.",
            parser=place_of,
            callback=all_paths,
        ),
    ] = None,
    truth: Annotated[
        str,
        typer.Option(
            "--truth",
            metavar="NAME|PATH",
            help="A stronger suite, for --samples.",
            callback=one_path,
        ),
    ] = "",
    out: options.Out = None,
    tasks: options.Tasks = None,
    mutants: Annotated[
        bool, typer.Option("--mutants/--no-mutants", help="Mutation scores, too.")
    ] = True,
    pool: Annotated[
        int,
        typer.Option("--pool", min=1, help="Random inputs a task by which mutants are equivalent."),
    ] = POOL,
    limits: options.Limits = "default",
    memory: options.Memory = 1024,
    raw: Annotated[
        bool, typer.Option("--raw", help="Take answers as they stand: no program is extracted.")
    ] = False,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    backend: options.Backend = "processes",
    require_tier: options.RequireTier = None,
    package: options.Packages = None,
    sandbox: options.Sandbox = "auto",
    force: options.Force = False,
    strict: options.Strict = False,
    json: options.Json = False,
) -> int:
    """Measure how well suites tell right programs from wrong ones, side by side.

    For each suite and for its base cases alone: right programs accepted, wrong ones rejected,
    tasks whose wrong programs are all rejected, detection by the number of cases, mutation score,
    cost. Only tasks that all suites have count, and equal programs once. Writes DIR/quality.json,
    DIR/false_alarms.jsonl (right programs that are rejected, with the smallest input, for review),
    DIR/missed.jsonl, DIR/mutants.jsonl and DIR/timing.json. Run again after a kill, it goes on.

    [bold]Example[/bold]  evalplus-lite quality -d out/mine -d humaneval+ --right r.jsonl
    --wrong w.jsonl
    """
    given = [*(right or ()), *(wrong or ()), *(samples or ())]
    if not given:
        raise InputError("no program is given", remedy="give --right, --wrong or --samples")
    with started(workers, sandbox, package, backend=backend, require_tier=require_tier) as (
        session,
        screen,
    ):
        sets = [opened(name, tasks, session) for name in dataset]
        folder = folder_for(out, "quality", dataset[0], sets[0], samples_name(given))
        result = measured(
            sets,
            names=dataset,
            right=right or (),
            wrong=wrong or (),
            samples=samples or (),
            truth=truth or None,
            mutants=mutants,
            pool=pool,
            limits=limits,
            memory=memory << 20,
            extract=not raw,
            seed=seed,
            strict=strict,
            out=folder,
            force=force,
            session=session,
        )
    if json:
        print_json(result.summary)
    else:
        show(result, folder, screen)
        name_report(folder)
    return 1 if result.summary["infra"] or result.unusable or result.left_out else 0


def show(result: QualityResult, folder: Path, screen: Screen) -> None:
    """Print the figures of every suite, and the right programs that it rejects."""
    summary = result.summary
    rows = [
        (suite["name"], kind, suite[kind], suite)
        for suite in summary["suites"]
        for kind in ("all", "base")
        if suite[kind] is not None
    ]
    counts = summary["programs"]
    title = (
        f"{summary['tasks']} tasks, {counts['right']} right and {counts['wrong']} wrong programs"
    )
    print_table(
        title,
        ["suite", "cases", "right accepted", "% [95 %]", "wrong rejected", "% [95 %]",
         "by tasks", "tasks all rejected", "% [95 %]"],
        [
            (
                name,
                kind,
                *_share(found["tpr"]),
                *_share(found["tnr"]),
                _range(found["tnr"]["interval_of_tasks"]),
                *_share(found["verifier_accuracy"]),
            )
            for name, kind, found, _ in rows
        ],
        left=2,
    )  # fmt: skip
    print_table(
        f"detection rate of N cases drawn at random, and its mean over N up to {MOST_CASES};"
        " mutants; cost",
        ["suite", "cases", "a task", "N=1 %", "N=10 %", "N=100 %", "area %", "all %",
         "mutants noticed", "% [95 %]", "equivalent %", "CPU s a task"],
        [
            (
                name,
                kind,
                f"{suite['cases_a_task'][kind]:.1f}",
                *(percent(_at(found["coverage"]["curve"], n)) for n in (1, 10, 100)),
                percent(found["coverage"]["area"]),
                percent(found["detection_rate"]["value"]),
                *_mutants(suite["mutants"], kind),
                f"{result.seconds[name]:.3f}" if kind == "all" else "",
            )
            for name, kind, found, suite in rows
        ],
        left=2,
    )  # fmt: skip
    for suite in summary["suites"]:
        _alarms(result, suite["name"])
    if counts["undecided"]:
        screen.note(
            f"{counts['undecided']} samples fail the truth only by time or memory, or are"
            " for no task of it: they count as neither"
        )
    tell(summary, screen)
    for line in summary["infra"]:
        screen.note(f"not scored, the machine failed: {line}")
    say(f"every figure: {folder / 'quality.json'}; right programs that are rejected, for review:")
    say(f"{folder / 'false_alarms.jsonl'}; wrong ones that are accepted: {folder / 'missed.jsonl'}")


def _alarms(result: QualityResult, name: str) -> None:
    alarms = [row for row in result.false_alarms if row["suite"] == name]
    if not alarms:
        return
    print_table(
        f"{name}: right programs that are rejected" + _of(len(alarms)),
        ["task", "verdict", "smallest input", "expected", "actual"],
        [
            (row["task_id"], row["verdict"], *(short(row[key]) for key in KEYS))
            for row in alarms[:MOST_SHOWN]
        ],
        left=5,
    )


KEYS = ("input", "expected", "actual")


def _of(count: int) -> str:
    return f" (the first {MOST_SHOWN} of {count})" if count > MOST_SHOWN else ""


def _share(row: Mapping[str, Any]) -> tuple[str, str]:
    return f"{row['hits']}/{row['total']}", sure(row["value"], row["interval"])


def _range(interval: list[float] | None) -> str:
    return "-" if interval is None else ends(interval)


def _at(curve: list[float], number: int) -> float | None:
    return curve[number - 1] if curve else None


def _mutants(row: Mapping[str, Any] | None, kind: str) -> tuple[str, str, str]:
    if row is None:
        return "", "", ""
    score = row[kind]["score"]
    return *_share(score), percent(row["equivalent_share"]) if kind == "all" else ""
