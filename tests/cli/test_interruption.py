"""Ctrl-C is heeded wherever it comes: also where Python itself would miss it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import captured, environment

COMMON = """
import signal, threading, time
from evalplus_lite.cli.interruption import prompt_interrupts
signal.signal(signal.SIGINT, signal.default_int_handler)

def aside(function):
    threading.Thread(target=function, daemon=True).start()

def press():
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
"""
ELSEWHERE = """
@aside
def another_thread_gets_the_signal():
    time.sleep(0.05)
    press()
"""
FINALIZER = """
class Left:
    def __del__(self):
        press()
Left()
"""
TWICE = """
class Left:
    def __del__(self):
        press()
class Again:
    def __init__(self): self.one = Left()
    def __del__(self):
        press()
Again()
"""


def ended(body: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    code = f"{COMMON}\nwith prompt_interrupts():\n"
    code += "".join(f"    {line}\n" for line in body.splitlines())
    return captured([sys.executable, "-c", code], env=environment(tmp_path))


@pytest.mark.parametrize(
    "cause", [ELSEWHERE, FINALIZER, TWICE], ids=["elsewhere", "finalizer", "twice"]
)
@pytest.mark.parametrize("wait", ["threading.Event().wait()", "while True: time.sleep(0)"])
def test_ctrl_c_is_not_missed(cause: str, wait: str, tmp_path: Path) -> None:
    """Another thread gets it, or it is raised where it cannot get out: the wait ends."""
    body = f"{cause}\ntry:\n    {wait}\nexcept KeyboardInterrupt:\n    print('heeded')"
    done = ended(body, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heeded\n", "")


def test_it_comes_once(tmp_path: Path) -> None:
    """What is done about an interrupt is not interrupted in its turn."""
    body = "try:\n    press()\nexcept KeyboardInterrupt:\n    time.sleep(0.3)\n    print('done')"
    done = ended(body, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("handler", ["SIG_IGN", "SIG_DFL"])
def test_who_deals_with_ctrl_c_is_left_to_it(handler: str, tmp_path: Path) -> None:
    """A command in the background ignores Ctrl-C; all is as before when the command is over."""
    code = f"""{COMMON}
import sys
def state():
    fd = signal.set_wakeup_fd(-1)
    return fd, sys.unraisablehook, signal.getsignal(signal.SIGURG)
before = state()
with prompt_interrupts(): pass
assert state() == before
signal.signal(signal.SIGINT, signal.{handler})
with prompt_interrupts(): assert state() == before
"""
    subprocess.run([sys.executable, "-c", code], env=environment(tmp_path), check=True, timeout=20)
