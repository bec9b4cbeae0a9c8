"""``evalplus-lite reduce``: a small suite that is nearly as strong as a large one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_tables, say, tell
from evalplus_lite.cli.run import JOB, Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs import reduction
from evalplus_lite.jobs.datasets import default_folder
from evalplus_lite.jobs.reduction import SIZES, cross_validate, policies_to_try
from evalplus_lite.reduction.policy import Policy
from evalplus_lite.reduction.requirements import KINDS

DEFAULT_CURVE = ",".join(f"{size:g}" for size in SIZES)


@takes(*JOB)
def reduce(
    run: Run,
    dataset: options.Dataset,
    samples: list[Path] | None = options.sample_files(
        None,
        "--samples",
        "-s",
        help="Model output whose wrong programs the small suite must still reject.",
    ),
    out: options.Out = None,
    mode: str = typer.Option(
        "full",
        "--mode",
        metavar="KINDS",
        help="Requirements: full, or coverage, mutants, variants, samples, classic.",
    ),
    multiplicity: str | None = typer.Option(
        None,
        "--multiplicity",
        "-k",
        metavar="N",
        help="Minimum cases per requirement, in greedy set cover; default: choose by marginal"
        " gain. With --cross-validate several: 1,2.",
    ),
    budget: float | None = typer.Option(
        None, "--budget", min=0, help="Plus cases per task on average; default: 8."
    ),
    is_cross_validated: bool = typer.Option(
        False,
        "--cross-validate",
        help="Choose by some models' samples, and test on those left out.",
    ),
    held_out: list[Path] | None = options.sample_files(
        None, "--held-out", help="With --cross-validate: choose by --samples, test on these."
    ),
    curve: str = typer.Option(
        DEFAULT_CURVE,
        "--curve",
        metavar="N,N",
        help="With --cross-validate: sizes to try in every mode.",
    ),
    compare: list[str] | None = typer.Option(
        None,
        "--compare",
        metavar="NAME|PATH",
        help="With --cross-validate: an existing smaller suite to compare with.",
    ),
) -> int:
    """Choose a few inputs that still reject wrong programs, both known and unknown.

    The requirements are decisions of the reference, and kills of its mutants, its variants and
    samples. Base inputs are always kept. Writes DIR/suite.jsonl.gz, which every other command takes
    as --dataset, and DIR/reduction.json. Exits with 1 if a task is unusable.

    With --cross-validate no suite is written: each model is left out in turn, suites are chosen by
    the others' samples in every mode, and tested on its own. A file is a model unless its rows name
    one. Writes DIR/crossval.json: sizes, pass@1 on base, all and chosen inputs, and the share of
    programs rejected only by plus inputs that are still rejected, with random suites of the same
    size for comparison.

    [bold]Example[/bold]  evalplus-lite reduce -d humaneval+ -s model_a.jsonl -s model_b.jsonl
    [bold]Example[/bold]  evalplus-lite reduce --cross-validate -d humaneval+ -s a.jsonl -s b.jsonl
    """
    if is_cross_validated:
        run.refuse("mode budget", "does not go with --cross-validate")
        counts = options.numbers(multiplicity or "1", int, "--multiplicity")
        policies = policies_to_try(counts, options.numbers(curve, float, "--curve"))
    else:
        run.refuse("held_out curve compare", "needs --cross-validate")
        counts = options.numbers(multiplicity or "", int, "--multiplicity")
        if len(counts) > 1 or min(counts, default=1) < 1:
            raise InputError(f"--multiplicity {multiplicity}", remedy="give one number from 1")
        policy = Policy(mode, counts[0] if counts else None, budget)
    with run.started() as (session, screen):
        data = run.opened(dataset, session)
        job = "crossval" if is_cross_validated else "reduce"
        folder = out or default_folder(job, dataset, data)
        result: Any
        if is_cross_validated:
            result = cross_validate(
                data,
                samples or [],
                held_out=held_out or [],
                policies=policies,
                compare=compare or [],
                strict=run.strict,
                out=folder,
                session=session,
            )
        else:
            result = reduction.reduce(
                data, samples or [], policy=policy, strict=run.strict, out=folder, session=session
            )

    def show() -> None:
        print_tables(result.tables())
        if is_cross_validated:
            say(f"every line: {folder / 'crossval.json'}")
        else:
            _show(result.summary, folder)
        tell(result.summary, screen)
        name_report(folder)

    return run.ended(result, show, attention=lambda: result.unusable)


def _show(summary: Mapping[str, Any], folder: Path) -> None:
    """Print how many requirements of each kind the choice is based on, and the suite's path."""
    counts = summary["requirements"].items()
    kinds = ", ".join(f"{count} {KINDS[kind].plural}" for kind, count in counts)
    say(f"chosen by: {kinds or 'nothing was asked for'}")
    say(f"the suite: {folder / 'suite.jsonl.gz'}")
