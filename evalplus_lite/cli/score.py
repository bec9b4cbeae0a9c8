"""``evalplus-lite score``: grade predictions of what code does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalplus_lite.cli.options import JsonOption
from evalplus_lite.cli.predict import MinedOption

if TYPE_CHECKING:
    from evalplus_lite.mining.asking.score import ScoreReport


def score(
    tasks: MinedOption,
    predictions: Annotated[Path, typer.Argument(metavar="PREDICTIONS", help="What predict wrote.")],
    k: Annotated[str, typer.Option("--k", metavar="N,N", help="Which pass@k.")] = "1",
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="MODEL", help="Ask a model where only messages differ."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="The judge's server (or OPENAI_BASE_URL).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PATH", help="Write the report as JSON.")
    ] = None,
    marks: Annotated[
        Path | None,
        typer.Option(
            "--marks", metavar="PATH", help="Write each prediction with its grade (JSONL)."
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Mark predictions by the paper's rules and print the tables.

    Values are compared as JSON after normalisation (sets sorted, tuples as lists, numbers written
    one way); exceptions by type and message. Reported overall, on errors alone, by package and by
    statistic.

    [bold]Example[/bold]  evalplus-lite score tasks.jsonl tasks.my-model.predictions.jsonl
    """
    import json as json_module

    from evalplus_lite.cli.console import print_json
    from evalplus_lite.cli.evaluate import read_ks
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.predict import read_any
    from evalplus_lite.mining.asking.score import judge_by, read_predictions
    from evalplus_lite.mining.asking.score import score as run
    from evalplus_lite.pipelines.facts import file_facts
    from evalplus_lite.store import write_text

    decide = None
    if judge is not None:
        from evalplus_lite.llm import Client

        decide = judge_by(Client(judge, base_url=base_url))
    report = run(read_any(tasks), read_predictions(predictions), ks=read_ks(k), judge=decide)
    found = facts(tasks=file_facts([tasks]), predictions=file_facts([predictions]))
    summary = {"run": found, **report.to_json()}
    if marks is not None:
        from evalplus_lite.mining.asking.score import graded_rows
        from evalplus_lite.store import write_jsonl

        write_jsonl(
            marks, graded_rows(read_any(tasks), read_predictions(predictions), judge=decide)
        )
    if out is not None:
        write_text(out, json_module.dumps(summary, indent=2) + "\n")
    if json:
        print_json(summary)
    else:
        show(report)
    return 1 if report.undecided else 0


def show(report: ScoreReport) -> None:
    """Print a report's tables."""
    from evalplus_lite.cli.console import percent, print_table, say

    if report.pass_at:
        rows = [(name, percent(value)) for name, value in report.pass_at.items()]
        print_table("Predictions", ["", "%"], rows)
    groups = dict.fromkeys(line.group for line in report.lines)
    for title, wanted in (
        ("Overall", {"all"}),
        ("By package", {"package"}),
        ("By statistic", set(groups) - {"all", "package"}),
    ):
        lines = [line for line in report.lines if line.group in wanted]
        if lines:
            print_table(
                title,
                ["group", "", "cases", "functions", "pass@1 %"],
                [(x.group, x.name, x.cases, x.tasks, percent(x.pass_at_1)) for x in lines],
                left=2,
            )
    for reason, count in report.reasons.items():
        say(f"{reason}: {count}")
    if report.undecided:
        first = report.undecided[0]
        say(
            f"{len(report.undecided)} predictions are not judged and not in these figures, the "
            f"first {first['task_id']}, case {first['case']}: {first['problem']}"
        )
    if report.missing:
        say(f"{report.missing} cases have no prediction and are not in these figures")
