"""The calls that a package's own tests and examples make of its functions, seen in a sandbox.

Tests are a stranger's code like the package's: they run where it does, and what they say is data,
bounded and looked at, which says what to try and nothing else.
"""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

from evalplus_lite.errors import InputError
from evalplus_lite.exe.running.proof import unpack
from evalplus_lite.exe.running.runs import answer_of, canonical, stage
from evalplus_lite.exe.selecting.unannotated import ITEM, Told, type_of
from evalplus_lite.exe.sources import PackageSource
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig
from evalplus_lite.types import Value

RUNNER = tuple(
    """pytest _pytest py pluggy iniconfig packaging pygments hypothesis _hypothesis_globals
    _hypothesis_pytestplugin _hypothesis_ftz_detector sortedcontainers""".split()
)
"""What tests may import besides the standard library, the package and the libraries at hand."""
MOST_TESTS = 3000
MOST_FILES = 1000
"""Files of tests that are run, the first by their paths."""
CPU_SECONDS = 120.0
"""CPU seconds of all tests; they are ended after half of it."""
LONGEST_TROUBLE = 120
"""Characters that are told of what stood in the way of tests."""
LONGEST_CALL = 20_000
"""Characters of a recorded call that are read."""
SHIFT = 86400.0 * 400
"""Seconds by which the clock is off in the second run: what depends on the day is no input."""
MARK = "observed-tree"
_TEST = re.compile(r"(^|/)(tests?|test_[^/]*|[^/]*_tests?)\.py$|(^|/)tests?/[^_/][^/]*\.py$")
SOURCES = ("tests", "doctests", "README", "call sites")
"""Where a recorded call comes from; the last are calls within the package that the others cause."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """The values of one call by parameter; ``made``: what its object was made of."""

    source: str
    values: Mapping[str, Value]
    made: Mapping[str, Value] | None = None


@dataclass(frozen=True, slots=True)
class Observed:
    """What tests and examples showed: by module, class (or "") and function.

    ``tests`` ran; ``problem`` says why none did.
    """

    parameters: Mapping[tuple[str, str, str], Mapping[str, Told]] = field(default_factory=dict)
    """The types of parameters."""
    calls: Mapping[tuple[str, str, str], tuple[RecordedCall, ...]] = field(default_factory=dict)
    tests: int = 0
    problem: str = ""

    def of(self, module: str, owner: str, name: str) -> Mapping[str, Told]:
        """Return the types of a function's parameters."""
        return self.parameters.get((module, owner, name), {})


def has_tests(package: PackageSource) -> bool:
    """Return whether a package's archive, folder or repository holds tests."""
    return any(map(is_test, package.members))


def is_test(path: str) -> bool:
    """Return whether a file holds tests, by its name."""
    return _TEST.search(path) is not None


def observe(
    package: PackageSource,
    companions: Sequence[PackageSource],
    config: SandboxConfig,
    *,
    readme: str = "",
) -> Observed:
    """Run a package's tests and examples, in sandboxes of their own; return what was seen.

    They run twice, under other hash seeds and on another day: a call that is not made both times
    depends on its surroundings. ``companions`` are libraries that are there to import. Nothing
    raises that tests cause.
    """
    tests = sorted(filter(is_test, package.members))[:MOST_FILES]
    with tempfile.TemporaryDirectory(prefix="tests-") as name:
        root = Path(name)
        if tests:
            _write(package, root / "tree")
        else:
            unpack(package, root / "tree")
        for companion in companions:
            unpack(companion, root / "libraries")
        for file in (MARK, "empty.ini"):
            (root / file).write_text("[pytest]\n" if file.endswith(".ini") else "")
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        settings = {
            "mark": MARK,
            "sources": sorted(_sources(package)) if tests else ["."],
            "tests": tests,
            "top": _common(tests),
            "most": MOST_TESTS,
            "modules": sorted(m for m, file in package.files.items() if not file.is_test),
            "readme": package.readme or readme,
        }
        text = resources.files("evalplus_lite.exe.running").joinpath("recorder.py")
        program = Program(f"{stage()}\n{text.read_text(encoding='utf-8')}", "entry")
        limits = Limits(cpu=CPU_SECONDS, load=20.0, wait=CPU_SECONDS)
        readable = (*config.packages, *RUNNER)
        runs = []
        for seed, shift in ((0, 0.0), (101, SHIFT)):
            found = replace(config, readable=(str(root),), packages=readable, hash_seed=seed)
            with Sandbox(found) as sandbox:
                inputs = Inputs.of([({**settings, "shift": shift},)])
                runs.append(answer_of(sandbox.run(program, inputs, limits).outcomes[0]))
    for answer in runs:
        if answer.kind != "value":
            problem = f"the tests did not end: {answer.type} {answer.message}"
            return Observed(problem=problem[:200])
    return _read(*(answer.value for answer in runs), has_tests=bool(tests))


def _write(package: PackageSource, root: Path) -> None:
    for name in package.members:
        path = root / name
        if ".." in path.parts or root not in path.parents:
            continue
        # One name may be a file and a folder, and a member may be damaged.
        with suppress(InputError, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(package.data_file(name))


def _sources(package: PackageSource) -> set[str]:
    """Return the folders that the package's modules are imported from."""
    found = set()
    for file in package.files.values():
        depth = file.module.count(".") + 1 + file.is_package
        parts = PurePosixPath(file.path).parts[:-depth]
        if not file.is_test:
            found.add("/".join(parts) or ".")
    return found


def _common(names: Iterable[str]) -> str:
    """Return the first folder of the tests, which is all of a source archive's, or "." ."""
    tops = {name.partition("/")[0] for name in names if "/" in name}
    return tops.pop() if len(tops) == 1 else "."


def _read(first: Value, second: Value, *, has_tests: bool) -> Observed:
    """Return what the recorder said, as far as both runs say it, and as it should be."""
    for said in (first, second):
        match said:
            case [int(), str(), list()]:
                pass
            case _:
                return Observed(problem="the tests said what nobody understands")
    tests, trouble, _ = first
    seen, again = _calls(first[-1]), _calls(second[-1])
    parameters: dict[tuple[str, str, str], dict[str, Told]] = {}
    calls: dict[tuple[str, str, str], tuple[RecordedCall, ...]] = {}
    for place, listed in seen.items():
        keys = again.get(place, {}).keys()
        both = [call for key, call in listed.items() if key in keys]
        parameters[place] = _types([call for call, _ in both])
        calls[place] = tuple(c for c, is_whole in both if is_whole and c.source in SOURCES)
    problem = ""
    if not tests:
        why = f": {trouble[:LONGEST_TROUBLE]}" if trouble else ""
        problem = f"no test could be run{why}" if has_tests else ""
    return Observed(parameters, calls, tests, problem)


def _calls(
    functions: list[Any],
) -> dict[tuple[str, str, str], dict[str, tuple[RecordedCall, bool]]]:
    """Return the calls of each function that can be read, and if all their values are there."""
    found: dict[tuple[str, str, str], dict[str, tuple[RecordedCall, bool]]] = {}
    for function in functions:
        match function:
            case [str(module), str(name), list(rows)]:
                owner, _, own = name.rpartition(".")
                calls = found.setdefault((module, owner, own), {})
            case _:
                continue
        for row in rows:
            match row:
                case [str(source), str(text), str(made), bool(is_whole)]:
                    pass
                case _:
                    continue
            values, parts = _literal(text), _literal(made) if made else None
            if values is not None:
                call = RecordedCall(source, values, parts)
                calls.setdefault(
                    f"{is_whole} {canonical(values)} {canonical(parts)}", (call, is_whole)
                )
    return found


def _literal(text: str) -> dict[str, Value] | None:
    if len(text) > LONGEST_CALL:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    is_named = isinstance(value, dict) and all(isinstance(key, str) for key in value)
    return value if is_named else None


def _types(calls: Sequence[RecordedCall]) -> dict[str, Told]:
    """Return each parameter's type: of all plain values that were seen."""
    found: dict[str, Told] = {}
    for name in dict.fromkeys(name for call in calls for name in call.values):
        kinds = (type_of(call.values[name]) for call in calls if name in call.values)
        members = dict.fromkeys(kind for kind in kinds if kind is not None)
        bare = {kind for kind in members if kind.arguments == (ITEM,)}
        for kind in bare:  # an empty list says less than one with something in it
            if any(other.kind == kind.kind and other not in bare for other in members):
                del members[kind]
        if members and set(members) != {Type("none")}:
            listed = tuple(sorted(members, key=str))
            found[name] = Told(listed[0] if len(listed) == 1 else Type("union", listed), "observed")
    return found
