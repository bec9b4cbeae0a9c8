"""Hold counted work against instructions that valgrind's callgrind simulates.

    python -m scripts.benchmarks.efficiency weights [--only sort]

Each line below is one kind of work, done once a turn of a loop (``ONCE``) or on a thousand elements
(``WHOLE``). A loop without it is subtracted; figures are per turn or element. The ratio of units to
instructions is 0.25 where a weight fits.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from evalplus_lite.efficiency.work import work
from evalplus_lite.sandbox import Sandbox
from evalplus_lite.types import Task
from scripts.benchmarks.figures import Row, Table, arguments

SETUP = """
import bisect, collections, functools, heapq, itertools, math, re, statistics
def g(x):
    return x + 1
class C:
    def __init__(self, x):
        self.x = x
    def m(self, x):
        return self.x
def f(n):
    s, m, h, o, e, b = 0, 1.5, [], C(1), [], {}
    xs, t = list(range(1000)), 'aB' * 500
    ys = [i * 7919 % 1009 for i in range(1000)]
    fs = [i * 0.5 for i in ys]
    ws = [chr(97 + i % 26) * (1 + i % 7) for i in ys]
    pairs = [(i % 7, i) for i in ys]
    rows = [ys[i * 20 : i * 20 + 20] for i in range(50)]
    d, z = dict(zip(ys, xs)), set(xs)
    q, u = collections.deque(xs), tuple(xs)
    big = 3 ** 2000
"""
ONCE = """
add: s = s + i
add in place: s += i
compare: s = i < 7
branch: s = 1 if i % 3 == 0 else 2
remainder: s = i % 7
float product: m = i * 1.5
divide: m = i / 7
power: s = i ** 2
index: s = xs[i % 1000]
store: xs[7] = i
swap: xs[1], xs[2] = xs[2], xs[1]
tuple: s = (i, i)
call of a function: g(i)
call of a method: o.m(i)
attribute: s = o.x
make an object: C(i)
lambda: (lambda x: x)(i)
try: try: s = i\\n        except ValueError: pass
and, not: s = i > 5 and not i == 7
append: e.append(i)
append, pop: e.append(i); e.pop()
dict get: s = b.get(i % 97, 0)
dict store: b[i % 97] = i
in dict: s = i in d
in set: s = i in z
set add: z.add(i)
len: s = len(xs)
max of two: s = max(s, i)
abs: s = abs(i)
isinstance: s = isinstance(i, int)
ord: s = ord('a')
chr: s = chr(97)
str(int): str(i)
int(str): int('123')
float(str): float('1.5')
round: round(1.234, 2)
divmod: divmod(i, 7)
range: range(i)
sqrt: math.sqrt(i)
gcd: math.gcd(i, 36)
pow, modulus: pow(i, 65537, 1000007)
isalpha: 'a'.isalpha()
upper of a character: 'a'.upper()
f-string: s = f'{i} and'
percent: s = '%d and' % i
format: s = '{} and'.format(i)
text equality: s = t[0] == 'a'
in short text: s = 'e' in 'aeiou'
startswith: t.startswith('aB')
list of three: s = [i, i, i]
slice of two: s = xs[1:3]
copy of three: list((1, 2, 3))
heap push, pop: heapq.heappush(h, i); s = heapq.heappop(h)
bisect: bisect.bisect(xs, 400)
deque: q.append(i); q.popleft()
sort three: sorted((3, 1, 2))
loop of three: for x in (1, 2, 3): pass
loop of a range of three: for x in range(3): pass
loop of enumerate of three: for x, y in enumerate((1, 2, 3)): pass
loop of zip of three: for x, y in zip((1, 2, 3), (1, 2, 3)): pass
comprehension of three: [x for x in (1, 2, 3)]
generator of three: any(x < 0 for x in (1, 2, 3))
sum of three: sum((1, 2, 3))
max of three: max((1, 2, 3))
map of three: list(map(abs, (1, 2, 3)))
set of three: s = {i, 2, 3}
set of a tuple of three: set((1, 2, 3))
dict of three: s = {1: i, 2: i, 3: i}
Counter of three: collections.Counter((1, 2, 3))
update by three: z.update((1, 2, 3))
union of three: s = {i, 2} | {3}
re.findall of three: re.findall('a', 'abc')
fraction of two: s = i / 3 * 2 + 1
unpack three: s, m, x = (i, 2, 3)
join three by map: ''.join(map(str, (1, 2, 3)))
split three: 'a b c'.split()
join three: ' '.join(('a', 'b', 'c'))
re.match: re.match('[a-z]', 'abc')
big add: s = big + i
big compare: s = big < i
"""
WHOLE = """
list(list): list(xs)
set(list): set(ys)
dict(zip): dict(zip(ys, xs))
tuple(list): tuple(xs)
list(text): list(t)
set(text): set(t)
slice: xs[1:]
reverse: xs[::-1]
list(reversed): list(reversed(xs))
list + list: xs + [1]
product of a list: [0] * 1000
for over a list: for x in xs: pass
for over a dict: for k, v in d.items(): pass
for over a text: for c in t: pass
list comprehension: [x for x in xs]
filtered comprehension: [x for x in xs if x > 5]
set comprehension: {x for x in ys}
dict comprehension: {x: 1 for x in ys}
generator: sum(x for x in xs)
any(generator): any(x < 0 for x in xs)
max(generator): max(x for x in xs)
join(generator): ''.join(c for c in t)
map(lambda): list(map(lambda x: x + 1, xs))
filter(lambda): list(filter(lambda x: x > 5, xs))
map(str): list(map(str, xs))
map(len): list(map(len, ws))
map(list): list(map(list, rows))
filter(None): list(filter(None, xs))
enumerate: for i, x in enumerate(xs): pass
zip: for x, y in zip(xs, ys): pass
in list: -1 in xs
in tuple: -1 in u
list.count: xs.count(-1)
tuple.count: u.count(-1)
index: xs.index(999)
equal lists: xs == ys[:0] + xs
sum: sum(xs)
sum of floats: sum(fs)
max: max(xs)
max of texts: max(ws)
max by len: max(ws, key=len)
min by lambda: min(pairs, key=lambda p: p[1])
sort random: sorted(ys)
sort sorted: sorted(xs)
list.sort: e = ys[:]; e.sort()
sort floats: sorted(fs)
sort texts: sorted(ws)
sort pairs: sorted(pairs)
sort by lambda: sorted(ys, key=lambda x: -x)
sort by len: sorted(ws, key=len)
sort by a tuple: sorted(ys, key=lambda x: (x % 7, x))
sort a generator: sorted(y for y in ys)
sort a set: sorted(z)
insert at 0: e = xs[:]; e.insert(0, 1)
remove the first: e = xs[:]; e.pop(0)
Counter: collections.Counter(ys)
Counter of a text: collections.Counter(t)
most_common: collections.Counter(ys).most_common(3)
union: z | set(u)
intersection: z & z
intersection of a list: z.intersection(xs)
isdisjoint: z.isdisjoint({-1, -2, -3})
isdisjoint of a list: {-1}.isdisjoint(xs)
issubset: z.issubset(z)
dict.copy: d.copy()
update: b.update(d)
sorted(dict.items()): sorted(d.items())
join: ''.join(ws)
split: t.split('B')
replace: t.replace('B', 'c')
replace of nothing: t.replace('x', 'c')
lower: t.lower()
isalpha of a text: t.isalpha()
text.count: t.count('B')
text.count of two: t.count('Ba')
find: t.find('x')
reverse text: t[::-1]
text + text: t + 'x'
text equality, long: t == t[:999] + 'x'
strip: (' ' * 1000).strip()
translate: t.translate({66: 'b'})
int of digits: int('7' * 1000)
str of digits: str(big)
big product: big * big
big division: big // 7
factorial: math.factorial(500)
re.findall: re.findall('[a-z]', t)
re.sub: re.sub('B', 'x', t)
re.fullmatch: re.fullmatch('[a-zB]+', t)
re.search of nothing: re.search('xy', t)
re.split: re.split('B', t)
heapify: heapq.heapify(ys[:])
nlargest: heapq.nlargest(5, ys)
nlargest of half: heapq.nlargest(500, ys)
combinations: for x in itertools.combinations(xs[:45], 2): pass
permutations: for x in itertools.permutations(xs[:6], 4): pass
product: for x in itertools.product(xs[:32], xs[:31]): pass
accumulate: list(itertools.accumulate(xs))
chain: list(itertools.chain(*rows))
groupby: for k, v in itertools.groupby(t): pass
zip(*rows): list(zip(*rows))
reduce: functools.reduce(lambda a, b: a + b, xs)
sum of lists: sum(rows, [])
mean: statistics.mean(xs)
median: statistics.median(ys)
math.prod: math.prod(fs)
divmod of a list: [divmod(x, 7) for x in xs]
"""
SIZES = (4_000, 12_000)


def main() -> None:
    """Read the command line, measure, print."""
    parser = arguments(__doc__, workers=False)
    parser.add_argument("what", choices=["weights"])
    parser.add_argument("--python", default=sys.executable, help="what callgrind runs")
    parser.add_argument("--only", default="", help="lines whose name contains this")
    options = parser.parse_args()
    table = Table()
    for row in weights(options.python, options.only):
        table.add(row)
    table.save(options.record)


def weights(python: str, only: str) -> Iterator[Row]:
    """Yield instructions and units of each kind of work, an empty loop subtracted."""
    lines = [
        (name, body.replace("\\n", "\n"), turns)
        for text, turns in ((ONCE, 1), (WHOLE, 1000))
        for name, body in (line.split(": ", 1) for line in text.strip().splitlines())
        if only in name
    ]
    lines = [("", "pass", 1), ("", "pass", 1000), *lines]
    sources = [f"{SETUP}    for i in range(n):\n        {body}\n" for _, body, _ in lines]
    sizes = [[max(4, size // turns) for size in SIZES] for _, _, turns in lines]
    simulated = slopes(instructions(python, sources, sizes), sizes)
    with Sandbox() as sandbox:
        counts = []
        for source, few in zip(sources, sizes, strict=True):
            task = Task("x", "", "f", source)
            works = work(sandbox, task, source, [(size,) for size in few], None, most=1 << 40)
            counts.append([each.units or 0 for each in works])
    counted = slopes(counts, sizes)
    for at, (name, _, turns) in enumerate(lines[2:], 2):
        empty = turns > 1
        cost, units = simulated[at] - simulated[empty], counted[at] - counted[empty]
        yield {
            "work": name,
            "instructions": cost / turns,
            "units": units / turns,
            "ratio": units / cost,
        }


def slopes(costs: Sequence[Sequence[int]], sizes: Sequence[Sequence[int]]) -> list[float]:
    """Return the costs of a turn, from those of few and of many."""
    return [
        (high - low) / (many - few) for (low, high), (few, many) in zip(costs, sizes, strict=True)
    ]


def instructions(
    python: str, sources: Sequence[str], sizes: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return the instructions of each program of ours at two sizes, all in one process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "programs.py")
        # callgrind writes down what it has counted, and starts from 0, at each ``getpid``.
        calls = "".join(f"getpid(); f({few}); getpid(); f({many})\n" for few, many in sizes)
        parts = zip(sources, calls.splitlines(keepends=True), strict=True)
        text = "".join(f"{source}\n{call}" for source, call in parts)
        path.write_text(f"import gc; from os import getpid; gc.disable()\n{text}getpid()\n")
        command = ["valgrind", "--tool=callgrind", "--dump-before=getpid"]
        out = f"--callgrind-out-file={folder}/out"
        environment = {"PYTHONHASHSEED": "0"}  # the order of sets, and how often they collide
        subprocess.run(
            [*command, out, python, "-s", "-S", path], capture_output=True, check=True,
            env=environment,
        )  # fmt: skip
        dumps = sorted(Path(folder).glob("out.*"), key=lambda each: int(each.suffix[1:]))
        totals = [re.search(r"^totals: (\d+)", each.read_text(), re.M) for each in dumps]
    counts = [int(found[1]) for found in totals if found][1:]
    return [counts[at : at + 2] for at in range(0, 2 * len(sources), 2)]


if __name__ == "__main__":
    main()
