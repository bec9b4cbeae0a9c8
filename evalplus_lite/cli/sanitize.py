"""``evalplus-lite sanitize``: programs from raw answers."""

from __future__ import annotations

import sys

from evalplus_lite.cli import options
from evalplus_lite.cli.console import print_json, print_table, say
from evalplus_lite.cli.escaping import printable
from evalplus_lite.cli.setup import folder_for
from evalplus_lite.jobs.datasets import run_facts, samples_name
from evalplus_lite.jobs.samples import SampleStream
from evalplus_lite.jobs.session import made_folder
from evalplus_lite.tasks import load_dataset
from evalplus_lite.tasks.samples import write_samples


def sanitize(
    dataset: options.Dataset,
    samples: options.Samples,
    out: options.Out = None,
    tasks: options.Tasks = None,
    json: options.Json = False,
) -> int:
    """Take the programs out of raw answers: fences, prose, repeated prompts, stray text.

    Writes DIR/samples.jsonl and says what was done to how many. `evaluate` does the same on the
    fly; this shows the result. A program that is one already stays as it is.

    [bold]Example[/bold]  evalplus-lite sanitize -d humaneval -s raw.jsonl -o out/clean
    """
    data = load_dataset(dataset, only=tasks)
    folder = made_folder(folder_for(out, "sanitize", dataset, data, samples_name(samples)))
    stream = SampleStream(samples, data)
    path = folder / "samples.jsonl"
    count = write_samples(path, stream)
    rows = sorted((str(step), number) for step, number in stream.steps.items())
    if json:
        found = {"samples": count, "file": str(path), "steps": dict(rows)}
        run = run_facts(data, samples=samples)
        print_json({"run": run, **found, "rows": stream.faults.to_json()})
    elif not count:
        say("no samples in " + ", ".join(map(str, samples)))
    else:
        if rows:
            print_table(f"{count} samples", ["what was done", "samples"], rows)
        else:
            say(f"{count} samples, each a program already: nothing was done to any")
        say(f"written: {path}")
    for line in stream.faults.notes():
        print(printable(line), file=sys.stderr)
    return 1 if stream.faults.left_out or not count else 0
