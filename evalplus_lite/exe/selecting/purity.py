"""Whether a closure computes from its arguments alone, judged by its text.

The blocklists are data (``data/purity.toml``). What text cannot show is left to the runs under an
audit hook and changed surroundings (``running.proof``).
"""

from __future__ import annotations

import ast
import fnmatch
import functools
import tomllib
from importlib import resources
from typing import Any

from evalplus_lite.exe.inlining.closure import Closure
from evalplus_lite.exe.inlining.graph import Obstacle
from evalplus_lite.exe.reading.library import has_member


def is_banned_package(name: str) -> bool:
    """Return whether a package is on the list of near-duplicate repositories."""
    patterns = _data("repositories")["patterns"]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def impurities(closure: Closure) -> list[Obstacle]:
    """Return every reason, in order of appearance, why a closure is not known to be pure."""
    found: dict[Obstacle, None] = {}
    for dotted in sorted(closure.externals):
        if (reason := judge_name(dotted)) is not None:
            found[Obstacle(reason, dotted)] = None
    tables = _data("purity")
    for name in sorted(closure.builtins):
        reason = tables["builtins"].get(name) or tables["variables"].get(name)
        if reason is not None:
            found[Obstacle(reason, name)] = None
    for statement in closure.statements.values():
        uses = statement.uses
        for name in sorted(statement.binds & tables["variables"].keys()):
            found[Obstacle(tables["variables"][name], name)] = None
        for attribute in sorted(uses.attributes & tables["attributes"].keys()):
            found[Obstacle(tables["attributes"][attribute], f".{attribute}")] = None
        for call in uses.calls:
            if (problem := _computed_attribute(call)) is not None:
                found[problem] = None
        for node in uses.imports:
            for problem in _local_import(node):
                found[problem] = None
    return list(found)


def judge_name(dotted: str) -> str | None:
    """Return why a name of the standard library is impure; None where it is not.

    The longest entry that covers the name decides; a whole module of which parts are banned
    (``import os``, then passed on as a value) is judged by the module's own entry.
    """
    tables = _data("purity")
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in tables["pure"]:
            return None
        if name in tables["modules"]:
            return str(tables["modules"][name])
    return None


def _computed_attribute(call: ast.Call) -> Obstacle | None:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name == "hasattr" or len(call.args) < 2:
        return None
    if isinstance(call.args[1], ast.Constant):
        return None
    return Obstacle("dynamic attribute", ast.unparse(call)[:80])


def _local_import(node: ast.Import | ast.ImportFrom) -> list[Obstacle]:
    """Judge an import inside a function: it stays as it is, so only pure libraries may stand."""
    import sys

    if isinstance(node, ast.ImportFrom):
        if node.level or not node.module:
            return [Obstacle("import in a function", ast.unparse(node)[:80])]
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        missing = [a.name for a in node.names if not has_member(node.module, a.name)]
        if missing and node.module.partition(".")[0] in sys.stdlib_module_names:
            return [Obstacle("unresolved name", f"{node.module}.{missing[0]}")]
    else:
        names = [alias.name for alias in node.names]
    problems: list[Obstacle] = []
    for name in names:
        if name.partition(".")[0] not in sys.stdlib_module_names:
            problems.append(Obstacle("import in a function", ast.unparse(node)[:80]))
        elif (reason := judge_name(name)) is not None:
            problems.append(Obstacle(reason, name))
    return problems


@functools.cache
def _data(name: str) -> dict[str, Any]:
    data = resources.files("evalplus_lite.exe").joinpath(f"data/{name}.toml")
    return _flat(tomllib.loads(data.read_text(encoding="utf-8")))


def _flat(tables: dict[str, Any]) -> dict[str, Any]:
    """Undo TOML's nesting of dotted keys: ``urllib.request`` is one name here."""

    def walk(table: dict[str, Any], prefix: str) -> dict[str, str]:
        flat: dict[str, str] = {}
        for key, value in table.items():
            if isinstance(value, dict):
                flat.update(walk(value, f"{prefix}{key}."))
            else:
                flat[f"{prefix}{key}"] = value
        return flat

    return {
        key: walk(value, "") if isinstance(value, dict) else frozenset(value)
        for key, value in tables.items()
    }
