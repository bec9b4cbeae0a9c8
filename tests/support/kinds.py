"""Kinds of tasks that people write, and what becomes of each: its cause, or what is noted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """A task's reference, its inputs, and what evaluation makes of it.

    ``cause`` is why it cannot be used; empty if it can, and ``notes`` are the kinds of what is
    noted then. ``stated`` are further fields of its row.
    """

    name: str
    reference: str
    inputs: tuple[tuple[Any, ...], ...] = ((1,), (2,), (3,))
    cause: str = ""
    notes: tuple[str, ...] = ()
    stated: tuple[tuple[str, Any], ...] = ()

    def row(self) -> dict[str, Any]:
        """Return the task as a row of a file."""
        return {
            "id": self.name,
            "prompt": f"Write f: {self.name}.",
            "entry_point": "f",
            "reference": self.reference,
            "inputs": [list(each) for each in self.inputs],
            **dict(self.stated),
        }


def returning(name: str, expression: str, cause: str = "", *notes: str, first: str = "") -> Kind:
    """Return a kind whose reference is one expression of ``x``."""
    return Kind(name, f"{first}\ndef f(x):\n    return {expression}\n", cause=cause, notes=notes)


def contract(name: str, text: str, cause: str = "", **options: Any) -> Kind:
    """Return a kind whose reference doubles, with a contract."""
    return Kind(
        name, "def f(x): return 2 * x", cause=cause, stated=(("contract", text),), **options
    )


KINDS = (
    # What no suite can hold.
    returning("generator", "(i for i in range(x))", "unrepresentable"),
    returning("iterator", "iter([x])", "unrepresentable"),
    returning("range", "range(x)"),
    returning("dict view", "{x: x}.keys()", "unrepresentable"),
    returning("lambda", "lambda: x", "unrepresentable"),
    returning("class", "int", "unrepresentable"),
    returning("instance", "C()", "unrepresentable", first="class C: pass"),
    returning("module", "math", "unrepresentable", first="import math"),
    returning("decimal", "Decimal(x)", "", "weak", first="from decimal import Decimal"),
    returning("fraction", "Fraction(x)", "", "weak", first="from fractions import Fraction"),
    returning("date", "date(2000, 1, x)", first="from datetime import date"),
    returning("array", "numpy.arange(x)", first="import numpy"),
    returning("ellipsis", "...", "unrepresentable"),
    returning(
        "dataclass",
        "D(x)",
        first="from dataclasses import dataclass\n@dataclass\nclass D:\n    x: int",
    ),
    Kind("async", "async def f(x): return x", notes=("weak", "observed")),
    Kind("generator function", "def f(x): yield x", notes=("observed",)),
    Kind(
        "deep nesting",
        "def f(x):\n    v = x\n    for _ in range(300): v = [v]\n    return v",
        cause="unrepresentable",
    ),
    Kind(
        "a class as entry point",
        "class f:\n    def __init__(self, x): self.x = x",
        cause="unrepresentable",
    ),
    # What fails.
    returning("raises", "[][x]", "raises"),
    returning("import of a missing package", "1", "load", first="import no_such_package"),
    returning("import within", "__import__('no_such_package')", "raises"),
    returning("loads with an error", "1", "load", first="1 / 0"),
    returning("exits on loading", "1", "load", first="raise SystemExit"),
    returning("reads a file", "open('/etc/hostname_of_mine').read()", "raises"),
    returning(
        "network", "socket.create_connection(('192.0.2.1', 80), 1)", "raises", first="import socket"
    ),
    returning("system exit", "sys.exit()", "raises", first="import sys"),
    returning("argv", "sys.argv[9]", "raises", first="import sys"),
    returning("reads input", "input()", "raises"),
    returning("takes a callable", "x(1)", "raises"),
    returning("wrong type of input", "x.upper()", "raises"),
    Kind("endless recursion", "def f(x): return f(x)", cause="raises"),
    Kind("os._exit", "import os\ndef f(x): os._exit(0)", cause="crashes"),
    Kind("kills itself", "import os\ndef f(x): os.kill(os.getpid(), 9)", cause="crashes"),
    Kind("memory", "def f(x): return len(bytearray(1 << 40))", cause="memory"),
    Kind("wrong arity", "def f(x, y): return x", cause="arity"),
    Kind("too many arguments", "def f(): return 1", cause="arity"),
    Kind("keyword only", "def f(*, x): return x", cause="arity"),
    Kind("method", "class C:\n    def g(self, x): return x\nf = C.g", cause="arity"),
    Kind("no inputs", "def f(x): return x", inputs=(), cause="no inputs"),
    # What is not the same twice.
    returning("random", "random.SystemRandom().random()", "unstable", first="import random"),
    returning("time", "time.time()", "unstable", first="import time"),
    returning("order of a set", "list({str(i) for i in range(20)})", "unstable"),
    returning("hash", "hash(str(x))", "unstable"),
    returning("address", "id(object()) + hash(str(x))", "unstable"),
    # What hangs on earlier calls.
    Kind(
        "mutable default",
        "def f(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
        cause="unstable",
    ),
    returning(
        "counter of calls", "next(N)", "unstable", first="import itertools\nN = itertools.count()"
    ),
    returning("seeded once", "R.random()", "unstable", first="import random\nR = random.Random(0)"),
    Kind(
        "first call",
        "N = []\ndef f(x):\n    N.append(x)\n    return x if len(N) > 1 else -x",
        inputs=tuple((n,) for n in range(1, 8)),
        cause="unstable",
    ),
    Kind(
        "previous call",
        "V = [0]\ndef f(x):\n    V.append(x)\n    return V[-2]",
        inputs=tuple((n,) for n in range(1, 8)),
        cause="unstable",
    ),
    # Rows that are no tasks.
    Kind("syntax error", "def f(:", cause="unreadable"),
    Kind("nested function", "def g():\n    def f(x): return x", cause="unreadable"),
    Kind("other name", "def g(x): return x", cause="unreadable"),
    Kind(
        "static method", "class C:\n    @staticmethod\n    def f(x): return x", cause="unreadable"
    ),
    Kind(
        "entry point is no name",
        "def f(x): return x",
        cause="unreadable",
        stated=(("entry_point", "C.f"),),
    ),
    Kind("typo in a key", "def f(x): return x", cause="unreadable", stated=(("inptus", []),)),
    # Contracts.
    contract("refuses everything", "def precondition(x):\n    assert False, 'never'", "invalid"),
    contract("contract raises", "def precondition(x):\n    assert y > 0", "contract"),
    contract("contract of other arity", "def precondition(x, y): pass", "contract"),
    contract("contract loops", "def precondition(x):\n    while True: pass", "contract"),
    contract("contract does not load", "import nowhere\ndef precondition(x): pass", "contract"),
    contract("check raises", "def check(inputs, output, expected): return nothing", "contract"),
    contract("check of other arity", "def check(inputs, output): return True", "contract"),
    contract("check accepts all", "def check(inputs, output, expected): return True", "contract"),
    contract("check says nothing", "def check(inputs, output, expected): pass", "contract"),
    contract("check says one", "def check(inputs, output, expected): return 1", "contract"),
    contract("contract refuses one", "def precondition(x):\n    assert x > 1, 'small'"),
    contract("check", "def check(inputs, output, expected): return output == 2 * inputs[0]"),
    # What can be used, though the suite does not see much.
    Kind("in place", "def f(x): x.sort()", inputs=(([2, 1],), ([3],)), notes=("observed",)),
    Kind("prints", "def f(x): print(x)", notes=("observed",)),
    returning("one answer", "True", "", "constant"),
    Kind(
        "any answer",
        "def f(x): return [x]",
        notes=("constant",),
        stated=(("rule", {"kind": "truthiness"}),),
    ),
    Kind(
        "deep cache",
        "seen = {0: 0, 1: 1}\n"
        "def f(x):\n"
        "    if x not in seen: seen[x] = f(x - 1) + f(x - 2)\n"
        "    return seen[x]",
        inputs=((400,), (800,), (1200,), (1600,), (2000,)),
        notes=("dropped",),
    ),
    Kind(
        "expected exception",
        "def f(x):\n    if x < 2: raise ValueError(x)\n    return x",
        notes=("dropped", "weak"),
    ),
    Kind(
        "sometimes unstable",
        "import time\ndef f(x): return x if x < 3 else time.time()",
        notes=("dropped", "weak"),
    ),
    # What can be used.
    returning("integer", "x + 1"),
    returning("huge integer", "10 ** (5000 * x)"),
    returning("bytes", "bytes([x])"),
    returning("complex", "complex(x, 1)"),
    returning("not a number", "[float('nan'), x]"),
    returning("set of texts", "{str(i) for i in range(20 * x)}"),
    returning("numpy scalar", "numpy.int64(x)", "", "weak", first="import numpy"),
    returning("counter", "Counter(str(x))", first="from collections import Counter"),
    returning(
        "named tuple",
        "P(x, 1)",
        first="from collections import namedtuple\nP = namedtuple('P', 'a b')",
    ),
    returning("helper", "g(x)", first="def g(x): return 3 * x"),
    returning("large answer", "'a' * (100_000 * x)"),
    Kind("any number of arguments", "def f(*x): return sum(x)", notes=("weak",)),
    Kind("default argument", "def f(x, y=2): return x * y"),
    Kind("callable object", "class C:\n    def __call__(self, x): return -x\nf = C()"),
    Kind("unicode", "def größe(x): return x + 1", stated=(("entry_point", "größe"),)),
    Kind("recursion", "def f(x): return 1 if x < 2 else x * f(x - 1)"),
    Kind("one case", "def f(x): return x", inputs=((1,),), notes=("weak",)),
)
