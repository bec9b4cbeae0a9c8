"""The arrows between rooms point one way, and each heavy library has one door."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "evalplus_lite"

GROUND = frozenset({"errors", "store", "types", "values", "version"})
RUNNING = GROUND | {"programs", "sandbox", "execution"}
CORE = RUNNING | {"tasks", "grading", "statistics"}
BUILD = frozenset({"generate", "models", "reduction"})
WINGS = {"efficiency", "exe", "reports", "serving"}
ALLOWED: dict[str, frozenset[str] | set[str]] = {
    "errors": frozenset(),
    "lazy": frozenset(),
    "version": frozenset(),
    "store": {"errors"},
    "types": {"store"},
    "values": {"errors", "types"},
    "programs": {"errors", "store", "types"},
    "sandbox/isolation": GROUND,
    "sandbox/guest": GROUND,
    "sandbox": GROUND | {"sandbox/guest", "sandbox/isolation"},
    "execution": GROUND | {"sandbox", "sandbox/isolation"},
    "tasks": RUNNING,
    "grading": RUNNING | {"tasks"},
    "statistics": frozenset(),
    "generate": RUNNING | {"tasks"},
    "models": RUNNING | {"tasks", "generate"},
    "reduction": CORE,
    "jobs": CORE | BUILD,
    "verifier": CORE | {"jobs"},
    "cli": CORE | BUILD | {"jobs", "sandbox/isolation"},
}
"""The rooms of the core, of what builds suites, of the jobs and of the command line, with what each
may import: only what stands before it."""
ALLOWED |= {wing: CORE | BUILD | {"jobs", "cli", "verifier"} for wing in WINGS}
ALLOWED["efficiency"] = CORE | BUILD | {"jobs", "cli", "sandbox/guest"}  # its counter runs inside
ALL = frozenset(ALLOWED)


def room_of(parts: Sequence[str]) -> str:
    """Return the room that a module or a name in the package belongs to, by its path."""
    nested = "/".join(parts[:2])
    return nested if nested in ALL else parts[0]


FACES = {"efficiency/__init__.py", "exe/__init__.py", "reports/__init__.py", "serving/__init__.py"}
"""Modules that only name what others define, and import it when it is used."""
DRAWING = {"exe/report.py", "exe/commands/exe.py"}
"""Modules of execution tasks that draw or export with the reports wing, where it is here."""
OWNERS = {
    "openai": {"models/client.py", "models/connection.py"},
    "coverage": {"reduction/requirements.py"},
    "mutmut": {"programs/mutation/mutants.py"},
    "hypothesis": {"generate/strategies.py"},
    "radon": {"exe/statistics/measures.py"},
    "jinja2": {"reports/exporters/suites.py", "reports/page/rendering.py"},
    "matplotlib": {"reports/plots/canvas.py"},
    "pooch": {"tasks/published/format.py"},
    "uvicorn": {"serving/server/server.py"},
    "pyarrow": {"store/tables.py"},
    "fsspec": {"store/locations.py"},
    "backports": {"store/opening.py"},
    "ray": {"execution/ray_cluster.py"},
    "prometheus_client": {"serving/server/metrics.py"},
}
"""Libraries that one module alone may import, in each room that needs it, and which."""

INSIDE = (
    "values/encoding.py",
    "sandbox/guest/child.py",
    "sandbox/guest/harness.py",
    "sandbox/guest/observing.py",
    "sandbox/guest/script.py",
    "sandbox/guest/plain.py",
    "sandbox/guest/counting.py",
    "sandbox/guest/ordering.py",
    "sandbox/guest/worker.py",
    "sandbox/guest/boot.py",
    "serving/audit/host.py",
)
"""Modules whose text runs in a bare interpreter."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def imported(path: Path) -> frozenset[str]:
    """Return the full names of all modules that a module imports, also within functions."""
    return frozenset(imports(ast.parse(path.read_text(encoding="utf-8")), name(path)))


def imports(tree: ast.Module, path: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{path} imports relatively: write the full name"
            assert node.level == 0, f"{path} imports relatively: write the full name"
            if node.module == "evalplus_lite":
                yield from (f"evalplus_lite.{alias.name}" for alias in node.names)
            else:
                yield node.module


def rooms(path: Path) -> set[str]:
    """Return the rooms that a module imports from; its own not among them."""
    parts = (full.split(".")[1:] for full in imported(path) if full.startswith("evalplus_lite."))
    return {room_of(part) for part in parts} - {own_room(path), "__version__"}


def own_room(path: Path) -> str:
    *folders, last = path.relative_to(PACKAGE).with_suffix("").parts
    return room_of(folders or [last])


def test_every_room_is_in_the_table() -> None:
    """With a first line on what it holds; and the rooms can be put in an order."""
    found = {own_room(path) for path in MODULES} - {"__init__", "__main__", "results"}
    assert found == ALL
    for folder in {path.parent for path in MODULES}:
        assert (folder / "__init__.py").is_file()
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    placed: set[str] = set()
    while rest := set(ALLOWED) - placed:
        ready = {room for room in rest if ALLOWED[room] - {room} <= placed}
        assert ready, f"a cycle among {sorted(rest)}"
        placed |= ready


@pytest.mark.parametrize("room", sorted(ALL))
def test_a_room_imports_only_what_stands_before_it(room: str) -> None:
    """Every import within the package follows an arrow of the table above."""
    own = [path for path in MODULES if own_room(path) == room and name(path) not in FACES]
    assert own
    drawing = {path: {"reports"} if name(path) in DRAWING else set() for path in own}
    wrong = {name(path): sorted(rooms(path) - ALLOWED[room] - drawing[path]) for path in own}
    assert {path: found for path, found in wrong.items() if found} == {}


@pytest.mark.parametrize("library", sorted(OWNERS))
def test_a_heavy_library_has_one_door(library: str) -> None:
    """A library that may be replaced, or be absent, is imported where the table says, only."""
    users = {
        name(path) for path in MODULES if library in {full.split(".")[0] for full in imported(path)}
    }
    assert users == OWNERS[library]


@pytest.mark.parametrize("module", INSIDE)
def test_what_runs_in_the_sandbox_is_the_standard_library(module: str) -> None:
    """The text that a bare interpreter runs imports nothing that has to be installed."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = []
    needed = {full.split(".")[0] for full in imports(tree, module)}
    assert needed <= sys.stdlib_module_names


def faults(path: Path) -> Iterator[str]:
    """Yield what a module's text says that no module, or only those of some rooms, may say."""
    tree, where = ast.parse(path.read_text(encoding="utf-8")), name(path)
    rooms = set(where.split("/")[:2])
    # The formats of others have the names of the sets that they were made for.
    may_name = {"tasks", "cli", "commands"} & rooms or where == "reports/exporting.py"
    may_print = {"cli", "commands", "__main__.py"} & rooms or where in INSIDE
    may_load = where in (*INSIDE, "execution/channel.py")
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if not may_name and id(node) not in described:
                if "humaneval" in text.lower() or "mbpp" in text.lower():
                    yield f"{where}:{node.lineno}: {text!r}"
            case ast.Call(func=ast.Name(id="print")) | ast.Attribute(attr="argv") if not may_print:
                yield f"{where}:{node.lineno}: prints or reads arguments"
            case ast.Attribute(value=ast.Name(id="marshal"), attr="load" | "loads") if not may_load:
                yield f"{where}:{node.lineno}: unpickles"


def test_laws_of_the_text() -> None:
    """Data sets have names in tasks alone; only cli/ prints; nothing from outside is unpickled."""
    assert [fault for path in MODULES for fault in faults(path)] == []
    for path in MODULES:
        assert not {"pickle", "shelve", "dill", "joblib"} & imported(path), name(path)
