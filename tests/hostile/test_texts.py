"""Hostile answers of kinds that the fuzzer's shapes do not make: each costs little, and no more."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hostile.fuzz.campaign import Process, Trial, problem

HONEST = "def add(a, b):\n    return a + b\n"
SIZE = 40_000
PATIENCE = 3.0
TEXTS = {
    "fences of many lengths": "".join("`" * n + "\n" for n in range(3, 280)) + HONEST,
    "marks that have to be put in order": HONEST + "a" + "\u0301\u0327\u0316" * 6_600 + " = 1\n",
    "names that become longer": HONEST + "\ufb03" * SIZE + " = 1\n",
    "another coding": "# -*- coding: utf-7 -*-\n" + HONEST + "+AGEAYQ-" * 5_000,
    "diffs in diffs": "".join("+" * (n % 40 + 1) + "x\n" for n in range(1_800)) + "+" + HONEST,
    "prompts in prompts": ">>> " * 10_000 + "\n" + HONEST,
    "unfinished escapes": "\x1b[" + "0;" * 20_000 + "\n" + HONEST,
    "escapes to the front": "x" * 9_000 + "\x1b[1Gy" * 6_000 + "\n" + HONEST,
    "entities of entities": "&" + "amp;" * 10_000 + "lt; " + HONEST,
    "programs in JSON": json.dumps([HONEST.replace("add", f"add{n}") for n in range(1_000)]),
    "returns for line ends": HONEST.replace("\n", "\r") + "x = 1\r" * 6_000,
    "lines carried on": HONEST + "x = 1" + " \\\n" * 13_000 + "\n",
    "braces of a text": HONEST + "x = f'" + "{a}" * 13_000 + "'\n",
    "type parameters": HONEST + "def f[" + ",".join(f"T{n}" for n in range(6_000)) + "](x): pass\n",
    "decorators": "@d\n" * 13_000 + HONEST,
    "global names": HONEST + "def f():\n global " + ",".join(f"a{n}" for n in range(6_000)),
    "named characters": HONEST + "x = '" + "\\N{BULLET}" * 4_000 + "'\n",
    "half characters": HONEST + "x = '" + "\ud800" * SIZE + "'\n",
    "folded tuples": HONEST + "".join(f"x{n} = (((({n},)*16,)*15,)*15,)*15\n" for n in range(900)),
}


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    """The process that reads answers."""
    with Process("answer") as found:
        yield found


@pytest.mark.parametrize("kind", TEXTS)
def test_an_answer_costs_little_whatever_it_holds(process: Process, kind: str) -> None:
    """It is read within its bounds, and so are the right ones before and after it."""
    data = TEXTS[kind].encode("utf-8", "surrogatepass")
    result = process.read(Trial("answer", 0, 0, len(data)), data)
    assert not problem(result, patience=PATIENCE), result
