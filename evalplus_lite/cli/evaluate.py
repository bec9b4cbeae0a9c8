"""``evalplus-lite evaluate``: verdicts and pass@k for samples."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import Screen, name_report, print_tables, say, tell
from evalplus_lite.cli.options import whole_numbers
from evalplus_lite.cli.run import JOB, Run, takes
from evalplus_lite.errors import shown_path
from evalplus_lite.jobs import evaluation
from evalplus_lite.jobs.datasets import default_folder, samples_name
from evalplus_lite.jobs.evaluation import MOST_FILES, EvaluationResult
from evalplus_lite.jobs.outputs import Evaluation, group_of
from evalplus_lite.jobs.rerunning import group_options
from evalplus_lite.jobs.tables import MOST_MODELS, ends, percent
from evalplus_lite.store.labels import label

MOST_PASTED = 5
"""Maximum number of model runs with a line to paste elsewhere."""


@takes(*JOB, "force", "shard")
def evaluate(
    run: Run,
    dataset: options.Dataset,
    samples: options.Samples,
    out: options.Out = None,
    limits: options.Limits = "default",
    memory: options.Memory = 1024,
    total: options.Total = None,
    details: bool = typer.Option(False, "--details", help="Run every case and keep each verdict."),
    minimize: bool = typer.Option(
        False, "--minimize", help="Find each wrong program's smallest failing input."
    ),
    stress: bool = typer.Option(
        False, "--stress", help="Also run passing programs on the suite's stress cases."
    ),
    raw: bool = typer.Option(
        False, "--raw", help="Judge answers unchanged: no program is extracted."
    ),
    k: str = typer.Option("1,10,100", "--k", help="The k of pass@k.", metavar="N,N"),
) -> int:
    """Judge programs: pass, fail, error, timeout, crash, memory, unrepresentable.

    Writes DIR/results.jsonl (a row for each sample, with the first failing input), DIR/costs.jsonl,
    DIR/summary.json, DIR/programs.jsonl.gz and, in evalplus' format, DIR/eval_results.json, or with
    several models DIR/eval_results-MODEL.json. Each model and temperature has its own row and
    pass@k, with a 95 % interval; a file is a model unless its rows name one. Resumes when run again
    after a kill. A task without a usable case is excluded from all figures and listed with the
    cause. Exits with 1 if there is such a task, if samples are unscored because the machine failed
    (or our own code: see "traces" in the summary), or if rows of the sample files are not answers.
    With --strict such a task or row is an error, and nothing is judged.

    [bold]Example[/bold]  evalplus-lite evaluate -d humaneval+ -s samples.jsonl -o out/my-model
    """
    ks = whole_numbers(k)
    with run.started() as (session, screen):
        data = run.opened(dataset, session)
        folder = out or default_folder("evaluate", dataset, data, samples_name(samples))
        result = evaluation.evaluate(
            data,
            samples,
            limits=limits,
            memory=memory << 20,
            total=total,
            details=details,
            minimize=minimize,
            stress=stress,
            ks=ks,
            extract=not raw,
            strict=run.strict,
            shard=run.part(),
            out=folder,
            force=run.force,
            session=session,
        )

    def shown() -> None:
        _show(result, folder, screen)
        link = _name_failure(result, folder, dataset)
        name_report(folder, datasets=[dataset])
        if link:
            say(link)
        for row in result.summary["groups"][:MOST_PASTED]:
            say(pasted(result.summary, row))

    infra = result.summary["infra"]
    return run.ended(
        result,
        shown,
        attention=lambda: infra or result.unusable or result.left_out,
        part_attention=infra,
    )


def _show(result: EvaluationResult, folder: Path, screen: Screen) -> None:
    """Print the table of scores, and notes on parts that do not count."""
    summary = result.summary
    print_tables(result.tables())
    groups = summary["groups"]
    if len(groups) > MOST_MODELS:
        screen.note(
            f"{len(groups)} models and temperatures: the first {MOST_MODELS} are shown,"
            f" summary.json has all; eval_results files are written of {MOST_FILES} at most"
        )
    if "strong" in summary:
        weak = summary["tasks"] - summary["strong_tasks"]
        screen.note(
            f"strong: all tests, without the {weak} tasks that have only weak ones, which a"
            " program can pass by guessing"
        )
    if summary["plus"] is None:
        screen.note(f"plus: none, as {summary['dataset']} has no inputs beyond the base ones")
    if (strained := summary.get("stress")) is not None:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in strained.items())
        say(f"stress cases (never scored): {counts or 'none'}")
    tell(summary, screen)
    for row in groups[:MOST_MODELS]:
        of = f"{row['model'] or '(not named)'}: " if len(groups) > 1 else ""
        if without := row["tasks_without_samples"]:
            names = ", ".join(without[:5]) + (" ..." if len(without) > 5 else "")
            screen.note(
                f"{of}a partial run, which is not ranked with complete ones: {len(without)} of"
                f" {len(without) + row['tasks']} tasks have no sample ({names})"
            )
    for line in summary["infra"]:
        screen.note(f"not scored, the machine failed: {line}")
    if "traces" in summary:
        screen.note("our own code failed, please report it: see traces in summary.json")
    say(f"all verdicts, with deciding inputs: {shown_path(result.path or folder)}")


def _name_failure(result: EvaluationResult, folder: Path, dataset: str) -> str:
    """Print the command that reruns the first failure; return the line on it in a report."""
    before: Counter[tuple[Any, ...]] = Counter()
    evaluation = Evaluation(folder, result.summary)
    for row in evaluation.rows():
        # A report numbers the samples of each model separately.
        place = row["task_id"], group_of(row)
        if "failure" not in row:
            before[place] += 1
            continue
        sample, case = f"{row['task_id']}#{row['index']}", str(row["failure"]["case"])
        group = group_options(group_of(row)) if len(result.summary["groups"]) > 1 else []
        words = ["evalplus-lite", "rerun", str(folder), sample, *group, "--case", case]
        words += ["-d", dataset]
        say(f"to rerun the first failure: {shlex.join(words)}")
        name = evaluation.name_of(group_of(row)) if len(result.summary["groups"]) > 1 else ""
        task = quote(row["task_id"], safe="/!'()*", errors="replace")
        query = f"?model={quote(name, errors='replace')}" if name else ""
        link = f"report.html#task/{task}/sample/{before[place]}{query}"
        of = f" of {name}" if name else ""
        return f"after report, {sample} is its sample {before[place]}{of}: {link}"
    return ""


def pasted(summary: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return a model's score as one line, with its settings."""
    run = summary["run"]
    files = run.get("samples", ())
    model = row["model"] or (label(files[0]["path"]) if len(files) == 1 else "")
    heat = row["temperature"]
    name = " ".join(filter(None, [model, "" if heat is None else f"at {heat:g}"]))
    parts: list[str] = []
    for suite in ("base", "plus", "strong"):
        k, score = next(iter((row["pass_at_k"].get(suite) or {}).items()), ("", 0.0))
        if k:
            named = f"{k} " if not parts else ""
            parts.append(f"{named}{suite} {percent(score)} % {ends(row['intervals'][suite][k])}")
    each, rest = divmod(row["samples"], row["tasks"] or 1)
    missing = len(row["tasks_without_samples"])
    tasks = f"{row['tasks']} of {row['tasks'] + missing}" if missing else f"{row['tasks']}"
    count = f"{tasks} tasks x {each}" if not rest else f"{row['samples']} samples"
    what = f"{summary['dataset']} (evalplus_lite {run['version']}, {run['sandbox']})"
    return f"{what}: {name}{' ' * bool(name)}{', '.join(parts) or 'no score'}, {count}"
