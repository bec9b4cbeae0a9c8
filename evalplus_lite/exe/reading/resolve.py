"""From a name in a module to what it stands for, across files.

Follows imports, aliases, re-exports through ``__init__``, star imports and submodules; symbols
are resolved one by one, so modules that import each other in a circle are no obstacle.
"""

from __future__ import annotations

import ast
import builtins
import sys
from dataclasses import dataclass
from typing import Any, TypeAlias

from evalplus_lite.exe.reading.index import Module, PackageIndex, Statement, has_member

BUILTINS = frozenset(dir(builtins))
MODULE_NAMES = frozenset(
    """__name__ __file__ __doc__ __path__ __spec__ __loader__ __package__ __cached__
    __builtins__ __dict__ __annotations__""".split()
)
"""Names every module has without binding them."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Statements of a module that bind ``name`` (usually one)."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class ModuleRef:
    """A module of the package itself."""

    module: str


@dataclass(frozen=True, slots=True)
class External:
    """A module of the standard library, or a member of one."""

    module: str
    member: str | None = None

    @property
    def dotted(self) -> str:
        """The full name, as the blocklists write it."""
        return self.module if self.member is None else f"{self.module}.{self.member}"


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin, or a name that every module has (``__name__``)."""

    name: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A name that cannot be followed; ``reason`` is one of the funnel's."""

    reason: str
    detail: str


Target: TypeAlias = Definition | ModuleRef | External | Builtin | Unresolved


class Resolver:
    """Resolves names over one package index; remembers its answers."""

    def __init__(self, index: PackageIndex) -> None:
        self.index = index
        self._known: dict[tuple[str, str], Target] = {}
        self._open: set[tuple[str, str]] = set()
        self._lists: dict[str, frozenset[str] | None] = {}

    def resolve(self, module: str, name: str) -> Target:
        """Return what ``name`` stands for at the top level of ``module``."""
        found = self.member(module, name)
        if found is not None:
            return found
        if name in BUILTINS or name in MODULE_NAMES:
            return Builtin(name)
        return Unresolved("unresolved name", f"{module}.{name}")

    def resolve_annotation(self, module: str, name: str) -> Target:
        """Return what a name means in an annotation, ``if TYPE_CHECKING:`` included."""
        found = self.resolve(module, name)
        parsed = self.index.module(module)
        if isinstance(found, Unresolved) and parsed is not None and name in parsed.typing:
            return self._bound(parsed, name, parsed.typing[name]) or found
        return found

    def member(self, module: str, name: str) -> Target | None:
        """Return what the attribute ``name`` of a module is; None where it has none."""
        key = (module, name)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return None  # A circle of re-exports binds nothing.
        self._open.add(key)
        try:
            found = self._find(module, name)
        finally:
            self._open.discard(key)
        if found is not None:
            self._known[key] = found
        return found

    def _find(self, module: str, name: str) -> Target | None:
        if self.index.lacks(module, name):
            is_there = self.index.is_package(module) and f"{module}.{name}" in self.index
            return ModuleRef(f"{module}.{name}") if is_there else None
        parsed = self.index.module(module)
        if parsed is None:
            if f"{module}.{name}" in self.index:
                return ModuleRef(f"{module}.{name}")
            if module in self.index and not self.index.is_namespace(module):
                return Unresolved("unreadable module", module)
            return None
        bindings = parsed.bindings.get(name, [])
        if bindings:
            return self._bound(parsed, name, bindings)
        for star in reversed(parsed.stars):
            found = self._through_star(parsed, star, name)
            if found is not None:
                return found
        if parsed.is_package and f"{module}.{name}" in self.index:
            return ModuleRef(f"{module}.{name}")
        if "__getattr__" in parsed.bindings and name in parsed.typing:
            # Loaded when first asked for; what it is stands under ``if TYPE_CHECKING``.
            return self._bound(parsed, name, parsed.typing[name])
        return None

    def _bound(self, module: Module, name: str, bindings: list[Statement]) -> Target | None:
        imports = [s for s in bindings if isinstance(s.node, ast.Import | ast.ImportFrom)]
        if not imports:
            return self._defined(module, name, bindings)
        last = bindings[-1]
        if isinstance(last.node, ast.Import | ast.ImportFrom):
            if len(imports) < len(bindings) and not _is_stub(bindings):
                return Unresolved("rebound import", f"{module.name}.{name}")
            return self._imported(module, name, last.node)
        if isinstance(last.node, ast.FunctionDef | ast.ClassDef):
            return self._defined(module, name, [s for s in bindings if s not in imports])
        return Unresolved("rebound import", f"{module.name}.{name}")

    def _defined(self, module: Module, name: str, bindings: list[Statement]) -> Target:
        value = getattr(bindings[0].node, "value", None)
        if len(bindings) == 1 and isinstance(value, ast.Name) and value.id == name:
            return Builtin(name)  # ``str = str``, a habit of compatibility modules.
        for statement in bindings:
            for node in ast.walk(statement.node) if _may_import(statement.node) else ():
                if isinstance(node, ast.Import | ast.ImportFrom) and self._is_foreign(module, node):
                    return Unresolved("third-party library", f"{module.name}.{name}")
        return Definition(module.name, name)

    def _is_foreign(self, module: Module, node: ast.Import | ast.ImportFrom) -> bool:
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        else:
            targets = [module.absolute(node) or "?"]
        return any(t.partition(".")[0] not in sys.stdlib_module_names for t in targets)

    def _imported(self, module: Module, name: str, node: ast.Import | ast.ImportFrom) -> Target:
        if isinstance(node, ast.Import):
            for alias in reversed(node.names):
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    dotted = alias.name if alias.asname else alias.name.partition(".")[0]
                    return self._module(dotted)
            return Unresolved("unresolved name", f"{module.name}.{name}")
        alias = next(a for a in reversed(node.names) if (a.asname or a.name) == name)
        source = module.absolute(node)
        if source is None:
            return Unresolved("unresolved name", f"{module.name}.{name}: import above the top")
        return self._from(source, alias.name)

    def _module(self, dotted: str) -> Target:
        root = dotted.partition(".")[0]
        if root in self.index.roots:
            if dotted in self.index:
                return ModuleRef(dotted)
            reason = "compiled code" if self.index.is_compiled(dotted) else "unresolved name"
            return Unresolved(reason, dotted)
        if root in sys.stdlib_module_names:
            return External(dotted)
        return Unresolved("third-party library", root)

    def _from(self, source: str, name: str) -> Target:
        found = self._module(source)
        if isinstance(found, ModuleRef):
            member = self.member(source, name)
            if member is None and f"{source}.{name}" in self.index:
                return ModuleRef(f"{source}.{name}")  # A package that imports its own submodule.
            return member or Unresolved("unresolved name", f"{source}.{name}")
        if isinstance(found, External):
            return External(source, name)
        return found

    def _through_star(self, module: Module, star: ast.ImportFrom, name: str) -> Target | None:
        source = module.absolute(star)
        if source is None:
            return None
        found = self._module(source)
        if isinstance(found, External):
            public = not name.startswith("_") and has_member(source, name)
            return External(source, name) if public else None
        if not isinstance(found, ModuleRef):
            return None
        exported = self._exported(source)
        if name.startswith("_") if exported is None else name not in exported:
            return None
        return self.member(source, name)

    def _exported(self, module: str) -> frozenset[str] | None:
        """Return a module's ``__all__`` where it is a literal; None where it has none."""
        if module not in self._lists:
            self._lists[module] = self._listed(module)
        return self._lists[module]

    def _listed(self, module: str) -> frozenset[str] | None:
        parsed = self.index.module(module)
        if parsed is None:
            return None
        names: set[str] = set()
        for statement in parsed.bindings.get("__all__", []):
            value: Any = getattr(statement.node, "value", None)
            try:
                names.update(str(item) for item in ast.literal_eval(value))
            except (ValueError, TypeError):
                return None
        return frozenset(names) if names else None


def _may_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Try | ast.If | ast.With | ast.For | ast.While)


def _is_stub(bindings: list[Statement]) -> bool:
    """Return whether all that precedes an import is ``name = None``."""
    return all(
        isinstance(s.node, ast.Import | ast.ImportFrom)
        or (
            isinstance(s.node, ast.Assign)
            and isinstance(s.node.value, ast.Constant)
            and s.node.value.value is None
        )
        for s in bindings
    )


def class_of(target: Definition, resolver: Resolver) -> ast.ClassDef | None:
    """Return a class that is bound once at the top of a module; None of anything else."""
    parsed = resolver.index.module(target.module)
    bindings = parsed.bindings.get(target.name, []) if parsed else []
    node = bindings[0].node if len(bindings) == 1 else None
    return node if isinstance(node, ast.ClassDef) else None
