"""``evalplus-lite reduce``: a small suite that keeps a large one's strength."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.given import all_paths
from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    OutOption,
    PackagesOption,
    SandboxOption,
    StrictOption,
    TasksOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from evalplus_lite.pipelines.reduction import Measured
    from evalplus_lite.reduction.policy import Choice, Policy
    from evalplus_lite.tasks import Dataset

OptionalSamples = Annotated[
    list[Path] | None,
    typer.Option(
        "--samples",
        "-s",
        metavar="PATH",
        help="Model output whose wrong programs the small suite must still reject.",
        callback=all_paths,
    ),
]
ModeOption = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="KINDS",
        help="What to keep: full, or coverage, mutants, samples, these three (classic), shapes.",
    ),
]
FoldsOption = Annotated[
    int | None,
    typer.Option(
        "--folds",
        "-k",
        min=1,
        help="Cases that each requirement is kept by; default: 4 a sample, 3 a mutant, else 1.",
    ),
]
BudgetOption = Annotated[
    float | None,
    typer.Option("--budget", min=0, help="Plus cases a task on average, in place of --folds."),
]
FreshOption = Annotated[
    bool, typer.Option("--no-cache", help="Compute every requirement anew, and keep none.")
]


def reduce(
    dataset: DatasetOption,
    samples: OptionalSamples = None,
    out: OutOption = None,
    tasks: TasksOption = None,
    mode: ModeOption = "full",
    folds: FoldsOption = None,
    budget: BudgetOption = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Smallest suites by HiGHS (extra: exact).")
    ] = False,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    package: PackagesOption = None,
    no_cache: FreshOption = False,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """Choose few inputs that keep branches, decisions, shapes, mutant kills and sample kills.

    Base inputs are always kept and credited. Writes DIR/suite.jsonl.gz, which every other command
    takes as --dataset, and DIR/reduction.json. Prints the size, a proved lower bound for any suite
    that keeps as much, and the gap between the two. Exits with 1 if a task cannot be used.

    [bold]Example[/bold]  evalplus-lite reduce -d humaneval+ -s model_a.jsonl -s model_b.jsonl
    """
    import json as json_module

    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.evidence import tell
    from evalplus_lite.cli.setup import output_folder
    from evalplus_lite.pipelines.reduction import reduced
    from evalplus_lite.reduction.policy import Policy, bounded, choose
    from evalplus_lite.store import write_text
    from evalplus_lite.tasks import write_suites

    policy = Policy(mode, folds, budget)
    screen = Screen()
    with screen:
        data, measured, _, report = gather(
            dataset,
            samples or [],
            tasks,
            workers,
            sandbox,
            package,
            no_cache,
            screen,
            policy,
            strict=strict,
        )
        matrices = [one.matrix for one in measured]
        screen.stage("reduce", None)
        choices = bounded(matrices, policy, choose(matrices, policy), exact=exact)
        folder = output_folder(out, "reduce", dataset, data)
        suites = [reduced(one, choice) for one, choice in zip(measured, choices, strict=True)]
        write_suites(folder / "suite.jsonl.gz", data.tasks, suites)
        summary = {**summarize(data, measured, choices, policy), **report}
        write_text(folder / "reduction.json", json_module.dumps(summary, indent=2) + "\n")
    if json:
        print_json(summary)
    else:
        show(summary, folder)
        tell(summary, screen)
    return 1 if summary["unusable"] else 0


def gather(
    dataset: str,
    samples: list[Path],
    tasks: list[str] | None,
    workers: int | None,
    sandbox: str,
    package: list[str] | None,
    no_cache: bool,
    screen: Any,
    policy: Policy | None = None,
    *,
    strict: bool = False,
) -> tuple[Dataset, list[Measured], list[Any], dict[str, Any]]:
    """Return the dataset, its measured suites, the samples with their models' names, and a report
    of what cannot be used; raises InputError if no task can be.
    """
    from evalplus_lite.cli.evidence import listed, require_any
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.pipelines.reduction import SANDBOX_PACKAGES, measure, named
    from evalplus_lite.requirements.matrix import KINDS, MODES
    from evalplus_lite.store import cache_folder
    from evalplus_lite.store.labels import labels
    from evalplus_lite.tasks.samples import Faults, read_samples

    kinds = KINDS if policy is None else MODES[policy.mode]
    with open_pool(workers, sandbox, screen, [*SANDBOX_PACKAGES, *(package or [])]) as pool:
        data = open_dataset(dataset, tasks, pool, screen, strict=strict)
        faults = Faults(is_strict=strict)
        found = [
            sample
            for path, name in zip(samples, labels(samples), strict=True)
            for sample in named(read_samples(path, data, faults=faults), name)
        ]
        for line in faults.notes():
            screen.note(line)
        screen.stage("requirements", len(data.tasks))
        cache = None if no_cache else cache_folder()
        source = SuiteSource(given=data.suites, cache=cache)
        measured = measure(data, found, pool, source, cache=cache, kinds=kinds, progress=screen)
        run = facts(data, pool=pool, samples=samples)
    require_any(len(measured), data, source)
    return data, measured, found, {"run": run, **listed(data, source)}


def summarize(
    data: Dataset, measured: list[Measured], choices: tuple[Choice, ...], policy: Policy
) -> dict[str, Any]:
    """Return sizes, bound and gap over all tasks, requirements by kind, and each task's sizes."""
    from collections import Counter

    from evalplus_lite.reduction.policy import Size
    from evalplus_lite.requirements.matrix import MODES

    matrices = [one.matrix for one in measured]
    size = Size.of(matrices, choices)
    kinds: Counter[str] = Counter()
    for matrix in matrices:
        kinds.update(req.kind for req in matrix.rows if req.kind in MODES[policy.mode])
    return {
        "dataset": data.name,
        "mode": policy.mode,
        "wants": policy.wants,
        "budget": policy.budget,
        "tasks": size.tasks,
        "base": size.base,
        "cases": sum(matrix.count for matrix in matrices),
        "chosen": size.chosen,
        "bound": size.bound,
        "gap": size.gap,
        "requirements": dict(sorted(kinds.items())),
        "by_task": {
            one.task.id: {
                "cases": len(one.suite.cases),
                "base": one.suite.base_count,
                "chosen": list(choice.cases),
                "bound": choice.bound,
            }
            for one, choice in zip(measured, choices, strict=True)
        },
    }


def show(summary: dict[str, Any], folder: Path) -> None:
    """Print what was kept, and how near to the smallest it is."""
    from evalplus_lite.cli.console import percent, print_table, say

    tasks = max(1, summary["tasks"])
    rows = [
        ("inputs before", summary["cases"], summary["cases"] / tasks),
        ("base inputs, kept", summary["base"], summary["base"] / tasks),
        ("further inputs chosen", summary["chosen"], summary["chosen"] / tasks),
    ]
    if summary["bound"] is not None:
        rows.append(("fewest possible, at least", summary["bound"], summary["bound"] / tasks))
    print_table(
        f"{summary['dataset']}: {summary['tasks']} tasks, {summary['mode']}",
        ["", "inputs", "a task"],
        rows,
    )
    counts = summary["requirements"].items()
    kinds = ", ".join(f"{count} {PLURALS[kind]}" for kind, count in counts)
    say(f"kept: {kinds or 'nothing was asked for'}")
    if summary["gap"] is not None:
        say(
            f"at most {percent(summary['gap'])} % larger than the smallest suite that keeps as much"
        )
    say(f"the suite: {folder / 'suite.jsonl.gz'}")


PLURALS = {
    "branch": "branches",
    "decision": "decision outcomes",
    "shape": "shapes of inputs",
    "mutant": "mutants",
    "sample": "wrong samples",
}
