"""``evalplus-lite evaluate``: verdicts and pass@k for samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalplus_lite.cli.options import (
    DatasetOption,
    ForceOption,
    JsonOption,
    LimitsOption,
    MemoryOption,
    OutOption,
    PackagesOption,
    SamplesOption,
    SandboxOption,
    StrictOption,
    TasksOption,
    TotalOption,
    WorkersOption,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalplus_lite.pipelines.evaluation import Settings
    from evalplus_lite.tasks import Dataset
    from evalplus_lite.tasks.samples import Faults
    from evalplus_lite.types import Sample

MOST_SOLUTIONS = 20_000
"""Above this many samples the evalplus-form file leaves the programs' texts out."""


def evaluate(
    dataset: DatasetOption,
    samples: SamplesOption,
    out: OutOption = None,
    tasks: TasksOption = None,
    limits: LimitsOption = "default",
    memory: MemoryOption = 1024,
    total: TotalOption = None,
    details: Annotated[
        bool, typer.Option("--details", help="Run every case and keep each verdict.")
    ] = False,
    shrink: Annotated[
        bool, typer.Option("--shrink", help="Find the smallest input each wrong program fails on.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="Take answers as they stand: no program is extracted.")
    ] = False,
    pooled: Annotated[
        bool, typer.Option("--pool", help="One pass@k for the samples of all models together.")
    ] = False,
    k: Annotated[str, typer.Option("--k", help="Which pass@k.", metavar="N,N")] = "1,10,100",
    workers: WorkersOption = None,
    package: PackagesOption = None,
    sandbox: SandboxOption = "auto",
    force: ForceOption = False,
    strict: StrictOption = False,
    json: JsonOption = False,
) -> int:
    """Judge programs: pass, fail, error, timeout, crash, memory, unrepresentable.

    Writes DIR/results.jsonl (a row a sample, with the first failing input), DIR/summary.json and
    DIR/eval_results.json (as evalplus writes it). Each model, and each temperature, has a row and a
    pass@k of its own: a file is a model unless its rows name one. Run again after a kill, it goes
    on. No program passes a task without a usable case: it is in no figure, and listed with the
    cause. Exits with 1 if there is such a task, if the machine failed on some samples, which are
    left unscored, or if rows of the sample files are no answers and were left out. With --strict
    such a task or row is an error, and nothing is judged.

    [bold]Example[/bold]  evalplus-lite evaluate -d humaneval+ -s samples.jsonl -o out/my-model
    """
    import json as json_module

    from evalplus_lite.cli import scores
    from evalplus_lite.cli.console import Screen, print_json
    from evalplus_lite.cli.evidence import listed
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import open_dataset, open_pool, output_folder, samples_name
    from evalplus_lite.execution.workers import default_workers
    from evalplus_lite.pipelines.evaluation import Settings, names
    from evalplus_lite.pipelines.evaluation import evaluate as run
    from evalplus_lite.pipelines.expected import SuiteSource
    from evalplus_lite.pipelines.spool import Spool
    from evalplus_lite.sandbox import preset
    from evalplus_lite.store import Journal, write_text
    from evalplus_lite.tasks.loading import known_contracts
    from evalplus_lite.tasks.samples import Faults

    ks = read_ks(k)
    allowed = known_contracts() if shrink else None
    screen = Screen()
    with screen, open_pool(workers or default_workers(), sandbox, screen, package) as pool:
        data = open_dataset(dataset, tasks, pool, screen, strict=strict)
        folder = output_folder(out, "evaluate", dataset, data, samples_name(samples))
        by_id = {task.id: task for task in data.tasks}
        settings = Settings(preset(limits), memory << 20, total, details, allowed, data.has_plus)
        source = SuiteSource(given=data.suites)
        content = dataset_hash(data)
        identity = {
            "kind": "evaluation",
            "dataset": data.name,
            "content": content,
            "limits": limits,
            "memory": memory,
            "details": details,
            "raw": raw,
            **({"shrink": True} if shrink else {}),
            **({} if total is None else {"total": total}),
        }
        faults = Faults(is_strict=strict)
        steps: Counter[Any] = Counter()
        with (
            Journal(folder / "results.jsonl", identity=identity, force=force) as journal,
            Spool(_stream(samples, data, raw, faults, steps)) as programs,
        ):
            wanted = names(programs)
            screen.stage("evaluate", len(wanted))
            tally = run(
                by_id,
                programs,
                pool,
                source,
                settings,
                journal,
                wanted=wanted,
                progress=screen,
            )
            groups = scores.grouped(journal, tally, pool=pooled)
            summary = {
                "run": facts(data, pool=pool, samples=samples, limits=_limits(settings, limits)),
                **scores.summarize(data, groups, tally, ks),
                **listed(data, source),
                "unusable_samples": sum(tally.unusable.values()),
                "infra": tally.infra,
                "rows": faults.to_json(),
                "extraction": dict(sorted(steps.items())),
            }
            texts = scores.solutions(programs) if len(wanted) <= MOST_SOLUTIONS else None
            scores.write_all(folder, groups, journal, ks, content=content, solutions=texts)
            write_text(folder / "summary.json", json_module.dumps(summary, indent=2) + "\n")
    if json:
        print_json(summary)
    else:
        scores.show(summary, folder, screen)
    for line in faults.notes():
        screen.note(line)
    return 1 if tally.infra or summary["unusable"] or faults.left_out else 0


def _limits(settings: Settings, name: str) -> dict[str, Any]:
    return {
        "preset": name,
        "floor_seconds": settings.preset.floor,
        "factor": settings.preset.factor,
        "total_seconds": settings.total,
        "memory_bytes": settings.memory,
    }


def read_ks(text: str) -> tuple[int, ...]:
    """Return the numbers of ``--k``."""
    from evalplus_lite.errors import InputError

    try:
        ks = tuple(int(part) for part in text.split(","))
    except ValueError:
        ks = ()
    if not ks or min(ks) < 1:
        raise InputError(f"--k {text}", remedy="give whole numbers such as 1,10,100")
    return ks


def dataset_hash(data: Dataset) -> str:
    """Return a hash of the tasks' references, inputs and expected outputs."""
    import hashlib

    from evalplus_lite.sandbox import Inputs

    digest = hashlib.sha256()
    for task in data.tasks:
        digest.update(f"{task.id}\0{task.reference}\0{task.contract}\0{task.rule}".encode())
        digest.update(Inputs.of(case.arguments for case in task.cases).key.encode())
        if task.id in data.suites:
            for expected in data.suites[task.id].expected:
                digest.update(expected)
    return digest.hexdigest()[:32]


def _stream(
    samples: list[Path],
    data: Dataset,
    raw: bool,
    faults: Faults | None = None,
    steps: Counter[Any] | None = None,
) -> Iterator[Sample]:
    """Yield the samples of all files, numbered on from file to file within each task.

    Rows that cannot be used are passed over, and counted in ``faults``; ``steps`` counts what was
    done to how many answers.
    """
    from evalplus_lite.pipelines.reduction import named
    from evalplus_lite.store.labels import labels
    from evalplus_lite.tasks.samples import Faults, read_samples

    offsets: Counter[str] = Counter()
    faults = faults or Faults()
    for path, name in zip(samples, labels(samples), strict=True):
        found = read_samples(
            path, data, extraction="none" if raw else "clean", steps=steps, faults=faults
        )
        if len(samples) == 1:
            yield from found
            return
        highest: Counter[str] = Counter()
        for sample in named(found, name):
            highest[sample.task_id] = max(highest[sample.task_id], sample.index + 1)
            yield replace(sample, index=offsets[sample.task_id] + sample.index)
        offsets.update(highest)
