"""What a child may write on its channel, and what the supervisor makes of it."""

from __future__ import annotations

import struct
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalplus_lite.sandbox import Expected, Inputs, Limits, Program, Sandbox
from evalplus_lite.sandbox.guest import child
from evalplus_lite.sandbox.worker_handle import Waiting, WorkerHandle
from evalplus_lite.types import Outcome, Returned
from evalplus_lite.values import wire

WRITER = """
import os, stat
for number in range(3, 64):
    try:
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            os.write(number, {data!r})
    except OSError:
        pass
os._exit(0)
"""
ANSWERS = (10, 20, 30)
LIMITS = Limits(cpu=1.0, load=2.0, wait=1.0, output=1 << 20)


class Told:
    """Keeps what the supervisor was made to believe."""

    def __init__(self) -> None:
        self.equal_cases: list[int] = []
        self.outcomes: dict[int, Outcome] = {}

    def equal(self, first: int, last: int) -> bool:
        self.equal_cases += range(first, last)
        return True

    def outcome(self, case: int, outcome: Outcome) -> bool:
        assert case not in self.outcomes
        self.outcomes[case] = outcome
        return True


def frame(kind: bytes, first: int, count: int, payload: bytes) -> bytes:
    return child.HEADER.pack(kind, first, count, len(payload)) + payload


def record(kind: bytes, data: bytes) -> bytes:
    return child.RECORD.pack(kind, len(data)) + data


GOOD = frame(b"L", 0, 0, b"") + frame(
    b"B", 0, 3, b"".join(record(b"V", wire.encode(value)) for value in ANSWERS)
)


def judge(sandbox: Sandbox, data: bytes) -> Told:
    """Have a child write ``data`` and exit; return what was believed."""
    told = Told()
    inputs = Inputs.of([(1,), (2,), (3,)])
    expected = Expected.of([wire.encode(value) for value in ANSWERS])
    program = Program(WRITER.format(data=data), "f")
    sandbox.watch(program, inputs, LIMITS, told, expected=expected)
    return told


def test_well_formed_answers_are_taken(sandbox: Sandbox) -> None:
    """The frames that the mutations below start from are good."""
    assert judge(sandbox, GOOD).equal_cases == [0, 1, 2]


@given(st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_mutated_frames(sandbox: Sandbox, data: st.DataObject) -> None:
    """However frames are damaged, each case is told about once, in all, and none is believed
    right whose right bytes were not there."""
    text = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 6))] = data.draw(
            st.binary(max_size=6) | st.integers(0, 2**32 - 1).map(lambda n: struct.pack("<I", n))
        )
    told = judge(sandbox, bytes(text))
    cases = sorted([*told.equal_cases, *told.outcomes])
    assert cases == [0, 1, 2]
    for case in told.equal_cases:
        assert wire.encode(ANSWERS[case]) in text
    for case, outcome in told.outcomes.items():
        if isinstance(outcome, Returned):
            assert outcome.data != wire.encode(ANSWERS[case])


@given(st.binary(max_size=100))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes(sandbox: Sandbox, text: bytes) -> None:
    """Bytes from nowhere are believed in nothing."""
    told = judge(sandbox, text)
    assert told.equal_cases == []
    assert sorted(told.outcomes) == [0, 1, 2]


BUSY = """
import time
def f(number):
    until = time.perf_counter() + (0.008 + number % 7 / 1000 if number % 5 == 4 else 0.0004)
    while time.perf_counter() < until:
        pass
    return number
"""


def test_a_slow_look_at_the_page_attributes_no_answer_to_another_case(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supervisor may be held up between the two reads of a look, as on a loaded machine."""

    def waiting(worker: WorkerHandle) -> Waiting:
        case, first = struct.unpack_from("<QQ", worker._progress, 0)
        time.sleep(0.004)
        return Waiting(first, case, worker._progress[child.WORDS :])

    monkeypatch.setattr(WorkerHandle, "waiting", waiting)
    for _ in range(5):
        run = sandbox.run(Program(BUSY, "f"), Inputs.of([(number,) for number in range(200)]))
        answers = [wire.decode(each.data) for each in run.outcomes if isinstance(each, Returned)]
        assert answers == list(range(200))
