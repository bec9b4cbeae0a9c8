"""The free names of a statement, when they are needed, and usage that may rule a function out.

The walk follows Python's scoping rules (parameters, comprehension variables, class bodies hidden
from their methods, walrus targets that escape a comprehension), so it only reports names that are
looked up in the module. ``symtable`` finds the same names; this walk adds the attributes read from
them, and whether they are needed while loading.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evalplus_lite.programs import definitions

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that these statements or targets bind in their own scope."""
    return {name for node in nodes for name in definitions.bound(node)} - {definitions.STAR}


def declared_names(
    body: Sequence[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]
) -> set[str]:
    """Return the names that a function's body declares ``global`` or ``nonlocal``."""
    declared = (node for node in definitions.within_scope(body) if isinstance(node, kind))
    return {name for node in declared for name in node.names}


Passing: TypeAlias = Literal["positional", "keyword", "varargs", "varkw"]


def parameters_of(arguments: ast.arguments) -> list[tuple[ast.arg, Passing, ast.expr | None]]:
    """Return the parameters in order: how each is passed, and its default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    # Defaults belong to the last parameters; a removed ``self`` may leave one default too many.
    defaults = [*[None] * len(positional), *arguments.defaults][len(arguments.defaults) :]
    parameters: list[tuple[ast.arg, Passing, ast.expr | None]]
    parameters = [(a, "positional", d) for a, d in zip(positional, defaults, strict=True)]
    if arguments.vararg:
        parameters.append((arguments.vararg, "varargs", None))
    parameters += [
        (a, "keyword", d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    if arguments.kwarg:
        parameters.append((arguments.kwarg, "varkw", None))
    return parameters


When: TypeAlias = Literal["load", "late", "annotation"]

_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Use:
    """A global name with the attributes read from it: ``lib.var`` is ``("lib", "var")``."""

    path: tuple[str, ...]
    when: When

    @property
    def name(self) -> str:
        """The global name itself."""
        return self.path[0]


@dataclass(slots=True)
class Uses:
    """Everything that one statement uses."""

    uses: list[Use] = field(default_factory=list)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    """Imports inside functions."""
    writes: set[str] = field(default_factory=set)
    """Global names that a function body rebinds or changes in place."""
    calls: list[ast.Call] = field(default_factory=list)
    """Calls of ``getattr``, ``setattr``, ``delattr`` and ``hasattr`` by their builtin names."""
    attributes: set[str] = field(default_factory=set)
    """Every attribute name read anywhere."""
    mentions: set[str] = field(default_factory=set)
    """Other words that may name an attribute: in strings, class bodies and patterns."""


@dataclass(slots=True)
class _NameScope:
    kind: Literal["module", "function", "class"]
    bound: set[str]
    parent: _NameScope | None
    globals: set[str] = field(default_factory=set)


_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def uses_of(node: ast.stmt) -> Uses:
    """Return everything that a top-level statement uses."""
    walk = _Walk()
    walk.visit(node, _NameScope("module", set(), None), "load")
    return walk.result


class _Walk:
    def __init__(self) -> None:
        self.result = Uses()

    def visit(self, node: ast.AST, scope: _NameScope, when: When) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self.function(node, scope, when)
        elif isinstance(node, ast.ClassDef):
            self.class_(node, scope, when)
        elif isinstance(node, COMPREHENSIONS):
            self.comprehension(node, scope, when)
        elif isinstance(node, ast.Name):
            if scope.kind == "class":
                self.result.mentions.add(node.id)
            if isinstance(node.ctx, ast.Load):
                self.use((node.id,), scope, when)
            elif scope.kind != "module" and node.id in scope.globals:
                self.result.writes.add(node.id)
        elif isinstance(node, ast.Attribute):
            self.attribute(node, scope, when)
        elif isinstance(node, ast.AnnAssign):
            self.annotation(node.annotation, scope)
            self.children([node.target, node.value], scope, when)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if scope.kind != "module":
                self.result.imports.append(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        else:
            self.watch(node, scope)
            for child in ast.iter_child_nodes(node):
                self.visit(child, scope, when)

    def children(self, nodes: Iterable[ast.AST | None], scope: _NameScope, when: When) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, scope, when)

    def function(self, node: _Function, scope: _NameScope, when: When) -> None:
        arguments = node.args
        self.children([*arguments.defaults, *arguments.kw_defaults], scope, when)
        listed = [argument for argument, _, _ in parameters_of(arguments)]
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        outer = scope
        if not isinstance(node, ast.Lambda):
            self.children(node.decorator_list, scope, when)
            outer = self.parameters_of_type(node, scope)
            for annotation in (*(argument.annotation for argument in listed), node.returns):
                if annotation is not None:
                    self.annotation(annotation, outer)
        global_ = declared_names(body, ast.Global)
        bound = bound_names(body) | {argument.arg for argument in listed}
        bound -= global_ | declared_names(body, ast.Nonlocal)
        inner = _NameScope("function", bound, outer, global_)
        self.result.writes.update(global_)
        self.children(body, inner, "annotation" if when == "annotation" else "late")

    def parameters_of_type(self, node: ast.AST, scope: _NameScope) -> _NameScope:
        """Open a scope for ``def f[T]`` (Python 3.12), if there is one."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return scope
        return _NameScope("function", {p.name for p in parameters}, scope)

    def class_(self, node: ast.ClassDef, scope: _NameScope, when: When) -> None:
        self.children(node.decorator_list, scope, when)
        scope = self.parameters_of_type(node, scope)
        self.children([*node.bases, *node.keywords], scope, when)
        inner = _NameScope("class", set(), scope, declared_names(node.body, ast.Global))
        for statement in node.body:
            # A class body reads a module's name until it has bound its own.
            self.visit(statement, inner, when)
            inner.bound |= bound_names([statement])

    def comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
        scope: _NameScope,
        when: When,
    ) -> None:
        self.visit(node.generators[0].iter, scope, when)
        bound = bound_names(generator.target for generator in node.generators)
        inner = _NameScope("function", bound, scope, scope.globals)
        for position, generator in enumerate(node.generators):
            if position:
                self.visit(generator.iter, inner, when)
            self.children([generator.target, *generator.ifs], inner, when)
        if isinstance(node, ast.DictComp):
            self.children([node.key, node.value], inner, when)
        else:
            self.visit(node.elt, inner, when)

    def annotation(self, node: ast.expr, scope: _NameScope) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value.strip(), mode="eval").body
            except SyntaxError:
                return
        self.visit(node, scope, "annotation")

    def attribute(self, node: ast.Attribute, scope: _NameScope, when: When) -> None:
        chain: list[str] = []
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            chain.append(base.attr)
            base = base.value
        self.result.attributes.update(chain)
        self.write(definitions.changed_in_place(node), scope)
        if isinstance(base, ast.Name):
            if scope.kind == "class":
                self.result.mentions.add(base.id)
            self.use((base.id, *reversed(chain)), scope, when)
        else:
            self.visit(base, scope, when)

    def watch(self, node: ast.AST, scope: _NameScope) -> None:
        """Record changes of module state, and attribute access by computed names or by strings."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_prose = " " in node.value and "{" not in node.value and "%(" not in node.value
            self.result.mentions.update(() if is_prose else _WORD.findall(node.value))
        if isinstance(node, ast.MatchClass):
            self.result.mentions.update(node.kwd_attrs)
        if isinstance(node, ast.Subscript | ast.Call):
            self.write(definitions.changed_in_place(node), scope)
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", "")
            if name in ("getattr", "setattr", "delattr", "hasattr") and _is_global(name, scope):
                self.result.calls.append(node)

    def write(self, name: str, scope: _NameScope) -> None:
        # Changes while loading are part of the statement; changes by a function are state.
        if name and scope.kind != "module" and _is_global(name, scope):
            self.result.writes.add(name)

    def use(self, path: tuple[str, ...], scope: _NameScope, when: When) -> None:
        if _is_global(path[0], scope):
            self.result.uses.append(Use(path, when))


def _is_global(name: str, scope: _NameScope) -> bool:
    current: _NameScope | None = scope
    while current is not None:
        if name in current.globals:
            return True
        # A function does not see the names of the enclosing class.
        if (current.kind != "class" or current is scope) and name in current.bound:
            return False
        current = current.parent
    return not (name == "__class__" and scope.kind != "module")
