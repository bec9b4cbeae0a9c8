"""Top-level definitions of a program: the names that they bind and use, and what they need."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence

from evalplus_lite.programs import parsing

_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__class__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*FUNCTIONS, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ALL_SCOPES = (*SCOPES, *_COMPREHENSIONS)
_AFTER_STATEMENT = re.compile(rb"[ \t\f;]*(?:#.*)?[\r\n]*\Z")  # at most a comment
MUTATORS = frozenset(
    """append add appendleft clear discard extend extendleft insert pop popitem popleft remove
    reverse rotate setdefault sort update __setitem__ __delitem__""".split()
)
"""Methods that change a builtin container in place."""
STAR = "*"  # what ``from m import *`` binds: any name


def fault(source: str) -> int | None:
    """Return the line (from 1) at which compilation fails, or None if the text is a program.

    Nothing is run. If the compiler names no line, return the last one.
    """
    try:
        with parsing.quiet(parsing.guard(source)):
            compile(source, "program", "exec", dont_inherit=True)
    except SyntaxError as error:
        return error.lineno or source.count("\n") + 1
    except (ValueError, RecursionError, OverflowError):
        return source.count("\n") + 1
    return None


def parse(source: str) -> ast.Module | None:
    """Return the program's tree, or None if it does not compile."""
    return None if fault(source) is not None else tree_of(source)


def tree_of(source: str) -> ast.Module | None:
    """Return the tree of a text for which ``fault`` returned None.

    The parser alone accepts some errors that only the compiler detects, such as a return outside a
    function.
    """
    tree: ast.Module | None = parsing.tree_or_none(source)
    return tree


def bound(statement: ast.AST) -> frozenset[str]:
    """Return the names that a statement binds in its own scope."""
    names: set[str] = set()
    for node in within_scope([statement], _ALL_SCOPES):
        names.update(_binds(node))
        if isinstance(node, _COMPREHENSIONS):  # := in a comprehension binds in the outer scope
            names.update(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
    return frozenset(names)


def changed(statement: ast.stmt) -> frozenset[str]:
    """Return the module-level names whose values a top-level statement may change in place."""
    parts: list[ast.expr] = []
    for node in within_scope([statement], _ALL_SCOPES):
        match node:
            case ast.Attribute() | ast.Subscript():
                if not isinstance(node.ctx, ast.Load):  # x.y = ... and del x[y]
                    parts.append(node)
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):  # x.append(...)
                parts.append(method)
    return frozenset(root.id for root in map(root_of, parts) if isinstance(root, ast.Name))


def used(node: ast.AST) -> frozenset[str]:
    """Return the names that a statement looks up outside itself, at once or when called."""
    return _free([node])


def used_at_once(node: ast.AST) -> frozenset[str]:
    """Return the names that a statement needs when executed, before anything is called."""
    return _free(_outside(node)) if isinstance(node, FUNCTIONS) else used(node)


def defines(tree: ast.Module, name: str) -> bool:
    """Return whether the program binds ``name`` at its top level."""
    return any(name in bound(statement) for statement in tree.body)


def parameters(tree: ast.Module, name: str) -> list[str] | None:
    """Return the positional parameters, without ``self``, of the last function or method so named.

    Return None if there is none, or if it takes any number of arguments.
    """
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds) and node.name == name]
    if not nodes or nodes[-1].args.vararg or nodes[-1].args.kwarg:
        return None
    listed = (*nodes[-1].args.posonlyargs, *nodes[-1].args.args)
    return [each.arg for each in listed if each.arg not in ("self", "cls")]


def is_stub(tree: ast.Module, name: str) -> bool:
    """Return whether the last function with this name has an empty body."""
    for statement in reversed(tree.body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if statement.name == name:
                return all(
                    isinstance(inner, ast.Pass)
                    or (isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant))
                    for inner in statement.body
                )
        elif name in bound(statement):
            return False
    return False


def undefined(statements: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names that statements use and that neither they nor Python itself bind."""
    known: set[str] = set()
    names: set[str] = set()
    for statement in statements:
        known |= bound(statement)
        names |= used(statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Global):
                known.update(node.names)
    return frozenset() if STAR in known else frozenset(names - known - _BUILTINS)


def needed(statements: Sequence[ast.stmt], names: Iterable[str]) -> list[ast.stmt]:
    """Return, in order, the statements that bind or change ``names``, and all that they need."""
    binds = [bound(statement) | changed(statement) for statement in statements]
    binders: dict[str, list[int]] = {}
    for position, names_bound in enumerate(binds):
        for name in names_bound:
            binders.setdefault(name, []).append(position)
    kept, seen = set[int](), set[str]()
    wanted = [*names, STAR]
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        for position in binders.get(name, ()):
            if position not in kept:
                kept.add(position)
                wanted += used(statements[position]) | binds[position]
    return [statement for position, statement in enumerate(statements) if position in kept]


def text_of(source: str, statements: Iterable[ast.stmt]) -> str:
    """Return the source text of the statements, each starting on a new line."""
    lines = [line.encode("utf-8", "surrogatepass") for line in _lines(source)]
    parts = []
    for statement in statements:
        first, last = first_line(statement) - 1, (statement.end_lineno or 1) - 1
        begin, end = statement.col_offset, statement.end_col_offset or 0
        if begin == 0 and _AFTER_STATEMENT.match(lines[last], end):
            end = len(lines[last])
        if first == last:
            text = lines[last][begin:end]
        else:
            text = b"".join([lines[first][begin:], *lines[first + 1 : last], lines[last][:end]])
        parts.append(text.rstrip(b"\r\n") + b"\n")
    return b"".join(parts).decode("utf-8", "surrogatepass")


def without(source: str, tree: ast.Module, dropped: Sequence[ast.stmt]) -> str:
    """Return the program without some of its top-level statements, otherwise unchanged."""
    gone = {id(statement) for statement in dropped}
    kept_lines = {
        line
        for statement in tree.body
        if id(statement) not in gone
        for line in range(first_line(statement), (statement.end_lineno or 0) + 1)
    }
    lines = _lines(source)
    for statement in dropped:
        for number in range(first_line(statement), (statement.end_lineno or 0) + 1):
            if number in kept_lines:  # shares a line with a kept statement
                return text_of(source, [node for node in tree.body if id(node) not in gone])
            lines[number - 1] = ""
    return "".join(lines)


def _lines(source: str) -> list[str]:
    """Return the lines as Python counts them: form feeds and the like do not end a line."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", source)


def first_line(statement: ast.stmt) -> int:
    """Return the first line of a statement, including its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def within_scope(
    nodes: Iterable[ast.AST], scopes: tuple[type[ast.AST], ...] = SCOPES
) -> Iterator[ast.AST]:
    """Yield these nodes and those within them, except inside functions, classes or other scopes."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, scopes):
            pending.extend(ast.iter_child_nodes(node))


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.AST]:
    """Return the parts of a function that are evaluated at its definition, not in its body."""
    parts: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    if not isinstance(node, ast.Lambda):
        parts += node.decorator_list
        parts += filter(None, [node.returns])
        parts += [a.annotation for a in _arguments(node.args) if a.annotation]
    return parts


def _arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, [arguments.vararg, arguments.kwarg])


class _Scope:
    """The names that a scope looks up and, unless inner scopes cannot see them, those it binds."""

    __slots__ = ("looked_up", "outer", "own")

    def __init__(self, own: Iterable[str] | None = None) -> None:
        self.looked_up: set[str] = set()
        self.own = None if own is None else set(own)
        self.outer: set[str] = set()


def _free(nodes: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that nodes of one scope look up in it or further out.

    It makes one pass without recursion, because programs nest as deeply as the parser allows.
    """
    scopes = [_Scope()]
    pending: list[ast.AST | None] = list(nodes)
    while pending:
        node = pending.pop()
        scope = scopes[-1]
        if node is None:  # the end of the innermost scope
            scopes.pop()
            small, large = scope.looked_up - ((scope.own or set()) - scope.outer), scopes[-1]
            if len(small) > len(large.looked_up):
                small, large.looked_up = large.looked_up, small
            large.looked_up |= small
            continue
        if scope.own is not None:
            scope.own.update(_binds(node))
        if isinstance(node, FUNCTIONS):
            body = node.body if isinstance(node.body, list) else [node.body]
            pending += [*_outside(node), None, *body]
            scopes.append(_Scope(argument.arg for argument in _arguments(node.args)))
            continue
        if isinstance(node, (ast.ClassDef, *_COMPREHENSIONS)):
            pending.append(None)
            # Names bound in a class are not visible to the functions within it.
            scopes.append(_Scope(None if isinstance(node, ast.ClassDef) else ()))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            scope.looked_up.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            scope.looked_up.add(node.target.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            scope.looked_up.update(node.names)
            scope.outer.update(node.names)
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(scopes[0].looked_up)


def _binds(node: ast.AST) -> Iterator[str]:
    """Yield the names that the node itself binds in its scope."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def root_of(node: ast.expr) -> ast.expr:
    """Return the innermost object of a chain of attributes and subscripts."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node


def changed_in_place(node: ast.AST) -> str:
    """Return the name of the object that an operation changes in place, "" if it changes none."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name, value=part)) if name in MUTATORS:
            root = root_of(part)
        case ast.Subscript(ctx=ctx) | ast.Attribute(ctx=ctx) if not isinstance(ctx, ast.Load):
            root = root_of(node)
        case _:
            return ""
    return root.id if isinstance(root, ast.Name) else ""


def last_name(node: ast.AST | None) -> str:
    """Return the name of ``x`` or ``y.x``, "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def methods(source: str, name: str) -> frozenset[str]:
    """Return the methods of a program's classes, if ``name`` is one of these classes.

    All classes count, because methods may be inherited. Properties are not methods.
    """
    tree = parse(source)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)] if tree else []
    if name not in {node.name for node in classes}:
        return frozenset()
    return frozenset(
        each.name
        for node in classes
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and not any(getattr(mark, "id", "") == "property" for mark in each.decorator_list)
    )
