"""Detection of programs that cannot see their own layout: equal code then means equal answers.

A program is merged with another only if everything that it can reach is on a list: modules that it
may import, and names in them and on the objects that they and Python itself return. A name that
none of those objects has is the program's own, and leads nowhere else. So frames, tracebacks, code
objects, evaluated text and computed attribute names are out of reach by any route. Programs that
are not known to be safe are not merged, which costs a run and never a verdict.

Addresses (``repr`` of a function, the order of objects in a set) stay in reach. They differ from
run to run like random numbers, so a program that acts on them has no stable verdict.
"""

from __future__ import annotations

import ast
import builtins
import dis
import importlib
import io
import pkgutil
import re
import string
import types
import unicodedata
from collections.abc import Iterator
from functools import cache

_WHOLE = (  # modules of whose public names and classes none leads to code or frames
    "bisect cmath collections datetime decimal fractions heapq itertools math operator random "
    "statistics string"
).split()
_NAMES = {  # of other modules, these names
    "abc": "ABC abstractmethod",
    "collections.abc": (
        "Callable Collection Container Generator Hashable Iterable Iterator Mapping MutableMapping "
        "MutableSequence MutableSet Reversible Sequence Set Sized"
    ),
    "copy": "copy deepcopy",
    "dataclasses": "asdict astuple dataclass field",
    "functools": "cache cache_clear cache_info cmp_to_key lru_cache partial reduce total_ordering",
    "json": "JSONDecodeError dumps loads",
    "numbers": "Complex Integral Number Rational Real",
    "re": (
        "A ASCII DOTALL I IGNORECASE M MULTILINE Match Pattern S VERBOSE X end endpos error escape "
        "expand findall finditer flags fullmatch group groupdict groups groupindex lastgroup "
        "lastindex match pattern pos purge regs search span split start string sub subn"
    ),
    "sys": "epsilon exit float_info maxsize maxunicode setrecursionlimit stdin stdout",
    "time": "monotonic perf_counter sleep time",
    "typing": (
        "Any AnyStr Callable ClassVar Counter DefaultDict Deque Dict Final FrozenSet Generator "
        "Generic Hashable Iterable Iterator List Literal Mapping MutableMapping MutableSequence "
        "NamedTuple NewType NoReturn Optional OrderedDict Pattern Protocol Self Sequence Set Sized "
        "SupportsFloat SupportsInt TYPE_CHECKING Text Tuple Type TypeAlias TypeVar Union "
        "cast final overload"
    ),
}
_FUNCTIONS = (
    "abs all any ascii bin callable chr divmod enumerate exit filter format hasattr hex input "
    "isinstance issubclass iter len map max min next oct ord pow print quit repr reversed round "
    "sorted sum zip NotImplemented Ellipsis buffer flush read readline readlines write writelines"
)
_TYPES = (
    *(bool, bytearray, bytes, classmethod, complex, dict, float, frozenset, int, list, object),
    *(property, range, set, slice, staticmethod, str, super, tuple, type),
)
_OF_ERRORS = "args code end errno name obj object reason start strerror text value"
_OF_GENERATORS = "aclose asend athrow close send throw"
_SPECIAL = """
    abs add aenter aiter all and anext annotations bool bytes call ceil classcell
    classdictcell complex contains delitem divmod doc enter eq firstlineno float floor floordiv
    format ge getitem gt hash iadd iand ifloordiv ilshift imod imul index init int invert ior ipow
    irshift isub iter itruediv ixor le len length_hint lshift lt main matmul missing mod module mul
    name ne neg new next or pos post_init pow qualname radd rand repr reversed rfloordiv rlshift
    rmod rmul ror round rpow rrshift rshift rsub rtruediv rxor setitem slots
    static_attributes str sub truediv trunc type_params xor
"""
_REFUSED = {"attrgetter", "format_map", "methodcaller", "Formatter"}
_CALLED = frozenset({"format", "type"})  # safe in the forms that the syntax tree shows
_NAN = re.compile(r"\bnan\b", re.IGNORECASE)  # hashed by its address, so sets of it have any order
_IMPORT, _EXTENDED = dis.opmap["IMPORT_NAME"], dis.opmap["EXTENDED_ARG"]
_CLASS_PATTERN = dis.opmap["MATCH_CLASS"]
_PATTERN_TYPES = frozenset("bool bytes dict float int list set str tuple".split())
MODULES = frozenset({*_WHOLE, *_NAMES, "__future__"})


def _public(owner: object) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


@cache
def _lists() -> tuple[frozenset[str], frozenset[str]]:
    """Return the safe names, and all others that the objects in reach have."""
    safe, known = set[str](), set[str]()
    for name in MODULES - {"__future__"}:
        module = importlib.import_module(name)
        safe.update(name.split("."))
        known.update(dir(module))
        known.update(each.name for each in pkgutil.iter_modules(getattr(module, "__path__", ())))
        for key, value in vars(module).items():
            if isinstance(value, type):
                known.update(dir(value))
            if (
                name in _WHOLE
                and not key.startswith("_")
                and not isinstance(value, types.ModuleType)
            ):
                safe.add(key)
                safe |= _public(value) if isinstance(value, type) else set()
    for value in (*vars(builtins).values(), *vars(types).values(), *vars(io).values()):
        if isinstance(value, type):
            known.update(dir(value))
            if issubclass(value, BaseException):
                safe.add(value.__name__)
    known.update(dir(builtins), ("copyright", "credits", "help", "license"))  # some by ``site``
    for kind in _TYPES:
        safe |= {kind.__name__, *_public(kind)}
    for words in (*_NAMES.values(), _FUNCTIONS, _OF_ERRORS, _OF_GENERATORS):
        safe.update(words.split())
    safe.update(f"__{word}__" for word in _SPECIAL.split())
    safe -= _REFUSED
    return frozenset(safe), frozenset(known - safe)


def is_blind(source: str, code: types.CodeType) -> bool:
    """Return whether a program, of this text and code, can reach nothing of its own layout."""
    safe, known = _lists()
    names, has_patterns = set[str](), False
    for part in _codes(code):
        own = part.co_names
        names.update(own)
        steps = part.co_code
        operations = steps[::2]
        at = operations.find(_IMPORT)
        while at >= 0:
            if at and operations[at - 1] == _EXTENDED:  # so many names that it is hardly repeated
                return False
            if own[steps[2 * at + 1]] not in MODULES:
                return False
            at = operations.find(_IMPORT, at + 1)
        has_patterns = has_patterns or _CLASS_PATTERN in operations
    for name in names - safe:
        if name in known or (name.startswith("__") and name.endswith("__")):
            return False
    text = source if source.isascii() else unicodedata.normalize("NFKC", source)
    # An annotated class has that name in its code, and ``dataclass`` executes the annotations.
    if "annotations__" in text or _NAN.search(text):
        return False
    if not has_patterns and names.isdisjoint(_CALLED):
        return True
    return _is_plain(ast.parse(source))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    waiting = [code]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += [each for each in current.co_consts if isinstance(each, types.CodeType)]


def _is_plain(tree: ast.Module) -> bool:
    """Return whether all calls and patterns are of forms that read no attribute by its name."""
    fine: set[int] = set()  # the nodes of such names
    bound: set[str] = set()
    matched: set[str] = set()
    nodes = list(ast.walk(tree))
    for node in nodes:
        match node:
            case ast.Compare():
                for each in (node.left, *node.comparators):
                    fine.update(_asked_type(each))
            case ast.Attribute(value=called, attr="__name__"):
                fine.update(_asked_type(called))
            case ast.Call(func=ast.Name(id="format") as name):
                fine.add(id(name))
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format") as name
            ):
                if _has_plain_fields(text):
                    fine.add(id(name))
            case ast.MatchClass(cls=ast.Name(id=kind), kwd_attrs=[]) if kind in _PATTERN_TYPES:
                matched.add(kind)
            case ast.MatchClass():
                return False
            case ast.Name(id=kind, ctx=ast.Store()) | ast.arg(arg=kind):
                bound.add(kind)
            case ast.ClassDef(name=kind) | ast.FunctionDef(name=kind) | ast.alias(name=kind):
                bound.add(kind)
                bound.add(getattr(node, "asname", None) or kind)
    if matched & bound or ("*" in bound and matched):
        return False
    for node in nodes:
        match node:
            case ast.Name(id="type" | "format") | ast.Attribute(attr="type" | "format"):
                if id(node) not in fine:
                    return False
    return True


def _asked_type(node: ast.expr) -> Iterator[int]:
    """Yield the node of the name in ``type(x)``, which for a class is its metaclass."""
    match node:
        case ast.Call(func=ast.Name(id="type") as name, args=[argument], keywords=[]):
            if not isinstance(argument, ast.Starred):
                yield id(name)


def _has_plain_fields(text: str, depth: int = 0) -> bool:
    """Return whether the fields of a text for ``format`` are arguments as they are."""
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return True  # nor does ``format`` read it
    for _, name, inner, _ in fields:
        if name is not None and not re.fullmatch(r"\w*", name):
            return False
        if inner and (depth > 1 or not _has_plain_fields(inner, depth + 1)):
            return False
    return True
