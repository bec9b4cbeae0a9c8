"""A closure as one program: verbatim statements in an order that loads, with their origin."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from evalplus_lite.exe.inlining.closure import Closure
from evalplus_lite.exe.inlining.graph import Node
from evalplus_lite.exe.reading.index import Statement


@dataclass(frozen=True, slots=True)
class Block:
    """Where a part of an inlined program came from."""

    module: str
    name: str
    line: int
    """Its first line in the original file."""


@dataclass(frozen=True, slots=True)
class Inlined:
    """A program that defines its entry point and needs the standard library only."""

    code: str
    entry_point: str
    blocks: tuple[Block, ...]


def inline(closure: Closure, *, entry_point: str, comments: bool = True) -> Inlined:
    """Write a closure down; it must have no problems.

    Imports of the standard library stand first, then every statement after what it needs.
    ``comments`` puts the file of origin above each run of statements.
    """
    parts = ["from __future__ import annotations\n"]
    imports = _imports(closure)
    if any(node.kind == "namespace" for node in closure.order):
        imports.append("from types import SimpleNamespace")
    if imports:
        parts.append("\n".join(sorted(imports, key=_import_order)) + "\n")
    blocks: list[Block] = []
    origin = ""
    compact = False
    for node in closure.order:
        if node.kind == "import":
            continue
        text, block = _written(closure, node)
        blocks.append(block)
        small = node.kind != "statement" or not isinstance(
            closure.statements[node].node, ast.FunctionDef | ast.ClassDef
        )
        if node.where != origin:
            origin = node.where
            text = f"# {origin}\n{text}" if comments else text
            compact = False
        if not (small and compact):
            parts.append("\n" if not small or not compact else "")
        parts.append(text + "\n")
        compact = small
    return Inlined("\n".join(_tidy(parts)), entry_point, tuple(blocks))


def _tidy(parts: list[str]) -> list[str]:
    """Split into lines with never more than two blank ones in a row between parts."""
    lines: list[str] = []
    for part in parts:
        if not part.strip():
            while len(lines) < 2 or lines[-1] or lines[-2]:
                lines.append("")
            continue
        lines.extend(part.rstrip("\n").split("\n"))
        if part.startswith("from __future__"):
            lines.append("")
    return [*lines, ""]


def _imports(closure: Closure) -> list[str]:
    plain: set[str] = set()
    members: dict[str, set[str]] = {}
    read: dict[str, set[str]] = {}
    for dotted in closure.externals | closure.mentioned:
        parts = dotted.split(".")
        for end in range(2, len(parts) + 1):
            read.setdefault(parts[0], set()).add(".".join(parts[:end]))
    for node in closure.order:
        if node.kind != "import":
            continue
        if node.member:
            alias = "" if node.name == node.member else f" as {node.name}"
            members.setdefault(node.where, set()).add(f"{node.member}{alias}")
        elif node.name == node.where:
            plain.add(f"import {node.where}")
            plain.update(f"import {name}" for name in _submodules(read.get(node.where, set())))
        else:
            plain.add(f"import {node.where} as {node.name}")
    taken = [f"from {module} import {', '.join(sorted(m))}" for module, m in members.items()]
    return [*plain, *taken]


def _submodules(names: set[str]) -> list[str]:
    """Return those dotted names that are modules of their own (``os.path`` comes with ``os``)."""
    import importlib.util

    found: list[str] = []
    for name in sorted(names):
        try:
            if name != "os.path" and importlib.util.find_spec(name) is not None:
                found.append(name)
        except (ImportError, ValueError, AttributeError):
            continue
    return found


def _import_order(line: str) -> tuple[bool, str]:
    return (line.startswith("from "), line)


def _written(closure: Closure, node: Node) -> tuple[str, Block]:
    if node.kind == "statement":
        statement = closure.statements[node]
        return statement.text, Block(node.where, _name(statement), statement.node.lineno)
    if node.kind == "alias":
        return f"{node.name} = {node.member}", Block(node.where, node.name, 0)
    tree: dict[str, object] = {}
    for path, flat in sorted(closure.members[node].items()):
        branch = tree
        for part in path[:-1]:
            deeper = branch.setdefault(part, {})
            assert isinstance(deeper, dict)
            branch = deeper
        branch[path[-1]] = flat
    return f"{node.name} = {_namespace(tree)}", Block(node.where, node.name, 0)


def _namespace(tree: dict[str, object]) -> str:
    inner = ", ".join(
        f"{key}={_namespace(value) if isinstance(value, dict) else value}"
        for key, value in tree.items()
    )
    return f"SimpleNamespace({inner})"


def _name(statement: Statement) -> str:
    return str(getattr(statement.node, "name", "")) or ", ".join(sorted(statement.binds))
