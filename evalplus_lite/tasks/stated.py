"""Constraints on inputs that a task's text states: ``1 <= n <= 10^5``, ``s consists of digits``.

Two styles are read: that of contests, in TeX (``1 \\leq A_i \\leq N``), and that of functions with
named parameters (``0 <= nums[i] < nums.length``). A statement is used only where all examples keep
to it, so one that was misread binds nothing; what is not understood is left out.
"""

from __future__ import annotations

import ast
import contextlib
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

from evalplus_lite.programs import definitions
from evalplus_lite.types import Task

Names: TypeAlias = Mapping[str, Any]
"""The values of an input by the names that the text gives them; lists for what has an index."""

LONGEST = 20_000
"""Characters of a text that are read."""
LONGEST_LINE = 300
MOST_STATED = 60


class Unreadable(Exception):
    """A text is no formula."""


class Unclear(Exception):
    """A statement means nothing for an input: a name is unknown, lengths differ."""


@dataclass(frozen=True, slots=True)
class Stated:
    """One constraint; ``text`` is how the task puts it.

    ``bounds`` are the numbers or names between which the values of a name lie, as far as it says
    no more than that, and ``letters`` the characters of which its texts consist.
    """

    text: str
    test: Callable[[Names], bool] = field(compare=False)
    bounds: tuple[tuple[str, str, str], ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    lengths: tuple[tuple[str, str], ...] = ()
    order: tuple[str, str] = ("", "")
    """``lengths`` are those of a name's texts; ``order`` is a name with how its values are ordered:
    ``increasing``, ``sorted``, ``distinct`` or a ``permutation``."""

    def holds(self, names: Names) -> bool | None:
        """Return whether an input keeps to it, None where it says nothing of such an input."""
        try:
            return self.test(names)
        except (Unclear, TypeError, ValueError, IndexError, ArithmeticError):
            return None


def readable(text: str) -> str:
    """Return a text in lines of a bounded length, longer ones cut into sentences or left out."""
    lines = [
        sentence
        for line in text[:LONGEST].splitlines()
        for sentence in ([line] if len(line) <= LONGEST_LINE else re.split(r"(?<=[.;:])\s", line))
    ]
    return "\n".join(line.strip() for line in lines if len(line) <= LONGEST_LINE)


def constraints_of(text: str) -> tuple[list[Stated], bool]:
    """Return what a task's block of constraints states, and whether all its lines were understood.

    A text without such a block states what its sentences say in formulas.
    """
    text = readable(text)
    found: list[Stated] = []
    block = _BLOCK.search(text)
    if block is None:
        for formula in _formulas(text):
            found += _comparison(formula, formula)
        return _with_records(found, text)[:MOST_STATED], False
    is_whole = True
    for raw in block[1].splitlines():
        line = _plain(re.sub(r"^[-*•]\s+", "", raw.strip())).strip()
        if not line or _EMPTY.search(line):
            continue
        stated = _line(line)
        is_whole &= bool(stated)
        found += stated
    return _with_records(found, text)[:MOST_STATED], is_whole and bool(found)


_BLOCK = re.compile(
    r"^[#* \t]*Constraints:?[* \t]*$(.*?)"
    r"(?=^[#* \t]*(?:Input|Output|Sample|Examples?|Note|class |def )\b|\Z)",
    re.M | re.S | re.I,
)
_EMPTY = re.compile(
    r"^(?:all|each|both|every|the)?\s*(?:of\s+the\s+)?(?:input|numeric|given)?\s*(?:values?|inputs?|numbers?)?"
    r"[\w\s,|\[\].]*\b(?:are|is)\s+(?:all\s+)?(?:an?\s+)?integers?\.?$|^follow-?up|^ *$",
    re.I,
)

# One line of such a block.


def _plain(line: str) -> str:
    """Return a line without TeX: ``1 \\le A _ i \\lt 10^{9}`` as ``1 <= A[i] < 10**9``."""
    for old, new in _TEX:
        line = re.sub(old, new, line)
    line = re.sub(r"([A-Za-z]\w*)\s*_\s*\{([^{}]+)\}", _indexed, line)
    # Of a name such as max_size the underscore is a part.
    line = re.sub(r"\b([A-Za-z][A-Za-z0-9]*)\s*_\s*(\d+|[A-Za-z])(?!\w)", _indexed, line)
    return line.replace("{", "(").replace("}", ")")


_TEX = (
    (r"\$|\\,|\\ |\\;|\\!|\\left|\\right", " "),
    (r"\\(?:mathrm|text|textrm|texttt|mathit|operatorname|rm)\s*\{([^{}]*)\}", r"\1"),
    (r"\\(?:leqslant|leqq|leq|le)(?![a-z])|≤|⩽", "<="),
    (r"\\(?:geqslant|geqq|geq|ge)(?![a-z])|≥|⩾", ">="),
    (r"\\(?:neq|ne)(?![a-z])|≠", "!="),
    (r"\\lt(?![a-z])", "<"),
    (r"\\gt(?![a-z])", ">"),
    (r"\\(?:times|cdot)(?![a-z])|×", "*"),
    (r"\\(?:[lcdv]?dots|ldots)(?![a-z])|…|\.\.\.", " ... "),
    (r"\\(?:min|max)(?![a-z])", lambda m: m[0][1:]),
    (r"\\in(?![a-z])", " is one of "),
    (r"\\[lr]brace(?![a-z])", " "),
    (r"\\([#_&%$])", r"\1"),
    (r"\^\s*\{([^{}]*)\}", r"**(\1)"),
    (r"\^(?:th|st|nd|rd)\b", ""),
    (r"\^\s*", "**"),
    (r"\|\s*([A-Za-z]\w*(?:\s*_\s*(?:\w+|\{[^{}]*\}))?)\s*\|", r"len(\1)"),
    (r"\b([A-Za-z]\w*(?:\[\w+\])*)\.length\b", r"len(\1)"),
    (r"\b(?:len|length)\(([^()]*)\)", r"len(\1)"),
    (r"\s*\((?:for\s+(?:all|each|every)\s+)?\d[^()]*(?:<=|<)\s*[a-z]\b[^()]*\)", ""),
    (r"`|\u200b", ""),
)


def _indexed(match: re.Match[str]) -> str:
    return match[1] + "".join(f"[{each.strip()}]" for each in match[2].split(","))


def _line(line: str) -> list[Stated]:
    """Return what a line states, nothing where it is not understood as a whole."""
    if re.match(r"(?:if|when|unless)\b", line, re.I) or len(line) > LONGEST_LINE:
        return []
    line = _RUN.sub(r"\1", re.sub(r"\s+", " ", line))
    line = _COMMENT.sub("", _EACH.sub("", line)).rstrip().removesuffix(".")
    if match := _UNEQUAL.fullmatch(line):
        return _order("distinct")(match, line)
    for pattern, make in _COMPILED:
        if (match := pattern.fullmatch(line)) and (found := make(match, line)):
            return found
    if some := _SOME.fullmatch(line):
        return [
            replace(each, bounds=(), test=partial(_exists, some[1]))
            for each in _comparison(some[1], line)
        ]
    return _comparison(line, line)


def _exists(formula: str, names: Names) -> bool:
    """Return whether some index fulfils ``left sign right``."""
    left, sign, right = _RELATION.split(formula)
    pairs = _aligned(_value(_expression(left), names), _value(_expression(right), names))
    return any(_TESTS[sign](a, b) for a, b in pairs)


_EACH = re.compile(r"^(?:each|every|for every \w+,)\s+(?:of\s+)?(?:the\s+)?", re.I)
_SOME = re.compile(
    r"there (?:is|exists) (?:an?|at least one) (?:element |index )?\w (?:such that|where) "
    r"([^<>=!]+(?:<=|>=|==|!=|<|>|=)[^<>=!]+)",
    re.I,
)
_RUN = re.compile(r"\b([A-Za-z]\w*)\[[01]\](?: ?, ?\1\[\w+\])*[, ]*\.\.\.[, ]*(?:and )?\1\[\w+\]")
"""``A[1], A[2], ..., A[N]``."""
_COMMENT = re.compile(
    r"\s*(?:\(\w+ ?!= ?\w+\)|,? (?:if|for) \w+ ?!= ?\w+|\(len\(\w+\) is [^()]*\))\.?$"
)
_UNEQUAL = re.compile(
    r"(?P<names>[A-Za-z]\w*)(?:\[\w+\])*\[(?P<one>[a-z])\]\s*!=\s*(?P=names)(?:\[\w+\])*\[(?!(?P=one))[a-z]\]"
)
_NAME = r"[A-Za-z]\w*(?:\[\w+\])*"
_ABOUT = (
    r"(?:(?:characters? (?:in|of)|each of|both|(?:the |all )*"
    r"(?:values?|elements?|strings?|words|integers|numbers|given) (?:in|of)|all)\s+)?"
)
_NAMES = rf"{_ABOUT}({_NAME}(?:(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+){_NAME})*)"
_CLASSES = {
    "lowercase": "abcdefghijklmnopqrstuvwxyz",
    "lower-case": "abcdefghijklmnopqrstuvwxyz",
    "uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "upper-case": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "digits": "0123456789",
}


def _listed(names: str) -> list[str]:
    names = re.sub(f"^{_ABOUT}", "", names, flags=re.I)
    return [each for each in re.split(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+", names) if each]


def _letters_of(words: str) -> str:
    """Return the characters that words name: classes of letters, or single ones in a list."""
    lower = words.lower()
    if re.search(r"\b(?:at least|at most|exactly|other than|no)\b", lower):
        raise Unclear
    found = "".join(letters for name, letters in _CLASSES.items() if name in lower)
    if "letters" in lower and not re.search(r"(?:lower|upper)-?case", lower):
        found += _CLASSES["lowercase"] + _CLASSES["uppercase"]
    words = re.sub(r"\bthe characters? ", "", words)
    rest = re.sub(
        r"\b(?:English|lowercase|uppercase|letters?|digits?|characters?|alphabets?)\b", " ", words
    )
    rest = (
        re.sub(r"\b(?:and|or|only|of|either|the|from|string|an?)\b(?!'s)", " ", rest)
        if found
        else rest
    )
    quoted = re.findall(r"['\"](.)['\"]", rest)
    if quoted:
        return found + "".join(quoted)
    for token in re.split(r"\s*,\s*|\s+and\s+|\s+or\s+|\s+", rest.strip()):
        token = token.strip() or ","
        token = re.sub(r"^(?:and|or|either)\s+", "", token).strip("'\"") or token
        if re.fullmatch(r"(.)'s", token):
            token = token[0]
        if token in (",", "and", "or", "either"):
            continue
        if len(token) != 1:
            raise Unclear
        found += token
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    else:
        raise Unclear


def _consists(match: re.Match[str], line: str) -> list[Stated]:
    try:
        letters = _letters_of(match["letters"])
    except Unclear:
        return []
    found = _length(match, line) if match.groupdict().get("length") else []
    names = [_base(name) for name in _listed(match["names"])]
    if not letters:
        return []

    def test(values: Names) -> bool:
        return all(
            set(str(one) if isinstance(one, int) else one) <= set(letters)
            for name in names
            for one in (_texts(values[name]) if name in values else _missing())
        )

    return [*found, Stated(line, test, letters=tuple((name, letters) for name in names))]


def _one_of(match: re.Match[str], line: str) -> list[Stated]:
    """``A[i] is 0 or 1``: numbers, or texts of one character."""
    tokens = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+", match["values"])
    tokens = [re.sub(r"'s$", "", each.strip()).strip("'\"") for each in tokens]
    names = [_base(name) for name in _listed(match["names"])]
    if not all(tokens) or len(set(tokens)) < 2 or max(map(len, tokens)) > 20:
        return []
    if any(" " in each for each in tokens):
        return []

    def test(values: Names) -> bool:
        chosen = [_of(values, name) for name in names]
        return all(
            str(one) in tokens or _is_made_of(one, tokens)
            for each in chosen
            for one in _leaves(each)
        )

    single = "".join(tokens) if all(len(each) == 1 for each in tokens) else ""
    whole = [number(each) for each in tokens]
    ends = [str(each) for each in sorted(each for each in whole if each is not None)]
    bounds = [(name, ends[0], ends[-1]) for name in names] if None not in whole else []
    letters = [(name, single) for name in names] if single else []
    return [Stated(line, test, bounds=tuple(bounds), letters=tuple(letters))]


def _is_made_of(value: Any, tokens: Sequence[str]) -> bool:
    return isinstance(value, str) and all(each in tokens for each in value)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _missing() -> Any:
    raise Unclear


def _of(values: Names, name: str) -> Any:
    """Return the value of a name; Unclear if it has none."""
    return values[name] if name in values else _missing()


def _base(name: str) -> str:
    return name.partition("[")[0]


def _length(match: re.Match[str], line: str) -> list[Stated]:
    names = [f"len({name})" for name in _listed(match["names"])]
    length = match["length"]
    if between := re.fullmatch(r"between\s+(.+?)\s+and\s+(.+?)(?:,?\s*inclusive)?,?", length):
        return _comparison(f"{between[1]} <= {', '.join(names)} <= {between[2]}", line)
    return _comparison(f"{', '.join(names)} == {length}", line)


def _equal_lengths(match: re.Match[str], line: str) -> list[Stated]:
    equal = " == ".join(f"len({name})" for name in _listed(match["names"]))
    return [*_length(match, line), *_comparison(equal, line)]


def _between(match: re.Match[str], line: str) -> list[Stated]:
    return _comparison(f"{match['low']} <= {match['names']} <= {match['high']}", line)


def _parity(match: re.Match[str], line: str) -> list[Stated]:
    rest = {"odd": "% 2 == 1", "even": "% 2 == 0"}[match["parity"].lower()]
    return [s for name in _listed(match["names"]) for s in _comparison(f"{name} {rest}", line)]


def _even_length(match: re.Match[str], line: str) -> list[Stated]:
    rest = {"odd": "% 2 == 1", "even": "% 2 == 0"}[match["parity"].lower()]
    return _comparison(f"len({match['names']}) {rest}", line)


def _starts(match: re.Match[str], line: str) -> list[Stated]:
    name, letter = _base(match["names"]), match["letter"]
    at = {"first": 0, "last": -1}[match["end"].lower()]

    def test(values: Names) -> bool:
        texts = _texts(_of(values, name))
        return all((each[at] == letter) is (match["no"] is None) for each in texts)

    return [Stated(line, test)]


def _at_most(match: re.Match[str], line: str) -> list[Stated]:
    return _comparison(f"1 <= {match['names']} <= {match['high']}", line)


def _multiple(match: re.Match[str], line: str) -> list[Stated]:
    return _comparison(f"{match['names']} % {match['of']} == 0", line)


def _order(kind: str) -> Callable[[re.Match[str], str], list[Stated]]:
    test = {"distinct": _distinct, "sorted": _sorted, "increasing": _increasing}[kind]

    def make(match: re.Match[str], line: str) -> list[Stated]:
        names = [_base(name) for name in _listed(match["names"])]
        if kind == "distinct" and len(names) > 1:
            return [Stated(line, lambda values: _distinct(_together(values, names)))]
        return [
            Stated(
                line,
                lambda values, name=name: test(_of(values, name)),  # type: ignore[misc]
                order=(name, kind),
            )
            for name in names
        ]

    return make


def _distinct(values: Any) -> bool:
    items = _sequence(values)
    return len({repr(each) for each in items}) == len(items)


def _together(values: Names, names: Sequence[str]) -> list[Any]:
    """Return what names stand for as one list: their items, or themselves."""
    found = [_of(values, name) for name in names]
    if all(isinstance(each, list | tuple) for each in found):
        return [one for each in found for one in each]
    return found


def _pairs(match: re.Match[str], line: str) -> list[Stated]:
    def test(values: Names) -> bool:
        return _distinct([*zip(_of(values, match["a"]), _of(values, match["b"]), strict=True)])

    return [Stated(line, test)]


def _sorted(values: Any) -> bool:
    return all(left <= right for left, right in pairwise(_sequence(values)))


def _increasing(values: Any) -> bool:
    return all(left < right for left, right in pairwise(_sequence(values)))


def _sequence(values: Any) -> Sequence[Any]:
    if not isinstance(values, list | tuple | str):
        raise Unclear
    return values


def _permutation(match: re.Match[str], line: str) -> list[Stated]:
    name = _base(_listed(match["names"])[0])
    if (of := match["of"]) and re.fullmatch(r"[A-Za-z]\w*", of):

        def same(values: Names) -> bool:
            return sorted(_of(values, name)) == sorted(_of(values, of))

        return [Stated(line, same)]

    def test(values: Names) -> bool:
        items = sorted(_sequence(_of(values, name)))
        return items in (list(range(1, len(items) + 1)), list(range(len(items))))

    return [Stated(line, test, order=(name, "permutation"))]


def _contains(match: re.Match[str], line: str) -> list[Stated]:
    name, letter = _base(match["names"]), match["letter"]

    def test(values: Names) -> bool:
        return all(letter in each for each in _texts(_of(values, name)))

    return [Stated(line, test)]


_WORDS: Mapping[str, str] = {
    "NAMES": "(?P<names>{names})",
    "NAME": "(?P<names>{name})",
    "BE": "(?:is|are)(?: an?)?(?: all)?",
    "STRINGS": "(?:non-empty )?(?:strings?|characters?)",
    "LENGTH": "(?:(?:of|whose|with|and) )*(?:an? )?(?:has )?length (?:is )?(?P<length>{amount})",
    "BETWEEN": r"between (?P<low>.+?) and (?P<high>.+?)(?:,? \(?(?:both )?inclusive\)?)?",
    "OF": "(?:(?:and )?(?:that )?(?:consist(?:ing|s)?|made up|composed|contains?|made)"
    "(?: of| only)*|where each character is)",
    "CASE": "(?:lower-?case|upper-?case)(?: (?:and|or) (?:lower-?case|upper-?case))?",
    "LETTERS": "(?P<letters>.+)",
    "UNIQUE": "(?:pairwise )?(?:distinct|different|unique)",
    "PARITY": "(?P<parity>odd|even)",
    "LETTER": r"['\"]?(?P<letter>\S)['\"]?",
}
"""What the words in capitals of a phrase stand for."""
_AMOUNT = r"between \S+(?: ?[-*+] ?\S+)* and [^,]+?(?:, inclusive)?|\S+"
Make: TypeAlias = Callable[[re.Match[str], str], list[Stated]]
_PHRASES: tuple[tuple[str, Make], ...] = (
    (
        r"NAMES BE STRINGS (?:OF|of) (?P<letters>.+?),? with (?:a )?length (?:of )?(?P<length>.+)",
        _consists,
    ),
    (r"NAMES BE(?: STRINGS)? LENGTH,? OF LETTERS", _consists),
    (r"NAMES BE length-(?P<length>\w+) STRINGS OF LETTERS", _consists),
    (r"NAMES(?: BE STRINGS)? OF distinct \w+", _order("distinct")),
    (r"NAMES(?: BE STRINGS)? OF LETTERS", _consists),
    (
        r"NAMES BE (?P<letters>CASE English (?:letters?|characters?|alphabets?)"
        r"|English letters?|digits?)",
        _consists,
    ),
    (r"NAMES BE STRINGS LENGTH", _length),
    (r"(?:the )?lengths? of NAMES (?:is|are) (?P<length>between .+)", _length),
    (r"(?:the )?lengths? of NAMES are equal and (?P<length>between .+)", _equal_lengths),
    (r"NAMES BE integers? BETWEEN", _between),
    (r"NAMES BE PARITY(?: numbers?| integers?)?", _parity),
    (r"NAME has an PARITY length", _even_length),
    (r"NAME BE (?:positive )?(?:multiple of|divisible by) (?P<of>\w+)", _multiple),
    (r"NAMES BE UNIQUE(?: integers?| values?| strings?| from each other)?", _order("distinct")),
    (
        r"(?:(?:the )?pairs |all )?\((?P<a>[A-Za-z]\w*)\[\w\], ?(?P<b>[A-Za-z]\w*)\[\w\]\)"
        r" (?:are UNIQUE|!= \((?P=a)\[\w\], ?(?P=b)\[\w\]\))",
        _pairs,
    ),
    (r"(?:each )?character occurs at most once in NAME", _order("distinct")),
    (
        r"NAME is sorted in (?:a )?strictly (?:increasing|ascending) order",
        _order("increasing"),
    ),
    (
        r"NAME is sorted(?: in (?:a )?(?:non-decreasing|ascending|increasing) order)?",
        _order("sorted"),
    ),
    (r"\(? ?NAME(?:[ ,.]+{name})* ?\)? BE permutation(?: of (?P<of>.+))?", _permutation),
    (
        r"NAMES (?:is|are) (?:either |one of (?:the characters )?)?"
        r"(?P<values>\S+(?: ?, ?\S+)*,? (?:or|and) \S+|\S(?: ?, ?\S)+)",
        _one_of,
    ),
    (r"NAMES BE strings? of (?P<letters>CASE English letters) LENGTH", _consists),
    (r"the (?P<end>first|last) character of NAME is (?P<no>not )?LETTER", _starts),
    (r"NAME is a positive integer (?:not greater than|at most) (?P<high>.+)", _at_most),
    (r"NAME contains at least one LETTER", _contains),
)


def _pattern(phrase: str) -> re.Pattern[str]:
    text = re.sub(r"[A-Z]{2,}", lambda match: _WORDS.get(match[0], match[0]), phrase)
    for key, part in (("{names}", _NAMES), ("{name}", _NAME), ("{amount}", _AMOUNT)):
        text = text.replace(key, part)
    return re.compile(text, re.I)


_COMPILED = tuple((_pattern(phrase), make) for phrase, make in _PHRASES)

# Formulas: chains of comparisons between what names, indices and numbers stand for.

_RELATION = re.compile(r"(<=|>=|==|!=|<|>|(?<![<>=!])=(?!=))")
_TESTS = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
_TERM = r"(?:len\([\w\[\]]+\)|[A-Za-z]\w*(?:\[\w+\])*|-?\d+(?:\s*\*\*\s*\(?\d+\)?)?)"
_INLINE = re.compile(
    rf"{_TERM}(?:\s*,\s*{_TERM})*(?:\s*(?:<=|<|>=|>)\s*{_TERM}(?:\s*,\s*{_TERM})*)+"
)


def _formulas(text: str) -> Iterator[str]:
    """Yield the comparisons in a text's sentences, but those of its conditions and examples."""
    for sentence in re.split(r"(?<=[.;:])\s|\n", text):
        if not re.search(
            r"\b(?:if|when|whether|while|until|unless|return|returns|such that)\b|>>>|=>",
            sentence,
            re.I,
        ):
            for match in _INLINE.finditer(_plain(sentence)):
                yield match[0]


def _comparison(formula: str, line: str) -> list[Stated]:
    """Return what a chain of comparisons states; nothing if it cannot be read."""
    if ladder := _LADDER.search(formula):
        kind = "increasing" if ladder["op"] == "<" else "sorted"
        name = ladder["name"]
        is_ordered = _increasing if kind == "increasing" else _sorted
        order = Stated(line, lambda values: is_ordered(_of(values, name)), order=(name, kind))
        before, after = formula[: ladder.start()], formula[ladder.end() :]
        chains = [before + ladder["first"], _loose(before) + f"{name}[i]"] if before.strip() else []
        chains += [ladder["last"] + after, f"{name}[i]" + _loose(after)] if after.strip() else []
        return [order, *(each for chain in chains for each in _comparison(chain, line))]
    parts = _RELATION.split(formula)
    if len(parts) < 3:
        return []
    try:
        operands = [[_expression(each) for each in _commas(part)] for part in parts[::2]]
    except Unreadable:
        return []
    signs = [_TESTS[each] for each in parts[1::2]]
    pairs = [
        (left, sign, right)
        for (lefts, rights), sign in zip(pairwise(operands), signs, strict=True)
        for left in lefts
        for right in rights
    ]

    def test(values: Names) -> bool:
        return all(_compared(left, sign, right, values) for left, sign, right in pairs)

    bounds, lengths = _bounds(operands, parts[1::2]), _lengths(operands, parts[1::2])
    return [Stated(line, test, bounds=tuple(bounds), lengths=tuple(lengths))]


_LADDER = re.compile(
    r"(?P<first>(?P<name>[A-Za-z]\w*)\[[01]\])\s*(?P<op><=|<)\s*(?P=name)\[[12]\]\s*(?P=op)\s*"
    r"(?:\.\.\.\s*(?P=op)\s*)?(?P<last>(?P=name)\[\w+\])"
)


def _loose(rest: str) -> str:
    """Return what its first or last value equals as a bound of all that a ladder has."""
    return re.sub(r"^(\s*)=(?!=)|(?<![<>=!])=(\s*)$", r"\1<=\2", rest)


def _commas(part: str) -> list[str]:
    found, depth, at = [], 0, 0
    for place, letter in enumerate(part):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and not depth:
            found.append(part[at:place])
            at = place + 1
    return [*found, part[at:]]


def _expression(text: str) -> ast.expr:
    """Return an expression of names, indices, numbers and lengths; Unreadable if it is none."""
    try:
        return _parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unreadable(text) from None


def _parsed(text: str) -> ast.expr:
    text = re.sub(r"(?<=\d)\s+(?=\d{3}\b)|(?<=\d),(?=\d{3}\b)", "", text.strip())
    text = re.sub(r"(?<=[\d)])\s*(?=[A-Za-z(])", "*", text) if re.match(r"\d", text) else text
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise ValueError(text)
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in _CALLS
        ):
            raise ValueError(text)
    return tree


_CALLS: dict[str, Callable[..., Any]] = {"len": len, "min": min, "max": max}
_ALLOWED = (
    ast.Name, ast.Load, ast.Constant, ast.Subscript, ast.Call, ast.BinOp, ast.UnaryOp, ast.USub,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
)  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
LARGEST = 10**40


class Items(list[Any]):
    """What an expression with an index stands for: its value for each index."""


def _compared(
    left: ast.expr, sign: Callable[[Any, Any], bool], right: ast.expr, names: Names
) -> bool:
    return all(sign(a, b) for a, b in _aligned(_value(left, names), _value(right, names)))


def _aligned(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    many = [each for each in (left, right) if isinstance(each, Items)]
    if len({len(each) for each in many}) > 1:
        raise Unclear
    size = len(many[0]) if many else 1
    lefts = left if isinstance(left, Items) else [left] * size
    rights = right if isinstance(right, Items) else [right] * size
    return zip(lefts, rights, strict=True)


def _value(node: ast.expr, names: Names) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise Unclear
        value = names[node.id]
        return Items(value) if isinstance(value, Items | list | tuple) else value
    if isinstance(node, ast.Subscript):
        return _item(node, names)
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, names)
        return Items(-each for each in value) if isinstance(value, Items) else -value
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, names), _value(node.right, names)
        made = [_computed(node.op, a, b) for a, b in _aligned(left, right)]
        return Items(made) if isinstance(left, Items) or isinstance(right, Items) else made[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "len":
            (about,) = node.args
            if isinstance(about, ast.Name):
                if about.id not in names:
                    raise Unclear
                return len(names[about.id])
            value = _value(about, names)
            return Items(map(len, value)) if isinstance(value, Items) else len(value)
        values = [_value(each, names) for each in node.args]
        if not any(isinstance(each, Items) for each in values):
            return _CALLS[node.func.id](values)
    raise Unclear


def _computed(sign: ast.operator, left: Any, right: Any) -> Any:
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        raise Unclear
    if isinstance(sign, ast.Pow):
        if not 0 <= right <= 40 or abs(left) > 1000:
            raise Unclear
        return left**right
    value = _BINARY[type(sign)](left, right)
    if abs(value) > LARGEST:
        raise Unclear
    return value


def _item(node: ast.Subscript, names: Names) -> Any:
    """Return the values that an index runs over, or the one at a number."""
    inner = node.value
    value = _value(inner, names) if isinstance(inner, ast.Name | ast.Subscript) else _missing()
    if isinstance(value, str):
        value = Items(value)
    if not isinstance(value, Items):
        raise Unclear
    if isinstance(node.slice, ast.Name) and isinstance(inner, ast.Name):
        at = names.get(node.slice.id)
        if type(at) is int:  # contests count from 1
            at -= isinstance(names[inner.id], Items)
            return value[at] if 0 <= at < len(value) else _missing()
    if isinstance(node.slice, ast.Constant):
        at = node.slice.value
        if type(at) is int and isinstance(inner, ast.Name):
            at -= isinstance(names[inner.id], Items)
        return value[at] if type(at) is int and 0 <= at < len(value) else _missing()
    is_inner = isinstance(inner, ast.Subscript) and not isinstance(inner.slice, ast.Constant)
    if is_inner and all(isinstance(each, list | tuple | str) for each in value):
        return Items(one for each in value for one in each)
    return value


def _bounds(
    operands: Sequence[Sequence[ast.expr]], signs: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield (name, low, high) of names with plain bounds: the nearest ones on each side."""
    for at, each in enumerate(operands):
        for node in each:
            base = node
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                low = _bound(operands[at - 1], signs[at - 1], "<", 1) if at else ""
                high = _bound(operands[at + 1], signs[at], "<", -1) if at < len(signs) else ""
                if low or high:
                    yield base.id, low, high


def _lengths(
    operands: Sequence[Sequence[ast.expr]], signs: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield (name, length) of names whose texts have one length."""
    for (lefts, rights), sign in zip(pairwise(operands), signs, strict=True):
        if sign in ("=", "==") and len(rights) == 1:
            for node in lefts:
                if isinstance(node, ast.Call) and len(node.args) == 1:
                    yield _base(ast.unparse(node.args[0])), ast.unparse(rights[0])


def _bound(operand: Sequence[ast.expr], sign: str, strictly: str, step: int) -> str:
    if len(operand) != 1 or sign not in ("<=", strictly):
        return ""
    text = ast.unparse(operand[0])
    return f"{text} + {step}" if sign == strictly else text


def stated_for(task: Task) -> tuple[list[Stated], list[str], bool]:
    """Return what the text of a function's task states that its base cases keep to, the names of
    the parameters, and whether that is all that its block of constraints states."""
    names = parameters(task)
    if not names:
        return [], [], False
    stated, is_whole = constraints_of(task.prompt)
    inputs = [dict(zip(names, case.arguments, strict=False)) for case in task.base]
    kept = [each for each in stated if is_kept(each, inputs)]
    return kept, names, is_whole and len(kept) == len(stated)


def parameters(task: Task) -> list[str]:
    """Return the names of the parameters of a task's function, of a method those after the first;
    none where inputs are no arguments of it."""
    if task.harness.kind not in ("call", "method") or task.harness.constructed:
        return []
    owner, _, name = task.entry_point.rpartition(".")
    tree = definitions.parse(task.reference)
    if tree is None:
        return []
    scopes = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == owner]
    for node in (one for scope in (scopes if owner else [tree]) for one in scope.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
            return names[1:] if owner else names
    return []


def is_kept(stated: Stated, inputs: Sequence[Names]) -> bool:
    """Return whether all inputs keep to a statement, and it says something of one of them."""
    said = [stated.holds(names) for names in inputs]
    return False not in said and True in said


def formula_code(text: str, names: Sequence[str]) -> str | None:
    """Return a comparison as an expression of Python over arguments, None where it is not one of
    numbers, names and at most one indexed name."""
    parts = _RELATION.split(text)
    try:
        operands = [_expression(part) for part in parts[::2]]
    except Unreadable:
        return None
    if len(parts) < 3:
        return None
    nodes = [node for each in operands for node in ast.walk(each)]
    subscripts = [node for node in nodes if isinstance(node, ast.Subscript)]
    indexed = {ast.unparse(node) for node in subscripts}
    indices = [node.slice.id for node in subscripts if isinstance(node.slice, ast.Name)]
    known = {*names, *_CALLS, *indices}
    if {node.id for node in nodes if isinstance(node, ast.Name)} - known or len(indexed) > 1:
        return None
    signs = ["==" if sign == "=" else sign for sign in parts[1::2]]
    pairs = zip(operands, [*signs, ""], strict=True)
    code = " ".join(f"{ast.unparse(each)} {sign}" for each, sign in pairs).strip()
    for each in indexed:
        base, *steps = each.replace("]", "").split("[")
        if len(steps) > 1:
            return None
        code = f"all({code.replace(each, 'each')} for each in {base})"
    return code


def number(text: str) -> int | None:
    """Return the integer that a bound is, None where it is none or names something."""
    try:
        value = _value(_expression(text), {})
    except (Unreadable, Unclear, TypeError, ArithmeticError):
        return None
    return value if type(value) is int else None


# Records: ``queries[i] = [index_i, color_i]`` names the fields of what a list holds.

_RECORD = re.compile(
    r"([A-Za-z]\w*)\[[a-z]\]\s*(?:==?|is|represents?)?\s*[\[(]\s*([A-Za-z]\w*(?:\[\w\])?(?:\s*,\s*[A-Za-z]\w*(?:\[\w\])?)+)\s*[\])]"
)
_PAIR = re.compile(r"[\[(]\s*([A-Za-z]\w*)\s*,\s*([A-Za-z]\w*)\s*[\])]")


_LENGTH = r"len\([A-Za-z]\w*(?:\[\w+\])*\)"
_ALIAS = re.compile(
    rf"(?<![\w\])])([A-Za-z]\w*)\s*==?\s*({_LENGTH})|({_LENGTH})\s*==?\s*([A-Za-z]\w*)(?![\w(\[])"
)
"""``n == nums.length``, either way round."""


def _with_records(found: list[Stated], text: str) -> list[Stated]:
    """Return statements that know the fields which the text names of the items of lists."""
    plain = "\n".join(map(_plain, text.splitlines()))
    owners: dict[str, tuple[str, int]] = {}
    for match in _RECORD.finditer(plain):
        for place, name in enumerate(match[2].split(",")):
            owners.setdefault(_base(name.strip()), (match[1], place))
    sizes: dict[str, ast.expr] = {}
    for match in _ALIAS.finditer(plain):
        with contextlib.suppress(Unreadable):  # a keyword in place of a name
            sizes[match[1] or match[4]] = _expression(match[2] or match[3])
    pairs = dict.fromkeys(match.groups() for match in _PAIR.finditer(plain)) if not owners else {}

    def named(values: Names) -> Names:
        more: dict[str, Any] = {}
        for name, size in sizes.items():  # ``n == nums.length``, where n is no parameter
            if name not in values:
                more[name] = _common(size, values)
        for name, (owner, place) in owners.items():
            if owner in values and name not in values:
                more[name] = _column(values[owner], place)
        lists = [value for value in values.values() if isinstance(value, list | tuple)]
        for pair in pairs if len(lists) == 1 else ():
            for place, name in enumerate(pair):
                if name not in values and name not in more:
                    more[name] = _column(lists[0], place)
        return {**values, **{name: items for name, items in more.items() if items is not None}}

    def wrapped(each: Stated) -> Stated:
        test = each.test
        return replace(each, test=lambda values: test(named(values)))

    return [wrapped(each) for each in found] if owners or pairs or sizes else found


def _common(size: ast.expr, values: Names) -> float | None:
    """Return the one number that a length is: NaN where rows differ, None where there are none."""
    try:
        found = _value(size, values)
    except (Unclear, TypeError):
        return None
    numbers = set(found) if isinstance(found, Items) else {found}
    return None if not numbers else numbers.pop() if len(numbers) == 1 else math.nan


def _column(rows: Any, place: int) -> Items | None:
    if not isinstance(rows, list | tuple) or not all(
        isinstance(row, list | tuple) and len(row) > place for row in rows
    ):
        return None
    return Items(row[place] for row in rows)
