"""The closure of a function: every statement that it needs, across the files of a package.

Nodes are top-level statements, imports of the standard library, aliases and module namespaces.
An edge marks a need while loading, or only when called. Each name in the flat program belongs to
one definition; if two definitions need the same name, the function is rejected.
"""

from __future__ import annotations

import ast
import heapq
import importlib.util
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, TypeAlias

from evalplus_lite.exe.reading.index import (
    Builtin,
    Definition,
    External,
    Module,
    ModuleRef,
    Obstacle,
    Resolver,
    Statement,
    Target,
    class_of,
)
from evalplus_lite.exe.reading.names import Use


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """One block of the inlined program.

    ``statement``: ``where`` is its module, ``position`` its index there. ``import``: ``where`` is
    the module and ``member`` the name imported from it, bound to ``name``. ``alias``: ``name =
    member``. ``namespace``: ``name`` is bound to a namespace for the module ``where``.
    """

    kind: Literal["alias", "import", "namespace", "statement"]
    where: str
    position: int = 0
    name: str = ""
    member: str = ""


Edges: TypeAlias = Mapping[Node, Mapping[Node, bool]]
"""Node -> needed node -> whether it is needed while loading."""


def ordered(edges: Edges) -> list[Node] | Obstacle:
    """Sort nodes so that each follows the nodes it needs; an Obstacle if loading is circular.

    Circular calls are allowed: a cycle is broken at an edge that is not needed while loading.
    """
    left = {
        node: {*needs} for node, needs in sorted(edges.items(), key=lambda each: _rank(each[0]))
    }
    while True:
        sorter = TopologicalSorter(left)
        try:
            sorter.prepare()
            break
        except CycleError as error:
            circle: list[Node] = error.args[1]  # each node is needed by the next
            late = [(b, a) for a, b in itertools.pairwise(circle) if not edges[b][a]]
            if not late:
                modules = ", ".join(sorted(node.where for node in circle[1:]))
                return Obstacle("circle while loading", modules)
            user, needed = max(late, key=lambda pair: (_rank(pair[0]), _rank(pair[1])))
            left[user].remove(needed)
    order: list[Node] = []
    ready = [(_rank(node), node) for node in sorter.get_ready()]
    heapq.heapify(ready)
    while ready:
        order.append(heapq.heappop(ready)[1])
        sorter.done(order[-1])
        for node in sorter.get_ready():
            heapq.heappush(ready, (_rank(node), node))
    return order


def _rank(node: Node) -> tuple[int, str, int, str]:
    return (0 if node.kind == "import" else 1, node.where, node.position, node.name)


MAX_NODES = 600
"""Maximum number of nodes in a closure."""


OF_THE_WHOLE = frozenset({"name clash", "module state"})
"""Problems of a whole program; its parts may be usable in other programs."""
MOST_PARENTS = 8
_HARMLESS = frozenset({"dataclass", "total_ordering", "final"})
"""Class decorators that use only special methods."""
_OPEN = frozenset({"typing.Generic", "typing.NamedTuple", "typing.TypedDict", "abc.ABC"})
"""Standard library classes that call no ordinary method of their subclasses."""
Identity: TypeAlias = tuple[str, str, str]


@dataclass(slots=True)
class Closure:
    """The parts of a function's program, before they are written as source."""

    entry: Node
    order: list[Node] = field(default_factory=list)
    """All nodes, each after the nodes it needs."""
    statements: dict[Node, Statement] = field(default_factory=dict)
    members: dict[Node, dict[tuple[str, ...], str]] = field(default_factory=dict)
    """Namespace node -> attribute path -> flat name."""
    externals: set[str] = field(default_factory=set)
    """Dotted names of the standard library that are read: ``os.path.join``."""
    mentioned: set[str] = field(default_factory=set)
    """Dotted names that only annotations mention; they are never evaluated."""
    builtins: set[str] = field(default_factory=set)
    problems: list[Obstacle] = field(default_factory=list)


@dataclass(slots=True)
class ClosureBuilder:
    """A builder of one closure; create a new one for each function."""

    resolver: Resolver
    hopeless: dict[Definition, list[Obstacle]] = field(default_factory=dict)
    """Definitions that no closure can contain, and why; reaching one ends the closure."""
    max_code: float = math.inf
    """Maximum characters in a statement."""
    names: dict[str, Identity] = field(default_factory=dict)
    edges: dict[Node, dict[Node, bool]] = field(default_factory=dict)
    """Node -> needed node -> whether it is needed while loading."""
    pending: list[Node] = field(default_factory=list)
    closure: Closure = field(init=False)
    _is_hopeless: bool = False
    _defined: dict[Definition, list[Node]] = field(default_factory=dict)
    _classes: dict[Node, Statement] = field(default_factory=dict)
    """Classes reduced to the methods whose names are mentioned."""
    _mentioned: set[str] = field(default_factory=set)
    _writes: list[tuple[Node, str]] = field(default_factory=list)

    def build(
        self, subject: Definition, others: Sequence[Definition | External] = (), driver: str = ""
    ) -> Closure:
        """Return the closure of a top-level function or class; it is unusable if it has problems.

        ``others``: further definitions that ``driver`` needs, under their own names.
        """
        self._mentioned.update(re.findall(r"\w+", driver))
        module, name = subject.module, subject.name
        target = self.resolver.resolve(module, name)
        entry = Node("statement", module)
        if isinstance(target, Definition) and target in self.hopeless:
            return Closure(entry, problems=[*self.hopeless[target]])
        nodes = self._definition(target) if isinstance(target, Definition) else []
        if not nodes:
            return Closure(entry, problems=[Obstacle("unresolved name", f"{module}.{name}")])
        self.closure = Closure(nodes[-1])
        roots: list[Node] = []
        for other in others:
            if isinstance(other, External):
                self._external(other.member or other.module, other, ())
            else:
                roots += self._definition(other)
        while self.pending or self._grown():
            if self._is_hopeless:
                return self.closure
            if len(self.edges) > MAX_NODES:
                self._problem("closure too large", f"more than {MAX_NODES} statements")
                return self.closure
            if self.pending:
                self._attempt(self.pending.pop())
        callable_ = self._callable(roots)
        for node, written in self._writes:
            if node in callable_:
                self._problem("module state", written)
        for captured in sorted(self.closure.builtins & self.names.keys()):
            self._problem("name clash", f"builtin {captured}")
        if not self.closure.problems:
            order = ordered(self.edges)
            if isinstance(order, Obstacle):
                self.closure.problems.append(order)
            else:
                self.closure.order = order
        return self.closure

    def _callable(self, roots: Sequence[Node]) -> set[Node]:
        """Return the nodes that calls of the entry point and ``roots`` may run or read.

        Exclude the function called by a bare ``_register(...)`` at the top of a module: it ran
        while loading. Include its arguments, because it may have stored them.
        """
        nodes = {self.closure.entry, *roots}
        pending = [*nodes]
        while pending:
            node = pending.pop()
            called = _called_while_loading(self.closure.statements.get(node))
            for needed in self.edges[node].keys() - nodes:
                bound = self.closure.statements.get(needed)
                if bound is None or called not in bound.binds:
                    nodes.add(needed)
                    pending.append(needed)
        return nodes

    # Growing the graph

    def _definition(self, target: Definition) -> list[Node]:
        """Return the nodes that bind a name, or mutate its value while loading."""
        if target in self.hopeless:
            self._is_hopeless = True
            for problem in self.hopeless[target]:
                self._problem(problem.reason, problem.detail)
            return []
        if target not in self._defined:
            self._defined[target] = self._bound(target)
        return self._defined[target]

    def _bound(self, target: Definition) -> list[Node]:
        parsed = self.resolver.index.module(target.module)
        assert parsed is not None
        statements = [*parsed.mutations.get(target.name, ())]
        for statement in parsed.bindings[target.name]:
            if not isinstance(statement.node, ast.Import | ast.ImportFrom):
                statements.append(statement)
        nodes: list[Node] = []
        for position in sorted({statement.position for statement in statements}):
            node = Node("statement", target.module, position)
            nodes.append(node)
            if node not in self.edges:
                self.edges[node] = {}
                self.pending.append(node)
        # They run in file order.
        for before, after in itertools.pairwise(nodes):
            self.edges[after][before] = True
        return nodes

    def _attempt(self, node: Node) -> None:
        """Follow a block's needs; record its own problems for all later closures."""
        before = len(self.closure.problems)
        module = self.resolver.index.module(node.where)
        assert module is not None
        statement = module.statements[node.position]
        if isinstance(statement.node, ast.ClassDef) and self._is_open(node.where, statement.node):
            self._classes[node] = statement
            statement = statement.cut(())
        self._follow(node, module, statement)
        own = [p for p in self.closure.problems[before:] if p.reason not in OF_THE_WHOLE]
        if own and not self._is_hopeless:
            self.hopeless |= {Definition(node.where, name): own for name in statement.binds}

    def _grown(self) -> bool:
        """Follow methods mentioned since the last call; return whether there were any."""
        is_new = False
        for node, whole in self._classes.items():
            statement = whole.cut(self._mentioned)
            module = self.resolver.index.module(node.where)
            if statement is not self.closure.statements[node] and module is not None:
                is_new = True
                self._follow(node, module, statement)
        return is_new

    def _is_open(self, module: str, node: ast.ClassDef, depth: int = 0) -> bool:
        """Return whether only code that mentions a class's methods by name can call them."""
        decorators = {
            ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in node.decorator_list
        }
        if node.keywords or depth > MOST_PARENTS or not decorators <= _HARMLESS:
            return False
        for base in node.bases:
            name, _, rest = ast.unparse(base).partition("[")[0].partition(".")
            is_open = False
            match self.resolver.resolve(module, name):
                case External() as target:
                    is_open = ".".join([target.dotted, rest]).strip(".") in _OPEN
                case Builtin():
                    is_open = not rest
                case Definition() as target if parent := class_of(target, self.resolver):
                    is_open = not rest and self._is_open(target.module, parent, depth + 1)
            if not is_open:
                return False
        return True

    def _follow(self, node: Node, module: Module, statement: Statement) -> None:
        self.closure.statements[node] = statement
        if len(statement.text) > self.max_code:
            self._problem("program too long", f"{len(statement.text)} characters and more")
            return
        self._mentioned |= statement.uses.attributes | statement.uses.mentions
        for name in sorted(statement.binds):
            self._own(name, ("def", node.where, name))
        for written in sorted(statement.uses.writes):
            if isinstance(self.resolver.resolve(node.where, written), Definition):
                self._writes.append((node, f"{node.where}.{written}"))
        for use in statement.uses.uses:
            self._use(node, module, use)

    def _use(self, node: Node, module: Module, use: Use) -> None:
        if use.when == "annotation":
            target = self.resolver.resolve_annotation(module.name, use.name)
            # Annotations are never evaluated, but a reader should see where List comes from.
            if not isinstance(target, External) or target.dotted.startswith("__future__"):
                return
            if target.dotted.startswith("_") or "._" in target.dotted:
                return  # it may exist for type checkers only, so importing it could fail
            if use.name in self.names and self.names[use.name] != _identity(target):
                return
        else:
            target = self.resolver.resolve(module.name, use.name)
        needs = self._target(target, use)
        if node in needs:
            # One of several statements that bind a name: it sees the result of earlier ones.
            needs = [n for n in needs if n.kind == "statement" and n.position < node.position]
        for needed in needs:
            if needed != node:
                loading = use.when == "load"
                self.edges[node][needed] = self.edges[node].get(needed, False) or loading

    def _target(self, target: Target, use: Use) -> list[Node]:
        if isinstance(target, Builtin):
            self.closure.builtins.add(target.name)
            return []
        if isinstance(target, Obstacle):
            self._problem(target.reason, target.detail)
            return []
        if isinstance(target, External):
            if use.when == "annotation":
                self.closure.mentioned.add(".".join([target.dotted, *use.path[1:2]]))
                return [self._imported(use.name, target)]
            return [self._external(use.name, target, use.path[1:])]
        if isinstance(target, ModuleRef):
            return self._module(use, target)
        return self._named(use.name, target)

    def _named(self, name: str, target: Definition) -> list[Node]:
        nodes = self._definition(target)
        self._own(name, ("def", target.module, target.name))
        if name == target.name:
            return nodes
        node = Node("alias", target.module, name=name, member=target.name)
        self.edges.setdefault(node, {}).update(dict.fromkeys(nodes, True))
        return [node]

    def _external(self, name: str, target: External, rest: Iterable[str]) -> Node:
        self.closure.externals.add(".".join([target.dotted, *rest]))
        return self._imported(name, target)

    def _imported(self, name: str, target: External) -> Node:
        self._own(name, _identity(target))
        node = Node("import", target.module, name=name, member=target.member or "")
        self.edges.setdefault(node, {})
        return node

    def _module(self, use: Use, target: ModuleRef) -> list[Node]:
        """Resolve ``module.attribute`` through any number of modules."""
        reached: Target = target
        depth = 1
        while isinstance(reached, ModuleRef) and depth < len(use.path):
            member = self.resolver.member(reached.module, use.path[depth])
            reached = member or Obstacle("unresolved name", f"{reached.module}.{use.path[depth]}")
            depth += 1
        if isinstance(reached, ModuleRef):
            self._problem("module as a value", reached.module)
            return []
        if isinstance(reached, Obstacle | Builtin):
            reason = reached.reason if isinstance(reached, Obstacle) else "module attribute"
            self._problem(reason, ".".join(use.path[:depth]))
            return []
        self._own(use.name, ("module", target.module, ""))
        node = Node("namespace", target.module, name=use.name)
        members = self.closure.members.setdefault(node, {})
        edges = self.edges.setdefault(node, {})
        path = use.path[1:depth]
        if isinstance(reached, External):
            flat = reached.member or reached.module.partition(".")[0]
            needed = [self._external(flat, reached, use.path[depth:])]
            if not reached.member and "." in reached.module:
                self._problem("module as a value", reached.module)
        else:
            flat, needed = reached.name, self._named(reached.name, reached)
        members[path] = flat
        edges.update(dict.fromkeys(needed, True))
        return [node]

    def _own(self, name: str, identity: Identity) -> None:
        owner = self.names.setdefault(name, identity)
        if owner != identity:
            self._problem("name clash", f"{name}: {owner[1]} and {identity[1]}")

    def _problem(self, reason: str, detail: str) -> None:
        problem = Obstacle(reason, detail)
        if problem not in self.closure.problems:
            self.closure.problems.append(problem)


def _called_while_loading(statement: Statement | None) -> str | None:
    """Return the function's name in a bare call, if the call mentions it once."""
    if statement is None or not isinstance(statement.node, ast.Expr):
        return None
    call = statement.node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    mentions = [n for n in ast.walk(call) if isinstance(n, ast.Name) and n.id == call.func.id]
    return call.func.id if len(mentions) == 1 else None


def _identity(target: External) -> Identity:
    return ("import", target.module, target.member or "")


Block: TypeAlias = tuple[str, str, int]
"""The origin of a part of an inlined program: module, name, and first line in its file."""


def inline(closure: Closure) -> tuple[str, tuple[Block, ...]]:
    """Return the source of a closure without problems, and the origin of each part.

    Imports of the standard library come first, then every statement after those it needs.
    A comment above each run of statements names their module.
    """
    imports = _imports(closure)
    if any(node.kind == "namespace" for node in closure.order):
        imports.append("from types import SimpleNamespace")
    lines = ["from __future__ import annotations", ""]
    lines += sorted(imports, key=lambda line: (line.startswith("from "), line))
    blocks: list[Block] = []
    origin = ""
    is_compact = False
    for node in closure.order:
        if node.kind == "import":
            continue
        text, block = _written(closure, node)
        blocks.append(block)
        is_small = node.kind != "statement" or not isinstance(
            closure.statements[node].node, ast.FunctionDef | ast.ClassDef
        )
        if node.where != origin:
            origin = node.where
            text = f"# {origin}\n{text}"
            is_compact = False
        while not (is_small and is_compact) and (lines[-1] or lines[-2]):
            lines.append("")
        lines += text.rstrip("\n").split("\n")
        is_compact = is_small
    return "\n".join([*lines, ""]), tuple(blocks)


def _imports(closure: Closure) -> list[str]:
    plain: set[str] = set()
    members: dict[str, set[str]] = defaultdict(set)
    read: dict[str, set[str]] = defaultdict(set)
    for dotted in closure.externals | closure.mentioned:
        parts = dotted.split(".")
        read[parts[0]].update(".".join(parts[:end]) for end in range(2, len(parts) + 1))
    for node in closure.order:
        if node.kind != "import":
            continue
        alias = "" if node.name == (node.member or node.where) else f" as {node.name}"
        if node.member:
            members[node.where].add(f"{node.member}{alias}")
            continue
        plain.add(f"import {node.where}{alias}")
        if not alias:
            plain.update(f"import {name}" for name in read[node.where] if _is_module(name))
    taken = [f"from {module} import {', '.join(sorted(m))}" for module, m in members.items()]
    return [*plain, *taken]


def _is_module(name: str) -> bool:
    """Return whether a dotted name is a module to import (``os.path`` comes with ``os``)."""
    try:
        return name != "os.path" and importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _written(closure: Closure, node: Node) -> tuple[str, Block]:
    if node.kind == "statement":
        statement = closure.statements[node]
        name = str(getattr(statement.node, "name", "")) or ", ".join(sorted(statement.binds))
        return statement.text, (node.where, name, statement.node.lineno)
    text = node.member
    if node.kind == "namespace":
        tree: dict[str, Any] = {}
        for path, flat in sorted(closure.members[node].items()):
            branch = tree
            for part in path[:-1]:
                branch = branch.setdefault(part, {})
            branch[path[-1]] = flat
        text = _namespace(tree)
    return f"{node.name} = {text}", (node.where, node.name, 0)


def _namespace(tree: dict[str, Any]) -> str:
    inner = ", ".join(
        f"{key}={_namespace(value) if isinstance(value, dict) else value}"
        for key, value in tree.items()
    )
    return f"SimpleNamespace({inner})"
