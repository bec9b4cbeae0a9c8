"""``evalplus-lite tasks``: task files from modules and tests that one has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, say
from evalplus_lite.cli.setup import started
from evalplus_lite.jobs.drafting import DraftResult, draft_from_module, draft_from_pytest

app = typer.Typer(
    add_completion=False,
    name="tasks",
    help="Make a task file of a Python module, or of a pytest file.",
    no_args_is_help=True,
)

Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="PATH", help="The task file (JSONL).")
]
Replace = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


@app.command("from-module")
def from_module(
    module: Annotated[Path, typer.Argument(metavar="MODULE.py", help="A Python file.")],
    out: Out = None,
    force: Replace = False,
    sandbox: options.Sandbox = "auto",
    packages: options.Packages = None,
    json: options.Json = False,
) -> int:
    """Make a task of each public function of a module.

    Its examples in doctest's form become inputs with outputs; of a function without any, inputs are
    made by its annotations. The function, with what it needs of the module, is the reference. It is
    run in the sandbox only; the module is never imported.

    [bold]Example[/bold]  evalplus-lite tasks from-module shapes.py -o shapes.jsonl
    """
    path = out or Path(f"{module.stem}.tasks.jsonl")
    with started(None, sandbox, packages) as (session, _):
        result = draft_from_module(module, out=path, force=force, session=session)
    return _show(result, json)


@app.command("from-pytest")
def from_pytest(
    file: Annotated[Path, typer.Argument(metavar="TEST.py", help="A file of pytest tests.")],
    module: Annotated[
        Path | None,
        typer.Option("--module", metavar="MODULE.py", help="Where the functions are."),
    ] = None,
    out: Out = None,
    force: Replace = False,
    sandbox: options.Sandbox = "auto",
    packages: options.Packages = None,
    json: options.Json = False,
) -> int:
    """Make a task of each function that plain assertions of a pytest file call.

    Taken are assertions such as `assert f(1, [2]) == 3`, with literals, names bound to literals,
    and parametrize. The functions are looked for in the file, and in the module beside it that they
    are imported from; one that is not found makes a task without a reference, judged by the
    outputs.

    [bold]Example[/bold]  evalplus-lite tasks from-pytest test_shapes.py -o shapes.jsonl
    """
    path = out or Path(f"{file.stem}.tasks.jsonl")
    with started(None, sandbox, packages) as (session, _):
        result = draft_from_pytest(file, module=module, out=path, force=force, session=session)
    return _show(result, json)


def _show(result: DraftResult, json: bool) -> int:
    summary = result.summary
    if json:
        print_json(summary)
        return 0
    for each in summary["left_out"]:
        line = f"line {each['line']}: " if each["line"] else ""
        say(f"left out: {each['name']}: {line}{each['reason']}")
    without = summary["without_reference"]
    note = f", {without} of them without a reference" if without else ""
    say(f"{summary['tasks']} tasks, {summary['inputs']} inputs{note}: {summary['file']}")
    say(f"next: evalplus-lite check-tasks {summary['file']}")
    return 0
