"""A Verifier wherever a caller may have it: scripts, forks, spawned children, event loops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.commands import alive, descendants, environment, write_tasks

RIGHT = "def f(x):\n    return x * 2\n"
HEAD = f"""
import sys
from evalplus_lite import Verifier

print("begun", flush=True)
RIGHT = {RIGHT!r}

def judged(verifier):
    return verifier.verify("Own/0", RIGHT).passed
"""


def script(folder: Path, text: str) -> list[str]:
    """Write a script beside tasks of one's own; return the command that runs it."""
    write_tasks(folder)
    path = folder / "script.py"
    path.write_text(HEAD + text)
    return [sys.executable, "-W", "ignore", str(path)]


def ran(folder: Path, text: str) -> list[str]:
    """Return the words that a script prints."""
    done = subprocess.run(
        script(folder, text),
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    """No child runs the caller's script again, which does not ask whether it is the main one."""
    text = """
with Verifier("tasks.jsonl", workers=2) as verifier:
    print(judged(verifier), [each.passed for each in verifier.verify_many([("Own/0", RIGHT)] * 9)])
"""
    assert ran(tmp_path, text) == ["begun", "True", *str([True] * 9).split()]


def test_children_of_any_kind(tmp_path: Path) -> None:
    """A caller's own processes, however they are started, judge; forked ones with the parent's."""
    text = """
import multiprocessing

def child(queue):
    with Verifier("tasks.jsonl", workers=1) as verifier:
        queue.put(judged(verifier))

if __name__ == "__main__":
    with Verifier("tasks.jsonl", workers=1) as verifier:
        assert judged(verifier)
        for method in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(method)
            queue = context.Queue()
            process = context.Process(target=child, args=(queue,))
            process.start()
            print(method, queue.get(timeout=60), judged(verifier))
            process.join()
"""
    found = [word for word in ran(tmp_path, text) if word != "begun"]
    assert found == "fork True True spawn True True forkserver True True".split()


def test_what_several_processes_stage_does_not_mix(tmp_path: Path) -> None:
    """Children and their parent keep rows in one file at a time, each where it is found again."""
    text = """
import os
from evalplus_lite.execution.channel import decoded
from evalplus_lite.execution.processes import Processes

with Processes(1) as backend:
    pids = []
    while len(pids) < 2 and (pid := os.fork()):
        pids.append(pid)
    rows = [[os.getpid(), number, "x" * 9000] for number in range(500)]
    refs = [backend.stage(row) for row in rows]
    file = backend._stage.fileno()
    lost = sum(decoded(os.pread(file, size, at)) != row for row, (at, size) in zip(rows, refs))
    if len(pids) < 2:
        os._exit(bool(lost))
    print(lost, *(os.waitpid(pid, 0)[1] for pid in pids))
"""
    assert ran(tmp_path, text) == ["begun", "0", "0", "0"]


def test_threads_and_event_loops(tmp_path: Path) -> None:
    """A Verifier that was opened in a thread works on when that thread has ended; within a loop, as
    in a notebook or a server, verdicts are awaited, or waited for."""
    text = """
import asyncio
import threading

verifier = Verifier("tasks.jsonl", workers=2)
thread = threading.Thread(target=verifier.__enter__)
thread.start()
thread.join()

async def serve():
    both = await asyncio.gather(*(verifier.averify("Own/0", RIGHT) for _ in range(5)))
    print(all(each.passed for each in both), judged(verifier))

asyncio.run(serve())
verifier.close()
"""
    assert ran(tmp_path, text) == ["begun", "True", "True"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL, None], ids=str)
def test_nothing_is_left_behind(tmp_path: Path, end: signal.Signals | None) -> None:
    """However a caller ends, in the middle of a program that hangs, all processes end with it."""
    text = """
import os
verifier = Verifier("tasks.jsonl", workers=2, limits="evalplus").__enter__()
future = verifier.submit("Own/0", "def f(x):\\n    while True: pass\\n")
while not future.running(): pass
print("running", flush=True)
""" + ("" if end is None else "future.result()\n")
    process = subprocess.Popen(
        script(tmp_path, text),
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == b"begun\n"
        assert said.readline() == b"running\n"
    below = descendants(process.pid)
    if end is not None:
        os.kill(process.pid, end)
    process.wait(60)
    deadline = time.monotonic() + 60
    while alive(below) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert alive(below) == []


def test_a_caller_with_odd_signals(tmp_path: Path) -> None:
    """What a caller ignores and blocks is inherited; children are waited for all the same, and a
    text that ends a helper is given up."""
    text = """
import signal
from evalplus_lite.programs.parsing import TooLarge, parse

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
try:
    parse("-" * 100_000 + "1")
except TooLarge:
    print("large")
with Verifier("tasks.jsonl", workers=1) as verifier:
    print(judged(verifier))
"""
    assert ran(tmp_path, text) == ["begun", "large", "True"]


def test_a_caller_without_standard_streams(tmp_path: Path) -> None:
    """A service may have closed them: what it opens next has their numbers."""
    text = """
import os

os.close(0)
os.close(2)
with Verifier("tasks.jsonl", workers=1) as verifier:
    print(judged(verifier))
"""
    assert ran(tmp_path, text) == ["begun", "True"]
