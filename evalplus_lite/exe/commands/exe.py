"""``evalplus-lite exe``: execution tasks from packages, from mining to the paper's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from evalplus_lite.cli import options
from evalplus_lite.cli.console import name_report, print_table, print_tables, say
from evalplus_lite.cli.options import all_paths, whole_numbers
from evalplus_lite.cli.run import SANDBOX, Run, takes
from evalplus_lite.errors import InputError
from evalplus_lite.exe import benchmark, mining, prediction, scoring
from evalplus_lite.exe.mining import MiningSettings
from evalplus_lite.exe.prediction import PredictionSettings
from evalplus_lite.exe.report import PAGE, export_mined
from evalplus_lite.exe.report import exe_report as report_all
from evalplus_lite.exe.selecting.static import MAX_CODE, UNLICENSED
from evalplus_lite.exe.sources import listed_packages
from evalplus_lite.exe.tasks.worth import SPLITS
from evalplus_lite.models import Client, Prices
from evalplus_lite.reports.commands.export import exported


@takes("seed", "backend", "require_tier", "force", "shard", *SANDBOX)
def mine(
    run: Run,
    packages: list[str] | None = typer.Argument(
        None,
        metavar="PACKAGE...",
        help="Names, wheels, source archives, or folders, such as cloned repositories.",
    ),
    listed: list[Path] | None = typer.Option(
        None, "--from", metavar="FILE", help="A list of packages, one per line; repeatable."
    ),
    out: Path = typer.Option(
        Path("out/mined/tasks.jsonl"),
        "--out",
        "-o",
        metavar="PATH",
        help="Output file of tasks (JSONL).",
    ),
    companion: list[Path] | None = typer.Option(
        None, "--with", metavar="PATH", help="A library whose code may be inlined; repeatable."
    ),
    with_deps: bool | None = typer.Option(
        None,
        "--with-deps/--no-deps",
        help="Download dependencies (pure wheels); default: only for packages given by name.",
    ),
    any_license: bool = typer.Option(
        False, "--any-license", help="Keep packages whose license is not permissive."
    ),
    static: bool = typer.Option(
        False, "--static", help="Do not run code: write programs without cases or proof."
    ),
    model: str | None = typer.Option(
        None, "--model", "-m", help="Model that writes inputs; default: none."
    ),
    base_url: options.BaseUrl = None,
    chain: int = typer.Option(0, "--chain", min=0, help="Number of chained tasks to build."),
    links: int = typer.Option(2, "--links", min=2, help="Maximum functions per chain."),
    breakpoints: int = typer.Option(
        0, "--breakpoints", min=0, help="Number of program states to ask about."
    ),
    functions: int | None = typer.Option(
        None, "--functions", min=1, help="Maximum number of functions per package."
    ),
    max_code: int = typer.Option(
        MAX_CODE, "--max-code", min=1, help="Maximum characters of a program."
    ),
    keep_all: bool = typer.Option(
        False, "--all", help="Keep trivial tasks, and all tasks of a class."
    ),
    since: Path | None = typer.Option(
        None, "--since", metavar="TASKS", help="File of mined tasks to skip."
    ),
) -> int:
    """Turn typed, pure functions of real packages into execution tasks.

    Packages are read, never installed or imported here; names are downloaded by pip. Each function
    becomes a self-contained program, is proved equal to the original in the sandbox, checked in
    changed environments, and gets cases that pass the seven validators. Writes PATH, and next to it
    the rejects with their reasons, timings and the funnel. Resumes when run again after a kill.
    Exits with 1 if a package cannot be downloaded or read; the others are mined.

    [bold]Example[/bold]  evalplus-lite exe mine idna humanize ./my_package -o out/mined/tasks.jsonl
    """
    settings = MiningSettings(
        seed=run.seed,
        any_license=any_license,
        static_only=static,
        model=model,
        functions=functions,
        with_deps=with_deps,
        max_code=max_code,
        keep_all=keep_all,
    )
    named = [*(packages or []), *(name for file in listed or [] for name in listed_packages(file))]
    if not named:
        raise InputError("no package was given", remedy="name one, or give a list with --from")
    # Created first, so that a missing key is reported before any work.
    client = None if model is None else Client(model, base_url=base_url)
    with run.started() as (session, _):
        result = mining.mine(
            named,
            since=since,
            settings=settings,
            companions=companion or [],
            client=client,
            chained=chain,
            links=links,
            breakpoints=breakpoints,
            shard=run.part(),
            out=out,
            force=run.force,
            session=session,
        )

    def show() -> None:
        print_tables(result.tables())
        lost = {**result.problems, **result.refused}
        if lost:
            print_table("Packages left out", ["package", "why"], sorted(lost.items()), left=2)
        if UNLICENSED in result.refused.values():
            say("--any-license keeps them; your own project states its license in "
                'pyproject.toml: license = "MIT"')  # fmt: skip
        kept = result.funnel.counts["mined"]
        say(f"tasks: {out}" if kept else f"no function was mined, so there are no tasks in {out}")
        for path, number in result.summary["extra"].items():
            why = "" if number else f" ({_NONE[path.split('.')[-2]]})"
            say(f"{number} tasks: {path}{why}")
        if kept:
            name_report(out)

    problems = result.problems
    return run.ended(result, show, attention=lambda: problems, part_attention=problems)


@takes("backend", "force", *SANDBOX)
def build(
    run: Run,
    name: str = typer.Argument(metavar="SET", help=f"One of {', '.join(benchmark.names())}."),
    out: Path | None = typer.Option(None, "--out", "-o", metavar="DIR", help="Default: out/SET."),
    packages: int | None = typer.Option(
        None, "--packages", min=1, help="Only the first packages of the list."
    ),
) -> int:
    """Build a frozen set of execution tasks, with its data card.

    Its packages are pinned: the same Python writes the same file everywhere. Resumes when run
    again after a kill. exe predict and exe score take the set by its name. SET may also be a list
    of your own, my-set.txt; with my-set.reviewed.tsv beside it, only what it names is asked.

    [bold]Example[/bold]  evalplus-lite exe build exe-v1
    """
    with run.started() as (session, _):
        result = benchmark.build(name, out=out, packages=packages, force=run.force, session=session)

    def show() -> None:
        counts = result.summary["splits"]
        print_table("Tasks", ["split", "tasks"], [(split, counts[split]) for split in SPLITS])
        if result.problems:
            print_table("Packages left out", ["package", "why"], sorted(result.problems.items()))
        say(f"tasks: {result.path}")
        say(f"data card: {result.card}")

    return run.ended(result, show, attention=lambda: result.problems)


_NONE = {
    "chained": "no function accepts the result of another, or the results hardly differ",
    "breakpoints": "no line has a value that differs from the call's result",
}
"""Why a file of further tasks may be empty."""


MOST_NAMED = 5
"""Maximum number of skipped rows to list one by one."""


@takes("force", "shard", "json")
def predict(
    run: Run,
    tasks: options.Mined,
    model: options.Model,
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="PATH", help="Output file of predictions."
    ),
    base_url: options.BaseUrl = None,
    samples: int = typer.Option(1, "--n", "-n", min=1, help="Answers per case."),
    temperature: float = typer.Option(0.0, "--temperature", "-t", min=0.0),
    max_tokens: options.MaxTokens = 1024,
    cases: int | None = typer.Option(
        None, "--cases", min=1, help="Only the first cases of each task."
    ),
    limit: int | None = typer.Option(
        None, "--limit", min=1, help="Only the first tasks with cases."
    ),
    without: list[str] | None = typer.Option(
        None, "--without", metavar="TAG", help="Leave out a tag's tasks; repeatable."
    ),
    tag: list[str] | None = typer.Option(
        None,
        "--tag",
        metavar="TAG",
        help="Only tasks with this tag or split, such as hard; with all, if repeated.",
    ),
    cot: bool = typer.Option(
        False, "--cot", help="Have the model reason step by step before it answers."
    ),
    examples: bool = typer.Option(
        False, "--examples", help="Show three worked examples first (small models)."
    ),
    concurrency: options.Concurrency = 8,
    timeout: options.Timeout = 300.0,
) -> int:
    """Ask a model for the value or exception of every case.

    The model sees the whole program and the call, and answers in JSON; an unreadable answer is
    returned to it once, with the parse error. Nothing that it writes is executed here. Resumes when
    run again after a kill.

    [bold]Example[/bold]  evalplus-lite exe predict out/mined/tasks.jsonl -m my-model --base-url http://localhost:8000/v1
    """
    source = Client(model, base_url=base_url, concurrency=concurrency, timeout=timeout)
    kind = "cot.predictions" if cot else "predictions"
    path = out or tasks.with_name(f"{tasks.stem}.{model.replace('/', '_')}.{kind}.jsonl")
    asking = PredictionSettings(
        samples=samples, temperature=temperature, max_tokens=max_tokens, examples=examples, cot=cot
    )
    wait = f"an answer of {source.url}, for {timeout:g} s at most"
    with run.started() as (session, screen), screen.waiting(wait):
        result = prediction.predict(
            tasks,
            source,
            asking=asking,
            cases=cases,
            limit=limit,
            shard=run.part(),
            without=without or (),
            tagged=tag or (),
            out=path,
            force=run.force,
            session=session,
        )

    def show() -> None:
        tokens = result.summary["tokens"]
        asked = f"asked {result.summary['asked']}"
        say(f"{asked}; tokens: {tokens['prompt']} in, {tokens['completion']} out")
        if not result.predictions:
            say("no case is left after --limit, --tag and --without")
        if unasked := result.summary["unasked"]:
            say(
                f"{unasked} questions were too long for the model, or rejected, and count as wrong;"
                " leave out long programs with --without, or mine with a smaller --max-code"
            )
        name_left_out(result.summary)
        say(f"predictions: {path}")

    return run.ended(result, show)


def name_left_out(summary: Mapping[str, Any]) -> None:
    """Print the rows that cannot become tasks, with the reasons."""
    rows = summary.get("left_out", [])
    for row in rows[:MOST_NAMED]:
        say(f"left out: {row['task_id']} (line {row['line']}): {row['reason']}")
    if len(rows) > MOST_NAMED:
        say(f"left out: {len(rows) - MOST_NAMED} more rows; --json lists all")
    if summary.get("ignored"):
        say(f"{summary['ignored']} predictions are about rows that are left out, and not counted")


@takes(*SANDBOX)
def score(
    run: Run,
    tasks: options.Mined,
    predictions: Path = typer.Argument(
        metavar="PREDICTIONS", help="Output of predict, or CRUXEval generations."
    ),
    k: str | None = typer.Option(None, "--k", metavar="N,N", help="The k of pass@k; default: 1,5."),
    judge: options.Judge = None,
    base_url: options.JudgeUrl = None,
    out: Path | None = typer.Option(
        None, "--out", "-o", metavar="PATH", help="Write the report as JSON."
    ),
    grades: Path | None = typer.Option(
        None, "--grades", metavar="PATH", help="Write each prediction with its grade (JSONL)."
    ),
) -> int:
    """Grade predictions by the paper's rules and print the tables.

    Values are compared as JSON after normalization (sets sorted, tuples as lists, numbers in one
    form); exceptions by type and message. Reported overall, on errors alone, by package and split.
    CRUXEval's generations are Python expressions, compared by Python's equality.

    [bold]Example[/bold]  evalplus-lite exe score tasks.jsonl tasks.my-model.predictions.jsonl
    [bold]Example[/bold]  evalplus-lite exe score cruxeval.jsonl generations.json
    """
    with run.started() as (session, _):
        result = scoring.score(
            tasks,
            predictions,
            ks=whole_numbers(k or "1,5"),
            judge=None if judge is None else Client(judge, base_url=base_url),
            graded=grades,
            out=out,
            session=session,
        )

    report = result.report

    def show() -> None:
        print_tables(result.tables())
        if report.undecided:
            first = report.undecided[0]
            say(
                f"{len(report.undecided)} predictions are not judged and not in these figures, the "
                f"first {first['task_id']}, case {first['case']}: {first['problem']}"
            )
        if report.repeated:
            say(f"{report.repeated} duplicate predictions are counted once")
        if report.missing:
            say(f"{report.missing} cases have no prediction and are not in these figures")
        name_left_out(result.summary)
        if k is not None and report.too_few:
            shown = ", ".join(f"pass@{each}" for each in report.too_few)
            say(f"{shown}: no case has enough answers; exe predict -n draws more")
        if out is not None:
            name_report(out)

    return run.ended(result, show, attention=lambda: report.undecided)


@takes(*SANDBOX)
def exe_report(
    run: Run,
    tasks: options.Mined,
    predictions: list[Path] = typer.Argument(
        metavar="PREDICTIONS...",
        help="Outputs of predict; several files of one model count as runs.",
        callback=all_paths,
    ),
    out: Path = typer.Option(
        Path("out/exe-report"), "--out", "-o", metavar="DIR", help="Output folder."
    ),
    price: list[str] | None = typer.Option(
        None,
        "--price",
        metavar="[MODEL=]IN,OUT",
        help="Price per million prompt and completion tokens, for all models or one; repeatable.",
    ),
    judge: options.Judge = None,
    base_url: options.JudgeUrl = None,
    pictures: bool = typer.Option(
        True, "--pictures/--no-pictures", help="Draw (with matplotlib), or write numbers."
    ),
) -> int:
    """Make the paper's tables and figures from the predictions of one or several models.

    Scores and errors by model, cases by package, pass@1 by package, construct, and measure of the
    code and its runs (Spearman, logarithmic fits, 95 % intervals), functions' mean and sigma, runs,
    and cost. Pictures are SVG and PNG, tables Markdown, LaTeX and CSV; DIR/report.html shows all.
    Figures without data are listed with the reason.

    [bold]Example[/bold]  evalplus-lite exe report tasks.jsonl a.predictions.jsonl -o out/exe
    """
    with run.started() as (session, _):
        result = report_all(
            tasks,
            predictions,
            out=out,
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
            say(f"missing: {row['name']}: {row['reason']}")
        say(f"all tables and figures: {out / PAGE} (open in a browser)")

    return run.ended(result, show, attention=lambda: undecided)


def _prices(texts: Iterable[str]) -> Mapping[str, Prices] | None:
    """Return the prices of ``--price`` by model, with "" for all others; None if there are none."""
    found: dict[str, Prices] = {}
    for text in texts:
        model, _, numbers = text.rpartition("=")
        try:
            prompt, completion = map(float, numbers.split(","))
        except ValueError:
            prompt = completion = -1.0
        if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
            raise InputError(
                f"--price {text}", remedy="give the prices per million tokens, such as 0.15,0.6"
            )
        found[model] = Prices(prompt=prompt, completion=completion)
    return found or None


app = typer.Typer(
    add_completion=False,
    name="exe",
    help="Mine execution tasks from packages, ask models about them, and score the answers.",
    no_args_is_help=True,
)


@takes("json")
def export(
    run: Run,
    tasks: Path = typer.Argument(metavar="TASKS", help="Mined tasks (JSONL), or a set's name."),
    out: Path = typer.Option(..., "--out", "-o", metavar="PATH", help="The file (JSONL)."),
) -> int:
    """Write mined tasks as CRUXEval rows.

    [bold]Example[/bold]  evalplus-lite exe export out/mined/tasks.jsonl -o rows.jsonl
    """
    result = export_mined(tasks, out)
    return run.ended(result, lambda: say(exported(result)))


for name, function in {
    "mine": mine,
    "build": build,
    "predict": predict,
    "score": score,
    "report": exe_report,
    "export": export,
}.items():
    app.command(name)(function)
