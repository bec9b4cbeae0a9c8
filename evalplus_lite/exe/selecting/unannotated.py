"""What tells the type of a parameter without an annotation: its default, documentation, its use.

None of it is taken on trust: it only says what to draw inputs from, and what comes of them is
proved by running, as for annotated functions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalplus_lite.exe.reading.names import arguments_of
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.generate.domains.constants import examples
from evalplus_lite.types import Value

Origin: TypeAlias = Literal[
    "annotation", "observed", "example", "docstring", "default", "use", "none"
]
"""What told a type; ``none``: nothing did, so any plain value is drawn."""

ITEM = Type("union", (Type("int"), Type("str")))
_WORDS = {
    "str": "str", "string": "str", "text": "str", "unicode": "str", "basestring": "str",
    "int": "int", "integer": "int", "float": "float", "number": "float", "numeric": "float",
    "bool": "bool", "boolean": "bool", "bytes": "bytes", "list": "list", "sequence": "list",
    "iterable": "list", "array_like": "list", "tuple": "tuple", "set": "set", "dict": "dict",
    "dictionary": "dict", "mapping": "dict", "iterator": "list",
}  # fmt: skip
_PLAIN: dict[str, type] = {
    "str": str, "bytes": bytes, "int": int, "float": float, "list": list, "tuple": tuple,
    "set": set, "dict": dict,
}  # fmt: skip
_NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_LONGEST_TUPLE = 6


@dataclass(frozen=True, slots=True)
class Told:
    """A parameter's type, and what told it; a type of None is one that no plain value has."""

    type: Type | None
    origin: Origin


def types_told(node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Told]:
    """Return parameter -> what is told of its type, for those without an annotation."""
    missing = [a.arg for a in arguments_of(node.args) if a.annotation is None]
    if not missing:
        return {}
    defaults = _defaults(node.args)
    docstring = ast.get_docstring(node) or ""
    shown = _shown(node, docstring)
    uses = _Uses({*missing}, node)
    found: dict[str, Told] = {}
    for name in missing:
        used = uses.type_of(name)
        if used is not None and used.type is None:
            found[name] = used
            continue
        stated = _documented(docstring, name)
        found[name] = (
            _by_values(shown.get(name, ()), "example")
            or (stated and Told(stated, "docstring"))
            or _by_values(defaults.get(name, ()), "default")
            or used
            or Told(Type("any"), "none")
        )
    return found


def _defaults(arguments: ast.arguments) -> dict[str, tuple[Value, ...]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    given = positional[len(positional) - len(arguments.defaults) :]
    pairs = [*zip(given, arguments.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d]
    found: dict[str, tuple[Value, ...]] = {}
    for argument, default in pairs:
        try:
            found[argument.arg] = (ast.literal_eval(default),)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
    return found


def _shown(
    node: ast.FunctionDef | ast.AsyncFunctionDef, docstring: str
) -> dict[str, tuple[Value, ...]]:
    """Return the values that the documentation's calls give to each positional parameter."""
    if f"{node.name}(" not in docstring:
        return {}
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    text = f"def {node.name}({', '.join(names)}): pass\n{docstring}"
    found: dict[str, tuple[Value, ...]] = {}
    for call in examples(text, node.name):
        for name, value in zip(names, call, strict=False):
            found[name] = (*found.get(name, ()), value)
    return found


def _by_values(values: Iterable[Value], origin: Origin) -> Told | None:
    types = dict.fromkeys(filter(None, map(type_of, values)))
    if not types or set(types) == {Type("none")}:
        return None
    return Told(_either(types), origin)


def _either(types: Iterable[Type]) -> Type:
    members = tuple(dict.fromkeys(types))
    return members[0] if len(members) == 1 else Type("union", members)


def type_of(value: Value, depth: int = 0) -> Type | None:
    """Return a literal's type; None of what no input can be."""
    if value is None:
        return Type("none")
    if isinstance(value, dict) and any(str(key)[:1] == "$" for key in value):
        return None  # a date, say, that was written as text
    name = type(value).__name__
    if name in ("bool", "int", "float", "str", "bytes"):
        return Type(name)
    if depth > 3 or name not in ("list", "tuple", "set", "frozenset", "dict"):
        return None
    inner = [*value.keys()] if isinstance(value, dict) else [*value]
    told = [type_of(each, depth + 1) for each in inner]
    if None in told:
        return None
    known = [each for each in told if each is not None]
    if isinstance(value, dict):
        held = [t for t in (type_of(each, depth + 1) for each in value.values()) if t is not None]
        return Type(
            "dict",
            (_either(known), _either(held)) if known and held else (Type("str"), ITEM),
        )
    if isinstance(value, tuple) and 0 < len(known) <= _LONGEST_TUPLE:
        return Type("tuple", tuple(known))
    item = _either(known) if known else ITEM
    return Type(name, (item,), variadic=name == "tuple")


def _documented(docstring: str, name: str) -> Type | None:
    """Return the type that Sphinx's, NumPy's or Google's way of writing states."""
    if name not in docstring:
        return None
    escaped = re.escape(name)
    for pattern in (
        rf":type\s+{escaped}:\s*(?P<type>[^\n]+)",
        rf":param\s+(?P<type>[\w ,\[\]]+?)\s+{escaped}\s*:",
        rf"^\s*\*{{0,2}}{escaped}\s*:\s*(?P<type>[^\n]+)$",
        rf"^\s*{escaped}\s*\((?P<type>[^)\n]+)\)\s*:",
    ):
        match = re.search(pattern, docstring, re.MULTILINE)
        if match is None:
            continue
        words = re.findall(r"[A-Za-z_]+", match["type"][:80].lower())
        kinds = dict.fromkeys(_WORDS[word] for word in words[:8] if word in _WORDS)
        if kinds and words[0] in _WORDS:
            # "list of str" is one type; "str or int" is two.
            if next(iter(kinds)) in ("list", "set") and "of" in words:
                held = [Type(kind) for kind in list(kinds)[1:]]
                return Type(next(iter(kinds)), (_either(held) if held else ITEM,))
            return _either(map(_held, kinds))
    return None


def _held(kind: str) -> Type:
    if kind in ("list", "set"):
        return Type(kind, (ITEM,))
    if kind == "tuple":
        return Type("tuple", (ITEM,), variadic=True)
    return Type("dict", (Type("str"), ITEM)) if kind == "dict" else Type(kind)


class _Uses:
    """How a function's body uses its parameters."""

    def __init__(self, names: set[str], node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.names = names
        self.attributes: dict[str, set[str]] = {}
        self.kinds: dict[str, dict[str, None]] = {}
        for statement in node.body:
            for child in ast.walk(statement):
                for name, kinds in self._told_by(child):
                    self.kinds.setdefault(name, {}).update(dict.fromkeys(kinds.split()))

    def type_of(self, name: str) -> Told | None:
        """Return what a parameter's use tells; a type of None where only an object fits."""
        kinds = self.kinds.get(name, {})
        attributes = self.attributes.get(name, set())
        if "object" in kinds:
            return Told(None, "use")
        if attributes:
            fits = [kind for kind, own in _PLAIN.items() if attributes <= set(dir(own))]
            if not fits:
                return Told(None, "use")
            return Told(_held(next((kind for kind in fits if kind in kinds), fits[0])), "use")
        return Told(_either(map(_held, kinds)), "use") if kinds else None

    def _told_by(self, node: ast.AST) -> Iterator[tuple[str, str]]:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in self.names:
                self.attributes.setdefault(name, set()).add(attribute)
            case ast.Call(func=ast.Name(id=name)) if name in self.names:
                yield name, "object"  # it is called
            case ast.withitem(context_expr=opened):
                yield from self._of(opened, "object")
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), kinds]):
                parts = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
                told = [_WORDS.get(ast.unparse(part).lower(), "") for part in parts]
                if name in self.names and any(told):
                    yield name, " ".join(told)
            case ast.Call(func=ast.Name(id=function), args=[ast.Name() as first, *_]):
                yield from self._of(first, _OF_FUNCTIONS.get(function, ""))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[_, searched, *_]):
                yield from self._of(searched, "str")
            case ast.For(iter=source) | ast.comprehension(iter=source):
                yield from self._of(source, "list")
            case ast.BinOp(left=left, op=op, right=right):
                bits = isinstance(op, _BITS)
                if isinstance(left, ast.Constant) and isinstance(left.value, str):
                    return  # "%s" % anything
                for side, other in ((left, right), (right, left)):
                    if isinstance(other, ast.Constant) and isinstance(other.value, str):
                        yield from self._of(side, "str")
                    elif isinstance(op, _NUMERIC) or bits:
                        yield from self._of(side, "int" if bits else "int float")
                    elif isinstance(other, ast.Constant) and isinstance(op, ast.Add | ast.Mod):
                        yield from self._of(side, type(other.value).__name__)
            case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand):
                yield from self._of(operand, "int")
            case ast.Compare(left=left, ops=[op, *_], comparators=[right, *_]):
                for side, other in ((left, right), (right, left)):
                    if isinstance(op, ast.In | ast.NotIn):
                        continue
                    if isinstance(other, ast.Constant) and type(other.value) in (int, float, str):
                        yield from self._of(side, type(other.value).__name__)
            case ast.Subscript(value=ast.Name() as value, slice=index):
                is_key = isinstance(index, ast.Constant) and isinstance(index.value, str)
                if is_key or isinstance(index, ast.Slice | ast.Constant):
                    yield from self._of(value, "dict" if is_key else "str list")
            case ast.Assign(targets=[ast.Tuple(), *_], value=ast.Name() as value):
                yield from self._of(value, "list")
            case _:
                return

    def _of(self, node: ast.expr, kinds: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, ast.Name) and node.id in self.names and kinds:
            yield node.id, kinds


_OF_FUNCTIONS = {
    "int": "str int", "float": "str float", "ord": "str", "chr": "int", "range": "int",
    "abs": "int float", "round": "float", "divmod": "int", "hex": "int", "bin": "int",
    "sum": "list", "len": "list str",
    "sorted": "list", "list": "list", "tuple": "list", "set": "list", "enumerate": "list",
    "iter": "list", "reversed": "list", "max": "list", "min": "list", "zip": "list", "dict": "dict",
    "any": "list", "all": "list", "frozenset": "list",
}  # fmt: skip
"""What a builtin's first argument is, where that is told at all."""
