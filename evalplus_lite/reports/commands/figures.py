"""``evalplus-lite figures``: pictures and tables of results."""

from __future__ import annotations

from pathlib import Path

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_table, say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.reports.figure_files import figures as drawn


@takes(*SANDBOX)
def figures(
    run: Run,
    results: list[Path] | None = options.folders(
        "OUT...", "Folders of results, or folders that contain them.", default=None
    ),
    out: Path = typer.Option(
        Path("out/figures"), "--out", "-o", metavar="DIR", help="Folder for the figures."
    ),
    dataset: list[str] | None = options.data_sets("A suite to include in test-counts; repeatable."),
    only: list[str] | None = typer.Option(
        None, "--only", metavar="NAME", help="Draw this figure only; repeatable."
    ),
    pictures: bool = typer.Option(
        True, "--pictures/--no-pictures", help="Draw (with matplotlib), or write numbers only."
    ),
) -> int:
    """Draw figures and make tables for a paper from results.

    From evaluate: scores, models (pass@k at the best temperature), pass-rates (by task, base
    against plus). From suites: test-counts. From reduce --cross-validate: reduction. From exe
    report: execution. Pictures are SVG and PNG with their numbers as CSV; tables are Markdown,
    LaTeX and CSV. DIR/figures.md shows all, and lists figures without data with the reason.

    [bold]Example[/bold]  evalplus-lite figures out/one-model out/another-model -o figures
    """
    with run.started() as (session, _):
        result = drawn(
            results or (), out=out, datasets=dataset or (), only=only or (), pictures=pictures,
            session=session,
        )  # fmt: skip

    def show() -> None:
        rows = [(row["name"], row["title"], " ".join(row["files"])) for row in result.to_rows()]
        print_table("Figures", ["name", "shows", "files"], rows, left=3)
        for row in result.summary["missing"]:
            say(f"not made: {row['name']} {row['reason']}")
        say(f"all of them on one page: {out / 'figures.md'}")

    return run.ended(result, show)
