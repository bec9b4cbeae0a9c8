"""What a report of many samples weighs: one model's results, taken for several models'.

    python -m scripts.benchmarks.report out/my-model -d humaneval+ --models 10

Every program gets a line of its own for each model and copy, so that none is kept once for two.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from evalplus_lite import report
from evalplus_lite.jobs.outputs import PROGRAMS, read_evaluations
from evalplus_lite.programs import program_hash
from evalplus_lite.store import write_jsonl, write_text


def relabelled(source: Path, folder: Path, *, name: str, copies: int) -> None:
    """Write the results of ``source`` to a folder as those of a model of this name."""
    (found,) = read_evaluations([source])
    texts = dict(found.programs())
    rows, programs = [], {}
    size = 1 + max(row["index"] for row in found.rows())
    for copy in range(copies):
        for row in found.rows():
            text = f"{texts[row['program']]}\n# {name}, {copy}"
            programs[program_hash(text)] = text
            index = row["index"] + copy * size
            rows.append({**row, "index": index, "program": program_hash(text), "model": name})
    write_jsonl(folder / "results.jsonl", rows)
    kept = [{"program": key, "solution": text} for key, text in programs.items()]
    write_jsonl(folder / PROGRAMS, kept)
    groups = [{**group, "model": name} for group in found.summary["groups"]]
    write_text(folder / "summary.json", json.dumps({**found.summary, "groups": groups}))


def main() -> None:
    """Print files, bytes, CPU seconds and the most memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("-d", "--dataset", required=True)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--copies", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(given.models):
            label = f"model-{number}"
            relabelled(given.source, folder / label, name=label, copies=given.copies)
        began = time.process_time()
        found = report(folder, datasets=[given.dataset], out=folder / "report.html").summary
        cpu = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{found['files']} files, {found['bytes'] / 1e6:.1f} MB")
    print(f"{cpu:.1f} s of CPU, {memory:.0f} MiB at most, what made the results included")


if __name__ == "__main__":
    main()
