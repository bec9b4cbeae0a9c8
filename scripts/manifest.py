"""SHA-256 of the files of what every command writes from fixed seeds, and a comparison.

    python -m scripts.manifest out.json [--tasks 20] [--inputs 20] [--only 'own*']
    python -m scripts.manifest --compare before.json after.json

Run it before and after a change that must not alter results. ``COMMANDS`` is the only place that
names commands and options. Steps that need reference data (``EVALPLUS_LITE_SHARED``) are skipped
without it. Dates, costs, run facts, and resume state are not hashed.
"""

from __future__ import annotations

import argparse
import fnmatch
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HUMANEVAL = "{shared}/datasets/HumanEval.jsonl.gz --tasks 0-{last}"
PLUS = "{shared}/datasets/HumanEvalPlus.jsonl.gz --tasks 0-{last}"
MBPP = "{shared}/datasets/MbppPlus.jsonl.gz --tasks 2-{last}"
SAMPLES = "{shared}/samples/humaneval"
MODELS = f"{SAMPLES}/starcoder.jsonl.gz {SAMPLES}/gpt-3.5-turbo-0613.jsonl.gz".split()
BOTH = " ".join(f"-s {path}" for path in MODELS)
CRUXEVAL = "{shared}/benchmarks/cruxeval"
SUITE = "-d own-augment/suite.jsonl.gz"
GROWN = "-d humaneval-augment/suite.jsonl.gz"

# Name, command, and whether it takes --workers. A step's files go to a folder of its name, {out};
# later steps may read the folders of earlier ones. Standard output is hashed as well.
COMMANDS: tuple[tuple[str, str, bool], ...] = (
    ("own-init", "init {out}", False),
    ("own-check", "lint own-init --json", True),
    ("own-contracts", "lint --constraints own-init --json", True),
    ("own-augment", "augment -d own-init -n {inputs} -o {out} --seed 1 --json", True),
    ("own-reduce", f"reduce {SUITE} -o {{out}} --json", True),
    ("own-mutants", f"quality --survivors {SUITE} -o {{out}} --json", True),
    *((f"own-{form}", f"export {SUITE} --to {form} -o {{out}}/x", True)
      for form in ("evalplus", "humaneval", "pytest", "huggingface")),
    ("own-mine", "exe mine own-package -o {out}/t.jsonl --chain 3 --breakpoints 3"
     " --any-license", True),
    ("own-mined-cruxeval", "exe export own-mine/t.jsonl -o {out}/x", False),
    ("humaneval-augment", f"augment -d {HUMANEVAL} -n {{inputs}} -o {{out}} --json", True),
    ("mbpp-augment", f"augment -d {MBPP} -n {{inputs}} -o {{out}} --seed 2 --json", True),
    ("mbpp-contracts", f"lint --constraints {MBPP} --json", True),
    ("evaluate", f"evaluate -d {PLUS} {BOTH} -o {{out}} --json", True),
    ("evaluate-grown", f"evaluate {GROWN} {BOTH} -o {{out}} --json", True),
    ("reduce", f"reduce {GROWN} {BOTH} -o {{out}} --json", True),
    ("quality", f"quality {GROWN} {BOTH} --truth {{shared}}/datasets/HumanEvalPlus.jsonl.gz"
     " --pool 8 --mutants -o {out} --json", True),
    ("mutants", f"quality --survivors {GROWN} -o {{out}} --json", True),
    ("raw", f"evaluate -d {HUMANEVAL} -o {{out}} --json"
     " -s {shared}/samples/raw/humaneval_mapcoder.jsonl.gz", True),
    ("compare", "compare evaluate evaluate-grown --common --json", False),
    ("leaderboard", "compare --rank evaluate --json", False),
    ("score", f"exe score {CRUXEVAL}/cruxeval.jsonl {CRUXEVAL}/"
     "codellama-7b_output_generations.json.gz --json", True),
)  # fmt: skip

UNSTABLE = ("costs.jsonl", "*.times.jsonl", "*.journal.*", "*.settings.json")
DATED = ("run", "date", "seconds", "out", "file", "cpu", "memory")

PACKAGE = """def shorten(text: str, width: int = 5) -> str:
    if width < 1:
        raise ValueError("width must be positive")
    return text if len(text) <= width else text[: width - 1] + "."


def totals(rows: list[tuple[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, count in rows:
        found[name] = found.get(name, 0) + count
    return found
"""


def main() -> int:
    """Write a manifest, or compare two."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--inputs", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", default="*", help="a glob of step names")
    parser.add_argument("--keep", type=Path, help="keep the files in this folder")
    options = parser.parse_args()
    if options.compare:
        return compare(*options.files)
    with tempfile.TemporaryDirectory() as name:
        work = options.keep or Path(name)
        work.mkdir(parents=True, exist_ok=True)
        hashes = manifest(work, options.only, options.tasks, options.inputs, options.workers)
    options.files[0].write_text(json.dumps(hashes, indent=1, sort_keys=True) + "\n")
    return 0


def manifest(work: Path, only: str, tasks: int, inputs: int, workers: int) -> dict[str, str]:
    """Run the chosen commands in a folder and return the hash of every file by name."""
    shared = os.environ.get("EVALPLUS_LITE_SHARED", "")
    module = work / "own-package" / "small" / "__init__.py"
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(PACKAGE)
    (work / "own-package" / "LICENSE").write_text("MIT License\n")
    hashes: dict[str, str] = {}
    for name, command, has_workers in COMMANDS:
        if not fnmatch.fnmatch(name, only) or ("{shared}" in command and not shared):
            continue
        out = work / name
        out.mkdir(exist_ok=True)
        values = {"shared": shared, "last": tasks + 1, "inputs": inputs, "out": name}
        words = [word.format_map(values) for word in command.split()]
        words += ["--workers", str(workers)] if has_workers else []
        done = subprocess.run(
            [sys.executable, "-m", "evalplus_lite", *words],
            cwd=work,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "EVALPLUS_LITE_CACHE": str(work / "cache")},
        )
        hashes[f"{name}: exit code"] = str(done.returncode)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(words)}\n{done.stderr.decode()}")
        hashes[f"{name}: stdout"] = digest(Path("stdout.json"), done.stdout)
        for path in sorted(out.rglob("*")):
            if path.is_file() and not any(fnmatch.fnmatch(path.name, each) for each in UNSTABLE):
                file = path.relative_to(work).as_posix()
                hashes[file] = digest(path, path.read_bytes())
    return hashes


def digest(path: Path, data: bytes) -> str:
    """Return the SHA-256 of a file's unpacked bytes; of JSON, without dates and run facts."""
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    if path.suffix in (".json", ".jsonl") and data[:1] == b"{":
        rows = data.splitlines() if path.suffix == ".jsonl" else [data]
        data = "\n".join(json.dumps(undated(json.loads(row))) for row in rows).encode()
    return hashlib.sha256(data).hexdigest()


def undated(value: object) -> object:
    """Return a JSON value without the keys in ``DATED``, however deep."""
    if isinstance(value, dict):
        return {name: undated(item) for name, item in value.items() if name not in DATED}
    return [undated(item) for item in value] if isinstance(value, list) else value


def compare(before: Path, after: Path) -> int:
    """Print the files that differ between two manifests; return 1 if any does."""
    first, second = (json.loads(path.read_text()) for path in (before, after))
    different = [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)]
    for name in different:
        state = "differs" if name in first and name in second else "only in one"
        print(f"{state}: {name}")
    print(f"{len({*first, *second}) - len(different)} of {len({*first, *second})} files are equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
