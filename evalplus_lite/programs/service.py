"""Operations on untrusted texts, which are parsed and compiled but never run.

``helper`` starts this, with its socket as standard input.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import hashlib
import importlib
import io
import json
import marshal
import os
import pkgutil
import re
import resource
import signal
import socket
import string
import types
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from evalplus_lite.programs import parsing
from evalplus_lite.programs.extraction import Kind, Step
from evalplus_lite.programs.extraction.extraction import extract
from evalplus_lite.programs.helper import CPU_SECONDS, LENGTH, MEMORY, OUT_OF_MEMORY, receive
from evalplus_lite.types import Style, Task


def main() -> None:
    """Answer requests until the other side closes; a text that needs too much ends the process."""
    parsing.trust_this_process()
    channel = socket.socket(fileno=0)
    # The parent may ignore or block the signal that limits CPU time, which is inherited.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _warm_up()
    for limit, value in (
        (resource.RLIMIT_AS, _held() + MEMORY),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    while True:
        try:
            operation, fields = json.loads(receive(channel))
            # The signal ends the process at any point, without cooperation from Python code.
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
            reply = json.dumps(_reply(operation, fields)).encode()
            signal.setitimer(signal.ITIMER_PROF, 0)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except ConnectionError:
            os._exit(0)
        channel.sendall(LENGTH.pack(len(reply)) + reply)


def _reply(operation: str, fields: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": OPERATIONS[operation](**fields)}
    except RecursionError:
        return {"refused": "too large to look into: nested too deep"}


def _extract(
    text: str, prompt: str, entry_point: str, style: Style, kind: Kind
) -> tuple[str, tuple[Step, ...]]:
    task = Task("", prompt, entry_point, "", style=style)
    extraction = extract(text, task, kind=kind)
    return extraction.source, extraction.steps


def _program_key(source: str) -> str:
    tree = parsing.tree_or_none(source)
    text = source if tree is None else ast.dump(tree)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def _fingerprint(source: str) -> str:
    data = source.encode("utf-8", "surrogatepass")
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, OverflowError):
        code = compile(source, "", "exec", dont_inherit=True)
        if is_blind(source, code):
            # Format 2, unlike newer ones, does not depend on reference counts.
            data = marshal.dumps(_without_lines(code), 2)
    return hashlib.sha256(data).hexdigest()[:32]


def _without_lines(code: types.CodeType) -> types.CodeType:
    constants = tuple(
        _without_lines(each) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    return code.replace(co_linetable=b"", co_firstlineno=1, co_consts=constants)


def _normal_form(source: str) -> tuple[str, str | None]:
    try:
        tree = parsing.parse(source)
    except (SyntaxError, ValueError) as error:
        return "", str(error)
    if "__doc__" not in source:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
                _drop_docstring(node)
    return ast.unparse(tree) + "\n", None


def _drop_docstring(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module,
) -> None:
    match node.body[:1]:
        case [ast.Expr(value=ast.Constant(value=str()))]:
            node.body = node.body[1:]
            if not node.body and not isinstance(node, ast.Module):
                node.body = [ast.Pass()]


def _fits(source: str, mode: str) -> bool:
    """Compile and parse as the caller will; return whether Python warned."""
    warned = False

    def note(*_: object) -> None:
        nonlocal warned
        warned = True

    fails = (SyntaxError, ValueError, RecursionError, OverflowError)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note  # type: ignore[assignment]
        if mode == "exec":
            with contextlib.suppress(*fails):
                compile(source, "program", "exec", dont_inherit=True)
        with contextlib.suppress(*fails):
            ast.parse(source, mode=mode)
    return warned


def _reach(source: str) -> str:
    """Return "" if a program cannot see its own layout, otherwise the reason for doubt."""
    try:
        code = compile(source, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError) as error:
        return f"does not compile: {error}"
    return "" if is_blind(source, code) else "uses more than plain Python"


OPERATIONS: dict[str, Callable[..., Any]] = {
    "extract": _extract,
    "fits": _fits,
    "fingerprints": lambda sources: list(map(_fingerprint, sources)),
    "program_key": _program_key,
    "reach": _reach,
    "normal_form": _normal_form,
}


def _warm_up() -> None:
    """Trigger everything that is imported or created on first use, before memory is limited."""
    task = Task("", "", "f", "", style="solution")
    extract("```python\ndef f(x):\n    return x\n```\nThis is it.\n", task)
    _normal_form("def f(x):\n    return f'{x}'\n")
    _fingerprint("def f(x):\n    return type(x)\n")


def _held() -> int:
    """Return the size of this process's address space in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


# Detection of programs that cannot see their own layout: equal code then means equal answers.
#
# A program is merged with another only if everything that it can reach is on a list: modules that
# it may import, and names in them and on the objects that they and Python itself return. A name
# that none of those objects has is the program's own, and leads nowhere else. So frames,
# tracebacks, code objects, evaluated text and computed attribute names are unreachable. Programs
# that are not known to be safe are not merged, which costs a run but never changes a verdict.
#
# Addresses (``repr`` of a function, the order of objects in a set) are still reachable. They differ
# from run to run like random numbers, so a program that depends on them has no stable verdict.

_WHOLE = (  # modules whose public names and classes never lead to code or frames
    "bisect cmath collections datetime decimal fractions heapq itertools math operator random "
    "statistics string"
).split()
_NAMES = {  # the allowed names of other modules
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
_CALLED = frozenset({"format", "type"})  # safe in certain forms, see ``_is_plain``
_NAN = re.compile(r"\bnan\b", re.IGNORECASE)  # hashed by address, so sets with it have any order
_IMPORT, _EXTENDED = dis.opmap["IMPORT_NAME"], dis.opmap["EXTENDED_ARG"]
_CLASS_PATTERN = dis.opmap["MATCH_CLASS"]  # reads attributes by names in a tuple
MODULES = frozenset({*_WHOLE, *_NAMES, "__future__"})


def _public(owner: object) -> set[str]:
    return {name for name in dir(owner) if not name.startswith("_")}


@cache
def _lists() -> tuple[frozenset[str], frozenset[str]]:
    """Return the safe names, and all other names of reachable objects."""
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
    """Return whether a program with this text and code cannot see its own layout."""
    safe, known = _lists()
    names = set[str]()
    for part in _codes(code):
        own = part.co_names
        names.update(own)
        steps = part.co_code
        operations = steps[::2]
        if _CLASS_PATTERN in operations:
            return False
        at = operations.find(_IMPORT)
        while at >= 0:
            if at and operations[at - 1] == _EXTENDED:  # with that many names it is rarely repeated
                return False
            if own[steps[2 * at + 1]] not in MODULES:
                return False
            at = operations.find(_IMPORT, at + 1)
    for name in names - safe:
        if name in known or (name.startswith("__") and name.endswith("__")):
            return False
    text = source if source.isascii() else unicodedata.normalize("NFKC", source)
    # Annotated classes have this name in their code, and ``dataclass`` executes annotations.
    if "annotations__" in text or _NAN.search(text):
        return False
    return names.isdisjoint(_CALLED) or _is_plain(ast.parse(source))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    waiting = [code]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += [each for each in current.co_consts if isinstance(each, types.CodeType)]


def _is_plain(tree: ast.Module) -> bool:
    """Return whether no call reads an attribute by a name in a string."""
    fine: set[int] = set()  # the nodes of safe names
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
    for node in nodes:
        match node:
            case ast.Name(id="type" | "format") | ast.Attribute(attr="type" | "format"):
                if id(node) not in fine:
                    return False
    return True


def _asked_type(node: ast.expr) -> Iterator[int]:
    """Yield the id of the node ``type`` in ``type(x)``; a class gives its metaclass."""
    match node:
        case ast.Call(func=ast.Name(id="type") as name, args=[argument], keywords=[]):
            if not isinstance(argument, ast.Starred):
                yield id(name)


def _has_plain_fields(text: str, depth: int = 0) -> bool:
    """Return whether a format string's fields are plain arguments, without attributes or items."""
    try:
        fields = list(string.Formatter().parse(text))
    except ValueError:
        return True  # ``format`` rejects it as well
    for _, name, inner, _ in fields:
        if name is not None and not re.fullmatch(r"\w*", name):
            return False
        if inner and (depth > 1 or not _has_plain_fields(inner, depth + 1)):
            return False
    return True
