"""``evalplus-lite audit``: references and inputs that a person should look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_json, print_table, say, short
from evalplus_lite.cli.evidence import tell
from evalplus_lite.cli.setup import folder_for, opened, started
from evalplus_lite.jobs import auditing
from evalplus_lite.tasks import load_dataset

MOST_SHOWN = 20
"""Doubtful tasks of which an input is shown."""


def audit(
    dataset: options.Dataset,
    samples: options.Samples,
    out: options.Out = None,
    tasks: options.Tasks = None,
    inputs: Annotated[
        int,
        typer.Option("--inputs", "-n", min=1, help="New inputs where a task has only base ones."),
    ] = 300,
    original: Annotated[
        bool,
        typer.Option("--original", help="Audit HumanEval's references as they were published."),
    ] = False,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    sandbox: options.Sandbox = "auto",
    force: options.Force = False,
    strict: options.Strict = False,
    json: options.Json = False,
) -> int:
    """List inputs on which most programs that pass the base tests contradict the reference.

    A task with many such inputs has a doubtful reference; a few may be inputs that the task does
    not allow. Fewer programs are heard where the reference's answer is unlike all its others.
    Nothing is decided: DIR/audit.jsonl has the inputs, and which programs say what, for a person to
    read; DIR/audit.json the findings. Programs that differ in layout only count once. The more
    independent samples, the more is found: two that agree are the least. Run again after a kill, it
    goes on. Exits with 1 if no task
    had two programs that pass its base tests, or some could not be audited.

    [bold]Example[/bold]  evalplus-lite audit -d humaneval --original -s samples.jsonl
    """
    with started(workers, sandbox) as (session, screen):
        data = opened(dataset, tasks, session)
        folder = folder_for(out, "audit", dataset, data)
        result = auditing.audit(
            data,
            samples,
            inputs=inputs,
            references=load_dataset("humaneval") if original else None,
            seed=seed,
            strict=strict,
            out=folder,
            force=force,
            session=session,
        )
    summary = result.summary
    if json:
        print_json(summary)
    else:
        _show(summary, folder / "audit.jsonl")
        tell(summary, screen)
        name_report(folder)
    is_whole = summary["heard"] and not result.unusable and not result.left_out
    return 0 if is_whole else 1


def _show(summary: Mapping[str, Any], path: Path) -> None:
    title = f"{summary['dataset']}: {summary['heard']} of {summary['tasks']} tasks had two programs"
    title += " to compare"
    if not summary["findings"]:
        found = "on no input do most of them contradict the reference"
        say(f"{title}{f', and {found}' if summary['heard'] else ': nothing was audited'}")
        return
    findings = sorted(
        summary["findings"],
        key=lambda row: (row["kind"] != "reference", -row["votes"], -row["disputed"]),
    )
    print_table(
        title,
        ["task", "doubtful", "causes", "inputs", "of", "most votes", "of programs"],
        [
            [
                row["task_id"],
                row["kind"],
                ", ".join(f"{name} {count}" for name, count in row["causes"].items()),
                row["disputed"],
                row["heard"],
                row["votes"],
                row["jurors"],
            ]
            for row in findings
        ],
        left=3,
    )
    shown = [(row["task_id"], each) for row in findings for each in row["examples"][:1]]
    print_table(
        "the clearest input of each: who says what",
        ["task", "input", "the reference", "programs"],
        [
            (task, short(each["input"]), _said(each["reference"]), _camps(each["camps"]))
            for task, each in shown[:MOST_SHOWN]
        ],
        left=4,
    )
    say(f"every disputed input with all that is said of it, for review: {path}")


def _camps(camps: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{camp['programs']}: {_said(camp['says'])}" for camp in camps[:3] if camp["programs"]
    )


def _said(vote: Mapping[str, Any]) -> str:
    """Return what a program or a contract says: a value, or why there is none."""
    ((word, what),) = vote.items()
    return short(what) if word == "value" else short(f"{word} {what}".strip())
