"""``--shard``: part of a command for one machine of several, and what is said at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalplus_lite.cli.console import print_json, say
from evalplus_lite.cli.verbosity import typed
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.shards import Shard


def shard_of(text: str | None) -> Shard | None:
    """Return the shard of ``--shard``, with the command that it is part of."""
    return None if text is None else Shard.parse(text, command=typed.get())


def is_part(summary: Mapping[str, Any], *, json: bool) -> bool:
    """Return whether a summary is that of a shard, and if so say how to go on."""
    if "shard" not in summary:
        return False
    if json:
        print_json(summary)
        return True
    number, of, rows = summary["items"], summary["of_items"], summary["rows"]
    say(f"shard {summary['shard']} is done: {number} of {of} tasks or packages, {rows} rows")
    say(f"when all are: evalplus-lite merge {summary['out']}")
    return True


ALL = ("evaluate", "augment", "reduce", "mutants", "crossval", "mine", "predict", "generate")
"""Commands that have shards."""
WITHOUT_WORKERS = ("predict", "generate")


def as_merged(command: Sequence[str], out: str, *, workers: int | None = None) -> list[str]:
    """Return the command of a shard as the one that ends the whole job, its rows at hand.

    InputError for what is none: the record may come from another machine.
    """
    if command[0] not in ALL:
        raise InputError(
            f"the shards were made by {command[0]!r:.40}, which has none",
            remedy="remove their folders and run them again",
        )
    found: list[str] = []
    rest = iter(command)
    for argument in rest:
        if argument == "--shard":
            next(rest, None)
        elif argument != "--force" and not argument.startswith("--shard="):
            found.append(argument)
    added = [f"--out={out}", "--shard=merged"]
    if workers is not None and command[0] not in WITHOUT_WORKERS:
        added.append(f"--workers={workers}")
    end = found.index("--") if "--" in found else len(found)  # what follows it are no options
    return [*found[:end], *added, *found[end:]]
