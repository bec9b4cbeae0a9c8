"""Null programs, which cannot know a task's answer, and the tasks that accept them.

A task that accepts a program that only exits, skips, pretends to equal everything or tampers with
the test recorder is *guessable*: passing it is no evidence, so it is unusable. A task that accepts
an empty, constant or echoing program is *weak*: its suite reveals little, but the answer may really
be that simple.

This is the only module outside the sandbox that uses names inside the test recorder
(``sandbox/guest/testing.py``); ``tests/grading/test_null.py`` fails if they change there.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from evalplus_lite.errors import CodecError, UnusableTask
from evalplus_lite.grading.evaluator import PreparedSuite, evaluate_program
from evalplus_lite.grading.subsets import subset
from evalplus_lite.programs import definitions
from evalplus_lite.sandbox import Inputs, Limits, Preset, Program, Sandbox
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.types import Case, Returned, RuleKind, Suite, Task
from evalplus_lite.values import wire
from evalplus_lite.values.identity import key

SECONDS = 2.0
"""CPU seconds per case. A null program needs almost none, and cannot pass a longer test."""

CONSTANTS: Mapping[str, str] = {
    "does nothing": "pass",
    **{
        f"returns {each}": f"return {each}"
        for each in ("0", "1", "True", "False", "''", "[]", "{}")
    },
    "raises an exception": "raise Exception('no answer')",
}
"""Bodies of programs that a simple task may rightly accept, by description."""
ECHO = {"returns its first argument": "return arguments[0] if arguments else None"}

PRINTED: Mapping[str, str] = {
    "prints nothing": "",
    **{f"prints {each}": f"print({each!r})" for each in ("0", "1", "-1", "YES", "NO")},
}
"""The same for scripts, which may exit early, so exiting is not a trick."""
PRINTED_ECHO = {"prints its input": "import sys\nprint(sys.stdin.read(), end='')"}
EQUALITY: Collection[RuleKind] = ("python", "strict", "lines", "tokens", "numbers")
"""Rules by which a constant program fails if answers differ."""

ANYTHING = """\
class Anything:
    __hash__ = None
    def __init__(self, *arguments, **keywords): pass
    def __call__(self, *arguments, **keywords): return self
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        return self
    def same(self, *others): return True
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __contains__ = same
    def __ne__(self, other): return False
    def __iter__(self): return iter((self, self))
    def __len__(self): return 2
    def __getitem__(self, key): return self
    def arithmetic(self, *others): return self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = arithmetic
    __abs__ = __neg__ = __round__ = __enter__ = arithmetic
    def __exit__(self, *details): return True
    def __instancecheck__(self, value): return True
"""
RECORDER = """\
import sys
recorder = sys.modules["sandbox_inside"].Tested
class Passed:
    exception = Exception("passed")
    def __enter__(self): return self
    def __exit__(self, *details): return True
def passed(self, number, *values, **options):
    self.seen.append([number, {"decided": True}])
    return Passed()
recorder.see = recorder.deciding = recorder.raising = passed
"""
SITES = """\
import ast, builtins, sys
recorder = sys.modules["sandbox_inside"].Tested
NAMES = [name for name, value in vars(builtins).items() if isinstance(value, type)]
NAMES += "DataFrame Series ndarray Axes Figure datetime Counter Path".split()
PAIRS = {"Greater": [2, 1], "GreaterEqual": [2, 1], "Less": [1, 2], "LessEqual": [1, 2],
         "NotEqual": [1, 2], "In": ["a", ["a"]], "NotIn": ["b", ["a"]]}
def guesses(name, call):
    rest = call.args[1:]
    if "raising" in name: return [[NAMES, ""]]
    if "deciding" in name:
        asked = getattr(rest[0], "attr", "").removeprefix("assert")
        if IS_DECIDED or asked in ("Is", "IsNot"): return [{"decided": True}]
        return PAIRS.get(asked, ["a"] * (len(rest) - 1)) + [1] * len(call.keywords)
    if rest and isinstance(rest[0], ast.Call) and "kinds" in getattr(rest[0].func, "id", ""):
        return [NAMES]
    return [True] * len(rest)
def sites(node):
    return [
        [each.args[0].value, *guesses(each.func.id, each)]
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.args
        and each.func.id.startswith("__") and isinstance(each.args[0], ast.Constant)
    ]
def read(self, names, tests, *more):
    self.tests = ast.parse(tests)
def answer(self, suite, name, *more):
    owner = next(each for each in self.tests.body if getattr(each, "name", "") == suite)
    parts = [each for each in owner.body if isinstance(each, ast.FunctionDef)]
    used = [each for each in parts if each.name == name or not each.name.startswith("test")]
    return [site for each in used for site in sites(each)]
recorder.__init__, recorder.__call__ = read, answer
"""
ENDS: Mapping[str, tuple[str, str]] = {
    "calls sys.exit(0)": ("import sys\n", "sys.exit(0)"),
    "calls os._exit(0)": ("import os\n", "os._exit(0)"),
    "skips its tests": ("import unittest\n", "raise unittest.SkipTest('no answer')"),
    "returns an object equal to everything": (ANYTHING, "return Anything()"),
    "replaces the test recorder": (RECORDER, "raise Exception('no answer')"),
    "guesses every assertion": (f"IS_DECIDED = True\n{SITES}", "pass"),
    "guesses every assertion's values": (f"IS_DECIDED = False\n{SITES}", "pass"),
}
"""Heads and bodies of programs that no sound test accepts, by description."""
ON_TESTS = ("replaces the test recorder", "guesses every")


def require_knowledge(sandbox: Sandbox, task: Task, suite: Suite) -> str:
    """Return the description of an accepted null program that may be right; "" if there is none.

    Raises UnusableTask with the cause ``guessable`` if the task accepts one that cannot be right.
    """
    # Try programs that cannot be right first: if one passes, nothing else about the suite
    # matters.
    for what, program in _guessing(task):
        if accepts(sandbox, task, suite, program):
            raise UnusableTask(task.id, "guessable", f"a program that {what} passes")
    for what, program in _simple(task, suite):
        if accepts(sandbox, task, suite, program):
            return what
    return ""


def accepts(sandbox: Sandbox, task: Task, suite: Suite, program: str) -> bool:
    """Return whether a program passes all cases of a suite."""
    # A check judges only after all cases have run, but most null programs fail the first case.
    first = [subset(suite, [0])] if has_check(task) and len(suite.cases) > 1 else []
    for part in (*first, suite):
        prepared = replace(PreparedSuite.of(task, part, Preset(SECONDS, 1.0)), policy=None)
        if not evaluate_program(sandbox, prepared, program).passed:
            return False
    return True


def null_program(task: Task, body: str, head: str = "") -> str:
    """Return a program whose entry point has this body and accepts any arguments."""
    if task.harness.kind == "script":
        return head + body
    begin = "async def" if task.harness.awaited else "def"
    owner, _, method = task.entry_point.rpartition(".")
    if not owner and not _is_class(task):
        return f"{head}{begin} {task.entry_point}(*arguments, **keywords):\n    {body}\n"
    # Methods are looked up by name only when a test calls them.
    named = f"    {begin} {method}(self, *arguments, **keywords): {body}\n" if owner else ""
    return (
        f"{head}{begin} answer(*arguments, **keywords): {body}\n"
        f"class {task.defined}:\n"
        "    def __init__(self, *arguments, **keywords): pass\n"
        "    def __getattr__(self, name):\n"
        "        if name.startswith('__'): raise AttributeError(name)\n"
        "        return answer\n"
        f"{named}"
    )


def _guessing(task: Task) -> Iterator[tuple[str, str]]:
    """Yield programs that no sound test accepts, for tasks judged in part inside the sandbox.

    In other tasks, plain values leave the sandbox and are compared outside.
    """
    is_tested = task.harness.kind == "unittest"
    if is_tested or task.harness.inside or has_check(task):
        for what, (head, body) in ENDS.items():
            if is_tested or not what.startswith(ON_TESTS):
                yield what, null_program(task, body, head)


def _simple(task: Task, suite: Suite) -> Iterator[tuple[str, str]]:
    is_script = task.harness.kind == "script"
    if not is_script and not task.entry_point:
        return  # tests use several names, so the entry point is unknown
    constants, echo = (PRINTED, PRINTED_ECHO) if is_script else (CONSTANTS, ECHO)
    is_equality = task.rule.kind in EQUALITY and not has_check(task)
    # If right answers differ, no constant can pass, so only the echo is worth a run.
    differs = is_equality and len(set(suite.blobs.items())) > 1
    for what, body in (echo if differs else {**constants, **echo}).items():
        yield what, null_program(task, body)


def _is_class(task: Task) -> bool:
    tree = definitions.parse(task.reference)
    return tree is not None and any(
        isinstance(node, ast.ClassDef) and node.name == task.defined for node in tree.body
    )


# Suites that a program that does nothing would pass, because they do not observe effects.


NOTHING = wire.encode(None)
EFFECT_LIMITS = Limits(cpu=2.0)
EFFECTS = {"arguments": "changes its arguments", "printed": "prints"}
TRIED = 20  # maximum cases on which a reference's effects are observed


def is_plain(task: Task) -> bool:
    """Return whether only the return values of a task's programs are compared."""
    return task.harness.observe == ("value",)


def require_effect(sandbox: Sandbox, task: Task, suite: Suite) -> None:
    """Raise UnusableTask if the reference only has effects that the task does not observe."""
    if task.harness.kind not in ("call", "method") or has_check(task):
        return
    if is_plain(task):
        if any(data != NOTHING for data in suite.expected):
            return
        seen = _effects(sandbox, task, suite.cases) if task.reference else []
        if seen:
            what = " and ".join(EFFECTS[each] for each in seen)
            observe = ", ".join(f'"{each}"' for each in seen)
            raise UnusableTask(
                task.id,
                "unobserved",
                f"the reference only returns None and {what}: a program that does nothing would "
                f'pass; say "harness": {{"observe": [{observe}]}}',
            )
    elif accepts(sandbox, task, suite, null_program(task, "pass")):
        raise UnusableTask(
            task.id,
            "unobserved",
            f"a program that does nothing would pass: {' and '.join(task.harness.observe)} are "
            "observed, and on no input does the reference do more; give such an input, or "
            "observe something else",
        )


def ignored(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[str]:
    """Describe the unobserved effects of a reference on these cases."""
    harness = task.harness
    if harness.kind not in ("call", "method") or "exception" in harness.observe:
        return []
    return [
        f'it {EFFECTS[each]}, which is not compared: "observe" may name {each!r}'
        for each in _effects(sandbox, task, cases)
        if each not in harness.observe
    ]


def _effects(sandbox: Sandbox, task: Task, cases: Sequence[Case]) -> list[str]:
    """Return the effects, on arguments and printed text, of a reference that returns None."""
    harness = replace(task.harness, observe=("arguments", "printed"))
    # Observe both effects at once, whatever the task compares.
    few = list(islice(cases, TRIED))
    inputs = Inputs.of(case.arguments for case in few)
    run = sandbox.run(Program.of(replace(task, harness=harness)), inputs, EFFECT_LIMITS)
    effects: set[str] = set()
    for case, outcome in zip(few, run.outcomes, strict=False):
        try:
            seen = wire.decode(outcome.data) if isinstance(outcome, Returned) else {}
        except CodecError:
            continue
        if "arguments" in seen and key(seen["arguments"]) != key(list(case.arguments)):
            effects.add("arguments")
        if seen.get("printed"):
            effects.add("printed")
    return sorted(effects)
