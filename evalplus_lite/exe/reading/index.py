"""An index of a package's modules as top-level statements, with name resolution across files.

Modules are parsed on demand, and only recently used ones stay in memory. Branches whose condition
is known statically (``TYPE_CHECKING``, the Python version, whether an import works) are resolved
here. Each name is resolved separately, through imports, aliases, re-exports, star imports and
submodules, so circular imports are supported.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import importlib
import operator
import sys
import textwrap
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeGuard

from evalplus_lite.exe.reading.names import Uses, bound_names, uses_of
from evalplus_lite.exe.sources import PackageSource, SourceFile
from evalplus_lite.programs.definitions import changed_in_place, first_line

_NEVER_IMPORTED = frozenset({"antigravity", "this", "idlelib", "turtle", "turtledemo", "test"})


@functools.cache
def _members(module: str) -> frozenset[str]:
    """Return a standard library module's members; empty if it is not imported here."""
    root = module.partition(".")[0]
    if root not in sys.stdlib_module_names or root in _NEVER_IMPORTED:
        return frozenset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return frozenset(dir(importlib.import_module(module)))
    except ImportError:
        return frozenset()


def has_member(module: str, name: str) -> bool:
    """Return whether a standard library module has a member; true for ``*``."""
    return name == "*" or name in _members(module)


# Top-level statements: their text, and conditions that are known before anything runs.


@dataclass(eq=False)
class Statement:
    """One top-level statement of a module, verbatim."""

    module: str
    position: int
    node: ast.stmt
    text: str
    binds: frozenset[str]
    _cuts: dict[tuple[int, ...], Statement] = field(default_factory=dict)

    @functools.cached_property
    def uses(self) -> Uses:
        """The names that the statement needs."""
        return uses_of(self.node)

    @functools.cached_property
    def _named(self) -> frozenset[str]:
        """Names that a class's body reads, without the bodies of ordinary methods."""
        return frozenset(
            name.id
            for member in getattr(self.node, "body", ())
            for part in (member.decorator_list if is_idle(member) else [member])
            for name in ast.walk(part)
            if isinstance(name, ast.Name)
        )

    def cut(self, mentioned: Collection[str]) -> Statement:
        """Return a class without the methods that are not mentioned."""
        node = self.node
        assert isinstance(node, ast.ClassDef)
        idle = tuple(
            at
            for at, member in enumerate(node.body)
            if is_idle(member) and member.name not in mentioned and member.name not in self._named
        )
        if idle and idle not in self._cuts:
            left = copy.copy(node)
            left.body = [member for at, member in enumerate(node.body) if at not in idle]
            left.body = left.body or [ast.Pass()]
            text = self._without(node, idle)
            text = text if _is_text_of(text, left) else ast.unparse(left)
            self._cuts[idle] = replace(self, node=left, text=text, _cuts={})
        return self._cuts[idle] if idle else self

    def _without(self, node: ast.ClassDef, idle: tuple[int, ...]) -> str:
        """Return a class's source without some members and the comments above them."""
        first = first_line(node)
        gone: set[int] = set()
        for at in idle:
            member: Any = node.body[at]
            begin = first_line(member)
            if at:
                begin = (node.body[at - 1].end_lineno or begin) + 1
            gone.update(range(begin - first, member.end_lineno - first + 1))
        lines = enumerate(self.text.split("\n"))
        return "\n".join(line for at, line in lines if at not in gone).rstrip()


_PLAIN_DECORATORS = frozenset(
    """property cached_property staticmethod classmethod override final overload
    setter getter deleter lru_cache cache""".split()
)
_BY_LIBRARIES = frozenset(
    """keys items values get update write writelines read readline readlines close flush seek tell
    send throw fileno copy mro utcoffset dst tzname""".split()
)
"""Methods that the standard library calls on objects of any class."""


def is_idle(member: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Return whether a class's member is a method that only runs where its name is mentioned."""
    return (
        isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        and not (member.name.startswith("__") and member.name.endswith("__"))
        and member.name not in _BY_LIBRARIES
        and all(
            ast.unparse(each).partition("(")[0].rpartition(".")[2] in _PLAIN_DECORATORS
            for each in member.decorator_list
        )
    )


def decide(test: ast.expr) -> bool | None:
    """Evaluate a test of ``TYPE_CHECKING``, ``__name__`` or Python's version; None if other."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            decided = decide(operand)
            return None if decided is None else not decided
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return False if name in ("TYPE_CHECKING", "PY2") else None
        case ast.Constant(value=bool(value)):
            return value
        case ast.Compare(left=left, ops=[operation], comparators=[right]):
            if ast.unparse(left) == "__name__":
                return False
            version = _VERSIONS.get(ast.unparse(left).removeprefix("sys."))
            compare = _COMPARED.get(type(operation))
            with suppress(ValueError, TypeError):
                other = ast.literal_eval(right)
                if compare and version is not None and type(version) is type(other):
                    return bool(compare(version, other))
    return None


_VERSIONS = {
    "version_info": tuple(sys.version_info[:3]),
    "version_info[0]": sys.version_info[0],
    "version_info[:2]": tuple(sys.version_info[:2]),
}
"""Expressions for Python's version, without ``sys.``, and their values."""
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def verbatim(node: ast.stmt, lines: list[str]) -> str:
    """Return a statement's source, decorators included, dedented."""
    first = first_line(node)
    last = node.end_lineno or node.lineno
    end = node.end_col_offset or 0
    tail = lines[last - 1].encode()[end:].decode().strip()
    block = "\n".join(lines[first - 1 : last])
    if not tail or tail.startswith("#"):
        if node.col_offset == 0:
            return block
        block = textwrap.dedent(block)
        if _is_text_of(block, node):
            return block
    # Statements that share a line, or whose multi-line strings would change when dedented.
    return ast.unparse(node)


def _is_text_of(text: str, node: ast.stmt) -> bool:
    try:
        return ast.dump(ast.parse(text).body[0]) == ast.dump(node)
    except (SyntaxError, IndexError):
        return False


KEPT_TEXT = 1 << 20
"""Maximum characters of source whose trees stay in memory; a tree takes up to 100 times as much."""

LONGEST_PROBLEM = 200
"""Maximum length of a recorded parse error, in characters."""


@dataclass(slots=True)
class Module:
    """A parsed module."""

    name: str
    is_package: bool
    length: int
    """Length of the source in characters."""
    tree: ast.Module
    """The whole module; ``statements`` has those that run on import."""
    statements: list[Statement] = field(default_factory=list)
    bindings: dict[str, list[Statement]] = field(default_factory=dict)
    """Name -> the statements that bind it, in order."""
    mutations: dict[str, list[Statement]] = field(default_factory=dict)
    """Name -> the statements that change its value in place while the module loads."""
    stars: list[ast.ImportFrom] = field(default_factory=list)
    typing: dict[str, list[Statement]] = field(default_factory=dict)
    """Names bound in branches that never run, such as ``TYPE_CHECKING``; used by annotations."""

    def absolute(self, node: ast.ImportFrom) -> str | None:
        """Return the dotted name of an import's module; None above the top-level package."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        kept = len(parts) - node.level + self.is_package
        return ".".join([*parts[:kept], *filter(None, [node.module])]) if kept >= 1 else None


class PackageIndex:
    """An index of one package's modules, and of companions whose code may be inlined with it."""

    def __init__(
        self,
        package: PackageSource,
        companions: Sequence[PackageSource] = (),
        *,
        kept_text: int = KEPT_TEXT,
    ) -> None:
        self.package = package
        self._kept_text = kept_text
        self._files: dict[str, tuple[PackageSource, SourceFile]] = {}
        for source in reversed([package, *companions]):
            self._files.update({name: (source, file) for name, file in source.files.items()})
        self.roots = frozenset(name.partition(".")[0] for name in self._files)
        self._folders = {
            name[:end] for name in self._files for end in range(len(name)) if name[end] == "."
        }
        self._modules: dict[str, Module | None] = {}
        """Parsed modules, least recently used first; None if a module cannot be parsed."""
        self.problems: dict[str, str] = {}
        """Parse errors by module."""
        self._size = 0
        self._bound: dict[str, frozenset[str]] = {}
        """Names bound by each parsed module without star imports and ``__getattr__``."""

    def __contains__(self, module: str) -> bool:
        return module in self._files or self.is_namespace(module)

    def is_namespace(self, module: str) -> bool:
        """Return whether a name is a namespace package: a folder without an ``__init__``."""
        return module not in self._files and module in self._folders

    def origin(self, module: str) -> PackageSource:
        """Return the package that a module belongs to."""
        return self._files[module][0] if module in self._files else self.package

    def is_package(self, module: str) -> bool:
        """Return whether a module is a package's ``__init__``."""
        return module in self._files and self._files[module][1].is_package

    def lacks(self, module: str, name: str) -> bool:
        """Return whether a module is known not to bind a name; never parse it to find out."""
        return module in self._bound and name not in self._bound[module]

    def module(self, name: str) -> Module | None:
        """Return a parsed module; None if it is missing or cannot be parsed.

        A module that was evicted from memory is parsed again, as a new but equal object.
        """
        if name in self._modules:
            self._modules[name] = module = self._modules.pop(name)
            return module
        module = self._load(name)
        self._modules[name] = module
        if module is not None:
            self._size += module.length
            for other in list(self._modules):
                if self._size <= self._kept_text or other == name:
                    break
                if self._modules[other] is not None:
                    self.forget(other)
        return module

    def forget(self, name: str) -> None:
        """Drop a parsed module from memory; it is parsed again on the next request."""
        dropped = self._modules.pop(name, None)
        if dropped is not None:
            self._size -= dropped.length

    def _load(self, name: str) -> Module | None:
        if name not in self._files:
            return None
        source, file = self._files[name]
        try:
            text = source.text(file)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Invalid escapes are the package's concern.
                tree = ast.parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
            place = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
            self.problems[name] = f"{place}{getattr(error, 'msg', error)}"[:LONGEST_PROBLEM]
            return None
        module = Module(name, file.is_package, len(text), tree)
        lines = text.split("\n")
        for node in self._flatten(module, tree.body):
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                module.stars.append(node)
                continue
            binds = frozenset(bound_names([node]))
            position = len(module.statements)
            statement = Statement(name, position, node, verbatim(node, lines), binds)
            module.statements.append(statement)
            for bound in sorted(statement.binds):
                module.bindings.setdefault(bound, []).append(statement)
        if not module.stars and "__getattr__" not in module.bindings:
            self._bound[name] = frozenset(module.bindings)
        for statement in module.statements:
            for changed in sorted(_changed_names(statement.node, module)):
                module.mutations.setdefault(changed, []).append(statement)
        return module

    def _flatten(self, module: Module, body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        for node in body:
            if isinstance(node, ast.If):
                decided = decide(node.test)
                if decided is not None:
                    for inner in () if decided else node.body:
                        binds = frozenset(bound_names([inner]))
                        statement = Statement(module.name, -1, inner, "", binds)
                        for name in binds:
                            module.typing.setdefault(name, []).append(statement)
                    yield from self._flatten(module, node.body if decided else node.orelse)
                    continue
            if isinstance(node, ast.Try) and (chosen := self._branch(module, node)) is not None:
                yield from self._flatten(module, chosen)
                continue
            yield node

    def _branch(self, module: Module, node: ast.Try) -> list[ast.stmt] | None:
        """Return the statements of a ``try: import`` that run here; None to keep it whole.

        A library or compiled module that is missing here is also missing for the original module,
        which the program is compared with.
        """
        imports = [n for n in node.body if isinstance(n, ast.Import | ast.ImportFrom)]
        for handler in node.handlers if imports else ():
            types = ast.walk(handler.type) if handler.type else [ast.Name("Exception")]
            names = {n.id for n in types if isinstance(n, ast.Name)}
            if names & {"ImportError", "ModuleNotFoundError", "Exception"}:
                if all(self._is_available(module, statement) for statement in imports):
                    return [*node.body, *node.orelse, *node.finalbody]
                return [*handler.body, *node.finalbody]
        return None

    def _is_available(self, module: Module, node: ast.Import | ast.ImportFrom) -> bool:
        names = [alias.name for alias in node.names]
        target = ""
        if isinstance(node, ast.ImportFrom):
            target = module.absolute(node) or ""
            if target.partition(".")[0] not in self.roots:
                return all(has_member(target, name) for name in names)
        return all(
            each in self
            if (root := each.partition(".")[0]) in self.roots
            else root in sys.stdlib_module_names
            for each in ([target] if target else names)
        )


def _changed_names(node: ast.stmt, module: Module) -> set[str]:
    """Return the module's names whose value a top-level statement changes in place."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import):
        return set()
    names: set[str] = set()
    for child in _executed(node):
        names.add(changed_in_place(child))
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
            # ``_fill(TABLE)``: the call may change its arguments.
            for argument in child.value.args:
                if isinstance(argument, ast.Name) and _is_data(argument.id, module):
                    names.add(argument.id)
            if isinstance(child.value.func, ast.Name):
                names.update(_changed_inside(child.value.func.id, module))
    return {name for name in names if name in module.bindings}


def _changed_inside(name: str, module: Module) -> set[str]:
    """Return the module's variables that one of its functions, such as ``_register``, changes."""
    names: set[str] = set()
    for statement in module.bindings.get(name, []):
        if isinstance(statement.node, ast.FunctionDef):
            local = {a.arg for a in ast.walk(statement.node.args) if isinstance(a, ast.arg)}
            local |= bound_names(statement.node.body)
            names |= set(map(changed_in_place, ast.walk(statement.node))) - local
    return {changed for changed in names if _is_data(changed, module)}


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Walk the nodes that run with a statement, without function bodies."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _executed(child)


def _is_data(name: str, module: Module) -> bool:
    return any(
        isinstance(s.node, ast.Assign | ast.AnnAssign) for s in module.bindings.get(name, [])
    )


BUILTINS = frozenset(dir(builtins))
MODULE_NAMES = frozenset(
    """__name__ __file__ __doc__ __path__ __spec__ __loader__ __package__ __cached__
    __builtins__ __dict__ __annotations__""".split()
)
"""Names that every module has without binding them."""


@dataclass(frozen=True, slots=True)
class Definition:
    """The statements of a module that bind ``name``, usually one."""

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
    def name(self) -> str:
        """The name that a plain import binds."""
        return self.member or self.module

    @property
    def dotted(self) -> str:
        """The full name, as written in ``data/purity.toml``."""
        return self.module if self.member is None else f"{self.module}.{self.member}"


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin, or a name that every module has (``__name__``)."""

    name: str


@dataclass(frozen=True, slots=True, order=True)
class Obstacle:
    """Why a name, type or function is unusable; ``reason`` is a label of the funnel."""

    reason: str
    detail: str

    def __str__(self) -> str:
        """Return one line, with the detail unless the reason ends in it."""
        parts = [self.reason] if self.reason else []
        if self.detail and not self.reason.endswith(self.detail):
            parts.append(self.detail)
        return ": ".join(parts)


Target: TypeAlias = Definition | ModuleRef | External | Builtin | Obstacle


class Resolver:
    """A cached resolver of names in one package index."""

    def __init__(self, index: PackageIndex) -> None:
        self.index = index
        self._known: dict[tuple[str, str], Target] = {}
        self._open: set[tuple[str, str]] = set()
        self._exported = functools.cache(self._listed)

    def resolve(self, module: str, name: str) -> Target:
        """Resolve ``name`` at the top level of ``module``."""
        is_builtin = name in BUILTINS or name in MODULE_NAMES
        unknown = Obstacle("unresolved name", f"{module}.{name}")
        return self.member(module, name) or (Builtin(name) if is_builtin else unknown)

    def resolve_annotation(self, module: str, name: str) -> Target:
        """Resolve a name in an annotation, ``if TYPE_CHECKING:`` included."""
        target = self.resolve(module, name)
        parsed = self.index.module(module)
        if isinstance(target, Obstacle) and parsed is not None and name in parsed.typing:
            return self._bound(parsed, name, parsed.typing[name]) or target
        return target

    def member(self, module: str, name: str) -> Target | None:
        """Resolve the attribute ``name`` of a module; None if it has none."""
        key = (module, name)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return None  # A cycle of re-exports binds nothing.
        self._open.add(key)
        try:
            target = self._find(module, name)
        finally:
            self._open.discard(key)
        if target is not None:
            self._known[key] = target
        return target

    def _find(self, module: str, name: str) -> Target | None:
        if self.index.lacks(module, name):
            is_there = self.index.is_package(module) and f"{module}.{name}" in self.index
            return ModuleRef(f"{module}.{name}") if is_there else None
        parsed = self.index.module(module)
        if parsed is None:
            if f"{module}.{name}" in self.index:
                return ModuleRef(f"{module}.{name}")
            if module in self.index and not self.index.is_namespace(module):
                return Obstacle("unreadable module", module)
            return None
        bindings = parsed.bindings.get(name, [])
        if bindings:
            return self._bound(parsed, name, bindings)
        for star in reversed(parsed.stars):
            target = self._through_star(parsed, star, name)
            if target is not None:
                return target
        if parsed.is_package and f"{module}.{name}" in self.index:
            return ModuleRef(f"{module}.{name}")
        if "__getattr__" in parsed.bindings and name in parsed.typing:
            # A lazily loaded name, which ``if TYPE_CHECKING`` declares.
            return self._bound(parsed, name, parsed.typing[name])
        return None

    def _bound(self, module: Module, name: str, bindings: list[Statement]) -> Target | None:
        imports = [s for s in bindings if isinstance(s.node, ast.Import | ast.ImportFrom)]
        if not imports:
            return self._defined(module, name, bindings)
        last = bindings[-1]
        if isinstance(last.node, ast.Import | ast.ImportFrom):
            if len(imports) < len(bindings) and not _is_stub(bindings):
                return Obstacle("rebound import", f"{module.name}.{name}")
            return self._imported(module, name, last.node)
        if isinstance(last.node, ast.FunctionDef | ast.ClassDef):
            return self._defined(module, name, [s for s in bindings if s not in imports])
        return Obstacle("rebound import", f"{module.name}.{name}")

    def _defined(self, module: Module, name: str, bindings: list[Statement]) -> Target:
        value = getattr(bindings[0].node, "value", None)
        if len(bindings) == 1 and isinstance(value, ast.Name) and value.id == name:
            return Builtin(name)  # ``str = str``, as compatibility modules write.
        for statement in bindings:
            compound = ast.Try | ast.If | ast.With | ast.For | ast.While
            for node in ast.walk(statement.node) if isinstance(statement.node, compound) else ():
                if isinstance(node, ast.Import | ast.ImportFrom) and self._is_foreign(module, node):
                    return Obstacle("third-party library", f"{module.name}.{name}")
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
            return Obstacle("unresolved name", f"{module.name}.{name}")
        alias = next(a for a in reversed(node.names) if (a.asname or a.name) == name)
        source = module.absolute(node)
        if source is None:
            return Obstacle("unresolved name", f"{module.name}.{name}: import above the top")
        return self._from(source, alias.name)

    def _module(self, dotted: str) -> Target:
        root = dotted.partition(".")[0]
        if root in self.index.roots:
            if dotted in self.index:
                return ModuleRef(dotted)
            is_compiled = dotted in self.index.package.compiled
            return Obstacle("compiled code" if is_compiled else "unresolved name", dotted)
        if root in sys.stdlib_module_names:
            return External(dotted)
        return Obstacle("third-party library", root)

    def _from(self, source: str, name: str) -> Target:
        target = self._module(source)
        if isinstance(target, ModuleRef):
            member = self.member(source, name)
            if member is None and f"{source}.{name}" in self.index:
                return ModuleRef(f"{source}.{name}")  # A package that imports its own submodule.
            return member or Obstacle("unresolved name", f"{source}.{name}")
        if isinstance(target, External):
            return External(source, name)
        return target

    def _through_star(self, module: Module, star: ast.ImportFrom, name: str) -> Target | None:
        source = module.absolute(star)
        if source is None:
            return None
        target = self._module(source)
        if isinstance(target, External):
            public = not name.startswith("_") and has_member(source, name)
            return External(source, name) if public else None
        if not isinstance(target, ModuleRef):
            return None
        exported = self._exported(source)
        if name.startswith("_") if exported is None else name not in exported:
            return None
        return self.member(source, name)

    def _listed(self, module: str) -> frozenset[str] | None:
        """Return a module's ``__all__``; None if it has none, or one that is not a literal."""
        parsed = self.index.module(module)
        names: set[str] = set()
        for statement in parsed.bindings.get("__all__", []) if parsed else ():
            value: Any = getattr(statement.node, "value", None)
            try:
                names.update(str(item) for item in ast.literal_eval(value))
            except (ValueError, TypeError):
                return None
        return frozenset(names) or None


def _is_stub(bindings: list[Statement]) -> bool:
    """Return whether all bindings are imports or ``name = None``."""
    for statement in bindings:
        match statement.node:
            case ast.Import() | ast.ImportFrom() | ast.Assign(value=ast.Constant(value=None)):
                continue
        return False
    return True


def class_of(target: Definition, resolver: Resolver) -> ast.ClassDef | None:
    """Return the class that a definition binds once; None if it binds anything else."""
    parsed = resolver.index.module(target.module)
    bindings = parsed.bindings.get(target.name, []) if parsed else []
    node = bindings[0].node if len(bindings) == 1 else None
    return node if isinstance(node, ast.ClassDef) else None
