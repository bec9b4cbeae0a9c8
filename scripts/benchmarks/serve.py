"""What verdicts over HTTP cost, beside direct calls; and whether a server grows or loses any.

    python -m scripts.benchmarks.serve [--requests 512] [--clients 1 8 64 512]
    python -m scripts.benchmarks.serve --soak 200000 [--idle 10000]

Judges a real model's programs (on HumanEval's base cases by default: verdicts cost little; each
program made distinct by a remark, so that none is in a store) by a ``Verifier`` in this process, by
single requests of several clients at a time, and by batches of 64. CPU is that of the process that
answers: of this one for direct calls, of the server alone, without its workers, for requests.
``--soak`` sends so many requests, of which the first of each kind are judged and the others
answered from the store, and looks at the server's memory, descriptors and processes as they go;
``--idle`` connections that never ask are opened anew before each look.
Exits with 1 if an answer is no verdict, or another than the first one.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalplus_lite import Verdict, Verifier
from evalplus_lite.jobs.datasets import load_dataset
from scripts.benchmarks.checkout import ROOT, SHARED, unpacked
from scripts.benchmarks.figures import Table, arguments
from scripts.benchmarks.processes import TICK, descendants, memory

SAMPLES = SHARED / "samples" / "humaneval" / "gpt-3.5-turbo-0613.jsonl"
BATCH = 64
LOOKS = 8
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Server:
    """A server process, and where it answers."""

    pid: int
    port: int

    @property
    def cpu(self) -> float:
        """CPU seconds of the process itself."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    @property
    def size(self) -> dict[str, int]:
        """MiB in memory, descriptors, and processes below it."""
        return {
            "MiB": round(memory(self.pid, "VmRSS")),
            "descriptors": len(os.listdir(f"/proc/{self.pid}/fd")),
            "processes": len(descendants(self.pid)),
        }


def main() -> int:
    """Measure; print a line a way of asking."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", default="humaneval", help="as in commands")
    parser.add_argument("--samples", type=Path, default=SAMPLES)
    parser.add_argument("--requests", type=int, default=512, help="verdicts a measurement")
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 8, 64, 512])
    parser.add_argument("--soak", type=int, default=0, metavar="REQUESTS")
    parser.add_argument("--idle", type=int, default=0, metavar="CONNECTIONS")
    options = parser.parse_args()
    if not options.samples.exists():
        options.samples = Path(f"{options.samples}.gz")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    pairs = _pairs(options.samples)
    table = Table()
    with tempfile.TemporaryDirectory() as folder, _serving(options, Path(folder)) as server:
        failed = (
            asyncio.run(_soaked(table, server, pairs, options))
            if options.soak
            else _measured(table, server, pairs, options)
        )
    table.save(options.record)
    return int(failed)


def _pairs(path: Path) -> list[Pair]:
    rows = [json.loads(line) for line in unpacked(path).splitlines()]
    return [(row["task_id"], row["solution"]) for row in rows]


def _distinct(pairs: Sequence[Pair], count: int, name: str) -> list[Pair]:
    """Return so many pairs, none of which was judged before."""
    found = []
    for number in range(count):
        task, program = pairs[number % len(pairs)]
        found.append((task, f"{program}\n# {name} {number}\n"))
    return found


@contextlib.contextmanager
def _serving(options: argparse.Namespace, folder: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "evalplus_lite", "serve", "--port", "0", "--connections"]
    command += ["20000", "-w", str(options.workers), "-d", options.dataset]
    if options.soak:
        command += ["--store", str(folder / "store")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = next(word for word in line.split() if word.startswith("http://"))
        try:
            yield Server(process.pid, int(url.rpartition(":")[2]))
        finally:
            process.terminate()


def _measured(table: Table, server: Server, pairs: list[Pair], options: argparse.Namespace) -> bool:
    count = options.requests
    right = _direct(table, pairs, options)
    failed = False
    body = [{"task": task, "program": program} for task, program in pairs]
    asyncio.run(_ask_all(server, 8, [{"items": body}]))  # suites are prepared once
    for clients in options.clients:
        todo = _distinct(pairs, max(count, 2 * clients), f"{clients} clients")
        bodies = [{"task": task, "program": program} for task, program in todo]
        failed |= _row(table, server, f"{clients} clients", clients, bodies, todo, right)
    todo = _distinct(pairs, max(count, 4 * BATCH), "batches")
    items = [{"task": task, "program": program} for task, program in todo]
    batches = [{"items": items[at : at + BATCH]} for at in range(0, len(items), BATCH)]
    failed |= _row(table, server, f"batches of {BATCH}", 4, batches, todo, right)
    return failed


def _direct(table: Table, pairs: list[Pair], options: argparse.Namespace) -> dict[str, bool]:
    """Judge in this process; return which tasks' programs pass."""
    dataset = load_dataset(options.dataset)
    with Verifier(dataset, workers=options.workers) as verifier:
        first = list(verifier.verify_many(pairs))  # suites are prepared once
        right = {
            task: isinstance(found, Verdict) and found.passed
            for (task, _), found in zip(pairs, first, strict=True)
        }
        todo = _distinct(pairs, options.requests, "direct")
        begun, cpu = time.monotonic(), time.process_time()
        found = list(verifier.verify_many(todo))
        seconds, cpu = time.monotonic() - begun, time.process_time() - cpu
    table.add(
        {
            "asked": "direct calls",
            "verdicts": len(found),
            "a second": len(found) / seconds,
            "p50 ms": None,
            "p99 ms": None,
            "CPU ms a verdict": 1000 * cpu / len(found),
            "wrong": sum(
                not isinstance(each, Verdict) or each.passed != right[task]
                for (task, _), each in zip(todo, found, strict=True)
            ),
        }
    )
    return right


def _row(
    table: Table,
    server: Server,
    name: str,
    clients: int,
    bodies: list[dict[str, Any]],
    todo: list[Pair],
    right: dict[str, bool],
) -> bool:
    begun, cpu = time.monotonic(), server.cpu
    answers = asyncio.run(_ask_all(server, clients, bodies))
    seconds, cpu = time.monotonic() - begun, server.cpu - cpu
    found = [row for answer, _ in answers for row in answer.get("verdicts", [])]
    differ = [row for row in found if row["passed"] != right[row["task"]]]
    wrong = len(differ) + len(todo) - len(found)
    times = sorted(1000 * each for _, each in answers)
    table.add(
        {
            "asked": name,
            "verdicts": len(found),
            "a second": len(found) / seconds,
            "p50 ms": statistics.median(times),
            "p99 ms": times[int(0.99 * (len(times) - 1))],
            "CPU ms a verdict": 1000 * cpu / max(1, len(found)),
            "wrong": wrong,
        }
    )
    return wrong > 0


async def _ask_all(
    server: Server, clients: int, bodies: Sequence[dict[str, Any]]
) -> list[tuple[dict[str, Any], float]]:
    """Have clients, each on a connection that it keeps, send all requests; in their order."""
    found: list[Any] = [None] * len(bodies)
    todo = iter(enumerate(bodies))

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1 << 26)
        for number, body in todo:
            begun = time.monotonic()
            answer = await _ask(reader, writer, json.dumps(body).encode())
            found[number] = answer, time.monotonic() - begun
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return found


async def _ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, body: bytes
) -> dict[str, Any]:
    head = f"POST /v1/verify HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
    (size,) = (int(line[15:]) for line in lines if line.startswith(b"content-length:"))
    found: dict[str, Any] = json.loads(await reader.readexactly(size))
    return found


async def _soaked(
    table: Table, server: Server, pairs: list[Pair], options: argparse.Namespace
) -> bool:
    """Send many requests, one verdict each; look at the server as they go."""
    bodies = [{"task": task, "program": program} for task, program in pairs]
    right = {
        row["task"]: row for a, _ in await _ask_all(server, 8, bodies) for row in a["verdicts"]
    }
    wrong = 0
    for look in range(LOOKS + 1):
        table.add({"requests": look * options.soak // LOOKS, **server.size, "wrong": wrong})
        if look == LOOKS:
            break
        idle = [
            await asyncio.open_connection("127.0.0.1", server.port) for _ in range(options.idle)
        ]
        count = (look + 1) * options.soak // LOOKS - look * options.soak // LOOKS
        part = [bodies[number % len(bodies)] for number in range(count)]
        for answer, _ in await _ask_all(server, 16, part):
            rows = answer.get("verdicts", [{"task": "", "passed": None}])
            wrong += any(right.get(row["task"], {}).get("passed") != row["passed"] for row in rows)
        for _, writer in idle:
            writer.close()
        await asyncio.sleep(1)  # until the server has seen them go
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
