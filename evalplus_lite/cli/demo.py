"""``evalplus-lite demo``: the whole pipeline on the real HumanEval, with a recorded model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    ForceOption,
    JsonOption,
    OutOption,
    SandboxOption,
    SeedOption,
    TasksOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from evalplus_lite.pipelines.evaluation import Tally
    from evalplus_lite.pipelines.reduction import Measured
    from evalplus_lite.tasks import Dataset
    from evalplus_lite.types import Sample, Suite

DATASET = "humaneval"
ROUNDS = ("base", "plus", "mini")


def demo(
    out: OutOption = None,
    tasks: TasksOption = None,
    inputs: Annotated[int, typer.Option("--inputs", "-n", min=1, help="New inputs a task.")] = 100,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    force: ForceOption = False,
    json: JsonOption = False,
) -> int:
    """Build, judge and shrink a benchmark: HumanEval and a real model's recorded answers.

    No key, no network, no question. Augments all 164 tasks (seeds of a recorded model, mutation by
    type, contracts, the reference run twice), judges the recorded samples on the base and the
    augmented tests, and reduces these to a mini suite that keeps branches, decisions, mutants and
    rejected samples. Writes all of it to DIR; run again after a kill, it goes on.
    """
    from evalplus_lite.cli import augment
    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool, out_folder
    from evalplus_lite.pipelines.augmentation import Budget
    from evalplus_lite.pipelines.reduction import SANDBOX_PACKAGES
    from evalplus_lite.pipelines.seeds import seed_source

    record = recorded()
    seeds = [record / "seeds.jsonl.gz"] if record and (record / "seeds.jsonl.gz").exists() else []
    screen = Screen()
    with screen, open_pool(workers, sandbox, screen, list(SANDBOX_PACKAGES)) as pool:
        data = open_dataset(DATASET, tasks, pool, screen)
        folder = out_folder(out, "demo")
        source = seed_source(seeds, model=None, base_url=None, seed=seed)
        budget = Budget(inputs=inputs)
        summary = augment.run(
            data,
            pool,
            folder,
            seed=seed,
            budget=budget,
            source=source,
            screen=screen,
            force=force,
        )
        if force:
            for name in ("samples.jsonl", "plus.jsonl", "mini.results.jsonl"):
                (folder / name).unlink(missing_ok=True)
        result = _judge_and_reduce(folder, record, pool, screen)
        run = facts(data, pool=pool, seed=seed)
    result = {"run": run, "augmented": summary, **result}
    if json:
        print_json(result)
    else:
        _show(result, folder)
    return 0


def recorded() -> Path | None:
    """Return the folder of the recorded model, the first by name; None where there is none."""
    from evalplus_lite.tasks.contracts import bundled

    folders = sorted(path.parent for path in bundled("data").glob("recorded/*/samples.jsonl.gz"))
    return folders[0] if folders else None


def _judge_and_reduce(folder: Path, record: Path | None, pool: Any, screen: Any) -> dict[str, Any]:
    from evalplus_lite.cli.generate import replayed
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.pipelines.reduction import measure, named, reduced
    from evalplus_lite.reduction.policy import Policy, bounded, choose
    from evalplus_lite.store import cache_folder
    from evalplus_lite.tasks import load_dataset, write_suites
    from evalplus_lite.tasks.samples import read_samples

    data = load_dataset(folder / "suite.jsonl.gz")
    samples = []
    if record:
        path = replayed(record, data.tasks, folder / "samples.jsonl")
        samples = list(named(read_samples(path, data), record.name))
    full = _evaluate(folder / "plus.jsonl", data, samples, pool, screen)

    screen.stage("requirements", len(data.tasks))
    source = SuiteSource(given=data.suites)
    measured = measure(data, samples, pool, source, cache=cache_folder(), progress=screen)
    matrices = [one.matrix for one in measured]
    policy = Policy()
    choices = bounded(matrices, policy, choose(matrices, policy), exact=False)
    suites = {
        one.task.id: reduced(one, choice) for one, choice in zip(measured, choices, strict=True)
    }
    write_suites(folder / "mini.jsonl.gz", data.tasks, suites.values())
    small = replace(data, suites=suites)
    mini = _evaluate(folder / "mini.results.jsonl", small, samples, pool, screen)
    return {
        "model": record.name if record else None,
        "samples": len(samples),
        "sizes": _sizes(data.suites.values(), suites.values()),
        "pass_at_k": {
            "base": full.pass_at_k()["base"],
            "plus": full.pass_at_k()["plus"],
            "mini": mini.pass_at_k()["plus"],
        },
        "mutants": _mutants(measured, [set(choice.cases) for choice in choices]),
    }


def _evaluate(path: Path, data: Dataset, samples: list[Sample], pool: Any, screen: Any) -> Tally:
    from evalplus_lite.cli.evaluate import dataset_hash
    from evalplus_lite.pipelines.evaluation import Settings, evaluate
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.sandbox import PRESETS
    from evalplus_lite.store import Journal

    identity = {"kind": "demo", "content": dataset_hash(data)}
    with Journal(path, identity=identity) as journal:
        screen.stage(f"evaluate ({path.stem})", len(samples))
        return evaluate(
            {task.id: task for task in data.tasks},
            samples,
            pool,
            SuiteSource(given=data.suites),
            Settings(PRESETS["default"]),
            journal,
            progress=screen,
        )


def _sizes(full: Any, mini: Any) -> dict[str, int]:
    suites: list[Suite] = list(full)
    return {
        "base": sum(suite.base_count for suite in suites),
        "plus": sum(len(suite.cases) for suite in suites),
        "mini": sum(len(suite.cases) for suite in mini),
    }


def _mutants(measured: list[Measured], chosen: list[set[int]]) -> dict[str, int]:
    """Count the mutants of the references that each of the suites rejects."""
    counts = {"base": 0, "plus": 0, "mini": 0, "all": 0}
    for one, cases in zip(measured, chosen, strict=True):
        base = set(range(one.suite.base_count))
        for requirement, killers in one.matrix.rows.items():
            if requirement.kind != "mutant":
                continue
            found = _members(killers)
            counts["all"] += 1
            counts["plus"] += bool(found)
            counts["base"] += bool(found & base)
            counts["mini"] += bool(found & (base | cases))
    return counts


def _members(bits: int) -> set[int]:
    from evalplus_lite.reduction.set_cover import members

    return set(members(bits))


def _show(result: dict[str, Any], folder: Path) -> None:
    from evalplus_lite.cli.augment import show
    from evalplus_lite.cli.console import percent, print_table, say

    show(result["augmented"], folder)
    tasks = result["augmented"]["tasks"]
    scores, sizes, mutants = result["pass_at_k"], result["sizes"], result["mutants"]
    names = list(scores["base"])
    title = f"HumanEval, {tasks} tasks"
    if result["model"]:
        title += f"; {result['samples']} samples recorded of {result['model']}"
    print_table(
        title,
        ["tests", "inputs", "a task", "mutants rejected", *(f"{name} %" for name in names)],
        [
            [
                name,
                sizes[name],
                f"{sizes[name] / max(tasks, 1):.1f}",
                f"{mutants[name]} of {mutants['all']}",
                *(percent(scores[name].get(each)) for each in names),
            ]
            for name in ROUNDS
        ],
    )
    say(f"all files: {folder}  (suite.jsonl.gz, mini.jsonl.gz, plus.jsonl, mini.results.jsonl)")
    say("next: evalplus-lite evaluate -d humaneval -s your_samples.jsonl")
