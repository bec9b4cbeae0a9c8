"""``evalplus-lite quality``: how well suites separate right programs from wrong ones."""

from __future__ import annotations

from pathlib import Path

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import Screen, name_report, print_tables, say, tell
from evalplus_lite.cli.run import JOB, Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs.datasets import default_folder, samples_name
from evalplus_lite.jobs.quality import POOL, QualityResult, find_survivors
from evalplus_lite.jobs.quality import quality as measured

MOST_SURVIVORS = 5
"""Maximum number of survivors whose diff is printed; the file has all."""
Programs = list[Path] | None


@takes(*JOB, "seed", "force")
def quality(
    run: Run,
    dataset: list[str] = options.data_sets(
        "A suite to measure; repeatable, to compare suites.", default=...
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
        callback=options.one_path,
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
    raw: bool = typer.Option(False, "--raw", help="Judge answers unchanged: extract no program."),
) -> int:
    """Measure and compare how well suites separate right programs from wrong ones.

    For each suite, and its base cases alone, it shows right programs accepted, wrong ones rejected,
    tasks whose wrong programs are all rejected, detection by the number of cases, and the mutation
    score. Only tasks in all suites count, and equal programs count once. Writes DIR/quality.json,
    DIR/false_alarms.jsonl (rejected right programs, with the smallest failing input, for review),
    DIR/missed.jsonl and DIR/mutants.jsonl. Resumes when run again after a kill.

    With --survivors no programs are needed: it lists mutants of the references that no input
    detects. A survivor is either a missing test or an equivalent mutant; if many inputs run its
    changed line, it is suspected to be equivalent and counted separately. Writes DIR/mutants.json
    with the diff of every survivor.

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
        folder = out or default_folder("quality", dataset[0], sets[0], samples_name(programs))
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
    """Print the figures of every suite, and its rejected right programs."""
    print_tables(result.tables())
    if undecided := result.summary["programs"]["undecided"]:
        screen.note(
            f"{undecided} samples fail the truth only by time or memory, or are"
            " for no task of it: they count as neither"
        )
    tell(result.summary, screen)
    for line in result.summary["infra"]:
        screen.note(f"not scored, the machine failed: {line}")
    say(f"all figures: {folder / 'quality.json'}; rejected right programs, for review:")
    say(f"{folder / 'false_alarms.jsonl'}; accepted wrong ones: {folder / 'missed.jsonl'}")
    name_report(folder)


def _survivors(run: Run, datasets: list[str], out: Path | None) -> int:
    if len(datasets) > 1:
        raise InputError("--survivors with several suites", remedy="give one --dataset")
    with run.started() as (session, screen):
        data = run.opened(datasets[0], session)
        folder = out or default_folder("survivors", datasets[0], data)
        result = find_survivors(data, strict=run.strict, out=folder, session=session)

    def show() -> None:
        print_tables(result.tables())
        # The survivors most likely to reveal a missing test.
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
