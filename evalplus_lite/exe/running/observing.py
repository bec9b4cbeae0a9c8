"""The types that a package's own tests call its functions with, seen while they run in a sandbox.

Tests are a stranger's code like the package's: they run where it does, and what they say is data,
bounded and looked at, which says what to draw inputs from and nothing else.
"""

from __future__ import annotations

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
from evalplus_lite.exe.running.runs import answer_of
from evalplus_lite.exe.selecting.unannotated import ITEM, Told
from evalplus_lite.exe.sources import PackageSource
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.sandbox import Inputs, Limits, Program, Sandbox, SandboxConfig

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
MARK = "observed-tree"
_TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_test)\.py$")
_SIMPLE = frozenset("none bool int float str bytes".split())


@dataclass(frozen=True, slots=True)
class Observed:
    """What tests showed: by module, class (or "") and function, its parameters' types.

    ``tests`` ran, ``passed`` of them passed; ``problem`` says why nothing was seen, ``cut`` what
    ended the tests before their end (``tests`` or ``time``).
    """

    parameters: Mapping[tuple[str, str, str], Mapping[str, Told]] = field(default_factory=dict)
    tests: int = 0
    passed: int = 0
    cut: str = ""
    problem: str = ""

    def of(self, module: str, owner: str, name: str) -> Mapping[str, Told]:
        """Return what is known of a function's parameters."""
        return self.parameters.get((module, owner, name), {})


def has_tests(package: PackageSource) -> bool:
    """Return whether a package's archive, folder or repository holds tests."""
    return any(_TEST.search(name) for name in package.members)


def observe(
    package: PackageSource, companions: Sequence[PackageSource], config: SandboxConfig
) -> Observed:
    """Run the tests that a package's source holds, in a sandbox of their own; return what was seen.

    ``companions`` are libraries that are there to import. Nothing raises that tests cause.
    """
    tests = sorted(name for name in package.members if _TEST.search(name))[:MOST_FILES]
    if not tests:
        return Observed(problem="there are no tests in what was given")
    with tempfile.TemporaryDirectory(prefix="tests-") as name:
        root = Path(name)
        _write(package, root / "tree")
        for companion in companions:
            unpack(companion, root / "libraries")
        for file in (MARK, "empty.ini"):
            (root / file).write_text("[pytest]\n" if file.endswith(".ini") else "")
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        found = replace(config, readable=(str(root),), packages=(*config.packages, *RUNNER))
        settings = {
            "mark": MARK,
            "sources": sorted(_sources(package)),
            "tests": tests,
            "top": _common(tests),
            "most": MOST_TESTS,
        }
        text = resources.files("evalplus_lite.exe.running").joinpath("recorder.py")
        program = Program(text.read_text(encoding="utf-8"), "entry")
        limits = Limits(cpu=CPU_SECONDS, load=20.0, wait=CPU_SECONDS)
        with Sandbox(found) as sandbox:
            answer = answer_of(sandbox.run(program, Inputs.of([(settings,)]), limits).outcomes[0])
    if answer.kind != "value":
        return Observed(problem=f"the tests did not end: {answer.type} {answer.message}"[:200])
    return _read(answer.value)


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


def _read(value: Any) -> Observed:
    """Return what the recorder said, as far as it is as it should be."""
    match value:
        case [int(), int(tests), int(passed), str(cut), str(trouble), list(functions)]:
            pass
        case _:
            return Observed(problem="the tests said what nobody understands")
    parameters: dict[tuple[str, str, str], dict[str, Told]] = {}
    for function in functions:
        match function:
            case [str(module), str(name), dict(kinds)]:
                owner, _, own = name.rpartition(".")
                told = {str(key): _type_of(seen) for key, seen in kinds.items()}
                parameters[module, owner, own] = {
                    key: Told(kind, "observed") for key, kind in told.items() if kind is not None
                }
            case _:
                continue
    if not tests:
        why = f": {trouble[:LONGEST_TROUBLE]}" if trouble else ""
        return Observed(problem=f"no test could be run{why}")
    return Observed(parameters, tests, passed, cut[:10])


def _type_of(seen: Any) -> Type | None:
    """Return a parameter's type: of all plain values that were seen; None if there was none."""
    kinds = [_type(each) for each in seen] if isinstance(seen, list) else []
    members = dict.fromkeys(kind for kind in kinds if kind is not None)
    bare = {kind for kind in members if kind.arguments == (ITEM,)}
    for kind in bare:  # an empty list says less than one with something in it
        if any(other.kind == kind.kind and other not in bare for other in members):
            del members[kind]
    if not members or set(members) == {Type("none")}:
        return None
    listed = tuple(sorted(members, key=str))
    return listed[0] if len(listed) == 1 else Type("union", listed)


def _type(tree: Any, depth: int = 0) -> Type | None:
    """Return a type that the recorder wrote; None of anything else."""
    if not isinstance(tree, tuple) or not tree or depth > 6 or len(tree) > 13:
        return None
    kind, *inner = tree
    if kind in _SIMPLE:
        return Type(kind)
    held = [_type(each, depth + 1) for each in inner]
    types = tuple(each for each in held if each is not None)
    if len(types) < len(inner):
        return None
    if kind == "union" and len(types) > 1:
        return Type("union", types)
    if kind == "tuple" and types:
        return Type("tuple", types)
    if kind == "tuples" and len(types) < 2:
        return Type("tuple", types or (ITEM,), variadic=True)
    if kind in ("list", "set", "frozenset") and len(types) < 2:
        return Type(kind, types or (ITEM,))
    if kind == "dict" and len(types) in (0, 2):
        return Type("dict", types or (Type("str"), ITEM))
    return None
