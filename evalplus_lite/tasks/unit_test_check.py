"""The ``check`` that judges what unit tests saw: its text, before what each assertion asks."""

from __future__ import annotations

OWN_WORD = {"decided": True}
"""What is seen of an assertion between objects that are no plain values, once it has held."""

CHECK = '''\
import unittest

OWN = [{"decided": True}]
test = unittest.TestCase()


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


def equal(first, second, kind=None):
    assert first == second
    assert kind is None or isinstance(first, kind) and isinstance(second, kind)


def kinds(names, wanted):
    return not set(wanted).isdisjoint(names)


def raised(seen, wanted, pattern=None):
    assert seen is not None and kinds(seen[0], wanted)
    if pattern is not None:
        test.assertRegex(seen[1], pattern)


def check(inputs, output, expected):
    if {each[0] for each in expected} - {each[0] for each in output}:
        return False
    try:
        for number, *seen in output:
            if seen == OWN:
                assert [number, *OWN] in expected
            else:
                SITES[number]([value(each) for each in seen])
    except Exception:
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
