"""The ``check`` that judges what unit tests saw: its text, before what each assertion asks."""

from __future__ import annotations

OWN_WORD = {"decided": True}
"""What is seen of an assertion between objects that are no plain values, once it has held."""

CHECK = '''\
import builtins
import unittest

BIG = 10**9
BASIC = [True, False, None, 0, 1, -1, 2, 0.0, 0.5, BIG, -BIG, "", "a", " "]
BASIC += [[], [0], [""], {}, (), set(), *range(3, 11)]
PAIRS = [1, 2, "a", "ab", ["a"], True]
test = unittest.TestCase()
test.maxDiff = None


class Opaque:
    """What was no plain value: its truth and perhaps its items are known."""

    def __init__(self, fact):
        self.truth, self.items = fact["truth"], fact.get("items")

    def __bool__(self):
        return self.truth

    def __iter__(self):
        return iter(self.items)  # TypeError where there are none

    def __len__(self):
        return len(self.items)

    def __contains__(self, item):
        return item in self.items


def value(seen):
    return Opaque(seen) if type(seen) is dict and "no plain value" in seen else seen


def decided(seen):
    return len(seen) == 1 and type(seen[0]) is dict and seen[0] == {"decided": True}


def opaque(seen):
    return any(type(each) is dict and "no plain value" in each for each in seen)


def library(name):
    module, _, function = name.rpartition(".")
    return getattr(__import__(module, fromlist=["*"]), function)


def equal(first, second, kind=None):
    assert first == second
    assert kind is None or isinstance(first, kind) and isinstance(second, kind)


def kinds(names, wanted, shown):
    for each in wanted:
        if isinstance(getattr(builtins, each, None), type):
            right = ["builtins." + each]
        else:  # a class of the program's own, or of a library: what the reference had here
            known = shown or names
            right = [name for name in known if name.rpartition(".")[2] == each]
        if not set(right).isdisjoint(names):
            return True
    return False


def raised(seen, wanted, shown, pattern=None):
    known = shown[0][0] if shown and shown[0] else None
    assert seen is not None and kinds(seen[0], wanted, known)
    if pattern is not None:
        test.assertRegex(seen[1], pattern)


def alike(first, second):
    try:
        return bool(first == second)
    except Exception:  # arrays
        return False


def holds(number, seen, known, shown):
    """Whether an assertion holds of what was seen, beside what the reference showed there."""
    if known is None:  # what it compares with is not the same each time
        return True
    try:
        SITES[number]([value(each) for each in seen], known, shown)
    except Exception:
        return False
    return True


def rows(output, expected):
    saw, known = expected["saw"], expected["known"]
    if expected["ordered"]:
        fixed = [pair for pair in zip(saw, known) if pair[0][0] not in LOOSE]
        now = [each for each in output if each[0] not in LOOSE]
        if [each[0] for each in now] != [each[0][0] for each in fixed]:
            return None
        found = [(each, then[1:], side) for each, (then, side) in zip(now, fixed)]
        # How often a program comes to these depends on what it gives.
        some = {then[0]: (then[1:], side) for then, side in zip(saw, known) if then[0] in LOOSE}
        if set(some) != {each[0] for each in output if each[0] in LOOSE}:
            return None
        return found + [(each, *some[each[0]]) for each in output if each[0] in LOOSE]
    at = {then[0]: (then[1:], side) for then, side in zip(saw, known)}
    if set(at) != {each[0] for each in output}:
        return None
    return [(now, *at[now[0]]) for now in output]


def check(inputs, output, expected):
    found = None if type(output) is not list else rows(output, expected)
    if found is None:
        return output is expected
    for (number, *got), shown, side in found:
        if decided(got):
            if not decided(shown):
                return False
        elif number in LOOSE or not (shown and alike(got, shown)):
            if opaque(side or ()) or not holds(number, got, side, shown):
                return False
    return True


def upheld(inputs, output, expected):
    """Whether the reference passes its own test; what is no plain value it decides by itself."""
    return all(
        decided(shown) or side and opaque([*shown, *side]) or holds(number, shown, side, shown)
        for (number, *shown), side in zip(expected["saw"], expected["known"])
    )


def survey(inputs, output, expected):
    """Whether a program that does not know the task could show what every assertion wants."""
    visible = VISIBLE.get(tuple(inputs), [])
    texts = [each for each in visible if type(each) is str]
    lengths = [len(each) for each in visible if hasattr(each, "__len__")]
    guesses = [*BASIC, *visible, *lengths, " ".join(texts), "".join(texts), texts, visible]
    guesses += [{"no plain value": [], "truth": True, "items": each} for each in ([], guesses)]
    asked = set()
    for (number, *shown), known in zip(expected["saw"], expected["known"]):
        if known is None or not shown or decided(shown) or number in FREE:
            continue
        if repr((number, known)) in asked:
            continue
        asked.add(repr((number, known)))
        if number in RAISING:
            if shown[0] is None:
                continue
            tries = [[[shown[0][0], text]] for text in ["", "a", *texts, " ".join(texts)]]
        elif len(shown) == 2:
            tries = [[first, second] for first in PAIRS for second in PAIRS]
            tries += [[each, each] for each in guesses]
        else:
            tries = [[each] * len(shown) for each in guesses]
        if opaque(known):  # it has to be as the reference's
            if not opaque(shown) and not any(alike(each, shown) for each in tries):
                return False
        elif not any(holds(number, each, known, shown) for each in tries):
            return False
    return True


SITES = {
'''
KINDS = {
    "ListEqual": "list",
    "TupleEqual": "tuple",
    "SetEqual": "(set, frozenset)",
    "DictEqual": "dict",
    "MultiLineEqual": "str",
}
