"""``evalplus-lite crossval``: does a small suite hold on a model that it never saw?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    OutOption,
    PackagesOption,
    SamplesOption,
    SandboxOption,
    StrictOption,
    TasksOption,
    WorkersOption,
)
from evalplus_lite.cli.reduce import FreshOption

if TYPE_CHECKING:
    from evalplus_lite.reduction.cross_validation import Line
    from evalplus_lite.reduction.policy import Policy

DEFAULT_CURVE = "2,4,6,8,10,16"


def crossval(
    dataset: DatasetOption,
    samples: SamplesOption,
    out: OutOption = None,
    tasks: TasksOption = None,
    folds: Annotated[
        str, typer.Option("--folds", "-k", metavar="N,N", help="Covers to try in every mode.")
    ] = "1",
    curve: Annotated[
        str, typer.Option("--curve", metavar="N,N", help="Sizes to try in every mode, or ''.")
    ] = DEFAULT_CURVE,
    beside: Annotated[
        list[str] | None,
        typer.Option(
            "--beside", metavar="NAME|PATH", help="A ready-made smaller suite to put beside."
        ),
    ] = None,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    package: PackagesOption = None,
    no_cache: FreshOption = False,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """Leave one model out: choose suites by the others' samples, judge it by them.

    For each mode and model: inputs a task, pass@1 on base, all and chosen inputs, and how many of
    the programs that only plus inputs reject are still rejected; random suites of the same size
    beside it. A file is a model, unless its rows name one. Writes DIR/crossval.json.

    [bold]Example[/bold]  evalplus-lite crossval -d humaneval+ -s a.jsonl -s b.jsonl -s c.jsonl
    """
    import json as json_module

    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.evidence import tell
    from evalplus_lite.cli.reduce import gather
    from evalplus_lite.cli.setup import output_folder
    from evalplus_lite.errors import InputError
    from evalplus_lite.reduction.cross_validation import Field, compared
    from evalplus_lite.reduction.cross_validation import crossval as run
    from evalplus_lite.store import write_text

    policies = read_policies(folds, curve)
    screen = Screen()
    with screen:
        data, measured, found, report = gather(
            dataset, samples, tasks, workers, sandbox, package, no_cache, screen, strict=strict
        )
        field = Field([one.matrix for one in measured], found)
        if len(field.models) < 2:
            raise InputError(
                f"samples of {len(field.models)} model", remedy="give those of two or more"
            )
        screen.stage("leave one out", len(policies))
        lines: list[Line] = []
        for name, policy in policies.items():
            lines += run(field, {name: policy})
            screen.advance()
        for name in beside or ():
            lines += compared(field, Path(name).name, _ready_made(name, measured))
        summary = {**summarize(data.name, lines), **report}
        folder = output_folder(out, "crossval", dataset, data)
        write_text(folder / "crossval.json", json_module.dumps(summary, indent=2) + "\n")
    if json:
        print_json(summary)
    else:
        show(summary, folder)
        tell(summary, screen)
    return 1 if summary["unusable"] else 0


def read_policies(folds: str, curve: str) -> dict[str, Policy]:
    """Return the policies to try, by name: each mode with each number of folds and each size."""
    from evalplus_lite.errors import InputError
    from evalplus_lite.reduction.policy import Policy
    from evalplus_lite.requirements.matrix import MODES

    try:
        covers = [int(part) for part in folds.split(",") if part.strip()]
        sizes = [float(part) for part in curve.split(",") if part.strip()]
    except ValueError as error:
        raise InputError(f"{error}", remedy="give numbers such as 1,4") from None
    found = {"default": Policy()}
    for mode in MODES:
        for cover in covers:
            found[f"{mode}, {cover}-fold"] = Policy(mode, cover)
        for size in sizes:
            found[f"{mode}, size {size:g}"] = Policy(mode, budget=size)
    return found


def _ready_made(name: str, measured: list[Any]) -> dict[str, int]:
    """Return a smaller dataset's plus cases as bitsets of the larger one's."""
    from evalplus_lite.reduction.set_cover import bitset
    from evalplus_lite.tasks import load_dataset
    from evalplus_lite.values import wire

    other = {task.id: task for task in load_dataset(name).tasks}
    found = {}
    for one in measured:
        place = {wire.encode(case.arguments): n for n, case in enumerate(one.suite.cases)}
        cases = other[one.task.id].cases if one.task.id in other else ()
        numbers = [place.get(wire.encode(case.arguments), -1) for case in cases]
        found[one.task.id] = bitset(n for n in numbers if n >= one.suite.base_count)
    return found


def summarize(name: str, lines: list[Line]) -> dict[str, Any]:
    """Return every line, and each policy's pooled one."""
    from evalplus_lite.reduction.cross_validation import pooled

    def row(line: Line) -> dict[str, Any]:
        return {
            "model": line.model,
            "policy": line.policy,
            "size": line.size,
            "pass@1": {
                "base": line.pass_base,
                "plus": line.pass_plus,
                "reduced": line.pass_reduced,
                "random": line.pass_random,
            },
            "failures": line.kept.total,
            "kept": line.kept.hits,
            "share": line.kept.value,
            "interval": list(line.kept.interval),
            "share_random": line.kept_random.value,
        }

    return {
        "dataset": name,
        "models": [row(line) for line in lines],
        "pooled": [row(line) for line in pooled(lines).values()],
    }


def show(summary: dict[str, Any], folder: Path) -> None:
    """Print the pooled table, and pass@1 of each model under the fullest policies."""
    from evalplus_lite.cli.console import percent, print_table, say

    rows = []
    for line in summary["pooled"]:
        low, high = line["interval"]
        rows.append(
            (
                line["policy"],
                f"{line['size']:.1f}",
                f"{line['kept']:.0f}/{line['failures']}",
                percent(line["share"]),
                f"{percent(low)}-{percent(high)}",
                percent(line["share_random"]),
            )
        )
    print_table(
        f"{summary['dataset']}: plus-only failures of unseen models that are still rejected",
        ["suite", "plus inputs a task", "rejected", "%", "95 %", "random %"],
        rows,
    )
    print_table(
        "pass@1 of each model, left out",
        ["model", "suite", "base %", "all %", "chosen %", "random %"],
        [
            (line["model"], line["policy"], *(percent(line["pass@1"][k]) for k in KINDS))
            for line in summary["models"]
            if "size" not in line["policy"]
        ],
        left=2,
    )
    say(f"every line: {folder / 'crossval.json'}")


KINDS = ("base", "plus", "reduced", "random")
