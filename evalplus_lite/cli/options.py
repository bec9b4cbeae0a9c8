"""Options that commands share, and file arguments, which may be pipes."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.errors import ALIASES, InputError
from evalplus_lite.store.locations import Place, local_folder, place_of

# Values of options: pipes are copied to files, and no file is allowed twice.

STDIN = Path("-")
MOST_MEMORY = 1 << 20
"""Maximum memory limit of a program, in MiB."""


def one_path(context: typer.Context, value: str) -> str:
    """Return a data set's name or path; piped input is copied to a file first."""
    path = Path(value)
    if context.resilient_parsing:  # shell completion must not read anything
        return value
    return str(_spool(context, path)) if _is_pipe(path) else value


def all_names(context: typer.Context, value: list[str] | None) -> list[str]:
    """Return data sets' names or paths; piped input is copied to files first."""
    return [one_path(context, each) for each in value or ()]


def all_paths(context: typer.Context, value: list[Place] | None) -> list[Place] | None:
    """Return paths and URLs, with pipes copied to files; raise InputError for duplicates."""
    if context.resilient_parsing:
        return value
    paths: list[Place] = [
        path if isinstance(path, str) or not _is_pipe(path) else _spool(context, path)
        for path in value or ()
    ]
    for number, path in enumerate(paths):
        if any(_is_same(path, other) for other in paths[:number]):
            raise InputError(
                "is given twice", path=path, remedy="its samples would be counted twice"
            )
    return paths or value


def _is_pipe(path: Path) -> bool:
    """Return whether a path can be read only once: standard input, or a pipe."""
    if path == STDIN:
        return True
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)


def _spool(context: typer.Context, path: Path) -> Path:
    """Copy a pipe to a file that exists as long as the command runs."""
    name = "<stdin>" if path == STDIN else str(path)
    if name in ALIASES.values():
        raise InputError("can be read once only", path=name, remedy="give one of the two a file")
    root = context.find_root()
    folder = Path(tempfile.mkdtemp(prefix="evalplus_lite-"))
    root.call_on_close(lambda: shutil.rmtree(folder, ignore_errors=True))
    own = path.parent.name != "fd" and path != STDIN
    copy = folder / (path.name if own else "stdin" if path == STDIN else "pipe")
    ALIASES[str(copy)] = name
    root.call_on_close(lambda: ALIASES.pop(str(copy), None))
    try:
        with copy.open("wb") as file:
            if path == STDIN:
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    return copy


def mebibytes(value: str) -> int:
    """Return a memory limit in MiB, with or without a unit: ``2048``, ``2GiB``.

    Raises InputError for an invalid limit, one too small to load a program, or one above any need:
    a number meant as bytes would be a million times too large, and limit nothing.
    """
    from evalplus_lite.sandbox.limits import memory_bytes

    text = str(value).strip()
    remedy = "give MiB (16 to 1048576), or a text such as 2GiB"
    try:
        limit = memory_bytes(f"{text}MiB" if text.isdecimal() else text) >> 20
    except InputError:
        raise InputError(f"--memory {text}", remedy=remedy) from None
    if limit > MOST_MEMORY:
        raise InputError(f"--memory {text} is {limit} MiB", remedy=remedy)
    return limit


def numbers(
    text: str, kind: Any, option: str, remedy: str = "give numbers such as 1,4"
) -> list[Any]:
    """Parse the comma-separated numbers of an option; raise InputError if that fails."""
    try:
        return [kind(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(f"{option} {text}", remedy=remedy) from None


def whole_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of ``--k``."""
    remedy = "give whole numbers such as 1,10,100"
    ks = numbers(text, int, "--k", remedy)
    if not ks or min(ks) < 1:
        raise InputError(f"--k {text}", remedy=remedy)
    return tuple(ks)


def _is_same(one: Place, other: Place) -> bool:
    try:
        return one == other or os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


# The options that commands share, with the same names, help and defaults everywhere.


def _sets(incomplete: str) -> list[str]:
    """Return completions of a data set's name; without a prefix the shell offers files."""
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


def data_sets(help: str, *, default: Any = None) -> Any:
    """Return the repeatable option for data sets."""
    return typer.Option(
        default, "--dataset", "-d", metavar="NAME|PATH", help=help, callback=all_names
    )


def folders(metavar: str, help: str, *, default: Any = ...) -> Any:
    """Return the argument for folders of results."""
    return typer.Argument(default, metavar=metavar, help=help, parser=local_folder)


def sample_files(*names: Any, help: str, metavar: str = "PATH") -> Any:
    """Return a repeatable option for files of programs, by path or URL.

    ``names`` may begin with the default, as for ``typer.Option``.
    """
    return typer.Option(*names, metavar=metavar, help=help, parser=place_of, callback=all_paths)


Samples = Annotated[
    list[Path],
    sample_files(
        "--samples",
        "-s",
        metavar="PATH|URL",
        help="Model output: JSONL, Parquet, a folder, generations.json, a URL, or - (stdin);"
        " repeatable.",
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
    bool, typer.Option("--force", help="Start over: drop the output of an earlier run.")
]
Shard = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Do part I of N, from 1/N; [bold]merge[/bold] combines the parts.",
        callback=_shard,
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same result.")]
Workers = Annotated[
    int | None, typer.Option("--workers", "-w", min=1, help="Sandboxes; default: 1 per processor.")
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
        "--require-tier", metavar="TIER", help="With ray: exclude nodes with weaker sandboxes."
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Reject unusable tasks, and rows that are not answers.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only results and warnings.")]
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
    str | None, typer.Option("--base-url", help="An OpenAI-compatible server (or OPENAI_BASE_URL).")
]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, help="Maximum tokens of an answer.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Requests at once.")]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", metavar="SECONDS", min=0.1, help="Maximum time for one answer of the model."
    ),
]
Limits = Annotated[
    str,
    typer.Option(
        "--limits",
        metavar="PRESET",
        help="Time per case: default max(1 s, 4x reference), paper 0.2 s, evalplus 4 s.",
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
        help="Total time of all cases; default: 20 times the lowest limit of a case (at least 1 s),"
        " plus once that for every 10 cases, or 4 times the reference's time if that is more.",
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option(
        "--package",
        metavar="NAME",
        help="Installed package that programs may import, in addition to numpy; repeatable.",
    ),
]
Mined = Annotated[
    Path, typer.Argument(metavar="TASKS", help="Mined tasks, CRUXEval rows, or a set's name.")
]
Judge = Annotated[
    str | None,
    typer.Option("--judge", metavar="MODEL", help="Ask a model where only messages differ."),
]
JudgeUrl = Annotated[
    str | None, typer.Option("--base-url", help="The judge's server (or OPENAI_BASE_URL).")
]
