"""The space of a function's calls, with one domain per parameter; random draws and mutations.

A call is a tuple with one value per parameter: ``OMITTED`` for an optional parameter that is not
passed, a list for ``*args``, a dict for ``**kwargs``.
"""

from __future__ import annotations

import ast
import functools
import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from re import _constants as op  # type: ignore[attr-defined]  # typeshed leaves it out
from re import _parser  # type: ignore[attr-defined]
from typing import Any, TypeVar

from evalplus_lite.exe.running.runs import Invocation, parts_of
from evalplus_lite.exe.selecting.signatures import (
    ITEM,
    Parameter,
    Signature,
    either,
    needs_of,
    type_of,
)
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.exe.tables import tables
from evalplus_lite.generate.domains.annotations import KINDS, Type
from evalplus_lite.generate.domains.constants import Constants, from_source
from evalplus_lite.generate.domains.domain import Domain, union
from evalplus_lite.generate.domains.profile import NOTHING
from evalplus_lite.generate.domains.text import PRINTABLE
from evalplus_lite.generate.engine.slots import GenerationState, Slot
from evalplus_lite.types import Arguments, Value

MOST_PIECES, LONGEST_PIECE = 4, 24
"""Maximum number of pieces in a composed text, and maximum characters in a piece."""
_First = TypeVar("_First")


def _pick(options: Sequence[_First], random: Callable[[], float]) -> _First:
    return options[int(random() * len(options))]


SCALAR = Type("union", (Type("none"), Type("bool"), Type("int"), Type("float"), Type("str")))
ANYTHING = Type(
    "union", (*SCALAR.arguments, Type("list", (ITEM,)), Type("dict", (Type("str"), ITEM)))
)


def hashable(kind: Type) -> Type:
    """Return a type's hashable part; plain scalars if it has none."""
    if kind.kind in ("any", "object"):
        return SCALAR
    if kind.kind == "union":
        return replace(kind, arguments=tuple(dict.fromkeys(map(hashable, kind.arguments))))
    if KINDS.get(kind.kind) is tuple:
        return replace(kind, arguments=tuple(map(hashable, kind.arguments)))
    is_held = kind.kind == "literal" or KINDS.get(kind.kind, list) not in (list, dict, set)
    return kind if is_held else SCALAR


_CALLS = frozenset("compile match search fullmatch sub subn findall finditer split".split())
_MOST_REPEATS = 4
_MOST_CHARACTERS = 200
_WORD = "abcdefgzABCXYZ0129_é日"
_CLASSES = {
    op.CATEGORY_DIGIT: "0123456789", op.CATEGORY_NOT_DIGIT: "ab -.",
    op.CATEGORY_SPACE: " \t\n", op.CATEGORY_NOT_SPACE: "ab1.-é",
    op.CATEGORY_WORD: _WORD, op.CATEGORY_NOT_WORD: " .,-/#",
}  # fmt: skip
_ANY = _WORD + " .,:;-/#'\"()<>&%=\\\n"


def expressions(code: str) -> list[str]:
    """Return the literal regular expressions that a program passes to ``re``."""
    patterns: dict[str, None] = {}
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr=name) | ast.Name(id=name),
                args=[ast.Constant(value=str(pattern)), *_],
            ) if name in _CALLS:
                patterns[pattern] = None
    return list(patterns)


def matching(expression: str, random: Callable[[], float], *, count: int) -> list[str]:
    """Return up to ``count`` strings that a regular expression matches, ignoring lookaround.

    Return an empty list if the expression is invalid.
    """
    try:
        tree = _parser.parse(expression)
        texts = ["".join(_written(tree, random, {})) for _ in range(count)]
    except (re.error, RecursionError, OverflowError, ValueError):
        return []
    return [text for text in dict.fromkeys(texts) if len(text) <= _MOST_CHARACTERS]


def _written(tree: Any, random: Callable[[], float], groups: dict[int, str]) -> Iterator[str]:
    def text(tree: Any) -> str:
        return "".join(_written(tree, random, groups))

    for kind, content in tree:
        match kind:
            case op.LITERAL:
                yield chr(content)
            case op.NOT_LITERAL:
                yield _pick(_ANY.replace(chr(content), ""), random)
            case op.ANY:
                yield _pick(_ANY[:-1], random)
            case op.IN:
                yield _pick(_members(content) or "?", random)
            case op.BRANCH:
                yield text(_pick(content[1], random))
            case op.SUBPATTERN:
                part = text(content[-1])
                if content[0] is not None:
                    groups[content[0]] = part
                yield part
            case op.MAX_REPEAT | op.MIN_REPEAT | op.POSSESSIVE_REPEAT:
                low, high, inner = content
                most = min(int(high), low + _MOST_REPEATS)
                for _ in range(min(low, _MOST_CHARACTERS) + int(random() * (most - low + 1))):
                    yield text(inner)
            case op.ATOMIC_GROUP:
                yield text(content)
            case op.GROUPREF:
                yield groups.get(content, "")
            case op.GROUPREF_EXISTS:
                yield text(content[1] if content[0] in groups else content[2] or ())


def _members(content: Any) -> str:
    """Return sample characters of a set; of each range, the ends and the middle."""
    members = ""
    for kind, value in content:
        if kind is op.LITERAL:
            members += chr(value)
        elif kind is op.RANGE:
            low, high = value
            members += "".join(chr(at) for at in {low, (low + high) // 2, high})
        elif kind is op.CATEGORY:
            members += _CLASSES[value]
    if content[0][0] is op.NEGATE:
        return "".join(each for each in _ANY if each not in members)
    return "".join(sorted(each for each in set(members) if not "\ud800" <= each <= "\udfff"))


OMITTED = ...
_SUGGESTED, _COMPOSED, _RECALL = 0.6, 0.7, 0.9
_MOST_EXPRESSIONS, _MATCHES, _TEXTS = 20, 6, 40
_LARGEST, _FARTHEST = 400, 1e5
"""Maximum size of a generated value, and maximum magnitude of a generated number."""
_DAYS = 60


@dataclass(frozen=True, slots=True)
class CallSpace:
    """The calls that may be generated for a function."""

    signature: Signature
    slots: tuple[Slot, ...]
    """One per parameter, with its domain and known values."""
    suggestions: tuple[tuple[tuple[Value, ...], ...], ...]
    """For each parameter, groups of values suggested by its name, the code and the package."""
    pieces: tuple[tuple[str, ...], ...]
    """Groups of pieces to compose texts from; each group is equally likely."""

    @classmethod
    def of(
        cls, function: MinedFunction, texts: Sequence[str] = (), known: Sequence[Invocation] = ()
    ) -> CallSpace:
        """Return the space described by a function's annotations, its constants and ``texts``.

        A parameter of unknown type takes its type from the values in ``known`` calls.
        """
        signature = _typed_by(function.signature, known)
        constants = Constants.of_values(
            [*from_source(function.implementation), *from_source(function.code)]
        )
        rng = random.Random(function.id)
        words = rng.sample(texts, min(_TEXTS, len(texts))) or sentences(rng)
        characters = "".join(sorted({*"".join((*words, *constants.strings)), *"ab 1"}))
        matches = [
            text
            for expression in expressions(function.code)[:_MOST_EXPRESSIONS]
            for text in matching(expression, rng.random, count=_MATCHES)
        ]
        constants = replace(constants, tokens=(*matches, *constants.tokens))
        state = GenerationState(rng.random, constants, max_size=_LARGEST, recall=_RECALL)
        state.max_magnitude, state.characters = _FARTHEST, characters
        in_code = (*constants.strings, *constants.integers, *constants.floats)
        slots, suggestions = [], []
        for parameter in signature.parameters:
            domain = domain_of_parameter(parameter)
            slot = Slot(domain, NOTHING, state)
            groups = [hints(parameter.name, rng), in_code, matches, words]
            for each in slot.every():
                for value in (*groups[0], *words):
                    if each.domain.explain(value) is None:
                        each.learn(value)
            fit = [tuple(v for v in group if not domain.explain(v)) for group in groups]
            suggestions.append(tuple(group for group in fit if group))
            slots.append(slot)
        # The program's strings, matches of its regular expressions, non-ASCII characters whose code
        # points it contains, and words.
        numbers = (n for n in constants.integers if 0x7F < n < 0xD800 or 0xDFFF < n < 0x110000)
        pieces = (
            tuple(dict.fromkeys(text for text in group if 0 < len(text) <= LONGEST_PIECE))
            for group in (constants.strings, matches, map(chr, numbers), words)
        )
        return cls(signature, tuple(slots), tuple(suggestions), tuple(filter(None, pieces)))

    def draw(self, random: Callable[[], float], known: Sequence[Arguments] = ()) -> Arguments:
        """Return a new call with suggested, composed or sampled values.

        A parameter of unknown type takes a value from ``known`` calls, or is left out if optional.
        """

        def is_text(domain: Domain) -> bool:
            return str in domain.kinds and bool(domain.alphabet) and not domain.choices

        values: list[Value] = []
        for at, (slot, suggested) in enumerate(zip(self.slots, self.suggestions, strict=True)):
            parameter = self.signature.parameters[at]
            if is_unknown(parameter) and (known or not parameter.is_required):
                values.append(_pick(known, random)[at] if known else OMITTED)
            elif suggested and random() < _SUGGESTED:
                values.append(_pick(_pick(suggested, random), random))
            elif is_text(slot.domain) and random() < _COMPOSED:
                values.append(self.text(random))
            elif slot.domain.kinds == (bytes,):
                values.append(self.text(random).encode())
            else:
                values.append(slot.sample())
        return tuple(values)

    def text(self, random: Callable[[], float]) -> str:
        """Return a text composed from a few pieces."""
        count = 1 + int(random() * MOST_PIECES)
        sign = " " if random() < 0.5 else ""
        return sign.join(_pick(_pick(self.pieces, random), random) for _ in range(count))


def arguments_of_call(signature: Signature, call: Invocation) -> Arguments:
    """Return the tuple for a call; drop arguments that match no parameter."""
    values, _ = bound(signature.parameters, call.args, call.kwargs)
    return tuple(values.get(parameter.name, OMITTED) for parameter in signature.parameters)


def bound(
    parameters: Sequence[Parameter], args: Iterable[Value], kwargs: Mapping[str, Value]
) -> tuple[dict[str, Value], bool]:
    """Return a call's values by parameter, and whether every argument matches one."""
    left, named = [*args], dict(kwargs)
    values: dict[str, Value] = {}
    for parameter in parameters:
        if parameter.kind == "varargs":
            values[parameter.name], left = left, []
        elif parameter.kind == "varkw":
            values[parameter.name], named = named, {}
        elif parameter.kind == "positional" and left:
            values[parameter.name] = left.pop(0)
        elif parameter.name in named:
            values[parameter.name] = named.pop(parameter.name)
    return values, not (left or named)


def call_of(signature: Signature, arguments: Arguments) -> Invocation:
    """Return the call for a tuple; positional arguments end before the first omitted one."""
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    is_open = True
    for parameter, value in zip(signature.parameters, arguments, strict=True):
        if value is OMITTED:
            is_open = is_open and parameter.kind != "positional"
        elif parameter.kind == "keyword":
            kwargs[parameter.name] = value
        elif parameter.kind == "varkw":
            kwargs |= {k: v for k, v in value.items() if k not in kwargs}
        elif is_open:
            args += value if parameter.kind == "varargs" else [value]
    return Invocation(tuple(args), kwargs)


def is_unknown(parameter: Parameter) -> bool:
    """Return whether a parameter's type is unknown."""
    return parameter.type.kind in ("any", "object") and parameter.kind in ("positional", "keyword")


_NUMBERS = (bool, int, float)
_HOLDING = (list, tuple, set, frozenset)


def annotated(parameter: Parameter, built: Type | None) -> Type:
    """Return the annotated type of a parameter's whole value, or ``any``.

    ``built``: the type that the entry point constructs from it, if any.
    """
    if parameter.origin != "annotation" or (built is not None and any(needs_of(built))):
        return Type("any")
    if parameter.kind == "varargs":
        return Type("list", (parameter.type,))
    if parameter.kind == "varkw":
        return Type("dict", (Type("str"), parameter.type))
    return parameter.type


def fits(value: Value, kind: Type) -> bool:
    """Return whether a value has a type, or is omitted."""
    if kind.kind == "union":
        return any(fits(value, each) for each in kind.arguments)
    if kind.kind in ("any", "object", "literal") or value is OMITTED:
        return kind.kind != "literal" or value in (*kind.values, OMITTED)
    own: Any = KINDS.get(kind.kind, object)
    is_abstract = kind.kind in ("sequence", "iterable", "collection", "iterator")
    if not isinstance(value, Collection if is_abstract else _NUMBERS if own is float else own):
        return False
    parts = kind.arguments
    if isinstance(value, dict) and len(parts) == 2:
        return all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
    if not isinstance(value, _HOLDING) or not parts:
        return True
    if kind.kind == "tuple" and not kind.variadic:
        return len(value) == len(parts) and all(map(fits, value, parts))
    return all(fits(each, parts[0]) for each in value)


def as_typed(value: Value, kind: Type) -> Value:
    """Convert a value to a type, such as ``"1"`` to an int; raise ValueError if that fails."""
    if fits(value, kind):
        return value
    for each in kind.arguments if kind.kind == "union" else ():
        with suppress(ValueError, OverflowError):
            return as_typed(value, each)
    own, parts = KINDS.get(kind.kind, object), kind.arguments
    if own in (int, float, str) and isinstance(value, (*_NUMBERS, str)):
        return own(value)
    is_fixed = kind.kind == "tuple" and not kind.variadic
    if own in _HOLDING and isinstance(value, _HOLDING) and not is_fixed:
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return own(as_typed(each, parts[0]) if parts else each for each in items)
    raise ValueError(f"{value!r} cannot be converted to {kind}")


def domain_of_parameter(parameter: Parameter) -> Domain:
    """Return the domain of a parameter's values in a call, ``OMITTED`` included."""
    domain = domain_of(parameter.type)
    if parameter.kind == "varargs":
        return Domain((list,), items=domain, is_uniform=False)
    if parameter.kind == "varkw":
        names = Domain((str,), choices=("a", "b", "key", "name"))
        return Domain((dict,), keys=names, values=domain)
    if parameter.is_required:
        return domain
    kinds = union(domain.kinds, (type(OMITTED),))
    return replace(domain, kinds=kinds, choices=(*domain.choices, OMITTED))


def domain_of(kind: Type) -> Domain:
    """Return the domain of a type's values."""
    match kind.kind:
        case "union":
            return functools.reduce(_either, map(domain_of, kind.arguments))
        case "any" | "object":
            return domain_of(ANYTHING)
        case "literal":
            kinds = {type(value).__name__: type(value) for value in kind.values}
            return Domain(tuple(kinds[name] for name in sorted(kinds)), choices=kind.values)
        case "date" | "datetime":
            return Domain((str,), choices=_days(has_time=kind.kind == "datetime"))
    own = KINDS.get(kind.kind, list)
    parts = kind.arguments
    if own in (set, frozenset):
        parts = tuple(map(hashable, parts))
    elif own is dict and parts:
        parts = (hashable(parts[0]), *parts[1:])
    inner = [domain_of(each) for each in parts]
    if own is str:
        return Domain((str,), alphabet=PRINTABLE, has_any_characters=True)
    if own is dict:
        keys, values = inner if len(inner) == 2 else (domain_of(Type("str")), domain_of(SCALAR))
        return Domain((dict,), keys=keys, values=values)
    if own is tuple and inner and not kind.variadic:
        size = len(inner)
        items = functools.reduce(_either, inner)
        return Domain((own,), smallest=size, largest=size, items=items, positions=tuple(inner))
    if own in (list, tuple, set, frozenset):
        return Domain((own,), items=inner[0] if inner else domain_of(ITEM))
    return Domain((own,), has_special=own is float)


def _either(one: Domain, other: Domain) -> Domain:
    """Return the union of two domains; elements are the first one's if both are containers."""
    choices = [
        value
        for mine, theirs in ((one, other), (other, one))
        for value in mine.choices
        if theirs.choices_of(type(value)) or type(value) not in theirs.kinds
    ]
    first, second = (one, other) if one.items or one.keys else (other, one)
    return replace(
        first,
        kinds=union(one.kinds, other.kinds),
        choices=tuple(choices),
        alphabet=one.alphabet or other.alphabet,
        has_any_characters=one.has_any_characters or other.has_any_characters,
        has_special=one.has_special or other.has_special,
        items=first.items or second.items,
        keys=first.keys or second.keys,
        values=first.values or second.values,
    )


@functools.cache
def _days(*, has_time: bool) -> tuple[str, ...]:
    """Return ISO dates (or datetimes): landmarks, then 60 from 1960 to 2042 with a fixed seed."""
    draw = random.Random("days").random
    days = [date(1960, 1, 1) + timedelta(days=int(draw() * 30_000)) for _ in range(_DAYS)]
    listed = [*_LANDMARKS.split(), *(day.isoformat() for day in days)]
    times = ("00:00:00", "23:59:59", "12:30:00", "09:05:07")
    return tuple(f"{day}T{times[at % 4]}" if has_time else day for at, day in enumerate(listed))


_LANDMARKS = (
    "1970-01-01 2000-01-01 2024-02-29 1999-12-31 2023-02-28 1900-03-01 2020-12-28 2021-01-03"
)


def hints(name: str, rng: random.Random | None = None) -> tuple[Value, ...]:
    """Return values that a parameter's name suggests, from ``data/hints.toml``.

    With ``rng``, keep only the form of a text or number, so that functions rarely share values.
    """
    suggested: dict[Value, None] = {}
    for part in (name.lower().strip("_"), *name.lower().split("_"), name.lower().rstrip("s")):
        for table in ("text", "number", "choice"):
            values = tables("hints")[table].get(part, ())
            if rng is not None and table != "choice":
                values = [varied(value, rng) for value in values for _ in range(2)]
            suggested |= dict.fromkeys(values)
    return tuple(suggested)


def varied(value: Value, rng: random.Random) -> Value:
    """Return a text with other words and digits, or a number of similar size."""
    if isinstance(value, str):
        return _PART.sub(lambda part: _other(part[0], rng), value)
    if isinstance(value, int) and abs(value) >= 100:
        digits = 10 ** (len(str(abs(value))) - 1)
        return rng.randrange(digits, 10 * digits) * (1 if value > 0 else -1)
    return round(value * rng.uniform(0.5, 2), 3) if isinstance(value, float) else value


_PART = re.compile(r"[A-Za-z]{4,}|\d+")


def _other(part: str, rng: random.Random) -> str:
    if part.isdecimal():
        return "".join(str(rng.randrange(1 if len(part) > 1 and not at else 0, 10))
                       for at in range(len(part)))  # fmt: skip
    is_kept = part.lower() in tables("hints")["kept"].split()
    return part if is_kept else _styled(rng.choice(_words()), part)


def _styled(word: str, like: str) -> str:
    return word.upper() if like.isupper() else word.capitalize() if like[0].isupper() else word


def texts_of(value: Value) -> Iterator[str]:
    """Yield the strings in a value, keys included."""
    return (part for part in parts_of(value) if isinstance(part, str))


def words_in(text: str) -> list[str]:
    """Return the words of a text that may be replaced: 3 to 12 ASCII letters."""
    return _NAME.findall(text)


def _replaced(value: Value, pattern: re.Pattern[str], new: str) -> Value:
    if isinstance(value, str):
        return pattern.sub(new, value)
    if isinstance(value, dict):
        pairs = value.items()
        return {_replaced(k, pattern, new): _replaced(v, pattern, new) for k, v in pairs}
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(_replaced(each, pattern, new) for each in value)
    return value


def sentences(rng: random.Random) -> list[str]:
    """Return generated texts, for a package without texts of its own."""
    words = rng.sample(_words(), 60)
    signs = (" ", " ", ", ", "_", "-", ".", "/", "=", ": ", "\n")
    return [
        rng.choice(signs).join(words[at : at + 1 + at % 4])
        + rng.choice(("", "", ".", "!", f" {at}"))
        for at in range(0, 56, 2)
    ]


@functools.cache
def _words() -> list[str]:
    return str(tables("hints")["words"]).split()


def _typed_by(signature: Signature, known: Sequence[Invocation]) -> Signature:
    """Return a signature with unknown types inferred from the values in known calls."""
    columns = zip(*(arguments_of_call(signature, call) for call in known), strict=True)
    parameters = [*signature.parameters]
    for at, column in enumerate(columns):
        values = (value for value in column if value is not OMITTED)
        types = dict.fromkeys(filter(None, map(type_of, values)))
        if types and is_unknown(parameters[at]):
            parameters[at] = replace(parameters[at], type=either(types))
    return replace(signature, parameters=tuple(parameters))


_TOKEN = re.compile(r"\d+|[^\W\d_]+|\s+|[\W_]")
_NAME = re.compile(r"(?<![A-Za-z])[A-Za-z]{3,12}(?![A-Za-z])")
_CROSSED, _SECOND, _GROWN, _RENAMED = 0.25, 0.35, 0.3, 0.3
"""Probabilities of taking a value from another call, making a second change, extending a text or
list, and replacing one word everywhere."""
LONGEST = 1500
"""Length in characters or items from which a value is not extended."""
_TRIES = 6


@dataclass(slots=True)
class Nearby:
    """A mutator of calls; values stay in ``domains``, and ``fixed`` words are not replaced."""

    domains: Sequence[Domain]
    random: Callable[[], float]
    fixed: frozenset[str] = frozenset()

    def call(self, arguments: Arguments, others: Sequence[Arguments]) -> Arguments:
        """Return a mutation of a call, which may take values from ``others``."""
        if self.random() < _RENAMED and (words := self.words_of(arguments)):
            return self.renamed(arguments, [self._pick(sorted(words))])
        for _ in range(1 + (self.random() < _SECOND)):
            at = self._below(len(arguments))
            value = self._changed(at, arguments[at], [each[at] for each in others])
            arguments = (*arguments[:at], value, *arguments[at + 1 :])
        return arguments

    def words_of(self, arguments: Arguments) -> set[str]:
        """Return the replaceable words of a call, without ``fixed`` ones."""
        return {w for text in texts_of(arguments) for w in words_in(text)} - self.fixed

    def renamed(self, arguments: Arguments, words: Iterable[str]) -> Arguments:
        """Replace words throughout a call; return it unchanged if a value leaves its domain."""
        changed = arguments
        for old in words:
            new = _styled(self._pick(_words()), old)
            pattern = re.compile(rf"(?<![A-Za-z]){old}(?![A-Za-z])")
            changed = tuple(_replaced(value, pattern, new) for value in changed)
        pairs = zip(self.domains, changed, strict=True)
        is_fit = all(value is OMITTED or domain.explain(value) is None for domain, value in pairs)
        return changed if is_fit else arguments

    def _changed(self, at: int, value: Value, others: Sequence[Value]) -> Value:
        domain = self.domains[at]
        for _ in range(_TRIES):
            if domain.choices and (self.random() < 0.5 or value is OMITTED):
                new = self._pick(domain.choices)
            elif value is OMITTED or value is None or self.random() < _CROSSED:
                new = self._pick(others)
            else:
                new = self.near(value, others)
            is_new = type(new) is not type(value) or new != value
            if is_new and domain.explain(new) is None:
                return new
        return value

    def near(self, value: Value, others: Sequence[Value]) -> Value:
        """Return a value with a small change, of the same type."""
        match value:
            case bool():
                return not value
            case int() | float():
                return self._number(value)
            case str():
                return self._text(value, [each for each in others if isinstance(each, str)])
            case bytes():
                texts = [each.decode("latin-1") for each in others if isinstance(each, bytes)]
                changed = self._text(value.decode("latin-1"), texts)
                return changed.encode("latin-1", "replace")
            case list():
                return self._items(value, [each for each in others if type(each) is list])
            case tuple() | set() | frozenset():
                if not value:
                    return value
                items = sorted(value, key=repr) if not isinstance(value, tuple) else [*value]
                spot = self._below(len(items))
                items[spot] = self.near(items[spot], items)
                return type(value)(items)
            case dict():
                return self._mapping(value, [each for each in others if isinstance(each, dict)])
        return value

    def _number(self, value: float) -> float:
        way = self._below(6)
        if isinstance(value, int):
            width = len(str(abs(value)))
            ways = (value + 1, value - 1, value + self._below(2 * abs(value) + 3),
                    value * (2 + self._below(3)), self._below(10**width), -value)  # fmt: skip
            return ways[way]
        step = 10.0 ** -self._below(3)
        scaled = (value + step, value - step, value * 2, value / 10, round(value), -value)
        return round(float(scaled[way]), 6) if abs(scaled[way]) < 1e15 else value

    def _text(self, value: str, others: Sequence[str]) -> str:
        if not value:
            return self._pick(others) if others else value
        tokens = _TOKEN.findall(value)
        at = self._below(len(tokens))
        pool = [t for each in others[:30] for t in _TOKEN.findall(each[:200]) if t != tokens[at]]
        if self.random() < _GROWN and len(value) < LONGEST:
            other = self._pick(others) if others else value
            blanks = [token for token in tokens if not token.isalnum()]
            return f"{value}{self._pick(blanks or [' '])}{other}"
        way = self._below(6)
        if way == 0:
            tokens[at] = ""
        elif way == 1:
            tokens[at] *= 2
        elif way == 2:
            same = [token for token in pool if _class(token) == _class(tokens[at])]
            tokens[at] = self._pick(same or pool or [tokens[at].swapcase()])
        elif way == 3:
            other = self._below(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif way == 4:
            tokens[at] = self._token(tokens[at])
        else:
            cut = self._below(len(tokens))
            tokens = tokens[cut:] if self.random() < 0.5 else tokens[: cut + 1]
        return "".join(tokens)

    def _token(self, token: str) -> str:
        """Return a token with one digit or its case changed, or one letter removed or doubled."""
        spot = self._below(len(token))
        if token.isdecimal():
            return token[:spot] + str(self._below(10)) + token[spot + 1 :]
        ways = (token.swapcase(), token.capitalize(), token[:spot] + token[spot + 1 :],
                token[:spot] + token[spot] + token[spot:])  # fmt: skip
        return ways[self._below(4)]

    def _items(self, value: list[Value], others: Sequence[list[Value]]) -> list[Value]:
        pool = [item for each in others for item in each[:50]] or value
        if not pool:
            return value
        if self.random() < _GROWN and len(value) < LONGEST:
            return [*value, *(self._pick(others) if others else value)]
        at = self._below(len(value) or 1)
        way = self._below(5)
        if way == 0 or not value:
            return [*value[:at], self._pick(pool), *value[at:]]
        if way == 1:
            return value[:at] + value[at + 1 :]
        if way == 2:
            return [*value[:at], self.near(value[at], pool), *value[at + 1 :]]
        if way == 3:
            return [*value[at:], *value[:at]]
        return [*value[: at + 1], value[at], *value[at + 1 :]]

    def _mapping(self, value: dict[Value, Value], others: Sequence[dict[Value, Value]]) -> Value:
        more = [pair for each in others for pair in each.items()]
        if not value or (more and self.random() < 0.4):
            return {**value, **dict([self._pick(more)])} if more else value
        key = self._pick(list(value))
        if len(value) > 1 and self.random() < 0.3:
            return {name: each for name, each in value.items() if name != key}
        return {**value, key: self.near(value[key], list(value.values()))}

    def _below(self, count: int) -> int:
        return int(self.random() * count)

    def _pick(self, options: Sequence[Value]) -> Value:
        return options[self._below(len(options))]


def _class(token: str) -> str:
    return "digits" if token.isdecimal() else "word" if token.isalpha() else "sign"
