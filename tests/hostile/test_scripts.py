"""Hostile whole programs: none passes without the right text, none spoils the next case or run."""

from __future__ import annotations

import textwrap

import pytest

from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.sandbox import Expected, Inputs, Limits, Sandbox
from evalplus_lite.types import Case, Harness, Rule, Suite, Task
from evalplus_lite.values import wire

TEXTS = ["1 2\n", "3 4\n", "-5 5\n", "10 21\n"]
EXPECTED = ["3\n", "7\n", "0\n", "31\n"]
RIGHT = "a, b = map(int, input().split())\nprint(a + b)\n"
LIMITS = Limits(cpu=1.0, load=3.0, wait=2.0, memory=256 << 20)
WRONG = {"fail", "error", "crash", "timeout", "memory", "unrepresentable"}

CHEATS = {
    "os._exit at once": "import os\nos._exit(0)",
    "os._exit after a guess": "import os\nos.write(1, b'3\\n')\nos._exit(0)",
    "raw exit": "import ctypes\nctypes.CDLL(None)._exit(0)",
    "close all descriptors": "import os\nos.closerange(0, 1000)\nprint(3)",
    "close standard output": "import os\nprint(3)\nos.close(1)\nos.close(0)",
    "a gigabyte": "import sys\nfor _ in range(1 << 10): sys.stdout.write('3' * (1 << 20))",
    "a gigabyte by number": "import os\nfor _ in range(1 << 10): os.write(1, b' ' * (1 << 20))",
    "spaces without end": "while True: print(' ' * 1000)",
    "a file of a gigabyte by truncation": "import os\nos.ftruncate(1, 1 << 30)",
    "read the parent's memory": """
        import os
        found = open(f"/proc/{os.getppid()}/mem", "rb").read(100)
        print(found)
    """,
    "look for what is expected": """
        import gc, sys
        texts = {"3\\n", "7\\n", "0\\n", "31\\n"}
        for each in gc.get_objects():
            if isinstance(each, (list, tuple)) and texts & {x for x in each if type(x) is str}:
                print(each)
        for name, module in list(sys.modules.items()):
            for value in vars(module).values():
                if value in (["3\\n", "7\\n", "0\\n", "31\\n"],):
                    print(value)
    """,
    "forge frames on every descriptor": """
        import os, struct
        record = struct.pack("<cI", b"V", 7) + b"u" + struct.pack("<i", 2) + b"3\\n"
        frame = struct.pack("<cIII", b"B", 0, 4, len(record) * 4) + record * 4
        for number in range(3, 64):
            try:
                os.write(number, frame)
            except OSError:
                pass
    """,
    "an equal text": """
        class Text(str):
            def __eq__(self, other): return True
            def __hash__(self): return 0
            def encode(self, *_): return b""
        print(Text("x"))
    """,
    "replace the harness": """
        import sys
        frame = sys._getframe()
        while frame:
            for value in frame.f_locals.values():
                if hasattr(value, "printed"):
                    text = type("Text", (str,), {"__eq__": lambda *_: True})
                    type(value).printed = lambda self: text("x")
            frame = frame.f_back
    """,
    "replace standard output": """
        import sys
        class Out:
            def write(self, text): pass
            def flush(self): raise SystemExit(0)
        sys.stdout = Out()
        print(3)
    """,
    "raise what ends a case": """
        import sys
        frame = sys._getframe()
        while frame.f_back:
            frame = frame.f_back
        print("3")
        raise frame.f_globals.get("Exited", SystemExit)(0)
    """,
    "exit status 0 by a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "trace the next case": """
        import sys
        sys.settrace(lambda *a: None)
        sys.setprofile(lambda *a: None)
        print(3)
    """,
    "write into standard input": "import os\nos.write(0, b'1 2\\n' * 9)\nprint(3)",
    "answer from the first case": """
        import builtins
        builtins.answer = getattr(builtins, "answer", None) or sum(map(int, input().split()))
        print(builtins.answer)
    """,
    "recursion": "def f(): f()\ntry:\n    f()\nexcept RecursionError:\n    print(3)",
    "a bomb of processes": "import os\nwhile True: os.fork()",
    "a bomb of threads": """
        import threading
        def run():
            while True: threading.Thread(target=run).start()
        run()
    """,
    "memory": "print(len(bytearray(1 << 40)))",
    "wait for input": "import sys, time\ntime.sleep(60)",
    "an input that never ends": "import os\nwhile True: os.lseek(0, 0, 0); os.read(0, 9)",
    "leave by an odd status": "print(sum(map(int, input().split())))\nraise SystemExit('done')",
}
HONEST = {
    "closed at its end": RIGHT
    + "import sys\nsys.stdout.flush()\nsys.stdout.close()\nsys.stdin.close()",
    "by number, then gone": """
        import os
        os.write(1, str(sum(map(int, os.read(0, 100).split()))).encode())
        os._exit(0)
    """,
    "its own stream": """
        import io, os, sys
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), line_buffering=False)
        print(sum(map(int, sys.stdin.buffer.readline().split())))
    """,
    "collected, then printed": """
        import sys, io, contextlib
        with contextlib.redirect_stdout(io.StringIO()) as out:
            print(sum(map(int, input().split())))
        sys.__stdout__.write(out.getvalue())
    """,
    "a thread with a large stack": """
        import sys, threading
        def main(): print(sum(map(int, input().split())))
        sys.setrecursionlimit(10**6)
        threading.stack_size(64 << 20)
        thread = threading.Thread(target=main)
        thread.start()
        thread.join()
    """,
    "a daemon that is left": """
        import threading, time
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        print(sum(map(int, input().split())))
    """,
    "prints at exit": """
        import atexit
        atexit.register(lambda: print(sum(map(int, input().split()))))
    """,
    "raises SystemExit": RIGHT + "import sys\nsys.exit()",
    "leaves with a status whose last byte is 0": RIGHT + "import sys\nsys.exit(256)",
    "an object that prints when it goes": """
        class Last:
            def __del__(self): print(sum(map(int, input().split())))
        last = Last()
        del last
    """,
    "replaced print": "print_ = print\n" + RIGHT.replace("print(", "print_("),
}
"""Programs of people in contests: right, whatever they do with their streams and process."""


def judged(sandbox: Sandbox, source: str) -> str:
    cases = tuple(Case((text,)) for text in TEXTS)
    expected = tuple(map(wire.encode, EXPECTED))
    task = Task("t", "", "", "", cases, rule=Rule("lines"), harness=Harness("script"))
    prepared = PreparedSuite(
        task,
        Suite("t", cases, expected, len(cases)),
        Inputs.of(case.arguments for case in cases),
        Expected.of(expected),
        LIMITS,
    )
    return evaluate_program(sandbox, prepared, textwrap.dedent(source)).base


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_does_not_pass(sandbox: Sandbox, name: str) -> None:
    """It gets a verdict, whatever it does; the next program is judged as ever."""
    assert judged(sandbox, CHEATS[name]) in WRONG
    assert judged(sandbox, RIGHT) == "pass"


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_program_passes(sandbox: Sandbox, name: str) -> None:
    """What programs of contests do to read and print fast is no offence."""
    assert judged(sandbox, HONEST[name]) == "pass"
