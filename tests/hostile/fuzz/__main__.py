"""The command: a campaign of any length, or one text again.

python -m tests.hostile.fuzz --count 20000 --seed 7
python -m tests.hostile.fuzz --count 20000 --seed 7 --reader answer --number 1234
python -m tests.hostile.fuzz --reader answer --text FILE
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from .campaign import Process, Trial, problem, run, trials
from .readers import READERS


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
    add("--patience", type=float, default=1.0, help="multiplies the seconds allowed")
    options = parser.parse_args()
    if options.text is not None:
        trial = Trial(options.reader or "answer", 0, 0, 0)
        with Process(trial.reader) as process:
            results = iter([process.read(trial, options.text.read_bytes())])
    else:
        chosen = trials(options.seed, options.count, only=options.reader)
        results = run(each for each in chosen if options.number in (None, each.number))
    counts: Counter[str] = Counter()
    for result in results:
        why = problem(result, patience=options.patience)
        counts["failed" if why else "read"] += 1
        if why or options.number is not None or options.text is not None:
            print(f"{why or 'read'}: {result}", flush=True)
    print(f"{counts['read']} texts read, {counts['failed']} failed, seed {options.seed}")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
