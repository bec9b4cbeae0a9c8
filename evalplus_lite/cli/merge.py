"""``evalplus-lite merge``: merge the shards of a job."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from evalplus_lite.cli import options
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.shards import gather


def merge(
    out: Path = typer.Argument(..., metavar="OUT", help="The --out of the shards."),
    workers: options.Workers = None,
    force: options.Force = False,
) -> int:
    """Merge the output of sharded runs.

    The files are those of an unsharded run. Each shard has written its rows below OUT.shards (copy
    the folders of other machines there). They are written in the order of an unsharded run, then
    the command of the first shard finishes the job, so its paths must be valid here. Rejects a
    shard that is missing, unfinished, or made with other settings, data or versions, and names it.
    Resumes when run again after a kill. The exit code is that of the command.

    [bold]Example[/bold]  evalplus-lite merge out/my-model
    """
    from evalplus_lite.cli.app import run

    command = gather(out, force=force)
    if not command:
        raise InputError(
            "the shards were not made by a command",
            path=out,
            remedy="call merge of the library with the function that made them",
        )
    return run(as_merged(command, str(out), workers=workers))


ALL = ("evaluate", "augment", "generate", "exe mine", "exe predict")
"""Commands that have shards."""
WITHOUT_WORKERS = ("generate", "exe predict")


def as_merged(command: Sequence[str], out: str, *, workers: int | None = None) -> list[str]:
    """Convert the command of a shard to the one that finishes the whole job from its rows.

    Raises InputError for an invalid command, as the record may come from another machine.
    """
    name = " ".join(command[: 2 if command[0] == "exe" else 1])
    if name not in ALL:
        raise InputError(
            f"the shards were made by {name!r:.40}, which has none",
            remedy="remove their folders and run them again",
        )
    words: list[str] = []
    rest = iter(command)
    for argument in rest:
        if argument == "--shard":
            next(rest, None)
        elif argument != "--force" and not argument.startswith("--shard="):
            words.append(argument)
    added = [f"--out={out}", "--shard=merged"]
    if workers is not None and name not in WITHOUT_WORKERS:
        added.append(f"--workers={workers}")
    end = words.index("--") if "--" in words else len(words)  # arguments after it are not options
    return [*words[:end], *added, *words[end:]]
