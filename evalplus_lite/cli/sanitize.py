"""``evalplus-lite sanitize``: programs from raw answers."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from evalplus_lite.cli.options import (
    DatasetOption,
    JsonOption,
    OutOption,
    SamplesOption,
    TasksOption,
)


def sanitize(
    dataset: DatasetOption,
    samples: SamplesOption,
    out: OutOption = None,
    tasks: TasksOption = None,
    json: JsonOption = False,
) -> int:
    """Take the programs out of raw answers: fences, prose, repeated prompts, stray text.

    Writes DIR/samples.jsonl and says what was done to how many. `evaluate` does the same on the
    fly; this shows the result. A program that is one already stays as it is.

    [bold]Example[/bold]  evalplus-lite sanitize -d humaneval -s raw.jsonl -o out/clean
    """
    from evalplus_lite.cli.console import print_json, print_table, say
    from evalplus_lite.cli.escaping import printable
    from evalplus_lite.cli.evaluate import _stream
    from evalplus_lite.cli.facts import facts
    from evalplus_lite.cli.setup import output_folder, samples_name
    from evalplus_lite.tasks import load_dataset
    from evalplus_lite.tasks.samples import Faults, write_samples

    data = load_dataset(dataset, only=tasks)
    folder = output_folder(out, "sanitize", dataset, data, samples_name(samples))
    steps: Counter[Any] = Counter()
    faults = Faults()
    path = Path(folder, "samples.jsonl")
    count = write_samples(path, _stream(samples, data, False, faults, steps))
    rows = sorted((str(step), number) for step, number in steps.items())
    if json:
        found = {"samples": count, "file": str(path), "steps": dict(rows)}
        run = facts(data, samples=samples)
        print_json({"run": run, **found, "rows": faults.to_json()})
    elif not count:
        say("no samples in " + ", ".join(map(str, samples)))
    else:
        if rows:
            print_table(f"{count} samples", ["what was done", "samples"], rows)
        else:
            say(f"{count} samples, each a program already: nothing was done to any")
        say(f"written: {path}")
    for line in faults.notes():
        print(printable(line), file=sys.stderr)
    return 1 if faults.left_out or not count else 0
