"""The command: a campaign of any length, the growth of a shape, or one text again.

python -m tests.hostile.fuzz --count 20000 --seed 7
python -m tests.hostile.fuzz --count 500 --growth --reader answer
python -m tests.hostile.fuzz --reader answer --text FILE
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from .campaign import Process, Result, Trial, problem, run, trials
from .readers import READERS

GROWTH_SIZES = (20_000, 40_000, 80_000)
STEEPEST = 1.5
NOTICED_SECONDS = 0.2


def main() -> int:
    """Run what the command line asks for; 1 where anything is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hostile.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--count", type=int, default=2000, help="texts (default 2000)")
    add("--seed", type=int, default=0)
    add("--reader", choices=READERS, help="one reader only")
    add("--number", type=int, help="one text of the campaign only")
    add("--text", type=Path, help="a file to read, instead of texts by seed")
    add("--growth", action="store_true", help="read each shape at three sizes")
    add("--patience", type=float, default=1.0, help="multiplies the seconds allowed")
    add("--keep", type=Path, default=Path("out/fuzz"), help="folder for texts that fail")
    options = parser.parse_args()
    if options.text is not None:
        trial = Trial(options.reader or "answer", 0, 0, 0)
        with Process(trial.reader) as process:
            return tell([process.read(trial, options.text.read_bytes())], options)
    chosen = trials(options.seed, options.count, only=options.reader)
    if options.number is not None:
        chosen = (trial for trial in chosen if trial.number == options.number)
    if options.growth:
        return grow(chosen)
    return tell(run(chosen), options)


def tell(results: Iterator[Result] | list[Result], options: argparse.Namespace) -> int:
    """Print what went wrong as it comes, then the figures; keep the texts that failed."""
    counts: Counter[str] = Counter()
    wrong: dict[tuple[str, str], list[Result]] = defaultdict(list)
    slowest: dict[str, Result] = {}
    largest: dict[str, Result] = {}
    outcomes: Counter[str] = Counter()
    for result in results:
        name = result.trial.reader
        counts[name] += 1
        outcomes[f"{name}: {result.said.partition(':')[0] or 'fault'}"] += 1
        slowest[name] = max(slowest.get(name, result), result, key=lambda r: r.cpu)
        largest[name] = max(largest.get(name, result), result, key=lambda r: r.grown)
        if why := problem(result, patience=options.patience):
            kind = (name, why.partition(":")[0])
            wrong[kind].append(result)
            if len(wrong[kind]) <= 3:
                print(f"{name} {result.trial.number}: {why[:200]} ({figures(result)})", flush=True)
                if options.text is None:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    file = options.keep / f"{name.replace(' ', '-')}-{result.trial.seed}"
                    Path(f"{file}-{result.trial.number}").write_bytes(result.trial.data())
    print(f"\n{sum(counts.values())} texts, seed {options.seed}")
    for name, count in counts.items():
        print(f"{name:<11}{count:>6} texts; slowest {figures(slowest[name])}")
        print(f"{'':<24}largest {figures(largest[name])}")
    print("; ".join(f"{what} {n}" for what, n in sorted(outcomes.items())))
    for (name, why), found in sorted(wrong.items(), key=lambda item: -len(item[1])):
        print(f"{len(found):>6} x {name}: {why}")
    print(f"{sum(map(len, wrong.values()))} texts failed, in {len(wrong)} ways")
    return 1 if wrong else 0


def figures(result: Result) -> str:
    """Return what a text cost, in a line."""
    return (
        f"{result.cpu:.2f} s, its helpers {result.helpers:.2f} s, {result.grown / 1e6:.0f} MB,"
        f" {result.length} bytes, number {result.trial.number}"
    )


def grow(chosen: Iterator[Trial]) -> int:
    """Read each shape at three sizes, and name those whose time grows faster than they do."""
    steep = 0
    with_processes: dict[str, Process] = {}
    try:
        for trial in chosen:
            process = with_processes.setdefault(trial.reader, Process(trial.reader))
            results = [process.read(trial, trial.data(size)) for size in GROWTH_SIZES]
            times = [result.cpu + result.helpers for result in results]
            ratio = results[-1].length / max(1, results[0].length)
            if times[-1] < NOTICED_SECONDS or ratio < 2:
                continue
            exponent = math.log(times[-1] / max(times[0], 1e-4)) / math.log(ratio)
            if exponent > STEEPEST or results[-1].fault:
                steep += 1
                shown = [f"{r.length} bytes {t:.3f} s" for r, t in zip(results, times, strict=True)]
                found = f"{trial.reader} {trial.number}: exponent {exponent:.1f}"
                print(f"{found}: {', '.join(shown)}", flush=True)
    finally:
        for process in with_processes.values():
            process.__exit__(None, None, None)
    print(f"{steep} shapes grow faster than their size to the power {STEEPEST}")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
