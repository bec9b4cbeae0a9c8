"""``evalplus-lite augment``: add inputs to the tasks of a dataset."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_tables, say, tell
from evalplus_lite.cli.run import JOB, Run, takes
from evalplus_lite.generate.domains.filter import STATED, with_choices
from evalplus_lite.jobs import augmentation
from evalplus_lite.jobs.augmentation import seed_source
from evalplus_lite.jobs.datasets import default_folder
from evalplus_lite.programs import parsing
from evalplus_lite.types import clip

MOST_LINES = 12
"""Maximum number of input constraints shown; the summary has all."""


@takes(*JOB, "seed", "force", "shard")
def augment(
    run: Run,
    dataset: options.Dataset,
    out: options.Out = None,
    inputs: int = typer.Option(1000, "--inputs", "-n", min=0, help="New inputs per task."),
    replay: list[Path] | None = typer.Option(
        None, "--replay", metavar="FILE", help="Recorded LLM seeds to start from."
    ),
    model: str | None = typer.Option(
        None, "--model", "-m", help="Model that proposes seed inputs (key: OPENAI_API_KEY)."
    ),
    contracts: bool = typer.Option(
        False, "--contracts", help="Have the model write a contract for each task without one."
    ),
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = 300.0,
    constraint: list[str] | None = typer.Option(
        None, "--constraint", metavar="TASK:NAME", help="Require this inferred constraint."
    ),
    no_constraint: list[str] | None = typer.Option(
        None, "--no-constraint", metavar="TASK:NAME", help="Do not require it; TASK:all for all."
    ),
    doubtful: bool = typer.Option(
        False, "--doubtful", help="Keep doubtful inputs as tests of correctness."
    ),
) -> int:
    """Add inputs to a dataset, with their expected outputs.

    Seeds (base inputs, the prompt's examples, and optionally a model's inputs) are mutated by type,
    filtered by the task's contract, and answered by running the reference twice. Writes
    DIR/suite.jsonl.gz, which every other command takes as --dataset, and DIR/summary.json. Resumes
    when run again after a kill. Without a contract, input constraints are inferred and shown with
    their support; --constraint and --no-constraint override them. An input is doubtful if it
    violates a likely but unconfirmed constraint: all examples satisfy it, but too few to be sure.
    It becomes a stress test, or with --doubtful a test.

    [bold]Example[/bold]  evalplus-lite augment -d humaneval -n 300 -o out/humaneval
    """
    source = seed_source(
        replay or [],
        model=model,
        base_url=base_url,
        timeout=timeout,
        seed=run.seed,
        contracts=contracts,
    )
    with run.started() as (session, screen):
        data = run.opened(dataset, session)
        chosen = with_choices(data.tasks, on=constraint or [], off=no_constraint or [])
        data = replace(data, tasks=chosen)
        folder = out or default_folder("augment", dataset, data)
        result = augmentation.augment(
            data,
            inputs=inputs,
            seed=run.seed,
            seeds=source,
            shard=run.part(),
            doubtful=doubtful,
            strict=run.strict,
            out=folder,
            force=run.force,
            session=session,
        )
    summary = result.summary

    def shown() -> None:
        print_tables(result.tables())
        show(summary, folder, result.doubt(next(iter(summary["doubtful"]), "")))
        name_report(folder)
        tell({**summary, "notes": []}, screen)
        if without := summary["without_new"]:
            names = ", ".join(without[:10]) + (" ..." if len(without) > 10 else "")
            screen.note(f"no new input for {len(without)} tasks: {names}")
            for task in without[:MOST_LINES]:
                if promised := _promised(task, summary["constraints"].get(task, ())):
                    screen.note(f"{task}: {promised}")

    needs_attention = ("unusable", "without_new", "failures")
    return run.ended(result, shown, attention=lambda: any(map(summary.get, needs_attention)))


def show(summary: Mapping[str, Any], folder: Path, doubt: str = "") -> None:
    """Print the facts that the table omits: notes, constraints, and the location of the files.

    ``doubt`` is the reason for the first doubtful input.
    """
    for task, notes in summary["notes"].items():
        say(f"{task}: {notes[0]}" + (f" (and {len(notes) - 1} more)" if len(notes) > 1 else ""))
    written = summary.get("contracts", {})
    for task, contract in islice(written.items(), MOST_LINES):
        say(f"{task}: the model's contract: {_said(contract)}")
    if written:
        say(f'contracts by the model: {len(written)}; read them in summary.json, "contracts"')
    for line in constraint_lines(summary["constraints"]):
        say(line)
    for task, missed in islice(summary["unreached"].items(), MOST_LINES):
        say(f"{task}: no input reaches these parts of the reference: {missed}")
    if (more := len(summary["unreached"]) - MOST_LINES) > 0:
        say(f"no input reaches some statements of {more} more references: see summary.json")
    if doubtful := summary["doubtful"]:
        rows = islice(doubtful.items(), MOST_LINES)
        names = ", ".join(f"{task} ({count})" for task, count in rows)
        names += f" and {more} more" if (more := len(doubtful) - MOST_LINES) > 0 else ""
        first = f"; the first: {doubt}" if doubt else ""
        say(
            f"inputs that break what all examples share: {names}{first}. They are"
            " stress cases; to keep them as tests: --doubtful"
        )
    if failures := summary.get("failures"):
        task, (first, *_) = next(iter(failures.items()))
        count = sum(map(len, failures.values()))
        say(f"requests that gave nothing: {count}, for {len(failures)} tasks; {task}: {first}")
    say(f"the suite: {folder / 'suite.jsonl.gz'}")


def _said(contract: str) -> str:
    """Return the first line of a contract's docstring."""
    text = ast.get_docstring(parsing.parse(contract)) or "without a docstring"
    return clip(text.splitlines()[0])


def _promised(task: str, constraints: Iterable[Mapping[str, Any]]) -> str:
    """Return a constraint in a task's text that was not understood, with the remedy; or ""."""
    unread = [each for each in constraints if each["name"].startswith(STATED)]
    unread = [each for each in unread if not (each["is_on"] or each["is_chosen"])]
    if not unread:
        return ""
    text, name = unread[0]["text"], unread[0]["name"]
    return f"not understood: {text!r}; write a contract, or --no-constraint {task}:{name}"


def constraint_lines(by_task: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield a line for each input constraint, applied ones first, up to ``MOST_LINES``."""
    constraints = [(task, each) for task, some in by_task.items() for each in some]
    constraints.sort(key=lambda pair: not pair[1]["is_on"])
    for task, each in constraints[:MOST_LINES]:
        yield _constraint_line(task, each)
    if len(constraints) > MOST_LINES:
        rest = constraints[MOST_LINES:]
        on = sum(each["is_on"] for _, each in rest)
        yield (
            f"and {len(rest)} more input constraints ({on} applied, {len(rest) - on} not assumed):"
            ' see "constraints" in summary.json'
        )


def _constraint_line(task: str, constraint: Mapping[str, Any]) -> str:
    """Return an input constraint with its support, and the option to override it."""
    name = f"{task}:{constraint['name']}"
    option = "--no-constraint" if constraint["is_on"] else "--constraint"
    state = "applied" if constraint["is_on"] else "not assumed"
    if constraint["is_chosen"]:
        return f"{task}: {state}, as chosen: {constraint['text']}"
    if constraint["name"].startswith(STATED) and not constraint["is_on"]:
        remedy = f"new inputs are doubtful; to change that: --no-constraint {name}"
        return f"{task}: not understood: {constraint['text']} ({remedy})"
    seen, needed = constraint["seen"], constraint["needed"]
    if constraint["is_stated"]:
        support = "the task's text says so"
    elif seen < needed:
        support = f"{seen} of {needed} supporting inputs"
    else:
        support = f"supporting inputs: {seen}"
    remedy = f"to change that: {option} {name}"
    return f"{task}: {state}: {constraint['text']} ({support}; {remedy})"
