"""``evalplus-lite quality``: how well suites separate right programs from wrong ones."""

from __future__ import annotations

from pathlib import Path

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import Screen, name_report, print_tables, say, tell
from evalplus_lite.cli.options import all_names, one_path
from evalplus_lite.cli.run import JOB, Run, folder_for, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import samples_name
from evalplus_lite.jobs.quality import POOL, QualityResult, find_survivors
from evalplus_lite.jobs.quality import quality as measured

MOST_SURVIVORS = 5
"""Survivors whose diff is printed; the file holds all."""
Programs = list[Path] | None


@takes(*JOB, "seed", "force")
def quality(
    run: Run,
    dataset: list[str] = typer.Option(
        ...,
        "--dataset",
        "-d",
        metavar="NAME|PATH",
        help="A suite to measure; repeatable, for suites side by side.",
        callback=all_names,
    ),
    right: Programs = options.sample_files(None, "--right", help="Programs known to be right."),
    wrong: Programs = options.sample_files(None, "--wrong", help="Programs known to be wrong."),
    samples: Programs = options.sample_files(
        None, "--samples", "-s", help="Programs that --truth labels as right or wrong."
    ),
    truth: str = typer.Option(
        "",
        "--truth",
        metavar="NAME|PATH",
        help="A stronger suite, for --samples.",
        callback=one_path,
    ),
    survivors: bool = typer.Option(
        False, "--survivors", help="List the mutants of the references that no input kills."
    ),
    out: options.Out = None,
    mutants: bool = typer.Option(
        True, "--mutants/--no-mutants", help="Measure mutation scores, too."
    ),
    pool: int = typer.Option(
        POOL, "--pool", min=1, help="Random inputs per task for recognizing equivalent mutants."
    ),
    limits: options.Limits = "default",
    memory: options.Memory = 1024,
    raw: bool = typer.Option(False, "--raw", help="Judge answers as they are: extract no program."),
) -> int:
    """Measure how well suites separate right programs from wrong ones, side by side.

    For each suite and for its base cases alone: right programs accepted, wrong ones rejected,
    tasks whose wrong programs are all rejected, detection by the number of cases, mutation score.
    Only tasks that all suites have count, and equal programs once. Writes DIR/quality.json,
    DIR/false_alarms.jsonl (right programs that are rejected, with the smallest input, for review),
    DIR/missed.jsonl and DIR/mutants.jsonl. Resumes when run again after a kill.

    With --survivors no programs are needed: small faults are planted in the references, and those
    that no input detects are listed. A survivor is either a missing test or an equivalent mutant:
    those whose changed line many inputs run are suspected to be equivalent, and counted separately.
    Writes DIR/mutants.json with the diff of every survivor.

    [bold]Example[/bold]  evalplus-lite quality -d out/mine -d humaneval+ --right r.jsonl
    --wrong w.jsonl
    [bold]Example[/bold]  evalplus-lite quality --survivors -d humaneval+ --tasks 0-9
    """
    if survivors:
        run.refuse(
            "right wrong samples truth mutants pool limits memory raw seed force",
            "does not go with --survivors",
        )
        return _survivors(run, dataset, out)
    programs = [*(right or ()), *(wrong or ()), *(samples or ())]
    if not programs:
        raise InputError("no program is given", remedy="give --right, --wrong or --samples")
    with run.started() as (session, screen):
        sets = [run.opened(name, session) for name in dataset]
        folder = folder_for(out, "quality", dataset[0], sets[0], samples_name(programs))
        result = measured(
            sets,
            names=dataset,
            right=right or (),
            wrong=wrong or (),
            samples=samples or (),
            truth=truth or None,
            mutants=mutants,
            pool=pool,
            limits=limits,
            memory=memory << 20,
            extract=not raw,
            seed=run.seed,
            strict=run.strict,
            out=folder,
            force=run.force,
            session=session,
        )
    return run.ended(
        result,
        lambda: _show(result, folder, screen),
        attention=lambda: result.summary["infra"] or result.unusable or result.left_out,
    )


def _show(result: QualityResult, folder: Path, screen: Screen) -> None:
    """Print the figures of every suite, and the right programs that it rejects."""
    print_tables(result.tables())
    if undecided := result.summary["programs"]["undecided"]:
        screen.note(
            f"{undecided} samples fail the truth only by time or memory, or are"
            " for no task of it: they count as neither"
        )
    tell(result.summary, screen)
    for line in result.summary["infra"]:
        screen.note(f"not scored, the machine failed: {line}")
    say(f"every figure: {folder / 'quality.json'}; right programs that are rejected, for review:")
    say(f"{folder / 'false_alarms.jsonl'}; wrong ones that are accepted: {folder / 'missed.jsonl'}")
    name_report(folder)


def _survivors(run: Run, datasets: list[str], out: Path | None) -> int:
    if len(datasets) > 1:
        raise InputError("--survivors with several suites", remedy="give one --dataset")
    with run.started() as (session, screen):
        data = run.opened(datasets[0], session)
        folder = folder_for(out, "survivors", datasets[0], data)
        result = find_survivors(data, strict=run.strict, out=folder, session=session)

    def show() -> None:
        print_tables(result.tables())
        # The survivors most worth an input.
        rows = [row for row in result.to_rows() if not row["suspected_equivalent"]]
        rows.sort(key=lambda row: (row["reached"], row["task_id"], row["line"]))
        for row in rows[:MOST_SURVIVORS]:
            say("")
            say(f"{row['task_id']}, {row['operator']}, reached by {row['reached']} inputs")
            for line in row["diff"].splitlines()[2:]:
                say(line)
        say("")
        say(f"every survivor with its diff: {folder / 'mutants.json'}")
        name_report(folder, datasets=datasets)
        tell(result.summary, screen)

    return run.ended(result, show, attention=lambda: result.unusable)
