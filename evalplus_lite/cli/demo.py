"""``evalplus-lite demo``: the whole pipeline on the real HumanEval, with a recorded model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from evalplus_lite.cli.augment import show as show_augmented
from evalplus_lite.cli.console import percent, print_json, print_table, say
from evalplus_lite.cli.options import (
    ForceOption,
    JsonOption,
    OutOption,
    SandboxOption,
    SeedOption,
    TasksOption,
    WorkersOption,
)
from evalplus_lite.cli.setup import opened, started
from evalplus_lite.pipelines.augmentation import augment
from evalplus_lite.pipelines.context import Session
from evalplus_lite.pipelines.datasets import load_dataset
from evalplus_lite.pipelines.evaluation import evaluate
from evalplus_lite.pipelines.facts import run_facts
from evalplus_lite.pipelines.generation import replayed
from evalplus_lite.pipelines.reduction import Measured, reduce
from evalplus_lite.pipelines.samples import SampleStream
from evalplus_lite.pipelines.seeds import seed_source
from evalplus_lite.reduction.set_cover import members
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import bundled
from evalplus_lite.types import Sample

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
    record = recorded()
    seeds = [record / "seeds.jsonl.gz"] if record and (record / "seeds.jsonl.gz").exists() else []
    folder = out or Path("out", "demo")
    with started(workers, sandbox) as (session, _):
        data = opened(DATASET, tasks, session)
        source = seed_source(seeds, model=None, base_url=None, seed=seed)
        augmented = augment(
            data,
            inputs=inputs,
            seed=seed,
            seeds=source,
            out=folder,
            force=force,
            session=session,
        )
        found = _judge_and_reduce(folder, record, session, force=force)
        run = run_facts(data, pool=session.pool(), seed=seed)
    result = {"run": run, "augmented": augmented.to_json(), **found}
    if json:
        print_json(result)
    else:
        _show(result, folder)
    return 0


def recorded() -> Path | None:
    """Return the folder of the recorded model, the first by name; None where there is none."""
    folders = sorted(path.parent for path in bundled("data").glob("recorded/*/samples.jsonl.gz"))
    return folders[0] if folders else None


def _judge_and_reduce(
    folder: Path, record: Path | None, session: Session, *, force: bool
) -> dict[str, Any]:
    data = load_dataset(folder / "suite.jsonl.gz", session=session)
    samples: list[Sample] = []
    if record:
        path = folder / "samples.jsonl"
        replayed(record, data.tasks, path, force=force)
        samples = list(SampleStream(path, data, is_named=True))
    full = _evaluated(data, samples, folder / "plus", session, force=force)
    small = reduce(data, samples, out=folder / "mini", session=session)
    mini = _evaluated(small.dataset, samples, folder / "mini", session, force=force)
    size = small.size
    return {
        "model": record.name if record else None,
        "samples": len(samples),
        "sizes": {
            "base": size.base,
            "plus": small.summary["cases"],
            "mini": size.base + size.chosen,
        },
        "pass_at_k": {"base": full["base"], "plus": full["plus"], "mini": mini["plus"]},
        "mutants": _mutants(small.measured, [set(row["chosen"]) for row in small.to_rows()]),
    }


def _evaluated(
    data: Dataset, samples: list[Sample], folder: Path, session: Session, *, force: bool
) -> dict[str, Any]:
    result = evaluate(data, samples, out=folder, force=force, pooled=True, session=session)
    return {name: scores or {} for name, scores in (result.pass_at_k or {}).items()}


def _mutants(measured: Sequence[Measured], chosen: list[set[int]]) -> dict[str, int]:
    """Count the mutants of the references that each of the suites rejects."""
    counts = {"base": 0, "plus": 0, "mini": 0, "all": 0}
    for one, cases in zip(measured, chosen, strict=True):
        base = set(range(one.matrix.base_count))
        for requirement, killers in one.matrix.rows.items():
            if requirement.kind != "mutant":
                continue
            found = set(members(killers))
            counts["all"] += 1
            counts["plus"] += bool(found)
            counts["base"] += bool(found & base)
            counts["mini"] += bool(found & (base | cases))
    return counts


def _show(result: dict[str, Any], folder: Path) -> None:
    show_augmented(result["augmented"], folder)
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
    say(f"all files: {folder}  (suite.jsonl.gz, plus/, mini/suite.jsonl.gz, mini/results.jsonl)")
    say("next: evalplus-lite evaluate -d humaneval -s your_samples.jsonl")
