"""Classify how the work of textbook functions grows, plainly and disguised.

    python -m scripts.benchmarks.growth [--only sort]

Each function below has a comment: its class, the kind of its inputs, its name. Its work is counted
plainly and in five disguises. Two more, evaluated text and a thread, must be left uncounted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from evalplus_lite.efficiency.inputs import levels
from evalplus_lite.efficiency.work import uncounted, work
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.statistics.efficiency import growth
from evalplus_lite.types import Case, Task
from scripts.benchmarks.figures import Row, Table, arguments

INPUTS: Mapping[str, tuple[object, ...]] = {
    "list": ([3, 1, 2], [5, 4, 9, 1]),
    "text": ("hello world", "abcabc"),
    "number": (3, 10),
}
FUNCTIONS = """
# constant list first
    return x[0]
# constant list length
    return len(x)
# constant list middle
    return x[len(x) // 2] + x[-1]
# constant list ends
    return [x[0], x[-1]]
# constant list append
    x.append(1)
    return x[-1]
# constant list last removed
    x.pop()
    return len(x)
# constant number formula
    return x * (x + 1) // 2
# constant number parity
    return "even" if x % 2 == 0 else "odd"
# constant text first character
    return x[:1].upper()
# constant list binary search
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle < 7 else (low, middle)
    return low
# constant number halving
    count = 0
    while x > 1:
        x, count = x // 2, count + 1
    return count
# linear list sum
    return sum(x)
# linear list sum in a loop
    total = 0
    for each in x:
        total += each
    return total
# linear list largest
    return max(x)
# linear list squares
    return [each * each for each in x]
# linear list reverse
    return x[::-1]
# linear list copy
    return list(x)
# linear list sort
    return sorted(x)
# linear list sort in place
    x.sort()
    return x
# linear list sort by key
    return sorted(x, key=lambda each: -each)
# linear list merge sort
    def sort(part):
        if len(part) < 2:
            return part
        middle = len(part) // 2
        left, right = sort(part[:middle]), sort(part[middle:])
        merged, i, j = [], 0, 0
        while i < len(left) and j < len(right):
            if left[i] <= right[j]:
                merged.append(left[i])
                i += 1
            else:
                merged.append(right[j])
                j += 1
        return merged + left[i:] + right[j:]
    return sort(x)
# linear list set
    return len(set(x))
# linear list seen
    seen = set()
    return [each for each in x if not (each in seen or seen.add(each))]
# linear list frequencies
    counts = {}
    for each in x:
        counts[each] = counts.get(each, 0) + 1
    return max(counts.values())
# linear list two sum by a table
    places = {}
    for at, each in enumerate(x):
        if -1 - each in places:
            return at
        places[each] = at
    return -1
# linear list largest run
    best = current = 0
    for each in x:
        current = max(each, current + each)
        best = max(best, current)
    return best
# linear list prefix sums
    import itertools
    return list(itertools.accumulate(x))
# linear list neighbors
    return all(a <= b for a, b in zip(x, x[1:]))
# linear list queue
    from collections import deque
    queue, total = deque(x), 0
    while queue:
        total += queue.popleft()
    return total
# linear list heap
    import heapq
    heapq.heapify(x)
    return [heapq.heappop(x) for _ in range(len(x))]
# linear text palindrome
    return x == x[::-1]
# linear text vowels
    return sum(1 for each in x if each in "aeiou")
# linear text upper
    return x.upper()
# linear text words
    return " ".join(x.split())
# linear text letters
    from collections import Counter
    return dict(Counter(x))
# linear text join
    return "".join(chr(ord(each) + 1) for each in x)
# linear text pattern
    import re
    return len(re.findall("[aeiou]", x))
# constant number power by a modulus
    return pow(2, x, 1000007)
# square-root number trial division
    each = 2
    while each * each <= x:
        if x % each == 0:
            return each
        each += 1
    return x
# square-root number divisors in pairs
    return sum(2 for each in range(1, int(x**0.5) + 1) if x % each == 0)
# square-root number root by counting
    root = 0
    while (root + 1) ** 2 <= x:
        root += 1
    return root
# linear number sum of numbers
    return sum(range(x))
# linear number factors
    return [each for each in range(1, x + 1) if x % each == 0]
# linear number Fibonacci in a loop
    a, b = 0, 1
    for _ in range(x):
        a, b = b, a + b
    return a % 10
# linear number Fibonacci with a table
    known = {0: 0, 1: 1}
    for at in range(2, x + 1):
        known[at] = (known[at - 1] + known[at - 2]) % 1000
    return known[x]
# linear number sieve
    marks = [True] * (x + 1)
    for each in range(2, x + 1):
        if marks[each]:
            marks[2 * each :: each] = [False] * len(marks[2 * each :: each])
    return sum(marks)
# quadratic list pairs
    return sum(1 for i in range(len(x)) for j in range(i) if x[i] > x[j])
# quadratic list bubble sort
    for end in range(len(x), 1, -1):
        for at in range(end - 1):
            if x[at] > x[at + 1]:
                x[at], x[at + 1] = x[at + 1], x[at]
    return x
# quadratic list insertion sort
    for at in range(1, len(x)):
        each = x[at]
        while at and x[at - 1] > each:
            x[at] = x[at - 1]
            at -= 1
        x[at] = each
    return x
# quadratic list selection by min
    result = []
    while x:
        result.append(min(x))
        x.remove(result[-1])
    return result
# quadratic list unique by in
    result = []
    for each in x:
        if each not in result:
            result.append(each)
    return result
# quadratic list count of each
    return [each for each in x if x.count(each) == 1]
# quadratic list index of each
    return [x.index(each) for each in x]
# quadratic list prefix by slices
    return [sum(x[:at]) for at in range(len(x))]
# quadratic list rolling largest
    return [max(x[: at + 1]) for at in range(len(x))]
# quadratic list sorted each time
    return [sorted(x)[at] for at in range(len(x))]
# quadratic list growing tuple
    result = ()
    for each in x:
        result += (each,)
    return result
# quadratic list differences by any
    return any(each - 1 == other * -7 for each in x for other in x)
# quadratic text in front
    result = ""
    for each in x:
        result = each + result
    return result
# quadratic text substrings
    return sum(len(x[at:]) for at in range(len(x)))
# quadratic text replaced one by one
    for at in range(len(x)):
        x = x[:at] + "x" + x[at + 1 :]
    return x
# quadratic number multiplication table
    return sum(i * j for i in range(x) for j in range(x))
# quadratic number list of lists
    return len([[0] * x for _ in range(x)])
# cubic list triples
    count = 0
    for i in range(len(x)):
        for j in range(i):
            for k in range(j):
                count += x[i] + x[j] + x[k] == -1
    return count
# cubic list windows
    return sum(sum(x[i:j]) for i in range(len(x)) for j in range(i, len(x)))
# cubic number product of matrices
    rows = [[i + j for j in range(x)] for i in range(x)]
    return sum(sum(a * b for a, b in zip(row, column)) for row in rows for column in rows)
# exponential number Fibonacci
    return x if x < 2 else h(x - 1) + h(x - 2)
# exponential number moves of a tower
    return 0 if x == 0 else 2 * h(x - 1) + (h(x - 1) - h(x - 1)) + 1
"""
DISGUISES = {
    "plain": "def f(x):\n    return h(x)\n",
    "recursion": "def g(x, k):\n    return g(x, k - 1) if k else h(x)\n"
    "def f(x):\n    return g(x, 5)\n",
    "generator": "def g(x):\n    yield h(x)\ndef f(x):\n    return next(g(x))\n",
    "map": "def f(x):\n    return list(map(h, [x]))[0]\n",
    "reduce": "from functools import partial, reduce\n"
    "def f(x):\n    return reduce(lambda a, b: partial(h)(b), [x], None)\n",
    "cache": "kept = []\ndef f(x):\n    if not kept:\n        kept.append(h(x))\n"
    "    return kept[0]\n",
}
HIDDEN = (
    "def f(x):\n    return eval('h(x)')\n",
    "import threading\ndef f(x):\n    threading.Thread(target=h, args=(x,)).run()\n    return 0\n",
)


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("--only", default="", help="functions whose name contains this")
    options = parser.parse_args()
    table, totals = Table(), Counter[str]()
    with Sandbox() as sandbox:
        for expected, kind, name, source in functions():
            if options.only in name:
                found = classified(sandbox, kind, source)
                for each in found.values():
                    totals["right" if each == expected else each or "none"] += 1
                hidden = sum(not uncounted(source + each) for each in HIDDEN)
                totals["counted though hidden"] += hidden
                others = {key: value for key, value in found.items() if value != expected}
                table.add({"function": name, "class": expected, "otherwise": str(others or "")})
    table.add({"function": "all", "class": str(sum(totals.values())), "otherwise": str(totals)})
    table.save(options.record)


def functions() -> Iterator[tuple[str, str, str, str]]:
    """Yield class, kind of inputs, name and source of each function."""
    for part in re.split(r"^# ", FUNCTIONS.strip(), flags=re.M)[1:]:
        head, body = part.split("\n", 1)
        expected, kind, name = head.split(" ", 2)
        yield expected, kind, name, f"def h(x):\n{body}\n"


def classified(sandbox: Sandbox, kind: str, source: str) -> Row:
    """Return the class of a function's growth in each disguise."""
    cases = tuple(Case((value,)) for value in INPUTS[kind])
    task = Task("t", "", "f", source + DISGUISES["plain"], base=cases)
    grown = levels(sandbox, task, seed=0)[-4:]
    found: dict[str, str] = {}
    for name, text in DISGUISES.items():
        sizes, units = [], []
        for level in grown:
            worst = level.units.index(max(level.units))
            case, right = level.cases[worst], level.expected[worst]
            (each,) = work(sandbox, task, source + text, [case], [right], most=10**9)
            if each.units is not None:
                sizes.append(level.size)
                units.append(each.units)
        result = growth(sizes, units)
        found[name] = result["name"] if result else ""
    return found


if __name__ == "__main__":
    main()
