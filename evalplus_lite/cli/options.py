"""The options that commands share: the same names, words and defaults everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli.arguments import all_paths, mebibytes, one_path
from evalplus_lite.store.locations import local_folder, place_of


def _sets(incomplete: str) -> list[str]:
    """Return what a shell completes a data set's name to; of nothing, it offers files."""
    from evalplus_lite.tasks import names

    return [name for name in names() if name.startswith(incomplete)]


def _tiers(incomplete: str) -> list[str]:
    from evalplus_lite.sandbox import TIERS

    return [name for name in TIERS if name.startswith(incomplete)]


def _shard(value: str | None) -> str | None:
    from evalplus_lite.jobs.shards import Shard

    if value is not None:
        Shard.parse(value)
    return value


Dataset = Annotated[
    str,
    typer.Option(
        "--dataset",
        "-d",
        metavar="NAME|PATH",
        help="humaneval, humaneval+, humaneval+-mini, mbpp+, or a file or folder of tasks.",
        callback=one_path,
        autocompletion=_sets,
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option("--tasks", metavar="IDS", help="Only these: ids, globs or ranges, e.g. 3,10-20."),
]
Samples = Annotated[
    list[Path],
    typer.Option(
        "--samples",
        "-s",
        metavar="PATH|URL",
        help="Model output: JSONL, Parquet, a folder, generations.json, a URL, or - (stdin);"
        " several times.",
        parser=place_of,
        callback=all_paths,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="DIR",
        help="Folder for the results; created if missing.",
        parser=local_folder,
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Start over: drop what an earlier run left in the output.")
]
Shard = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Do part I of N, from 1/N; [bold]merge[/bold] puts them together.",
        callback=_shard,
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same result.")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Sandboxes; default: one a processor.")
]
Backend = Annotated[
    str,
    typer.Option(
        "--backend",
        metavar="NAME",
        help="Where programs run: processes (of this machine), ray, or ray:HOST:PORT.",
    ),
]
RequireTier = Annotated[
    str | None,
    typer.Option(
        "--require-tier",
        metavar="TIER",
        help="With ray: leave out nodes whose sandboxes are weaker.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Refuse tasks that cannot be used, and rows that are no answers."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Sandbox = Annotated[
    str,
    typer.Option(
        "--sandbox",
        metavar="TIER",
        help="auto, namespaces, landlock, or none (resource limits only: accepts the risk).",
        autocompletion=_tiers,
    ),
]
Model = Annotated[str, typer.Option("--model", "-m", help="The model's name on its server.")]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", help="An OpenAI-compatible server (or OPENAI_BASE_URL)."),
]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="Of an answer.")]
Tools = Annotated[
    bool, typer.Option("--tools", help="Have the model answer by calling a tool, where it can.")
]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Requests at once.")]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.1, help="How long the model may take for one answer."
    ),
]
Limits = Annotated[
    str,
    typer.Option(
        "--limits",
        metavar="PRESET",
        help="Time a case: default max(1 s, 4x reference), paper 0.2 s, evalplus 4 s.",
    ),
]
Memory = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="MIB",
        parser=mebibytes,
        help="Memory a program may add: MiB, or with a unit, such as 2GiB.",
    ),
]
Total = Annotated[
    float | None,
    typer.Option(
        "--total",
        metavar="SECONDS",
        min=0.1,
        help="Time of all cases together; default: 20 cases' limits, one more for every 10 cases.",
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option(
        "--package",
        metavar="NAME",
        help="Installed package that programs may import, besides numpy; several times.",
    ),
]
Fresh = Annotated[
    bool, typer.Option("--no-cache", help="Compute every requirement again, and keep none.")
]
Mined = Annotated[
    Path, typer.Argument(metavar="TASKS", help="Mined tasks, or a CRUXEval file (JSONL).")
]
Judge = Annotated[
    str | None,
    typer.Option("--judge", metavar="MODEL", help="Ask a model where only messages differ."),
]
JudgeUrl = Annotated[
    str | None, typer.Option("--base-url", help="The judge's server (or OPENAI_BASE_URL).")
]
