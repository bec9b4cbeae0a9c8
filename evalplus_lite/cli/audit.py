"""``evalplus-lite audit``: references and inputs that a person should look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    OutOption,
    SamplesOption,
    SandboxOption,
    SeedOption,
    StrictOption,
    TasksOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from evalplus_lite.pipelines.auditing import Hearing


def audit(
    dataset: DatasetOption,
    samples: SamplesOption,
    out: OutOption = None,
    tasks: TasksOption = None,
    inputs: Annotated[
        int,
        typer.Option("--inputs", "-n", min=1, help="New inputs where a task has only base ones."),
    ] = 300,
    original: Annotated[
        bool,
        typer.Option("--original", help="Audit HumanEval's references as they were published."),
    ] = False,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """List inputs on which most programs that pass the base tests contradict the reference.

    A task with many such inputs has a doubtful reference; a few may be inputs that the task does
    not allow. Nothing is decided: DIR/audit.jsonl has the inputs, both answers and the votes for a
    person to read. Programs that differ in layout only count once. The more independent samples,
    the more is found: two that agree are the least. Exits with 1 if no task had two programs that
    pass its base tests, or some could not be audited.

    [bold]Example[/bold]  evalplus-lite audit -d humaneval --original -s samples.jsonl
    """
    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.evaluate import _stream
    from evalplus_lite.cli.evidence import tell
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool, output_folder
    from evalplus_lite.consensus.disputes import rows
    from evalplus_lite.grading.evidence import unusable_row
    from evalplus_lite.pipelines.auditing import audit as run
    from evalplus_lite.pipelines.auditing import counts, with_references
    from evalplus_lite.pipelines.augmentation import Budget
    from evalplus_lite.store import write_jsonl
    from evalplus_lite.tasks import load_dataset
    from evalplus_lite.tasks.samples import Faults

    screen, faults = Screen(), Faults(is_strict=strict)
    with screen, open_pool(workers, sandbox, screen) as pool:
        data = open_dataset(dataset, tasks, pool, screen, strict=strict)
        if original:
            data = with_references(data, load_dataset("humaneval"))
        folder = output_folder(out, "audit", dataset, data)
        screen.stage("audit", len(data.tasks))
        hearings = run(
            data,
            _stream(samples, data, False, faults),
            pool,
            seed=seed,
            budget=Budget(inputs=inputs),
            progress=screen,
        )
        for line in faults.notes():
            screen.note(line)
        about = facts(data, pool=pool, samples=samples, seed=seed)
    path = folder / "audit.jsonl"
    write_jsonl(path, (row for hearing in hearings for row in rows(hearing.finding)))
    summary: dict[str, Any] = {"run": about, "dataset": data.name, **counts(hearings)}
    summary["findings"] = [_row(hearing) for hearing in hearings if hearing.finding.disputes]
    problems = [hearing.problem for hearing in hearings if hearing.problem]
    summary["unusable"] = [unusable_row(each) for each in (*data.unusable, *problems)]
    summary["notes"] = []
    if json:
        print_json(summary)
    else:
        _show(summary, hearings, path)
        tell(summary, screen)
    return 0 if summary["heard"] and not summary["unusable"] and not faults.left_out else 1


def _row(hearing: Hearing) -> dict[str, Any]:
    from collections import Counter

    finding = hearing.finding
    return {
        "task_id": finding.task_id,
        "kind": finding.kind,
        "disputed": len(finding.disputes),
        "heard": finding.heard,
        "causes": dict(sorted(Counter(dispute.cause for dispute in finding.disputes).items())),
        "votes": max(dispute.votes for dispute in finding.disputes),
        "jurors": hearing.jurors,
    }


def _show(summary: dict[str, Any], hearings: list[Hearing], path: Path) -> None:
    from evalplus_lite.cli.console import print_table, say

    title = f"{summary['dataset']}: {summary['heard']} of {summary['tasks']} tasks had two programs"
    title += " to compare"
    if not summary["findings"]:
        found = "on no input do most of them contradict the reference"
        say(f"{title}{f', and {found}' if summary['heard'] else ': nothing was audited'}")
        return
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
            for row in sorted(
                (_row(hearing) for hearing in hearings if hearing.finding.disputes),
                key=lambda row: (row["kind"] != "reference", -row["votes"], -row["disputed"]),
            )
        ],
        left=3,
    )
    say(f"every input with both answers, for review: {path}")
