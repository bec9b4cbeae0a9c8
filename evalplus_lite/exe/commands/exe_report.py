"""``evalplus-lite exe report``: what models' predictions show, as tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_tables, say
from evalplus_lite.cli.options import all_paths
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.exe import report
from evalplus_lite.exe.commands.predict import name_left_out
from evalplus_lite.models import Client, Prices


@takes(*SANDBOX)
def exe_report(
    run: Run,
    tasks: options.Mined,
    predictions: Annotated[
        list[Path],
        typer.Argument(
            metavar="PREDICTIONS...",
            help="What predict wrote of models; further files of one are further runs.",
            callback=all_paths,
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder for all that is made.")
    ] = Path("out/exe-report"),
    price: Annotated[
        list[str] | None,
        typer.Option(
            "--price",
            metavar="[MODEL=]IN,OUT",
            help="Of a million tokens asked and answered, of all models or of one; several.",
        ),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(
            "--times", metavar="PATH", help="CPU times of the cases; default: beside the tasks."
        ),
    ] = None,
    judge: options.Judge = None,
    base_url: options.JudgeUrl = None,
    pictures: Annotated[
        bool,
        typer.Option("--pictures/--no-pictures", help="Without: only the numbers, no matplotlib."),
    ] = True,
) -> int:
    """Make every table and figure of the paper of one or several models' predictions.

    Scores and errors by model, cases by package, pass@1 by package, construct, and measure of the
    code and its runs (Spearman, lines over logarithms, 95 % intervals), functions' mean and sigma,
    runs, and cost. Pictures are SVG and PNG, tables Markdown, LaTeX and CSV;
    DIR/report.html shows all. What there is no data for is listed with the reason.

    [bold]Example[/bold]  evalplus-lite exe report tasks.jsonl a.predictions.jsonl -o out/exe
    """
    with run.started() as (session, _):
        result = report.exe_report(
            tasks,
            predictions,
            out=out,
            times=times,
            prices=_prices(price or ()),
            judge=None if judge is None else Client(judge, base_url=base_url),
            pictures=pictures,
            session=session,
        )
    undecided = result.summary["undecided"]

    def show() -> None:
        print_tables(result.tables())
        if not result.summary["same_cases"]:
            say("the models did not answer the same cases; each is scored on its own")
        if undecided:
            say(f"{undecided} predictions are not judged and not in these figures")
        name_left_out(result.summary)
        for row in result.summary["missing"]:
            say(f"not made: {row['name']}: {row['reason']}")
        say(f"all tables and figures: {out / report.PAGE}, to open in a browser")

    return run.ended(result, show, attention=lambda: undecided)


def _prices(texts: Iterable[str]) -> Mapping[str, Prices] | None:
    """Return the prices of ``--price``: by model, "" of all others; None for none."""
    found: dict[str, Prices] = {}
    for text in texts:
        model, _, numbers = text.rpartition("=")
        try:
            prompt, completion = map(float, numbers.split(","))
        except ValueError:
            prompt = completion = -1.0
        if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
            raise InputError(
                f"--price {text}", remedy="give what a million tokens cost, such as 0.15,0.6"
            )
        found[model] = Prices(prompt=prompt, completion=completion)
    return found or None
