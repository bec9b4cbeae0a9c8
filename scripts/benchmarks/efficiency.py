"""Hold counted work against instructions that valgrind's callgrind simulates.

    python -m scripts.benchmarks.efficiency weights

Each program below does one kind of work. It runs at two sizes, plainly under callgrind and counted
in the sandbox; both are given per element, and so is their ratio, which is 1 where a weight fits.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from evalplus_lite.efficiency.work import work
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Task
from scripts.benchmarks.figures import Row, Table, arguments

PROGRAMS = {
    "loop, add": """
def f(n):
    s = 0
    for i in range(n):
        s = s + i
    return s
""",
    "loop, branch": """
def f(n):
    s = 0
    for i in range(n):
        if i % 3 == 0:
            s += 1
        else:
            s -= 1
    return s
""",
    "while": """
def f(n):
    i = 0
    while i < n:
        i += 1
    return i
""",
    "index": """
def f(n):
    xs = list(range(1000))
    s = 0
    for i in range(n):
        if xs[i % 1000] == xs[i // 7 % 1000]:
            s += 1
    return s
""",
    "function calls": """
def g(x):
    return x + 1
def f(n):
    s = 0
    for i in range(n):
        s = g(s)
    return s
""",
    "recursion": """
def g(k):
    return 0 if k == 0 else 1 + g(k - 1)
def f(n):
    for _ in range(n // 100):
        g(100)
""",
    "append": """
def f(n):
    xs = []
    for i in range(n):
        xs.append(i)
    return len(xs)
""",
    "list comprehension": """
def f(n):
    return len([i * i for i in range(n)])
""",
    "generator": """
def f(n):
    return sum(i for i in range(n))
""",
    "dict of counts": """
def f(n):
    d = {}
    for i in range(n):
        d[i % 97] = d.get(i % 97, 0) + 1
    return len(d)
""",
    "set add": """
def f(n):
    s = set()
    for i in range(n):
        s.add(i)
    return len(s)
""",
    "set(list)": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        set(xs)
""",
    "list copy": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        list(xs)
""",
    "slice": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        xs[1:]
""",
    "in list": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        -1 in xs
""",
    "count": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        xs.count(-1)
""",
    "sum": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        sum(xs)
""",
    "max": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        max(xs)
""",
    "sort, random": """
def f(n):
    xs = [i * 7919 % 1009 for i in range(1000)]
    for _ in range(n // 1000):
        sorted(xs)
""",
    "sort, sorted": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        sorted(xs)
""",
    "sort by key": """
def f(n):
    xs = [i * 7919 % 1009 for i in range(1000)]
    for _ in range(n // 1000):
        sorted(xs, key=lambda x: -x)
""",
    "insert at 0": """
def f(n):
    xs = list(range(1000))
    for _ in range(n // 1000):
        xs.insert(0, 1)
        xs.pop()
""",
    "join": """
def f(n):
    xs = ['a'] * 1000
    for _ in range(n // 1000):
        ''.join(xs)
""",
    "split": """
def f(n):
    t = 'a ' * 500
    for _ in range(n // 1000):
        t.split()
""",
    "lower": """
def f(n):
    t = 'aB' * 500
    for _ in range(n // 1000):
        t.lower()
""",
    "replace": """
def f(n):
    t = 'ab' * 500
    for _ in range(n // 1000):
        t.replace('b', 'c')
""",
    "reverse text": """
def f(n):
    t = 'ab' * 500
    for _ in range(n // 1000):
        t[::-1]
""",
    "text + text": """
def f(n):
    t = 'ab' * 500
    for _ in range(n // 1000):
        t + 'x'
""",
    "in text": """
def f(n):
    t = 'ab' * 500
    for _ in range(n // 1000):
        'c' in t
""",
    "characters": """
def f(n):
    t = 'ab' * 500
    s = 0
    for _ in range(n // 1000):
        for c in t:
            if c == 'a':
                s += 1
    return s
""",
    "map(int)": """
def f(n):
    xs = ['12'] * 1000
    for _ in range(n // 1000):
        list(map(int, xs))
""",
    "enumerate": """
def f(n):
    s = 0
    for i, x in enumerate(range(n)):
        s += x
    return s
""",
    "zip": """
def f(n):
    s = 0
    for i, x in zip(range(n), range(n)):
        s += x
    return s
""",
    "str(int)": """
def f(n):
    for i in range(n):
        str(i)
""",
    "big product": """
def f(n):
    x = 3 ** 2000
    for _ in range(n // 1000):
        x * x
""",
    "heap": """
import heapq
def f(n):
    h = []
    for i in range(n):
        heapq.heappush(h, i * 7919 % 1009)
        if len(h) > 64:
            heapq.heappop(h)
""",
    "re": """
import re
def f(n):
    t = 'ab ' * 300
    for _ in range(n // 1000):
        re.findall('[a-z]+', t)
""",
    "factorial": """
import math
def f(n):
    for _ in range(n // 1000):
        math.factorial(500)
""",
}
SIZES = (20_000, 60_000)


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__)
    parser.add_argument("what", choices=["weights"])
    parser.add_argument("--python", default=sys.executable, help="what callgrind runs")
    options = parser.parse_args()
    table = Table()
    for row in weights(options.python):
        table.add(row)
    table.save(options.record)


def weights(python: str) -> Iterator[Row]:
    """Yield instructions and units an element of each program."""
    with Sandbox() as sandbox:
        for name, source in PROGRAMS.items():
            few, many = (instructions(python, source, size) for size in SIZES)
            task = Task("x", "", "f", source)
            cases = [(size,) for size in SIZES]
            low, high = (
                each.units or 0 for each in work(sandbox, task, source, cases, None, most=1 << 40)
            )
            between = SIZES[1] - SIZES[0]
            simulated, counted = (many - few) / between, (high - low) / between
            yield {
                "work": name,
                "instructions an element": simulated,
                "units": counted,
                "units/instruction": counted / simulated,
            }


def instructions(python: str, source: str, size: int) -> int:
    """Return the instructions of a process that runs a program of ours once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(f"{source}\nf({size})\n")
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", python]
        done = subprocess.run(
            [*command, "-I", "-S", path], capture_output=True, text=True, check=True
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None
    return int(found[1])


if __name__ == "__main__":
    main()
