"""Mined programs in the sandbox: what is kept, what touches the outside, inputs."""

from __future__ import annotations

from typing import Any

import pytest
from support.mining import SLUG, mine_all

from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram, Invocation, run


def test_a_function_is_mined_with_valid_reproducible_cases(toys: Any, sandboxes: Sandboxes) -> None:
    """Its cases meet all validators, are the same in two runs, and have the answers given here."""
    path = toys.wheel({"toy.py": SLUG})
    first, rejects = mine_all(path, sandboxes)
    again, _ = mine_all(path, sandboxes)
    assert not rejects
    assert [t.to_json() for t in first] == [t.to_json() for t in again]
    (task,) = first
    assert len(task.cases) == 15
    assert task.facts["validators"] == {"failed": []}
    assert task.facts["compared"] > 20
    assert task.facts["variation"]["lines"] > 0
    assert all(case.runtime["lines"] >= 2 for case in task.cases)
    space: dict[str, Any] = {}
    exec(task.code, space)
    for case in task.cases:
        if case.answer.kind == "value":
            assert space["slug"](*case.call.args, **case.call.kwargs) == case.answer.value
        else:
            with pytest.raises(ValueError, match=r"^bad limit -") as caught:
                space["slug"](*case.call.args, **case.call.kwargs)
            assert (case.answer.type, case.answer.message) == ("ValueError", str(caught.value))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import mimetypes\ndef f(x: str) -> str:\n    return str(mimetypes.guess_type(x))\n",
         "files"),
        ("def f(x: int) -> str:\n    return repr(object())\n", "shows an address"),
        ("def f(x: str) -> str:\n    return ','.join({x, 'a', 'bb', 'ccc', 'dddd'})\n",
         "changes between runs"),
        ("import datetime\nclock = datetime.datetime\ndef f(x: int) -> str:\n"
         "    return str(vars)[:0] + getattr(clock, 'no' + 'w')().isoformat()\n",
         "touches the outside"),
        ("import calendar\ndef f(x: int) -> str:\n    return str(object.__hash__(object()))\n",
         "changes between runs"),
        ("def f(x: int) -> int:\n    return object()\n", "no answer is plain data"),
        ("assert False\ndef f(x: int) -> int:\n    return x\n", "original does not load"),
        ("X = 1 // 0\ndef f(x: int) -> int:\n    return x + X\n", "inlined code does not load"),
    ],
)  # fmt: skip
def test_what_only_runs_can_show_is_rejected(
    toys: Any, sandboxes: Sandboxes, body: str, reason: str
) -> None:
    """Hidden impurity, hash order, addresses and code that does not load are found by running."""
    path = toys.wheel({"toy.py": body})
    tasks, rejects = mine_all(path, sandboxes, rounds=1)
    if "getattr" in body:
        # Text alone already refuses this; the runs must see it too.
        assert rejects["toy.f"] == "dynamic code"
        rejects["toy.f"] = _proved_despite_text(body, sandboxes)
    assert not tasks
    assert rejects["toy.f"] == reason


def test_the_order_of_keys_is_no_difference(sandboxes: Sandboxes) -> None:
    """Of a dict with other keys than texts, too, which another hash seed gives in another order."""
    body = "def f(x):\n    return {(each, 1): 0 for each in {x, 'a', 'bb', 'ccc', 'dddd'}}\n"
    first, second = (
        run(place, CallableProgram("f", body), [Invocation(("x",))]).answers[0]
        for place in (sandboxes.plain, sandboxes.others[0])
    )
    assert list(first.value) != list(second.value)
    assert first.key == second.key


def _proved_despite_text(body: str, sandboxes: Sandboxes) -> str:
    found = run(sandboxes.others[0], CallableProgram("f", body), [Invocation((1,))], variant=1)
    assert found.touched == ("datetime.now",)
    return "touches the outside"


@pytest.mark.parametrize(
    ("code", "touched"),
    [
        ("import time\ndef f(x): return time.time()", "time.time"),
        ("from random import random\ndef f(x): return random()", "random.random"),
        ("import os\ndef f(x): return os.environ.get('HOME')", "os.environ"),
        ("import os\ndef f(x): return os.getcwd()", "os.getcwd"),
        ("import datetime\ndef f(x): return datetime.date.today().isoformat()", "datetime.today"),
        ("import time\ndef f(x): return time.strftime('%Y')", "time.strftime"),
        ("import uuid\ndef f(x): return str(uuid.uuid4())", "os.urandom"),
        ("def f(x): return open('/etc/hostname').read()", "open /etc/hostname"),
        ("import socket\ndef f(x): return socket.gethostname()", "socket.gethostname"),
        ("import subprocess\ndef f(x): return subprocess.call(['ls'])", "subprocess.Popen"),
    ],
)
def test_touching_the_outside_is_noticed(sandboxes: Sandboxes, code: str, touched: str) -> None:
    """Clock, chance, environment, folder, files, network and processes are each seen when used."""
    found = run(sandboxes.others[0], CallableProgram("f", code), [Invocation((1,))], variant=1)
    assert any(what.startswith(touched) for what in found.touched), found


def test_pure_code_touches_nothing(sandboxes: Sandboxes) -> None:
    """Importing the library, dates as values, regexes and dataclasses are no touch."""
    code = (
        "import re, datetime, decimal, dataclasses, json, collections\n"
        "@dataclasses.dataclass\nclass P:\n    x: int\n"
        "T = collections.namedtuple('T', 'a b')\n"
        "def f(x):\n    import textwrap\n"
        "    d = datetime.date(2020, 1, 1) + datetime.timedelta(days=x)\n"
        "    return [d, isinstance(d, datetime.date), json.dumps([x]), T(1, P(2).x),\n"
        "            str(decimal.Decimal(x)), textwrap.shorten('a b', 5), (i for i in range(x))]\n"
    )
    for number in (0, 1):
        sandbox = sandboxes.others[0] if number else sandboxes.plain
        found = run(sandbox, CallableProgram("f", code), [Invocation((2,))], variant=number)
        assert found.touched == ()
        assert found.answers[0].value[:3] == ["2020-01-03", True, "[2]"]


def test_dates_generators_and_sets_are_plain_data(toys: Any, sandboxes: Sandboxes) -> None:
    """Dates travel as text, iterators become lists, sets stay sets."""
    body = """
        import datetime
        from typing import Iterable, Optional
        def next_days(day: datetime.date, count: int) -> Iterable[datetime.date]:
            for number in range(min(count, 5)):
                yield day + datetime.timedelta(days=number)
        def letters(text: str, *more: str, upper: bool = False) -> set[str]:
            found = set(text).union(*more)
            return {c.upper() for c in found} if upper else found
        """
    tasks, rejects = mine_all(toys.wheel({"toy.py": body}), sandboxes)
    assert not rejects
    days, letters = tasks
    assert all(type(c.call.args[0]) is str for c in days.cases)
    assert any(type(c.answer.value) is list and c.answer.value for c in days.cases)
    assert all(type(c.answer.value) is set for c in letters.cases if c.answer.kind == "value")


@pytest.mark.parametrize(
    "body", ['"a" * x', "[0] * x", "1 << 4 * x", "{n: str(n) for n in range(x)}", "range(x)"]
)
def test_answers_too_large_to_ask_for_are_no_cases(sandboxes: Sandboxes, body: str) -> None:
    """An answer of a hundred thousand items is unfit, a short one a value, on every run."""
    subject = CallableProgram("f", code=f"def f(x): return {body}")
    small, large = run(
        sandboxes.plain, subject, [Invocation((10,)), Invocation((200_000,))]
    ).answers
    assert small.kind == "value"
    assert large.kind == "unfit"
    assert "TooLong" in large.type
