"""``evalplus-lite rerun``: run one failure from a results folder again."""

from __future__ import annotations

from pathlib import Path

import typer

from evalplus_lite.cli.console import say
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.jobs import rerunning

NAMES = ("input", "printed", "actual", "traceback", "expected", "verdict", "detail")


@takes("package", *SANDBOX)
def rerun(
    run: Run,
    out: Path = typer.Argument(..., metavar="DIR", help="A folder written by evaluate."),
    sample: str = typer.Argument(..., metavar="TASK#INDEX", help="The sample."),
    model: str | None = typer.Option(None, "--model", "-m", help="Its model, of several."),
    temperature: float | None = typer.Option(None, "--temperature", help="Its temperature."),
    case: int | None = typer.Option(
        None, "--case", help="The case to run; default: the deciding one."
    ),
    dataset: str | None = typer.Option(None, "--dataset", "-d", help="The results' data set."),
) -> int:
    """Run a judged program on one case again, and show the result.

    Shows the input, printed text, the answer or traceback, the expected value and the verdict.

    [bold]Example[/bold]  evalplus-lite rerun out/my-model HumanEval/0#3 --case 17
    """
    with run.started() as (session, _):
        result = rerunning.rerun(
            out,
            sample,
            model=model,
            temperature=temperature,
            case=case,
            dataset=dataset,
            session=session,
        )

    def show() -> None:
        say(f"{result['task_id']}#{result['index']}, case {result['case']}")
        for name in NAMES:
            first, *rest = str(result.get(name, "")).splitlines() or [""]
            if first or rest:
                say(f"{name + ':':<10} {first}")
            for line in rest:
                say(f"{'':<10} {line}")

    return run.ended(result, show)
