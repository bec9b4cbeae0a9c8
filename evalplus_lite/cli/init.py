"""``evalplus-lite init``: commented examples of tasks to begin with."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, say
from evalplus_lite.tasks.templates import write_templates


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to; made if need be.")
    ] = Path("tasks"),
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of the same names.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Write a commented example of each kind of task, to begin with.

    A file for each kind: plain values, a contract, many right answers, known outputs, effects,
    scripts, classes. Each is a task file as it stands: change it, check it, use it with --dataset,
    alone or the whole folder.

    [bold]Example[/bold]  evalplus-lite init tasks && evalplus-lite check-tasks tasks
    """
    paths = write_templates(folder, force=force)
    if json:
        print_json({"files": [str(path) for path in paths]})
    else:
        for path in paths:
            say(str(path))
        say(f"next: evalplus-lite check-tasks {shlex.quote(str(folder))}")
    return 0
