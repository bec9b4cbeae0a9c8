"""``evalplus-lite init``: write example or drafted task files."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from evalplus_lite.cli.console import say
from evalplus_lite.cli.run import Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.drafting import DraftResult, draft_from_module, draft_from_pytest
from evalplus_lite.tasks.custom import write_templates


@takes("sandbox", "package", "force", "json")
def init(
    run: Run,
    path: Path | None = typer.Argument(
        None,
        metavar="PATH",
        help="The folder of examples (default: tasks), or the drafted task file (JSONL).",
    ),
    from_module: Path | None = typer.Option(
        None, "--from-module", metavar="MODULE.py", help="Draft a task for each public function."
    ),
    from_pytest: Path | None = typer.Option(
        None, "--from-pytest", metavar="TEST.py", help="Draft a task for each tested function."
    ),
    module: Path | None = typer.Option(
        None, "--module", metavar="MODULE.py", help="With --from-pytest: the functions' module."
    ),
) -> int:
    """Write task files: commented examples, or drafts from a module or a pytest file.

    Without options, writes a file for each kind of task: plain values, a contract, many right
    answers, known outputs, effects, scripts, classes. Each is usable as it is: change it, check it,
    and pass it to --dataset, alone or as a folder.

    --from-module drafts a task for each public function: its doctest examples become inputs with
    outputs; without any, inputs are generated from the annotations. The reference is the function
    with all module code that it needs.

    --from-pytest drafts a task for each function in assertions such as `assert f(1, [2]) == 3`,
    with literals, names bound to literals, and parametrize. The functions are looked up in the file
    and in the module next to it that it imports; a missing one becomes a task without a reference,
    judged by the outputs. All code runs only in the sandbox.

    [bold]Example[/bold]  evalplus-lite init tasks && evalplus-lite lint tasks
    [bold]Example[/bold]  evalplus-lite init shapes.jsonl --from-module shapes.py
    """
    source = from_module or from_pytest
    if from_module is not None and from_pytest is not None:
        raise InputError("--from-module and --from-pytest", remedy="give one of them")
    if from_pytest is None:
        run.refuse("module", "needs --from-pytest")
    if source is None:
        run.refuse("sandbox package", "needs --from-module or --from-pytest")
        folder = path or Path("tasks")
        paths = write_templates(folder, force=run.force)
        written = {"files": [str(each) for each in paths]}

        def listed() -> None:
            for each in paths:
                say(str(each))
            say(f"next: evalplus-lite lint {shlex.quote(str(folder))}")

        return run.ended(written, listed)
    out = path or Path(f"{source.stem}.tasks.jsonl")
    with run.started() as (session, _):
        if from_pytest is not None:
            result = draft_from_pytest(
                from_pytest, module=module, out=out, force=run.force, session=session
            )
        else:
            result = draft_from_module(source, out=out, force=run.force, session=session)
    return run.ended(result, lambda: _show(result))


def _show(result: DraftResult) -> None:
    summary = result.summary
    for each in summary["left_out"]:
        line = f"line {each['line']}: " if each["line"] else ""
        say(f"left out: {each['name']}: {line}{each['reason']}")
    without = summary["without_reference"]
    note = f", {without} of them without a reference" if without else ""
    say(f"{summary['tasks']} tasks, {summary['inputs']} inputs{note}: {summary['file']}")
    say(f"next: evalplus-lite lint {summary['file']}")
