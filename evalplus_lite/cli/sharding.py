"""The command of a shard as the one that ends the whole job."""

from __future__ import annotations

from collections.abc import Sequence

from evalplus_lite.errors import InputError

ALL = ("evaluate", "augment", "reduce", "quality", "generate", "exe mine", "exe predict")
"""Commands that have shards."""
WITHOUT_WORKERS = ("generate", "exe predict")


def as_merged(command: Sequence[str], out: str, *, workers: int | None = None) -> list[str]:
    """Return the command of a shard as the one that ends the whole job, its rows at hand.

    InputError for what is none: the record may come from another machine.
    """
    name = " ".join(command[: 2 if command[0] == "exe" else 1])
    if name not in ALL:
        raise InputError(
            f"the shards were made by {name!r:.40}, which has none",
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
    if workers is not None and name not in WITHOUT_WORKERS:
        added.append(f"--workers={workers}")
    end = found.index("--") if "--" in found else len(found)  # what follows it are no options
    return [*found[:end], *added, *found[end:]]
