"""``evalplus-lite augment``: tasks to test suites."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    ForceOption,
    JsonOption,
    OutOption,
    PackagesOption,
    SandboxOption,
    SeedOption,
    StrictOption,
    TasksOption,
    TimeoutOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalplus_lite.pipelines.augmentation import Budget, SeedSource
    from evalplus_lite.tasks import Dataset
    from evalplus_lite.types import Unusable


def augment(
    dataset: DatasetOption,
    out: OutOption = None,
    tasks: TasksOption = None,
    inputs: Annotated[int, typer.Option("--inputs", "-n", min=0, help="New inputs a task.")] = 1000,
    seconds: Annotated[
        float,
        typer.Option(
            "--seconds", help="What an input may cost the reference: a second is 20 million steps."
        ),
    ] = 0.5,
    replay: Annotated[
        list[Path] | None,
        typer.Option("--replay", metavar="FILE", help="Recorded LLM seeds to start from."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Ask this model for seeds (key: OPENAI_API_KEY).")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="Its OpenAI-compatible server.")
    ] = None,
    timeout: TimeoutOption = 300.0,
    generators: Annotated[
        int,
        typer.Option("--generators", min=0, help="Programs to ask the model for that draw inputs."),
    ] = 0,
    consensus: Annotated[
        list[Path] | None,
        typer.Option("--consensus", metavar="SAMPLES", help="Set aside what these dispute."),
    ] = None,
    targeted: Annotated[
        int,
        typer.Option("--targeted", min=0, help="Further inputs for mutants that all others miss."),
    ] = 0,
    target: Annotated[
        list[Path] | None,
        typer.Option("--target", metavar="SAMPLES", help="Wrong programs to aim at, too."),
    ] = None,
    guard: Annotated[
        list[str] | None,
        typer.Option("--guard", metavar="TASK:NAME", help="Take this inferred constraint on."),
    ] = None,
    no_guard: Annotated[
        list[str] | None,
        typer.Option("--no-guard", metavar="TASK:NAME", help="Leave it off; TASK:all for each."),
    ] = None,
    package: PackagesOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    sandbox: SandboxOption = "auto",
    force: ForceOption = False,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """Expand a dataset's inputs and compute what is expected of them.

    Seeds (base inputs, the prompt's examples, constants of the reference, and a model's where one
    is given) are mutated by type, filtered by the task's contract, and answered by the reference,
    twice. Writes DIR/suite.jsonl.gz, which every other command takes as --dataset, and
    DIR/summary.json. Run again after a kill, it goes on. With --consensus, an input on which most
    of those programs that pass the base tests contradict the reference is not used: it goes to
    DIR/review.jsonl, for a person to read. With --targeted, mutants of the reference (and --target
    programs) that pass all inputs are then aimed at; who survives stands in DIR/survivors.jsonl
    with its diff. Constraints on inputs that are inferred without a contract are shown with what
    speaks for them; --guard and --no-guard decide otherwise.

    [bold]Example[/bold]  evalplus-lite augment -d humaneval -n 300 -o out/humaneval
    """
    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.evidence import tell
    from evalplus_lite.cli.setup import open_dataset, open_pool, output_folder
    from evalplus_lite.errors import InputError
    from evalplus_lite.generate.domains.choices import with_choices
    from evalplus_lite.pipelines.augmentation import Budget
    from evalplus_lite.pipelines.seeds import seed_source

    if generators and not (model or replay):
        raise InputError("--generators without a model", remedy="give --model or --replay")
    if target and not targeted:
        raise InputError("--target without --targeted", remedy="say how many inputs to add")
    if not 0 < seconds < float("inf"):
        raise InputError(f"--seconds {seconds:g}", remedy="a number above 0")
    budget = Budget(inputs=inputs, seconds=seconds, targeted=targeted)
    source = seed_source(
        replay or [],
        model=model,
        base_url=base_url,
        timeout=timeout,
        seed=seed,
        generators=generators,
    )
    screen = Screen()
    with screen, open_pool(workers, sandbox, screen, package) as pool:
        data = open_dataset(dataset, tasks, pool, screen, strict=strict)
        chosen = with_choices(data.tasks, on=guard or [], off=no_guard or [])
        data = replace(data, tasks=chosen)
        folder = output_folder(out, "augment", dataset, data)
        summary = run(
            data,
            pool,
            folder,
            seed=seed,
            budget=budget,
            source=source,
            screen=screen,
            consensus=consensus or [],
            target=target or [],
            force=force,
            strict=strict,
        )
    if json:
        print_json(summary)
    else:
        show(summary, folder)
        tell({**summary, "notes": []}, screen)
        if summary["without_new"]:
            screen.note(f"no new input for {len(summary['without_new'])} tasks: {_few(summary)}")
    return 1 if summary["unusable"] or summary["without_new"] else 0


def _few(summary: dict[str, Any]) -> str:
    tasks = summary["without_new"]
    return ", ".join(tasks[:10]) + (" ..." if len(tasks) > 10 else "")


def run(
    data: Dataset,
    pool: Any,
    folder: Path,
    *,
    seed: int,
    budget: Budget,
    source: SeedSource | None,
    screen: Any,
    consensus: Sequence[Path] = (),
    target: Sequence[Path] = (),
    force: bool = False,
    strict: bool = False,
) -> dict[str, Any]:
    """Augment into ``folder``, going on where a killed run stopped; return the summary."""
    import json as json_module

    from evalplus_lite.cli.evaluate import _stream, dataset_hash
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.grading.evidence import unusable_row
    from evalplus_lite.pipelines.auditing import by_task
    from evalplus_lite.pipelines.augmentation import FinishedTask
    from evalplus_lite.pipelines.augmentation import augment as augment_all
    from evalplus_lite.store import Journal, write_jsonl, write_packed, write_text
    from evalplus_lite.tasks.loading import refusal
    from evalplus_lite.tasks.samples import Faults

    faults = Faults(is_strict=strict)
    jurors = by_task(data, _stream(list(consensus), data, False, faults)) if consensus else {}
    wrong = by_task(data, _stream(list(target), data, False, faults)) if target else {}
    for line in faults.notes():
        screen.note(line)
    identity = {
        "kind": "augmentation",
        "content": dataset_hash(data),
        "seed": seed,
        "inputs": budget.inputs,
        "seconds": budget.seconds,
        "seeds": getattr(source, "name", None),
    }
    if choices := {task.id: dict(task.constraints) for task in data.tasks if task.constraints}:
        identity["guards"] = choices
    if consensus:
        identity["consensus"] = hash_of(jurors)
    if budget.targeted:
        identity |= {"targeted": budget.targeted, "target": hash_of(wrong)}
    left_out: list[Unusable] = list(data.unusable)
    with Journal(
        folder / "augment.journal.jsonl", identity=identity, force=force, batch=1
    ) as journal:
        done = {}
        for row in journal.rows():
            with journal.reading(row):
                found = FinishedTask.of_row(row.data)
                done[found.task_id] = found
        screen.stage("augment", len(data.tasks))
        if done:
            screen.note(f"{len(done)} tasks were done already")
        results = augment_all(
            data.tasks,
            pool,
            seed=seed,
            budget=budget,
            seeds=source,
            samples=jurors,
            wrong=wrong,
            done=done,
            finished=lambda result: journal.append(result.to_row()),
            left_out=left_out.append,
            progress=screen,
        )
    if not results:
        raise refusal(left_out)
    write_packed(folder / "suite.jsonl.gz", (result.suite for result in results))
    made = [result.facts for result in results]
    if consensus:
        write_jsonl(folder / "review.jsonl", (row for each in made for row in each["review"]))
    if budget.targeted:
        write_jsonl(
            folder / "survivors.jsonl",
            ({"task_id": r["task_id"], **each} for r in made for each in r["survivors"]),
        )
    files = [*consensus, *target]
    summary = {
        "run": facts(data, pool=pool, samples=files, seed=seed),
        **summarize(data, made),
        "unusable": [unusable_row(each) for each in left_out],
    }
    write_text(folder / "summary.json", json_module.dumps(summary, indent=2) + "\n")
    return summary


def hash_of(programs: Mapping[str, Sequence[str]]) -> str:
    """Return a short name of programs by task."""
    import hashlib
    import json as json_module

    return hashlib.sha256(json_module.dumps(programs).encode()).hexdigest()[:16]


def summarize(data: Dataset, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return counts over all tasks: inputs by source, and those dropped by cause."""
    from collections import Counter

    from evalplus_lite.cli.guarding import found

    sources: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for result in results:
        sources.update(result["sources"])
        dropped.update(result["dropped"])
    done = {result["task_id"] for result in results}
    base = sum(result["base_count"] for result in results)
    return {
        "dataset": data.name,
        "tasks": len(results),
        "base": base,
        "new": sum(sources.values()) - base,
        "sources": dict(sorted(sources.items())),
        "dropped": dict(sorted(dropped.items())),
        "left_out": [task for task in data.ids if task not in done],
        "without_new": [
            r["task_id"]
            for r in results
            if r["provenance"].get("inputs") and r["base_count"] == r["count"]
        ],
        "review": sum(len(result["review"]) for result in results),
        "aimed": sum(result["aimed"] for result in results),
        "survivors": sum(len(result["survivors"]) for result in results),
        "guards": found({r["task_id"]: r["provenance"] for r in results}),
        "notes": {r["task_id"]: list(r["notes"]) for r in results if r["notes"]},
    }


def show(summary: dict[str, Any], folder: Path) -> None:
    """Print the summary as a table."""
    from evalplus_lite.cli.console import print_table, say
    from evalplus_lite.cli.guarding import lines

    kept = [(f"kept: {name}", count) for name, count in summary["sources"].items()]
    lost = [(f"dropped: {name}", count) for name, count in summary["dropped"].items()]
    title = f"{summary['dataset']}: {summary['tasks']} tasks, {summary['base']} base inputs, "
    print_table(f"{title}{summary['new']} new", ["inputs", "count"], [*kept, *lost])
    for task, notes in summary["notes"].items():
        say(f"{task}: {notes[0]}" + (f" (and {len(notes) - 1} more)" if len(notes) > 1 else ""))
    for line in lines(summary["guards"]):
        say(line)
    if summary["aimed"]:
        rest = f"{summary['survivors']} survive: {folder / 'survivors.jsonl'}"
        say(f"{summary['aimed']} wrong programs passed the normal inputs; {rest}")
    if summary["review"]:
        say(f"{summary['review']} disputed inputs, for review: {folder / 'review.jsonl'}")
    say(f"the suite: {folder / 'suite.jsonl.gz'}")
