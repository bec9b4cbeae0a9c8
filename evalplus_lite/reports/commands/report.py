"""``evalplus-lite report``: results as one page."""

from __future__ import annotations

from pathlib import Path

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.reports import reporting


@takes(*SANDBOX)
def report(
    run: Run,
    outputs: list[Path] = options.folders(
        "OUT...", "Folders of results, or folders that contain them."
    ),
    dataset: list[str] | None = options.data_sets(
        "The tasks that judged: prompts, references, inputs; repeatable."
    ),
    out: Path = typer.Option(
        Path("report.html"), "--out", "-o", metavar="FILE", help="The page to write."
    ),
) -> int:
    """Show results as one HTML file: who is best, every task, every sample and why it fails.

    The file needs no network and no other file, so you can send it, keep it, and open it anywhere.
    Beyond about 10 MB of samples, each task gets its own file in a folder next to it. Suites in OUT
    and published data sets are found without --dataset. Expected outputs that no file has are
    computed by running the references in the sandbox.

    [bold]Example[/bold]  evalplus-lite report out/my-model out/other-model -d humaneval+
    """
    with run.started() as (session, screen):
        result = reporting.report(outputs, datasets=dataset or (), out=out, session=session)
    summary = result.summary

    def show() -> None:
        for suite in summary["suites"]:
            if not suite["has_tasks"]:
                screen.note(
                    f"{suite['name']}: prompts, references and inputs are missing from the page;"
                    " give the data set that judged with --dataset"
                )
        for folder in summary.get("without_samples", ()):
            screen.note(f"{folder}: left out, no sample was judged")
        further = f", and {summary['files'] - 1} more files" if summary["files"] > 1 else ""
        size = summary["bytes"] / 1e6
        say(f"{summary['out']}{further}: {size:.1f} MB, to open in a browser")

    return run.ended(result, show)
