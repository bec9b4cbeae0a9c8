"""Is the inlined program the function that it claims to be, and a function of its inputs alone?"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.exe.reading.index import External
from evalplus_lite.exe.running.runs import CallableProgram, Invocation, RunResult, is_answer, run
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.exe.sources import PackageSource
from evalplus_lite.sandbox import Sandbox, SandboxConfig

ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{4,}")
LOAD_SECONDS = 30.0
"""CPU seconds to import an original module with all that it imports."""
COMPILE_SECONDS = 300.0
"""Seconds that compiling an original may take; what is missing then is compiled at each import."""
MAX_SLOW, MAX_WAITING = 2, 3
"""Inputs that may take too long in a run, of inputs that were quick before; and originals of a
package that may, before no other is run: what waits for a terminal, say, does so in all of them."""
VARIANTS = 4
"""Reruns, each with another hash seed, clock, environment, folder and generator state."""


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What the runs showed: ``stage`` where the function fell out (None: it stands), and why."""

    stage: str | None = None
    reason: str = ""
    detail: str = ""
    compared: int = 0
    """Cases on which the original answered too, of a function that stands."""
    wording: int = 0
    """Cases that differ in an exception's message alone."""


class Sandboxes(AbstractContextManager["Sandboxes"]):
    """The sandboxes of one place: the plain one, and one for each hash seed, none with packages.

    They are set up as ``root``, and closed with it; nothing starts before its first run.
    """

    def __init__(self, root: Sandbox | None = None) -> None:
        self.root = root or Sandbox(SandboxConfig(packages=()))
        self.plain = self.root.sibling(packages=(), hash_seed=0)
        self.others = [
            self.root.sibling(packages=(), hash_seed=101 * number)
            for number in range(1, VARIANTS + 1)
        ]

    def __exit__(self, *details: object) -> None:
        self.root.close()


@dataclass(slots=True)
class Original(AbstractContextManager["Original"]):
    """A package's own modules, unpacked as source for one sandbox alone.

    Only ``.py`` files: where a wheel carries compiled modules, its source is what was inlined.
    """

    package: PackageSource
    config: SandboxConfig
    companions: Sequence[PackageSource] = ()
    """Libraries that are there for the original to import."""
    _opened: ExitStack = field(init=False, default_factory=ExitStack)
    _sandbox: Sandbox | None = field(init=False, default=None)
    _waiting: int = field(init=False, default=0)

    def __exit__(self, *details: object) -> None:
        self._opened.close()

    def _ready(self) -> Sandbox:
        """Return the sandbox; nothing is unpacked before its first run."""
        if self._sandbox is None:
            folder = tempfile.TemporaryDirectory(prefix="original-")
            root = Path(self._opened.enter_context(folder))
            for package in (*self.companions, self.package):
                unpack(package, root)
            _compile(root)
            make_readable(root)
            self._sandbox = Sandbox(replace(self.config, readable=(str(root),)))
            self._opened.callback(self._sandbox.close)
        return self._sandbox

    def run(self, function: MinedFunction, calls: Sequence[Invocation]) -> RunResult:
        """Call the original function."""
        packages = (self.package, *self.companions)
        roots = tuple(sorted({name.partition(".")[0] for p in packages for name in p.files}))
        subject = CallableProgram(
            function.name,
            module=function.module,
            roots=roots,
            driver=function.driver,
            needs=tuple(
                (each.module, each.member if isinstance(each, External) else each.name)
                for each in function.needs
            ),
        )
        if self._waiting >= MAX_WAITING:
            return RunResult((), failure="others took too long, or its import")
        result = run(self._ready(), subject, calls, load=LOAD_SECONDS, max_slow=MAX_SLOW)
        # Stand-ins for missing libraries can send an import round in circles: once is enough.
        is_stuck = result.failure == "took too long"
        self._waiting += MAX_WAITING if is_stuck else _is_cut_short(result)
        return result


def unpack(package: PackageSource, root: Path) -> None:
    """Write a package's modules and data to a folder, as they are imported.

    So are tests: what is named like one may be imported by the rest (``test_runner``).
    """
    for file in package.files.values():
        parts = file.module.split(".")
        name = "__init__.py" if file.is_package else f"{parts.pop()}.py"
        path = root.joinpath(*parts, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.write_text(package.text(file), encoding="utf-8")
        except (ValueError, UnicodeEncodeError):
            continue
    for inner, stored in package.data.items():
        path = root / inner
        if ".." not in path.parts and root in path.parents:
            # One name may be a file and a folder, and a member may be damaged.
            with suppress(InputError, FileExistsError, NotADirectoryError, IsADirectoryError):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(package.read(stored))
    write_metadata(package, root)


def write_metadata(package: PackageSource, root: Path) -> None:
    """Write what ``importlib.metadata`` reads of a package: many ask for their own version."""
    name, version = package.name, package.origin.version
    info = root / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(text, encoding="utf-8")
    plugins = next((n for n in package.members if n.endswith(".dist-info/entry_points.txt")), None)
    if plugins is not None:
        with suppress(InputError, OSError):
            (info / "entry_points.txt").write_bytes(package.read(plugins))


def make_readable(root: Path) -> None:
    """Let the sandbox read a folder, whatever was unpacked."""
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _compile(root: Path) -> None:
    """Write the caches that the sandbox cannot; this runs nothing of what it compiles.

    In a process of its own: the trees of large modules would stay in this one's memory.
    """
    command = [sys.executable, "-I", "-m", "compileall", "-qq", str(root)]
    quiet = subprocess.DEVNULL
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, stdout=quiet, stderr=quiet, check=False, timeout=COMPILE_SECONDS)


def prove(
    function: MinedFunction,
    calls: Sequence[Invocation],
    base: RunResult,
    sandboxes: Sandboxes,
    original: Original,
) -> ProofResult:
    """Judge a function by its answers: in changed surroundings, and against the original.

    ``base`` holds the answers to ``calls`` in the plain sandbox.
    """
    if base.failure:
        return ProofResult("loads", "inlined code does not load", base.failure)
    if base.touched:
        return ProofResult("stable", "touches the outside", "; ".join(base.touched))
    if not any(map(is_answer, base.answers)):
        kinds = Counter(a.message.partition(":")[0] for a in base.answers)
        return ProofResult("loads", "no answer is plain data", str(kinds.most_common(3)))
    for answer in base.answers:
        if ADDRESS.search(answer.key):
            return ProofResult("stable", "shows an address", answer.key[:200])
    subject = CallableProgram(function.name, code=function.code)
    for number, sandbox in enumerate(sandboxes.others, start=1):
        again = run(sandbox, subject, calls, variant=number, max_slow=MAX_SLOW)
        if again.failure:
            return ProofResult("stable", "loads only in some surroundings", again.failure)
        if again.touched:
            return ProofResult("stable", "touches the outside", "; ".join(again.touched))
        if _is_cut_short(again):
            return ProofResult("stable", "changes between runs", "some take too long")
        for call, mine, theirs in zip(calls, base.answers, again.answers, strict=True):
            if is_answer(mine) and is_answer(theirs) and mine.key != theirs.key:
                detail = f"{call.key[:200]}: {mine.key[:200]}, then {theirs.key[:200]}"
                return ProofResult("stable", "changes between runs", detail)
    # Last, because importing a large package costs the most.
    there = original.run(function, calls)
    if there.failure:
        return ProofResult("proved", "original does not load", there.failure)
    if there.touched:  # stubs, whose answers prove nothing
        return ProofResult("proved", "cannot be proved without a library", ", ".join(there.touched))
    if _is_cut_short(there):
        detail = f"on {MAX_SLOW} inputs that the program answers quickly"
        return ProofResult("proved", "original takes too long", detail)
    compared = wording = 0
    for call, mine, other in zip(calls, base.answers, there.answers, strict=True):
        if not is_answer(mine) or not is_answer(other):
            continue
        compared += 1
        if mine.key == other.key:
            continue
        if mine.kind == other.kind == "error" and mine.type == other.type:
            wording += 1
            if function.module in original.package.compiled:
                continue
        detail = f"{call.key[:200]}: {mine.key[:200]} here, {other.key[:200]} there"
        return ProofResult("proved", "differs from the original", detail)
    if not compared:
        return ProofResult("proved", "nothing to compare", "no case answered in both")
    return ProofResult(compared=compared, wording=wording)


def _is_cut_short(result: RunResult) -> bool:
    """Return whether a run ended at its last slow input, so that the rest prove nothing."""
    return sum(answer.kind == "slow" for answer in result.answers) >= MAX_SLOW


def python_version() -> str:
    """Return the version that answers are recorded for."""
    return ".".join(map(str, sys.version_info[:3]))
