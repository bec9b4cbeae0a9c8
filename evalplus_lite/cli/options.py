"""The options that commands share: the same names, words and defaults everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli.given import all_paths, mebibytes, one_path

DatasetOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        "-d",
        metavar="NAME|PATH",
        help="humaneval, humaneval+, humaneval+-mini, mbpp+, or a file of tasks or suites.",
        callback=one_path,
    ),
]
TasksOption = Annotated[
    list[str] | None,
    typer.Option("--tasks", metavar="IDS", help="Only these: ids, globs or ranges, e.g. 3,10-20."),
]
SamplesOption = Annotated[
    list[Path],
    typer.Option(
        "--samples",
        "-s",
        metavar="PATH",
        help="Model output: JSONL, a folder, generations.json, or - (stdin); several times.",
        callback=all_paths,
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="DIR", help="Folder for the results; made if need be."),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Begin anew: drop what an earlier run left in the output.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same result.")]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Sandboxes; default: one a processor.")
]
StrictOption = Annotated[
    bool,
    typer.Option(
        "--strict", help="Refuse tasks that cannot be used, and rows that are no answers."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object instead of tables.")
]
SandboxOption = Annotated[
    str,
    typer.Option(
        "--sandbox",
        metavar="TIER",
        help="auto, namespaces, landlock, or none (resource limits only: accepts the risk).",
    ),
]
TimeoutOption = Annotated[
    float,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.1, help="How long the model may take for one answer."
    ),
]
LimitsOption = Annotated[
    str,
    typer.Option(
        "--limits",
        metavar="PRESET",
        help="Time a case: default max(1 s, 4x reference), paper 0.2 s, evalplus 4 s.",
    ),
]
MemoryOption = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="MIB",
        parser=mebibytes,
        help="Memory a program may add: MiB, or with a unit, such as 2GiB.",
    ),
]
TotalOption = Annotated[
    float | None,
    typer.Option(
        "--total",
        metavar="SECONDS",
        min=0.1,
        help="Time of all cases together; default: 20 cases' limits, one more for every 10 cases.",
    ),
]
PackagesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--package",
        metavar="NAME",
        help="Installed package that programs may import, besides numpy; several times.",
    ),
]
FreshOption = Annotated[
    bool, typer.Option("--no-cache", help="Compute every requirement anew, and keep none.")
]
MinedOption = Annotated[
    Path, typer.Argument(metavar="TASKS", help="Mined tasks, or a CRUXEval file (JSONL).")
]
