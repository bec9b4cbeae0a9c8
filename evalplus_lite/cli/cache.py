"""``evalplus-lite cache``: show and clear cached files."""

from __future__ import annotations

from typing import Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, print_table, say
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.store.cache import (
    COMPUTED,
    KINDS,
    CacheFile,
    cache_folder,
    cache_limit,
    entries,
    remove,
)

app = typer.Typer(
    add_completion=False, name="cache", help="Show and clear cached files.", no_args_is_help=False
)


@app.callback(invoke_without_command=True)
def cache(context: typer.Context, json: options.Json = False) -> None:
    """Show and clear cached files.

    Without a subcommand, shows the folder, its limit, and the size of each kind.
    EVALPLUS_LITE_CACHE sets the folder, EVALPLUS_LITE_CACHE_SIZE (default 1GiB) the limit for
    computed files: the least recently used are dropped first. Cleared files are computed again.
    """
    if context.invoked_subcommand is not None:
        return
    folder, limit = cache_folder(), cache_limit()
    files = list(entries(folder))
    kinds = {kind: _sums([entry for entry in files if entry.kind == kind]) for kind in KINDS}
    if json:
        print_json({"folder": str(folder), "limit_bytes": limit, **_sums(files), "kinds": kinds})
        return
    rows = [
        (kind, what, kinds[kind]["files"], shown_size(kinds[kind]["bytes"]))
        for kind, what in KINDS.items()
    ]
    print_table(f"{folder}", ["kind", "what", "files", "size"], rows, left=2)
    computed = sum(kinds[kind]["bytes"] for kind in COMPUTED)
    say(f"computed: {shown_size(computed)} of at most {shown_size(limit)}")


@app.command("clear")
def clear(
    kind: list[str] | None = typer.Option(
        None,
        "--kind",
        metavar="KIND",
        help="Only these: expected, requirements, hypothesis, datasets; repeatable.",
    ),
    json: options.Json = False,
) -> None:
    """Remove all cached files, or some kinds of them.

    Downloaded data sets are only removed with --kind datasets. A running job is not affected,
    because it computes missing files again.

    [bold]Example[/bold]  evalplus-lite cache clear --kind requirements
    """
    for each in kind or ():
        if each not in KINDS:
            raise InputError(f"no kind of cached file named {each!r}", remedy=one_of(each, KINDS))
    count, size = remove(entries(cache_folder(), dict.fromkeys(kind or COMPUTED)))
    if json:
        print_json({"folder": str(cache_folder()), "removed": count, "bytes": size})
    else:
        say(f"{count} files removed, {shown_size(size)}: {cache_folder()}")


def shown_size(count: int) -> str:
    """Return a number of bytes as text, in the largest suitable unit."""
    for power, unit in reversed(list(enumerate(("KiB", "MiB", "GiB", "TiB"), 1))):
        if count >= 1 << 10 * power:
            return f"{count / (1 << 10 * power):.1f} {unit}"
    return f"{count} B"


def _sums(files: list[CacheFile]) -> dict[str, Any]:
    return {"files": len(files), "bytes": sum(entry.size for entry in files)}
