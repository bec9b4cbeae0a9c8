"""Counted work: exact, out of a program's reach, and only on right answers."""

from __future__ import annotations

import pytest

from evalplus_lite.efficiency.inputs import levels
from evalplus_lite.efficiency.work import Work, uncounted, work
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.statistics.efficiency import growth
from evalplus_lite.types import Case, Task
from evalplus_lite.values import wire

LISTS, TEXTS, NUMBERS = ([3, 1, 2], [5, 4, 9, 1]), ("hello world", "abcabc"), (3, 10)
TEXTBOOK = {  # name: (class, base inputs, program)
    "first": ("constant", LISTS, "def f(xs):\n    return xs[0]\n"),
    "formula": ("constant", NUMBERS, "def f(n):\n    return n * (n + 1) // 2\n"),
    "sum": ("linear", LISTS, "def f(xs):\n    return sum(xs)\n"),
    "reversed": ("linear", TEXTS, "def f(s):\n    return s[::-1]\n"),
    "sorted": ("linear", LISTS, "def f(xs):\n    return sorted(xs)\n"),
    "cached": (
        "linear",
        NUMBERS,
        "from functools import cache\n@cache\ndef f(n):\n"
        "    return n if n < 2 else f(n - 1) + f(n - 2)\n",
    ),
    "pairs": (
        "quadratic",
        LISTS,
        "def f(xs):\n    n = len(xs)\n"
        "    return sum(1 for i in range(n) for j in range(i) if xs[i] > xs[j])\n",
    ),
    "in a list": (
        "quadratic",
        LISTS,
        "def f(xs):\n    r = []\n    for x in xs:\n        if x not in r:\n"
        "            r.append(x)\n    return r\n",
    ),
    "count": ("quadratic", LISTS, "def f(xs):\n    return [x for x in xs if xs.count(x) == 1]\n"),
    "in front": (
        "quadratic",
        TEXTS,
        "def f(s):\n    r = ''\n    for c in s:\n        r = c + r\n    return r\n",
    ),
    "triples": (
        "cubic",
        LISTS,
        "def f(xs):\n    n, c = len(xs), 0\n    for i in range(n):\n        for j in range(i):\n"
        "            for k in range(j):\n                c += xs[i] + xs[j] + xs[k] == -1\n"
        "    return c\n",
    ),
    "Fibonacci": (
        "exponential",
        NUMBERS,
        "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n",
    ),
}


def task(source: str, base: tuple[object, ...] = ()) -> Task:
    return Task("t", "", "f", source, base=tuple(Case((value,)) for value in base))


@pytest.mark.parametrize("name", sorted(TEXTBOOK))
def test_textbook_growth(sandbox: Sandbox, name: str) -> None:
    expected, base, source = TEXTBOOK[name]
    grown = levels(sandbox, task(source, base), seed=0)[-5:]
    found = growth([each.size for each in grown], [max(each.units) for each in grown])
    assert found is not None
    assert found["name"] == expected


def counted(sandbox: Sandbox, source: str, *values: object, expected: object = None) -> list[Work]:
    outputs = None if expected is None else [wire.encode(expected)] * len(values)
    cases = [(value,) for value in values]
    return work(sandbox, task(source), source, cases, outputs, most=10**7)


def units(sandbox: Sandbox, source: str, *values: object, expected: object = None) -> list[int]:
    """Return the work of a program that answers all values right."""
    found = [each.units for each in counted(sandbox, source, *values, expected=expected)]
    assert None not in found
    return [each for each in found if each is not None]


def test_inputs_keep_to_what_all_examples_share(sandbox: Sandbox) -> None:
    """Without a contract: a right program need not answer a list that is not sorted as another."""
    lists = [[1, 3, 5], [1, 2], [], [2, 4, 8], [-5, 0, 3], [0, 10, 20], [3, 4, 5, 6], [-9, -8]]
    base = tuple(Case((each, n)) for n, each in enumerate(lists))
    source = "from bisect import bisect_left\ndef f(xs, x):\n    return bisect_left(xs, x)\n"
    searching = Task("Own/0", "", "f", source, base=base)
    found = [xs for level in levels(sandbox, searching, seed=0) for xs, _ in level.cases]
    assert max(map(len, found)) >= 256
    assert [xs for xs in found if xs != sorted(xs)] == []


def test_the_same_work_twice(sandbox: Sandbox) -> None:
    """A count is exact."""
    source = TEXTBOOK["count"][2]
    assert counted(sandbox, source, [1, 2] * 40) == counted(sandbox, source, [1, 2] * 40)


@pytest.mark.parametrize(
    "source",
    [
        "def f(xs):\n    exec('x = sum(range(10**6))')\n    return 0\n",
        "import threading\ndef f(xs):\n    return 0\n",
        "import sys\ndef f(xs):\n    return sys._getframe().f_back.f_locals\n",
        "def f(xs):\n    global _evalplus_lite_left\n    _evalplus_lite_left = 1 << 60\n",
        "def f(xs):\n    return f.__globals__\n",
        "import numpy\ndef f(xs):\n    return 0\n",
        "import ctypes\ndef f(xs):\n    return 0\n",
        "def f(xs):\n    return getattr(f, '__glo' + 'bals__')\n",
        "def f(xs):\n    return _ᵉvalplus_lite_left\n",
        "import sys\ndef f(xs):\n    sys.settrace(None)\n    return 0\n",
        "import builtins\nbuiltins.sorted = lambda xs: xs\ndef f(xs):\n    return 0\n",
        "import gc\ndef f(xs):\n    return gc.get_objects()\n",
    ],
)
def test_a_program_that_could_reach_the_counter_is_not_counted(source: str) -> None:
    assert uncounted(source)


def test_what_one_call_keeps_helps_no_other(sandbox: Sandbox) -> None:
    """Each case has a process of its own, so a cache between calls saves nothing."""
    cached = (
        "known = {}\ndef f(n):\n    if n not in known:\n        known[n] = sum(range(n))\n"
        "    return known[n]\n"
    )
    assert not uncounted(cached)
    first, second = counted(sandbox, cached, 5000, 5000)
    assert first == second


@pytest.mark.parametrize(
    "keeping",
    [
        "import math\ndef f(n):\n    if math.tau < 7:\n        math.tau = 9\n"
        "        return sum(range(n))\n    return 0\n",
        "import random\ndef f(n):\n    if random.random() != 0.13436424411240122:\n"
        "        random.seed(1)\n        return sum(range(n))\n    return 0\n",
        "import typing\ndef f(n):\n    if not isinstance(n, typing.Sized):\n"
        "        typing.Sized.register(int)\n        return sum(range(n))\n    return 0\n",
        # A cache of the library compares keys as they like, and hands out what it was first given.
        "memo = []\nclass Key(int):\n    memo = memo\n    def __hash__(self):\n        return 7\n"
        "    def __eq__(self, other):\n        memo.extend(self.memo)\n"
        "        memo.extend(other.memo)\n        return True\n"
        "import re\nre.match('a', 'a', Key(0))\ndef f(n):\n    if not memo:\n"
        "        memo.append(sum(range(n)))\n    return memo[0]\n",
        "memo = []\nclass Key:\n    memo = memo\n    def __hash__(self):\n        return 7\n"
        "    def __eq__(self, other):\n        try:\n"
        "            memo.extend(self.memo)\n            memo.extend(other.memo)\n"
        "        except AttributeError:\n            return False\n        return True\n"
        "    def __call__(self):\n        return 0\n"
        "from typing import List\nList[Key()]\ndef f(n):\n    if not memo:\n"
        "        memo.append(sum(range(n)))\n    return memo[0]\n",
        "from decimal import getcontext\ndef f(n):\n    if getcontext().prec == 28:\n"
        "        getcontext().prec = 9\n        return sum(range(n))\n    return 0\n",
    ],
)
def test_nothing_outside_of_a_program_carries_over(sandbox: Sandbox, keeping: str) -> None:
    first, second = units(sandbox, keeping, 5000, 5000, expected=sum(range(5000)))
    assert first == second


def test_the_work_of_loading_counts(sandbox: Sandbox) -> None:
    """A table that is made when the program is loaded costs what it costs in a call."""
    table = "sums = [0]\nfor n in range(3000):\n    sums.append(sums[-1] + n)\n"
    (before,) = units(sandbox, f"{table}def f(n):\n    return sums[n]\n", 2000)
    inner = table.replace("\n", "\n    ")
    (within,) = units(sandbox, f"def f(n):\n    {inner}return sums[n]\n", 2000)
    assert before > 0.9 * within


@pytest.mark.parametrize(
    "patch",
    [
        "import math\nmath.log2 = math.log = lambda *x: -1e9\n",
        "import collections\ncollections.Counter.__len__ = collections.deque = lambda *x: 0\n",
        "import operator, itertools\noperator.mul = itertools.pairwise = lambda *x: []\n",
        "import re\nre.Match = int\n",
        "len = isinstance = sum = type = lambda *x: 0\n",
    ],
)
def test_a_patched_library_changes_no_count(sandbox: Sandbox, patch: str) -> None:
    source = "def f(xs):\n    return sorted(x * 2 for x in xs)\n"
    values = [each * 7919 % 1009 for each in range(300)]
    assert units(sandbox, source, values) == units(sandbox, patch + source, values)


def test_work_in_one_call_that_is_not_counted_is_noticed(sandbox: Sandbox) -> None:
    """A pattern that backtracks for seconds, and counts as a few steps, is no fast program."""
    source = "import re\ndef f(n):\n    return re.match('(a+)+$', 'a' * n + 'b') is None\n"
    assert not uncounted(source)
    (found,) = counted(sandbox, source, 26)
    assert found.cause in ("hidden", "late")


def test_only_a_right_answer_has_work(sandbox: Sandbox) -> None:
    """A program that is wrong on a large input alone counts as wrong, however fast."""
    lazy = "def f(n):\n    return sum(range(n)) if n < 100 else 0\n"
    (found,) = counted(sandbox, lazy, 5000, expected=12497500)
    assert found == Work(None, "wrong")


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("def f(n):\n    while True:\n        pass\n", "late"),
        (
            "def f(n):\n    while True:\n        try:\n            f(n)\n"
            "        except BaseException:\n            pass\n",
            "late",
        ),
        ("def f(n):\n    return 1 // 0\n", "error"),
    ],
)
def test_what_fails_has_no_work(sandbox: Sandbox, source: str, cause: str) -> None:
    assert [each.cause for each in counted(sandbox, source, 5)] == [cause]


@pytest.mark.parametrize(
    ("slow", "fast"),
    [
        (
            "def f(xs):\n    return [x for x in xs if x in list(xs)]\n",
            "def f(xs):\n    return xs\n",
        ),
        ("def f(xs):\n    return sorted(xs)[-1]\n", "def f(xs):\n    return max(xs)\n"),
        (
            "def f(xs):\n    return sorted(xs, key=lambda x: x)\n",
            "def f(xs):\n    return sorted(xs)\n",
        ),
        (
            "import re\ndef f(xs):\n    return re.findall('a', 'a' * len(xs))\n",
            "def f(xs):\n    return len(xs)\n",
        ),
        ("import copy\ndef f(xs):\n    return copy.deepcopy(xs)\n", "def f(xs):\n    return xs\n"),
        ("def f(xs):\n    return max(*xs)\n", "def f(xs):\n    return sum(xs)\n"),
        ("f = sorted\n", "def f(xs):\n    return xs\n"),
        ("import math\ndef f(xs):\n    return math.gcd(*xs)\n", "def f(xs):\n    return sum(xs)\n"),
        ("def f(xs):\n    return 3 ** (10 * len(xs)) * 7\n", "def f(xs):\n    return 3 * 7\n"),
    ],
)
def test_work_within_one_call_counts(sandbox: Sandbox, slow: str, fast: str) -> None:
    values = [(each * 7919) % 1009 for each in range(500)]
    (more,), (less,) = units(sandbox, slow, values), units(sandbox, fast, values)
    assert more > 1.2 * less


@pytest.mark.parametrize(
    "hidden",
    [
        "class Kept(list):\n    pass\ndef f(xs):\n    ys = Kept(xs)\n"
        "    return [-x in ys for x in xs][0]\n",
        "def f(xs):\n    return [xs.__contains__(-x) for x in xs][0]\n",
        "def f(xs):\n    return [0 != -x in xs for x in xs][0]\n",
        "def f(xs):\n    return [xs != xs[:] for x in xs][0]\n",
        "def f(xs):\n    return len([[*xs] for x in xs])\n",
        "def f(xs):\n    for x in xs:\n        a, *b = xs\n",
        "def f(xs):\n    return len(list(map(sorted, [xs] * len(xs))))\n",
        "def f(xs):\n    return len(sorted(xs, key=lambda x: sorted.__call__(xs)))\n",
        "from functools import lru_cache\ndef f(xs):\n    g = lru_cache(1)(sorted)\n"
        "    for at, x in enumerate(xs):\n        g(tuple(xs[at:]))\n",
        "from functools import partial\ndef f(xs):\n    g = partial(sorted)\n"
        "    g.__module__ = 'program'\n    for x in xs:\n        g(xs)\n",
        "from functools import partial\ndef f(xs):\n    (g,) = map(partial, [sorted])\n"
        "    for x in xs:\n        g(xs)\n",
        "from functools import cache\ndef f(xs):\n    (g,) = map(cache, [sorted])\n"
        "    for at, x in enumerate(xs):\n        g(tuple(xs[at:]))\n",
        "def f(xs):\n    for x in xs:\n        list.sort(xs)\n        xs.reverse()\n",
        "def f(xs):\n    for x in xs:\n        try:\n            xs.index(-x)\n"
        "        except ValueError:\n            pass\n",
        "def f(xs):\n    t = tuple(xs)\n    return [t.count(x) for x in xs][0]\n",
        "def f(xs):\n    s = set(xs)\n    return [s.isdisjoint(-x for x in xs) for _ in xs][0]\n",
        "def f(xs):\n    d = dict(enumerate(xs))\n    return [-x in d.values() for x in xs][0]\n",
        "def f(xs):\n    return [-x in iter(xs) for x in xs][0]\n",
        "def f(xs):\n    return sum(max(iter(xs)) for x in xs)\n",
        "def f(xs):\n    t, s = tuple(xs), set()\n    return [t in s for x in xs][0]\n",
        "def f(xs):\n    t = tuple(xs)\n    d = {t: 1}\n    return [d[t] for x in xs][0]\n",
        "def f(xs):\n    for x in xs:\n        1 << 3000 * len(xs)\n",
        "def f(xs):\n    for x in xs:\n        n = 1\n        n <<= 3000 * len(xs)\n",
        "def f(xs):\n    t = [tuple(xs[:1])]\n    k = 0\n    for x in xs:\n        t[k] += (x,)\n",
        "def f(xs):\n    d = {tuple(xs): 1}\n    k = tuple(xs)\n"
        "    for x in xs:\n        d[k] *= 3 ** 50\n",
        "def f(xs):\n    for x in xs:\n        n = 3\n        n **= 9 * len(xs)\n",
        "import copy\ndef f(xs):\n    return len([copy.deepcopy([xs]) for x in xs])\n",
        "def f(xs):\n    return [[xs] == [xs[:]] for x in xs][0]\n",
        "def f(xs):\n    for x in xs:\n        ys = [0]\n        ys *= len(xs)\n",
        "def f(xs):\n    return len([str(xs) for x in xs])\n",
        "import itertools\ndef f(xs):\n    return len(list(itertools.groupby(xs, key=xs.count)))\n",
        "def f(xs):\n    for a, *b in [xs] * len(xs):\n        pass\n",
        "def f(xs):\n    for x in xs:\n        match xs:\n            case [a, *b]:\n"
        "                pass\n",
        "def g(**options):\n    return 0\ndef f(xs):\n    d = {str(x): x for x in xs}\n"
        "    for x in xs:\n        g(**d)\n",
        "def f(xs):\n    for x in xs:\n        e = []\n        e[:] = xs\n",
        "def f(xs):\n    return len(list(map(list, [xs] * len(xs))))\n",
        "def f(xs):\n    return len(max([xs] * len(xs), key=tuple))\n",
        "def f(xs):\n    z = [0] * len(xs)\n    return [any(filter(None, z)) for x in xs][0]\n",
        "from itertools import islice\ndef f(xs):\n"
        "    return [next(islice(iter(xs), len(xs) - 1, None)) for x in xs][0]\n",
        "from itertools import groupby\ndef f(xs):\n    z = [0] * len(xs)\n"
        "    return [len(list(groupby(z))) for x in xs][0]\n",
        "from itertools import chain\ndef f(xs):\n    z = [()] * len(xs)\n"
        "    return [any(chain.from_iterable(z)) for x in xs][0]\n",
        "from itertools import product\ndef f(xs):\n"
        "    return [next(product(xs)) for x in xs][0]\n",
        "from itertools import tee\ndef f(xs):\n    return sum(map(sum, tee(xs, len(xs))))\n",
        "def f(xs):\n    r = range(len(xs))\n    return [1.5 in r for x in xs][0]\n",
        "def f(xs):\n    zs = [xs[:]]\n    return [xs in zs for x in xs][0]\n",
        "def f(xs):\n    zs = (xs[:],)\n    return [zs.index(xs) for x in xs][0]\n",
        "def f(xs):\n    a, b = [xs + [1]], [xs + [2]]\n    return [a == b for x in xs][0]\n",
        "def f(xs):\n    ys = [xs[:] for x in xs]\n    return len(sorted(ys))\n",
        "from functools import reduce\nimport operator\ndef f(xs):\n"
        "    return reduce(operator.mul, [3 ** 40] * len(xs)) & 7\n",
        "def f(xs):\n    n = 3 ** (20 * len(xs))\n    return [n.__mul__(3) for x in xs][0] & 7\n",
        "from itertools import accumulate\ndef f(xs):\n"
        "    return len(list(accumulate([x] for x in xs)))\n",
        "def f(xs):\n    n = 1 << (900 * len(xs))\n    return sum([n] * len(xs)) & 7\n",
        "def f(xs):\n    n = 1 << (3000 * len(xs))\n    return [-n for x in xs][0] & 7\n",
        "def f(xs):\n    return [f'{xs!r:.1}' for x in xs][0]\n",
        "def f(xs):\n    return ['%.1s' % (xs,) for x in xs][0]\n",
        "def f(xs):\n    return ['{!r:.1}'.format(xs) for x in xs][0]\n",
        "class A:\n    s = ''\ndef f(xs):\n    a = A()\n"
        "    for x in xs:\n        a.s += 'abcdefghijabcdefghij' * 9\n",
        "def g(d):\n    return d\ndef f(xs):\n    d = {0: ()}\n"
        "    for x in xs:\n        g(d)[0] += (x, x, x)\n",
        "class A:\n    n = 1\ndef f(xs):\n    a = A()\n    for x in xs:\n        a.n *= 3 ** 90\n",
        "def f(xs):\n    s = ''\n    for x in xs:\n        t = s\n        s += 'abcdefghij' * 20\n",
        "s = ''\ndef f(xs):\n    global s\n    for x in xs:\n        s += 'abcdefghij' * 20\n",
        "class A:\n    __add__ = max\ndef f(xs):\n    a = A()\n"
        "    return [a + xs for x in xs][0]\n",
        "class A(list):\n    __invert__ = list.copy\ndef f(xs):\n    a = A(xs)\n"
        "    return len([~a for x in xs])\n",
        "class A(list):\n    t = property(sum)\ndef f(xs):\n    a = A(xs)\n"
        "    return [a.t for x in xs][0]\n",
        "class A:\n    __call__ = max\ndef f(xs):\n    a = A()\n"
        "    return list(map(a, [xs] * len(xs)))[0]\n",
        "from functools import lru_cache\ndef f(xs):\n    (g,) = map(lru_cache(0), [max])\n"
        "    return list(map(g, [tuple(xs)] * len(xs)))[0]\n",
        "from collections import Counter\ndef f(xs):\n    c = Counter(xs)\n"
        "    return [len(c - c) for x in xs][0]\n",
        "def f(xs):\n    d = dict.fromkeys([1, *xs], 0)\n    for x in xs:\n        match d:\n"
        "            case {1: a, **rest}:\n                pass\n",
        "def f(xs):\n    b = bytearray(20 * len(xs))\n    return [b.find(1) for x in xs][0]\n",
    ],
)
def test_quadratic_work_is_not_hidden(sandbox: Sandbox, hidden: str) -> None:
    """Twice the size takes about four times the work, by whatever road it goes into C."""
    assert not uncounted(hidden)
    lists = [[each * 7919 % 10007 for each in range(1, size)] for size in (100, 200)]
    less, more = units(sandbox, hidden, *lists)
    assert more > 2.8 * less


@pytest.mark.parametrize(
    "fair",
    [
        "def f(xs):\n    return [bool(xs) for x in xs][0]\n",
        "def f(xs):\n    return len([type(xs) is list for x in xs])\n",
        "def f(xs):\n    return sum(map(xs.__getitem__, range(len(xs))))\n",
        "def f(xs):\n    return len([ValueError(xs) for x in xs])\n",
        "def f(xs):\n    t = tuple(xs)\n    return len([tuple(t) for x in xs])\n",
        "def f(xs):\n    t = 'a' * len(xs)\n    return len([str(t) for x in xs])\n",
        "def f(xs):\n    return len([max(xs, [x], key=len) for x in xs])\n",
        "def f(xs):\n    s = ''\n    for x in xs:\n        s = s + 'abcdefghij'\n    return s\n",
        "from collections import deque\ndef f(xs):\n    d = deque(xs)\n"
        "    for x in xs:\n        d.rotate(1)\n",
        "def f(xs):\n    rows = [[x] + xs for x in xs[:3]]\n"
        "    return [rows[0] != rows[1] for x in xs][0]\n",
    ],
)
def test_constant_work_is_charged_as_such(sandbox: Sandbox, fair: str) -> None:
    """Twice the size takes about twice the work where a call does not look at all of its value."""
    assert not uncounted(fair)
    lists = [[each * 7919 % 10007 for each in range(1, size)] for size in (200, 400)]
    less, more = units(sandbox, fair, *lists)
    assert more < 2.2 * less


def test_the_parts_of_a_target_are_evaluated_once(sandbox: Sandbox) -> None:
    source = (
        "class A:\n    n = 0\n    @property\n    def p(self):\n        self.n += 1\n"
        "        return self.n\n    @p.setter\n    def p(self, value):\n        self.n = value\n"
        "def f(xs):\n    a, seen = A(), []\n    def at(k):\n        seen.append(k)\n"
        "        return k\n    a.p += 5\n    xs[at(0)] += at(9)\n    xs[at(1) :] *= at(2)\n"
        "    return a.n, seen, xs\n"
    )
    expected = (6, [0, 9, 1, 2], [10, 2, 3, 2, 3])
    assert units(sandbox, source, [1, 2, 3], expected=expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A:\n    n = 0\n    def __eq__(self, x):\n        A.n += 1\n        return True\n"
         "def f(xs):\n    return [A()] == [A()], A() in [A()], A.n\n", (True, True, 2)),
        ("class A(list):\n    def __iter__(self):\n        while self:\n"
         "            yield self.pop()\n"
         "def f(xs):\n    return sorted(A(xs)), max(A(xs))\n", ([1, 2, 3], 3)),
        ("class A(list):\n    def __call__(self, x):\n        return x + len(self)\n"
         "def f(xs):\n    return A(xs)(1)\n", 4),
        ("class A:\n    def __init__(self):\n        self.__f = max\n"
         "    def g(self):\n        return self.__f is max\n"
         "def f(xs):\n    return A().g()\n", True),
        ("def m(name, bases, words):\n    return words['x']\nclass A(metaclass=m):\n    x = 5\n"
         "def f(xs):\n    return A\n", 5),
    ],
)  # fmt: skip
def test_code_of_the_program_runs_no_more_often(
    sandbox: Sandbox, text: str, expected: object
) -> None:
    """Whatever a class does when it is compared, iterated or called, counting does not repeat."""
    assert units(sandbox, text, [1, 2, 3], expected=expected)


def test_powers_that_stay_small_cost_little(sandbox: Sandbox) -> None:
    """Of 1, 0 and -1, whatever the exponent; nothing overflows."""
    text = "    x = 1\n    x **= 10**400\n    return x + (-1) ** 10**30 + 0 ** 10**30\n"
    assert units(sandbox, f"def f(xs):\n{text}", [1])[0] < 10_000
