"""Whether memory grows with the number of rows: each command on few, many and very many.

    python -m scripts.benchmarks.rows --rows 20000 --rows 200000 --rows 2000000
    python -m scripts.benchmarks.rows --rows 2000000 --only "read parquet"
    python -m scripts.benchmarks.rows --rows 2000000 --bytes 5000 --shards 2 --only compare

Samples of ten small tasks by two models are judged: half of all texts differ, in their comments at
least, and 500 programs do. So next to nothing is run, and what is measured is reading, grouping,
writing, and each command that reads results. ``again`` is the same call once more, which finds
everything there. ``--bytes`` makes every program so long, by a comment. With ``--shards`` evaluate
judges so many shares, one after the other, and ``merge`` joins them. Memory is the most that the
command's first process had resident, in MiB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scripts.benchmarks.figures import Row, Table, arguments
from scripts.benchmarks.processes import Failed, environment, memory

TASKS, PROGRAMS = 10, 50
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"),
    "again": ("evaluate", "-d", "tasks.jsonl", "-s", "samples.jsonl", "-o", "out"),
    "compare": ("compare", "out"),
    "compare --rank": ("compare", "--rank", "out", "-o", "ranks.json"),
    "figures": ("figures", "out", "-o", "figures"),
    "export to CSV": ("export", "out", "--to", "csv", "-o", "rows.csv"),
    "report": ("report", "out", "-d", "tasks.jsonl", "-o", "report.html"),
}
READING_SAMPLES = """
import sys
from evalplus_lite import load_dataset, read_samples
print(sum(1 for _ in read_samples(sys.argv[1], load_dataset("tasks.jsonl"), extract=False)))
"""
_PACK = "shutil.copyfileobj(open('samples.jsonl', 'rb'), open_('samples.jsonl.{}', 'wb'))"
CONVERT = {
    "jsonl.gz": "import shutil; from gzip import open as open_; " + _PACK.format("gz"),
    "jsonl.zst": "import shutil; from backports.zstd import open as open_; " + _PACK.format("zst"),
    "parquet": "from pyarrow import json, parquet\n"
    "parquet.write_table(json.read_json('samples.jsonl'), 'samples.parquet')",
}
FORMS = ("jsonl.gz", "jsonl.zst", "parquet")
"""Forms of sample files beside plain JSONL that are read, and nothing more done with them."""
READING = (
    "import evalplus_lite.results as e; print(sum(row['passed'] for row in e.read_results('out')))"
)


def main() -> None:
    """Measure what the command line asks for."""
    parser = arguments(__doc__)
    parser.add_argument("--rows", type=int, action="append", default=[])
    parser.add_argument("--only", action="append", default=[], help="commands after evaluate")
    parser.add_argument("--option", action="append", default=[], help="further ones of evaluate")
    parser.add_argument("--bytes", type=int, default=0, help="of a program, at least")
    parser.add_argument("--shards", type=int, default=0, help="that evaluate works in")
    given = parser.parse_args()
    table = Table(["command", "rows", "file MB", "peak MiB", "wall s", "rows a second"])
    for count in given.rows:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write(folder / "tasks.jsonl", tasks())
            write(folder / "samples.jsonl", samples(count, given.bytes))
            options = ["-w", str(given.workers), *given.option]
            for label, command in commands(options, given.only, given.shards).items():
                if label.removeprefix("read ") in FORMS:
                    convert(folder, label.removeprefix("read "))
                table.add(measured(label, command, folder, count))
    table.save(given.record)


def commands(options: Iterable[str], only: Iterable[str], shards: int) -> dict[str, list[str]]:
    """Return each command by its label; ``options`` are further ones of evaluate."""
    reading = {f"read {form}": [sys.executable, "-c", READING_SAMPLES, f"samples.{form}"] for form
               in FORMS}  # fmt: skip
    wanted = set(only or (*COMMANDS, "read_results", *reading))
    if wanted - set(reading):
        wanted.add("evaluate")
    ours = [sys.executable, "-m", "evalplus_lite"]
    found = {
        label: [*ours, *command, *(options if command[0] == "evaluate" else ())]
        for label, command in COMMANDS.items()
        if label in wanted
    }
    if shards:
        found = in_shards(found.pop("evaluate"), shards) | found
    reading["read_results"] = [sys.executable, "-c", READING]
    return found | {label: command for label, command in reading.items() if label in wanted}


def in_shards(evaluate: list[str], count: int) -> dict[str, list[str]]:
    """Return the commands that judge each share, and ``merge``."""
    shards = [f"{number}/{count}" for number in range(1, count + 1)]
    found = {f"evaluate --shard {shard}": [*evaluate, "--shard", shard] for shard in shards}
    return {**found, "merge": [*evaluate[:3], "merge", "out"]}


def measured(label: str, command: list[str], folder: Path, count: int) -> Row:
    """Run a command in the folder; Failed, with what it said, unless it ends well."""
    start, peak = time.monotonic(), 0.0
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=log, stderr=log)
        while process.poll() is None:
            peak = max(peak, memory(process.pid, "VmHWM"))
            time.sleep(0.05)
    wall = time.monotonic() - start
    if process.returncode:
        raise Failed(f"{label}: {(folder / 'log').read_text(errors='replace')[-2000:]}")
    return {
        "command": label,
        "rows": count,
        "file MB": round((folder / "samples.jsonl").stat().st_size / 1e6),
        "peak MiB": round(peak),
        "wall s": wall,
        "rows a second": round(count / wall),
    }


def convert(folder: Path, form: str) -> None:
    """Write the folder's samples in another form, as a process of its own: memory is measured."""
    subprocess.run([sys.executable, "-c", CONVERT[form]], cwd=folder, check=True, env=environment())


def tasks() -> Iterator[Row]:
    """Yield the rows of the tasks: x is given, x plus the task's number is right."""
    for number in range(TASKS):
        yield {
            "id": f"Rows/{number}",
            "prompt": "def f(x):\n",
            "entry_point": "f",
            "reference": f"def f(x):\n    return x + {number}\n",
            "inputs": [[1], [2]],
        }


def samples(count: int, size: int) -> Iterator[Row]:
    """Yield the rows of so many samples of ``size`` bytes; every other text is like no other."""
    line = f"# {'word ' * 18}\n"
    for number in range(count):
        task, place = number % TASKS, number // TASKS
        comment = f"  # {number}" if place % 4 < 2 else ""
        program = f"def f(x):\n    return x + {place % PROGRAMS}{comment}\n"
        program += line * max(0, -(-(size - len(program)) // len(line)))
        yield {"task_id": f"Rows/{task}", "model": f"model-{place % 2}", "solution": program}


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write rows as JSONL."""
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
