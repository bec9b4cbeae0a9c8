"""The space of a function's calls, as the input generator sees it: one domain a parameter.

A call is a tuple of one value a parameter; an optional parameter that it leaves out holds
``OMITTED``, ``*args`` a list, and ``**kwargs`` a dict.
"""

from __future__ import annotations

import ast
import functools
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from importlib import resources
from re import _constants as op  # type: ignore[attr-defined]  # typeshed leaves it out
from re import _parser  # type: ignore[attr-defined]
from typing import Any, TypeVar

from evalplus_lite.exe.running.runs import Invocation
from evalplus_lite.exe.selecting.signatures import Parameter, Signature
from evalplus_lite.exe.selecting.static import MinedFunction
from evalplus_lite.generate.domains.annotations import Type
from evalplus_lite.generate.domains.constants import Constants, examples, from_source
from evalplus_lite.generate.domains.domain import Domain, union
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.profile import Profile, TextProfile
from evalplus_lite.generate.domains.text import PRINTABLE
from evalplus_lite.generate.engine.generator import Arguments, Generator
from evalplus_lite.generate.engine.growth import GrowthLimits
from evalplus_lite.generate.engine.slots import Slot
from evalplus_lite.generate.strategies import sampled
from evalplus_lite.types import Case, Value

MOST_PIECES, MOST_ITEMS = 8, 4
LONGEST_PIECE, LONGEST = 24, 2000
"""Characters of one piece, and of a text that is stretched to a length that the program names."""
_STRETCHED, _PLACED, _EMPTY = 0.06, 0.5, 0.1
_PLAIN = ("a", "b", "x1", "word", "0", "42", " ", "\n")
_First = TypeVar("_First")


@dataclass(frozen=True, slots=True)
class Composer:
    """Makes texts of pieces: the program's constants, their characters, and a few plain words."""

    pieces: tuple[tuple[str, ...], ...]
    """Groups, each as likely as the others."""
    lengths: tuple[int, ...]

    @classmethod
    def of(cls, constants: Constants, matches: Sequence[str]) -> Composer:
        """Collect the pieces of a program; ``matches`` are strings that its expressions match."""
        texts = [text for text in constants.strings if 0 < len(text) <= LONGEST_PIECE]
        characters = [each for text in texts for each in text]
        short = [text for text in matches if 0 < len(text) <= LONGEST_PIECE]
        groups = (texts, characters, short, code_points(constants), _PLAIN)
        pieces = tuple(tuple(dict.fromkeys(group)) for group in groups if group)
        lengths = tuple(n for n in constants.integers if 1 < n < LONGEST)
        return cls(pieces, lengths)

    def fits(self, domain: Domain) -> bool:
        """Say whether values of a domain can be put together here."""
        return _is_text(domain) or (
            list in domain.kinds and domain.items is not None and _is_text(domain.items)
        )

    def value(self, domain: Domain, random: Callable[[], float]) -> Value:
        """Return a text, or a list of texts, of a domain that fits."""
        if _is_text(domain):
            return self._text(random)
        return [self._text(random) for _ in range(int(random() * (MOST_ITEMS + 1)))]

    def _text(self, random: Callable[[], float]) -> str:
        if random() < _EMPTY:
            return ""
        count = 1 + int(random() * random() * MOST_PIECES)
        text = "".join(_pick(_pick(self.pieces, random), random) for _ in range(count))
        if self.lengths and random() < _STRETCHED:
            length = _pick(self.lengths, random) + int(random() * 3) - 1
            text = (text * (length // len(text) + 1))[:length]
        return text


def placed(
    values: Sequence[Value], domains: Sequence[Domain], random: Callable[[], float]
) -> list[Value]:
    """Return arguments of which some whole numbers have become places in a text or list of them."""
    sizes = [len(value) for value in values if isinstance(value, str | list | tuple | bytes)]
    return [
        int(random() * (_pick(sizes, random) + 2))
        if sizes and type(value) is int and not domain.choices and random() < _PLACED
        else value
        for value, domain in zip(values, domains, strict=True)
    ]


def code_points(constants: Constants) -> list[str]:
    """Return the characters whose numbers a program mentions, beyond plain ones."""
    return [chr(n) for n in constants.integers if 0x7F < n < 0xD800 or 0xDFFF < n < 0x110000]


def _is_text(domain: Domain) -> bool:
    return str in domain.kinds and bool(domain.alphabet) and not domain.choices


def _pick(options: Sequence[_First], random: Callable[[], float]) -> _First:
    return options[int(random() * len(options))]


STANDING: dict[str, type] = {
    "none": type(None), "int": int, "float": float, "bool": bool, "str": str, "bytes": bytes,
    "date": str, "datetime": str, "dict": dict, "mapping": dict, "tuple": tuple, "set": set,
    "frozenset": frozenset,
}  # fmt: skip
"""What stands for a type; for all others (sequences, iterables) a list."""
ITEM = Type("union", (Type("int"), Type("str")))
SCALAR = Type("union", (Type("none"), Type("bool"), Type("int"), Type("float"), Type("str")))
ANYTHING = Type(
    "union",
    (*SCALAR.arguments, Type("list", (ITEM,)), Type("dict", (Type("str"), ITEM))),
)


def hashable(kind: Type) -> Type:
    """Return the part of a type that a set may hold; plain scalars where there is none."""
    if kind.kind in ("any", "object"):
        return SCALAR
    if kind.kind == "union":
        return replace(kind, arguments=tuple(dict.fromkeys(map(hashable, kind.arguments))))
    if STANDING.get(kind.kind, list) is tuple:
        return replace(kind, arguments=tuple(map(hashable, kind.arguments)))
    is_held = kind.kind in ("literal", "date", "datetime") or kind.kind in STANDING
    return kind if is_held and STANDING.get(kind.kind) not in (dict, set) else SCALAR


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
    """Return the regular expressions that a program gives to ``re`` as literals, in order."""
    found: dict[str, None] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _CALLS and isinstance(node.args[0].value, str):
                found[node.args[0].value] = None
    return list(found)


def matching(expression: str, random: Callable[[], float], *, count: int) -> list[str]:
    """Return up to ``count`` strings that an expression matches, lookaround apart.

    None where the expression is not one.
    """
    try:
        tree = _parser.parse(expression)
        made = ["".join(_written(tree, random, {})) for _ in range(count)]
    except (re.error, RecursionError, OverflowError, ValueError):
        return []
    return [text for text in dict.fromkeys(made) if len(text) <= _MOST_CHARACTERS]


def _written(tree: Any, random: Callable[[], float], groups: dict[int, str]) -> Iterator[str]:
    def pick(options: Any) -> Any:
        return options[int(random() * len(options))]

    def text(tree: Any) -> str:
        return "".join(_written(tree, random, groups))

    for kind, given in tree:
        if kind is op.LITERAL:
            yield chr(given)
        elif kind is op.NOT_LITERAL:
            yield pick(_ANY.replace(chr(given), ""))
        elif kind is op.ANY:
            yield pick(_ANY[:-1])
        elif kind is op.IN:
            yield pick(_members(given) or "?")
        elif kind is op.BRANCH:
            yield text(pick(given[1]))
        elif kind is op.SUBPATTERN:
            made = text(given[-1])
            if given[0] is not None:
                groups[given[0]] = made
            yield made
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            low, high, inner = given
            most = min(int(high), low + _MOST_REPEATS)
            for _ in range(min(low, _MOST_CHARACTERS) + int(random() * (most - low + 1))):
                yield text(inner)
        elif kind is op.ATOMIC_GROUP:
            yield text(given)
        elif kind is op.GROUPREF:
            yield groups.get(given, "")
        elif kind is op.GROUPREF_EXISTS:
            yield text(given[1] if given[0] in groups else given[2] or ())


def _members(given: Any) -> str:
    """Return some characters of a set, of each of its ranges the ends and one within."""
    found = ""
    for kind, value in given:
        if kind is op.LITERAL:
            found += chr(value)
        elif kind is op.RANGE:
            low, high = value
            found += "".join(chr(at) for at in {low, (low + high) // 2, high})
        elif kind is op.CATEGORY:
            found += _CLASSES[value]
    if given[0][0] is op.NEGATE:
        return "".join(each for each in _ANY if each not in found)
    return "".join(sorted(each for each in set(found) if not "\ud800" <= each <= "\udfff"))


OMITTED = ...
_USUAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;-_/'\"()[]{}=+#@"
_FOREIGN = (
    "äßéñÜİıſçﬁĳ·日本語中文ーカ한글привет ΣςΩשלוםعَ٣नमक्षिไทยก็"
    "🙂👩🏽\u200d👧❤\ufe0f🇩🇪１Ａ²½ⅷ∑€\u0301\u0308\u00a0\u00ad\u200b\u2028\ufeff\n\t\r\x00\x1b\x7f"
)
"""Characters of many scripts, and those that programs treat in ways of their own."""
_WORDS = (
    "a", "abc", "hello", "Hello World", "foo_bar", "x1", "test", "The cat sat", "one two three",
    "A", "ABC", "123", "-5", "3.14", "true", "None", "key=value", "a,b,c", "a b", "a-b-c", "x.y.z",
    "(a)", "[1, 2]", "{k: v}", "a/b", "100%", "#tag", "$5", "a@b.c", "line1\nline2", "\tindent",
    "  spaces  ", "ä", "Straße", "naïve", "日本", "привет", "🙂", "é", "x" * 30, "ab" * 20,
    "e\u0301a\u0308", "👩\u200d👩\u200d👧 ok", "🇩🇪🇫🇷", "नमस्ते", "한국어", "שלום abc", "مرحبا ١٢",
    "\x1b[1;31mred\x1b[0m", "a\u200bb", "one\n\ntwo\r\n", "1e-5", "0x1F", "&lt;a&gt;",
)  # fmt: skip
_NUMBERS = (
    0, 1, -1, 2, 10, 100, 255, 999, 1000, 1024, 10**6, 2**31 - 1, -(2**31), 10**9 + 7, 2**63,
    0.0, 1.0, 0.5, -0.25, 3.14159, 99.99, 1e-9, 1e6, 123456.789, 1e16, 1e300, -0.0,
    float("inf"), float("-inf"), float("nan"),
)  # fmt: skip
_SUGGESTED, _COMPOSED, _RECALL = 0.4, 0.7, 0.35
_MOST_EXPRESSIONS, _MATCHES = 20, 6
_DRAWN = 10
_DAYS = 60


@dataclass(frozen=True, slots=True)
class CallSpace:
    """What calls a function may be given."""

    signature: Signature
    input_filter: InputFilter
    constants: Constants
    suggestions: tuple[tuple[tuple[Value, ...], ...], ...]
    """For each parameter groups of values: what its name suggests, what the code does, others."""
    composer: Composer

    @classmethod
    def of(cls, function: MinedFunction, constants: Constants) -> CallSpace:
        """Return the space that a function's annotations and its constants describe."""
        mentioned = code_points(constants) if "ord(" in function.code else []
        usual = sorted({*_USUAL, *"".join(constants.strings), *mentioned})
        reader = DomainReader(
            "".join(sorted({*PRINTABLE, *_FOREIGN, *usual})), dict.fromkeys(usual, 1)
        )
        parameters = function.signature.parameters
        domains = tuple(map(reader.parameter, parameters))
        profiles = tuple(map(reader.profile, domains))
        random_ = random.Random(function.id).random
        matches = [
            text
            for expression in expressions(function.code)[:_MOST_EXPRESSIONS]
            for text in matching(expression, random_, count=_MATCHES)
        ]
        constants = replace(constants, tokens=(*matches, *constants.tokens))
        known = (*constants.strings, *constants.integers, *constants.floats)
        suggestions = []
        for parameter, domain in zip(parameters, domains, strict=True):
            groups = [hints(parameter.name), known, matches, (*_WORDS, *_NUMBERS)]
            fit = [tuple(v for v in group if not domain.explain(v)) for group in groups]
            suggestions.append(tuple(group for group in fit if group))
        input_filter = InputFilter(profiles, domains, (len(domains),))
        composer = Composer.of(constants, matches)
        return cls(function.signature, input_filter, constants, tuple(suggestions), composer)

    def draw(self, slots: Sequence[Slot], random: Callable[[], float]) -> Case:
        """Return an input made from scratch, of values suggested or of any others."""
        values = []
        for slot, suggested in zip(slots, self.suggestions, strict=True):
            if suggested and random() < _SUGGESTED:
                group = suggested[int(random() * len(suggested))]
                values.append(group[int(random() * len(group))])
            elif self.composer.fits(slot.domain) and random() < _COMPOSED:
                values.append(self.composer.value(slot.domain, random))
            else:
                values.append(slot.sample())
        return Case(tuple(placed(values, [slot.domain for slot in slots], random)), "sampled")

    def call(self, arguments: Arguments) -> Invocation:
        """Return the call that a tuple stands for; it ends before the first argument left out."""
        args: list[Value] = []
        kwargs: dict[str, Value] = {}
        is_open = True
        for parameter, value in zip(self.signature.parameters, arguments, strict=True):
            if value is OMITTED:
                is_open = is_open and parameter.kind != "positional"
            elif parameter.kind == "keyword":
                kwargs[parameter.name] = value
            elif parameter.kind == "varkw":
                kwargs |= {k: v for k, v in value.items() if k not in kwargs}
            elif is_open:
                args += value if parameter.kind == "varargs" else [value]
        return Invocation(tuple(args), kwargs)

    def arguments(self, call: Invocation) -> Arguments:
        """Return the tuple that stands for a call; what no parameter has a place for is lost."""
        args, kwargs = list(call.args), dict(call.kwargs)
        found: list[Value] = []
        for parameter in self.signature.parameters:
            if parameter.kind == "varargs":
                found.append(args)
            elif parameter.kind == "varkw":
                found.append(kwargs)
            elif parameter.kind == "positional" and args:
                found.append(args.pop(0))
            else:
                found.append(kwargs.pop(parameter.name, OMITTED))
        return tuple(found)


def generator_of(function: MinedFunction, *, seed: str) -> tuple[CallSpace, Generator]:
    """Return a function's calls and what proposes them: the examples of its docstring first.

    Constants of the code, and what parameters' names suggest, are built on.
    """
    constants = Constants.of_values(
        [*from_source(function.implementation), *from_source(function.code)]
    )
    space = CallSpace.of(function, constants)
    parameters = function.signature.parameters
    shown = examples(function.implementation, function.name)
    generator = Generator(
        (),
        input_filter=space.input_filter,
        rng=random.Random(seed),
        seeds=[Case(space.arguments(Invocation(each)), "docstring") for each in shown],
        sampled=sampled(space.input_filter, count=_DRAWN, seed=seed),
        constants=space.constants,
    )
    generator.state.recall = _RECALL
    # Time is bounded where calls are run, so nothing has to grow step by step.
    generator.limits = GrowthLimits(float(2**64), 400, 0.0)
    for parameter, slot in zip(parameters, generator.slots, strict=True):
        for each in slot.every():
            for value in (*hints(parameter.name), *_WORDS):
                if each.domain.explain(value) is None:
                    each.learn(value)
    return space, generator


class DomainReader:
    """Turns types into domains; strings are of an alphabet, and mostly of the characters given."""

    def __init__(self, alphabet: str, characters: dict[str, int]) -> None:
        self.alphabet, self.text = alphabet, TextProfile(characters, _WORDS)

    def parameter(self, parameter: Parameter) -> Domain:
        """Return what may stand for a parameter in an input."""
        domain = self.domain(parameter.type)
        if parameter.kind == "varargs":
            return Domain((list,), items=domain, is_uniform=False)
        if parameter.kind == "varkw":
            names = Domain((str,), choices=("a", "b", "key", "name"))
            return Domain((dict,), keys=names, values=domain)
        if parameter.is_required:
            return domain
        return replace(
            domain,
            kinds=union(domain.kinds, (type(OMITTED),)),
            choices=(*domain.choices, OMITTED),
        )

    def domain(self, kind: Type) -> Domain:
        """Return the values of a type."""
        match kind.kind:
            case "union":
                return functools.reduce(_either, map(self.domain, kind.arguments))
            case "any" | "object":
                return self.domain(ANYTHING)
            case "literal":
                kinds = {type(value).__name__: type(value) for value in kind.values}
                return Domain(tuple(kinds[name] for name in sorted(kinds)), choices=kind.values)
            case "date" | "datetime":
                return Domain((str,), choices=_days(has_time=kind.kind == "datetime"))
        own = STANDING.get(kind.kind, list)
        parts = kind.arguments
        if own in (set, frozenset):
            parts = tuple(map(hashable, parts))
        elif own is dict and parts:
            parts = (hashable(parts[0]), *parts[1:])
        inner = [self.domain(each) for each in parts]
        if own is str:
            return Domain((str,), alphabet=self.alphabet)
        if own is dict:
            keys, values = inner if len(inner) == 2 else (self.domain(Type("str")), None)
            return Domain((dict,), keys=keys, values=values or self.domain(SCALAR))
        if own is tuple and inner and not kind.variadic:
            size = len(inner)
            items = functools.reduce(_either, inner)
            return Domain((own,), smallest=size, largest=size, items=items, positions=tuple(inner))
        if own in (list, tuple, set, frozenset):
            return Domain((own,), items=inner[0] if inner else self.domain(ITEM))
        return Domain((own,), has_special=own is float)

    def profile(self, domain: Domain) -> Profile:
        """Return a domain's profile, as if such values had been seen."""
        items, keys, values = (
            None if part is None else self.profile(part)
            for part in (domain.items, domain.keys, domain.values)
        )
        positions = None if domain.positions is None else tuple(map(self.profile, domain.positions))
        text = self.text if domain.alphabet else None
        return Profile(
            domain.kinds, text=text, items=items, positions=positions, keys=keys, values=values
        )


def _either(one: Domain, other: Domain) -> Domain:
    """Return the values of two types; where both are containers, the first one's elements."""
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
        has_special=one.has_special or other.has_special,
        items=first.items or second.items,
        keys=first.keys or second.keys,
        values=first.values or second.values,
    )


@functools.cache
def _days(*, has_time: bool) -> tuple[str, ...]:
    """Return days (or moments) as text: landmarks, then some of any year, always the same."""
    draw = random.Random("days").random
    listed = [date(y, m, d) for y, m, d in _LANDMARKS]
    listed += [date(1, 1, 1) + timedelta(days=int(draw() * 3_652_058)) for _ in range(_DAYS // 2)]
    listed += [date(1990, 1, 1) + timedelta(days=int(draw() * 20_000)) for _ in range(_DAYS // 2)]
    if not has_time:
        return tuple(day.isoformat() for day in listed)
    times = ("00:00:00", "23:59:59", "12:30:00", "09:05:07")
    return tuple(f"{day.isoformat()}T{times[at % 4]}" for at, day in enumerate(listed))


_LANDMARKS = (
    (1970, 1, 1), (2000, 1, 1), (2024, 2, 29), (1999, 12, 31), (2023, 2, 28), (1900, 3, 1),
    (1, 1, 1), (9999, 12, 31), (2020, 12, 28), (2021, 1, 3), (1582, 10, 15), (2026, 7, 4),
)  # fmt: skip


def hints(name: str) -> tuple[Value, ...]:
    """Return what a parameter's name suggests, from ``data/hints.toml``; often nothing."""
    found: dict[Value, None] = {}
    for part in (name.lower().strip("_"), *name.lower().split("_"), name.lower().rstrip("s")):
        for table in ("text", "number"):
            found |= dict.fromkeys(_tables()[table].get(part, ()))
    return tuple(found)


@functools.cache
def _tables() -> dict[str, Any]:
    data = resources.files("evalplus_lite.exe").joinpath("data/hints.toml")
    return tomllib.loads(data.read_text(encoding="utf-8"))
