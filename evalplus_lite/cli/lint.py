"""``evalplus-lite lint``: check whether tasks are fit for evaluation and training."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_json, print_tables, say
from evalplus_lite.cli.escaping import printable
from evalplus_lite.cli.options import one_path
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.jobs import linting
from evalplus_lite.jobs.constraints import infer_constraints
from evalplus_lite.jobs.session import keep_inputs
from evalplus_lite.tasks.unit_tests import written_contract

SHOWN = 3
"""Maximum number of a task's findings shown; lint.json has all."""


@takes("tasks", "seed", "package", "force", *SANDBOX)
def lint(
    run: Run,
    dataset: str = typer.Argument(
        "", metavar="NAME|PATH", help="A data set, a file, or a folder of files.", callback=one_path
    ),
    form: Literal["text", "github"] = typer.Option(
        "text", "--format", help="How to print findings."
    ),
    fail_on: Literal["note", "warning", "error"] = typer.Option(
        "warning", "--fail-on", help="Lowest level that exits with 1."
    ),
    explain: str = typer.Option(
        "", "--explain", metavar="CODE", help="Explain a finding, such as T104."
    ),
    samples: list[Path] | None = options.sample_files(
        None, "--samples", "-s", metavar="PATH|URL", help="Programs to run on further inputs."
    ),
    inputs: int = typer.Option(
        300, "--inputs", "-n", min=1, help="With -s: new inputs for tasks with only base cases."
    ),
    constraints: bool = typer.Option(
        False, "--constraints", help="Show the input constraints that inputs imply."
    ),
    fix: Path | None = typer.Option(
        None, "--fix", metavar="FILE", help="Write the tasks with safe fixes."
    ),
    out: options.Out = None,
) -> int:
    """Check whether each task is fit for evaluation and training, and if not, why.

    Each task is fit, weak (wrong programs pass), unfair (right programs fail) or broken (no verdict
    can be trusted). Findings have codes; --explain describes them. The reference runs twice, in
    different orders and with different hash seeds, and on the examples in its prompt. Null
    programs, which do not know the task, and mutants of the reference run, too. Tasks are compared
    with each other and with HumanEval.

    With -s, distinct programs that pass a task's base tests run on its other inputs, or new ones.
    If most contradict the reference, it is in doubt: DIR/disputes.jsonl has all such inputs, for
    review. More independent samples find more; at least two must agree.

    With --fix, the tasks are written to another JSONL file without broken and duplicate rows and
    inputs on which the reference fails, and with function names added to prompts. Other findings
    are up to you.

    With --out, DIR/lint.json and DIR/lint.jsonl are written, and a killed run resumes. Exits with 1
    if a finding is a warning (weak, unfair) or an error (broken).

    With --constraints nothing is checked: it shows the constraints that new inputs of each task
    must satisfy without a contract.

    [bold]Example[/bold]  evalplus-lite lint tasks.jsonl
    """
    if explain:
        for name, text in linting.explain(explain).items():
            say(f"{name}: {text}")
        return 0
    if not dataset:
        raise InputError("no data set is given", remedy="evalplus-lite lint tasks.jsonl")
    if constraints:
        return _constraints(run, dataset)
    if fix is not None and not Path(dataset).is_file():
        raise InputError("not a file; --fix corrects the rows of a file of tasks", path=dataset)
    keep_inputs({"fixed file": fix}, {"file of tasks": Path(dataset)})
    with run.started() as (session, _):
        result = linting.lint(
            dataset,
            samples=samples,
            inputs=inputs,
            tasks=run.tasks,
            seed=run.seed,
            out=out,
            force=run.force,
            session=session,
        )
        fixes = [] if fix is None else linting.fix(dataset, result, fix)

    def show() -> None:
        if form == "github":
            for line in linting.to_github(result, dataset).splitlines():
                print(printable(line))
        else:
            _show(result)
            for each in fixes:
                say(f"{each['task_id']}: {each['code']} fixed: {each['what']}")
            if fix is not None:
                say(f"{len(fixes)} fixes: {fix}")
            if out is not None:
                name_report(out)

    levels = ["", "note", "warning", "error"]
    is_bad = levels.index(result.worst) >= levels.index(fail_on)
    needs_attention = result.left_out or result.summary["polled"] == 0 or is_bad
    return run.ended(result, show, attention=lambda: needs_attention)


def _show(result: linting.LintResult) -> None:
    print_tables(result.tables()[:2])  # the evidence is too long for a table
    for row in result.to_rows():
        for each in row["findings"][:SHOWN]:
            count = f" ({each['count']})" if each["count"] > 1 else ""
            say(f"{row['task_id']}: {each['code']} {each['name']}{count}: {each['evidence']}")
        if (more := len(row["findings"]) - SHOWN) > 0:
            say(f"{row['task_id']}: and {more} more")
    summary = result.summary
    counts = ", ".join(f"{summary[verdict]} {verdict}" for verdict in linting.VERDICTS)
    say(f"{summary['dataset']}: {counts}")
    if (polled := summary["polled"]) is not None:
        say(f"{polled} tasks had two programs that pass the base tests")
    if free := summary["null_reward"]:
        say(f"null programs earn {100 * free:.1f} % of the reward")


def _constraints(run: Run, dataset: str) -> int:
    with run.started() as (session, _):
        data = run.opened(dataset, session)
    constraints = {task.id: infer_constraints(task) for task in data.tasks if task.base}
    if run.json:
        print_json(constraints)
        return 0
    for task in data.tasks:
        note = " (has a contract, which decides instead)" if written_contract(task) else ""
        say(f"{task.id}{note}")
        for line in constraints.get(task.id, ["no base input to infer from"]):
            say(f"  {line}")
    return 0
