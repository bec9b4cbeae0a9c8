"""``evalplus-lite merge``: the shards of a job as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.sharding import as_merged
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.shards import gather


def merge(
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The --out that the shards were given.")
    ],
    workers: options.Workers = None,
    force: options.Force = False,
) -> int:
    """Merge the output of sharded runs.

    The files are those of a run without shards. Each shard has left its rows below OUT.shards (copy
    the folders there from other machines). They are written in the order of an unsharded run, and
    the command of the first shard then ends as it would have: run this where its paths lead to the
    same files. A shard that is missing, unfinished, or made with other settings, data or versions
    is refused by name. Resumes when run again after a kill. The exit code is that of the command.

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
