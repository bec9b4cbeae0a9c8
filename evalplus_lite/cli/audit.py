"""``evalplus-lite audit``: references and inputs that a person should look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_tables, say, tell
from evalplus_lite.cli.run import JOB, Run, folder_for, takes
from evalplus_lite.jobs import auditing
from evalplus_lite.tasks import load_dataset


@takes(*JOB, "seed", "force")
def audit(
    run: Run,
    dataset: options.Dataset,
    samples: options.Samples,
    out: options.Out = None,
    inputs: Annotated[
        int,
        typer.Option("--inputs", "-n", min=1, help="New inputs where a task has only base ones."),
    ] = 300,
    original: Annotated[
        bool,
        typer.Option("--original", help="Audit HumanEval's references as they were published."),
    ] = False,
) -> int:
    """List inputs on which most programs that pass the base tests contradict the reference.

    A task with many such inputs has a doubtful reference; a few may be inputs that the task does
    not allow. Fewer votes are enough where the reference's answer is unlike all its others. Nothing
    is decided: DIR/audit.jsonl has the inputs with each program's answer, for a person to read;
    DIR/audit.json the findings. Programs that differ in layout only count once. More independent
    samples find more; at least two must agree. Resumes when run again after a kill. Exits with 1 if
    no task had two programs that pass its base tests, or some could not be audited.

    [bold]Example[/bold]  evalplus-lite audit -d humaneval --original -s samples.jsonl
    """
    with run.started() as (session, screen):
        data = run.opened(dataset, session)
        folder = folder_for(out, "audit", dataset, data)
        result = auditing.audit(
            data,
            samples,
            inputs=inputs,
            references=load_dataset("humaneval") if original else None,
            seed=run.seed,
            strict=run.strict,
            out=folder,
            force=run.force,
            session=session,
        )
    summary = result.summary

    def show() -> None:
        _show(result, folder / "audit.jsonl")
        tell(summary, screen)
        name_report(folder)

    return run.ended(
        result, show, attention=lambda: not summary["heard"] or result.unusable or result.left_out
    )


def _show(result: auditing.AuditResult, path: Path) -> None:
    if result.summary["findings"]:
        print_tables(result.tables())
        say(f"every disputed input with all answers, for review: {path}")
        return
    heard = result.summary["heard"]
    title = f"{heard} of {result.summary['tasks']} tasks had two programs to compare"
    conclusion = "on no input do most of them contradict the reference"
    say(f"{title}{f', and {conclusion}' if heard else ': nothing was audited'}")
