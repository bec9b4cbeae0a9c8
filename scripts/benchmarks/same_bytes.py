"""Run one command again and again, each time under other conditions, and compare what it writes.

    python -m scripts.benchmarks.same_bytes [--runs 10] [--kills 2] -- augment -d humaneval -n 200

Every run has a cache of its own, one, two or three workers, another PYTHONHASHSEED and up to
``--busy`` processes beside that burn the processors' time, more and fewer of them by turns; every
other run is killed (-9) at up to ``--kills`` random moments and started again. Prints a line a run
with the hash of each file. Left out are files that hold dates, ``summary.json`` and
``eval_results.json``, and what only serves to go on after a kill. Exits with 1 if two runs differ.
``--work`` keeps the outputs, and takes over those that an earlier call has finished.
"""

from __future__ import annotations

import contextlib
import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import burning, environment

DATED = ("summary.json", "eval_results.json", "costs.jsonl")
TO_GO_ON = (".journal.jsonl", ".settings.json")
TURN_SECONDS = 3.0
"""For so long at most the number of busy processes stays the same."""
LONGEST_SECONDS = 7200.0
"""A run that takes longer is given up."""


def main() -> int:
    """Run the command; print a line a run, and whether all are equal."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--busy", type=int, default=3)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", action="append", help="interpreters to take by turns")
    parser.add_argument("--work", type=Path)
    parser.add_argument("command", nargs="+", help="after --: a command and its options")
    options = parser.parse_args()
    source, table = random.Random(options.seed), Table()
    found: list[dict[str, str]] = []
    seconds = 0.0
    with tempfile.TemporaryDirectory() as name:
        work = options.work or Path(name)
        for number in range(options.runs):
            workers, hash_seed = number % 3 + 1, source.randrange(1 << 32)
            busy = source.randint(0, options.busy) if number else 0
            kills = source.randint(1, options.kills) if number % 2 and options.kills else 0
            moments = sorted(source.random() for _ in range(kills))
            pythons = options.python or [sys.executable]
            python, out = pythons[number % len(pythons)], work / f"run{number}"
            start = time.monotonic()
            if not (out / "finished").exists():
                with changing_load(busy, source):
                    code = run(
                        [python, "-m", "evalplus_lite", *options.command],
                        out,
                        workers,
                        hash_seed,
                        moments,
                        seconds,
                    )
                if code != 0:
                    print(f"run {number} ended with exit code {code}")
                    return 1
                (out / "finished").touch()
            passed = time.monotonic() - start
            seconds = seconds or passed
            found.append(hashes(out))
            row = {"run": number, "workers": workers, "hash seed": hash_seed, "busy": busy}
            files = ", ".join(f"{path} {digest[:16]}" for path, digest in found[-1].items())
            table.add({**row, "kills": kills, "wall s": passed, "files": files})
    if not found[0]:
        print("nothing was written that could be compared")
        return 1
    different = sorted({path for each in found for path in each if each != found[0]})
    print(f"{len(found)} runs: " + (f"DIFFERENT: {different}" if different else "all equal"))
    table.save(options.record)
    return 1 if different else 0


def run(
    command: list[str], out: Path, workers: int, hash_seed: int, moments: list[float], usual: float
) -> int:
    """Run to the end, killed first at these parts of the usual time; return the exit code."""
    variables = environment(PYTHONHASHSEED=str(hash_seed), EVALPLUS_LITE_CACHE=str(out / "cache"))
    whole = [*command, "--out", str(out), "--workers", str(workers)]
    out.mkdir(parents=True, exist_ok=True)
    for moment in [*moments, None]:
        with (out / "output").open("ab") as words:
            process = subprocess.Popen(
                whole, env=variables, stdin=subprocess.DEVNULL, stdout=words, stderr=words
            )
            try:
                limit = LONGEST_SECONDS if moment is None else 1 + moment * usual
                code = process.wait(limit)
                if moment is None or code not in (0, -signal.SIGKILL):
                    return code
            except subprocess.TimeoutExpired:
                pass
            finally:
                process.kill()
                process.wait()
    return -signal.SIGKILL


@contextlib.contextmanager
def changing_load(most: int, source: random.Random) -> Iterator[None]:
    """Have up to ``most`` processes burn their processor's time meanwhile, by turns."""
    over = threading.Event()
    plan = random.Random(source.random())

    def turns() -> None:
        while not over.is_set():
            with burning(plan.randint(0, most)):
                over.wait(plan.random() * TURN_SECONDS)

    thread = threading.Thread(target=turns)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def hashes(out: Path) -> dict[str, str]:
    """Return the SHA-256 of each file that a run wrote, by its path in the folder."""
    found = {}
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if not path.is_file() or name.startswith("cache/") or name in ("finished", "output"):
            continue
        if path.name not in DATED and not path.name.endswith(TO_GO_ON):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


if __name__ == "__main__":
    sys.exit(main())
