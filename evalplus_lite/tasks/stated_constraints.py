"""Constraints on inputs that a task's text states: ``1 <= n <= 10^5``, ``s consists of digits``.

Two styles are read: that of contests, in TeX (``1 \\leq A_i \\leq N``), and that of functions with
named parameters (``0 <= nums[i] < nums.length``). A constraint is used only where all examples keep
to it, so one that was misread binds nothing; what is not understood is left out.
"""

from __future__ import annotations

import ast
import contextlib
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

from evalplus_lite.programs import definitions
from evalplus_lite.tasks.formulas import (
    Comparison,
    Items,
    Names,
    Unclear,
    Unreadable,
    base_name,
    expression,
    number,
    of,
    value,
)
from evalplus_lite.types import Task

LONGEST = 20_000
"""Characters of a text that are read."""
LONGEST_LINE = 300
MOST_STATED = 60


@dataclass(frozen=True, slots=True)
class StatedConstraint:
    """One constraint; ``text`` is how the task puts it.

    For generators, as far as it says so: ``bounds`` (name, low, high) of values, ``letters`` and
    ``lengths`` of a name's texts, and the ``order`` of a name's values: ``increasing``, ``sorted``,
    ``distinct`` or a ``permutation``. ``formula`` is the same as a comparison, if it is one.
    """

    text: str
    test: Callable[[Names], bool] = field(compare=False)
    bounds: tuple[tuple[str, str, str], ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    lengths: tuple[tuple[str, str], ...] = ()
    order: tuple[str, str] = ("", "")
    formula: str = ""

    def holds(self, names: Names) -> bool | None:
        """Return whether an input keeps to it, None where it says nothing of such an input."""
        try:
            return self.test(names)
        except (Unclear, TypeError, ValueError, IndexError, ArithmeticError):
            return None


@dataclass(frozen=True, slots=True)
class StatedConstraints:
    """The constraints that a text states; ``is_whole`` if it has a block of them, all understood.

    ``derived`` adds the values of names that the text defines by others: ``n == nums.length``, and
    ``queries[i] = [l_i, r_i]``.
    """

    constraints: tuple[StatedConstraint, ...]
    is_whole: bool
    derived: DerivedNames

    @classmethod
    def read(cls, text: str) -> StatedConstraints:
        """Return what a block of constraints states, or without one, the formulas in sentences."""
        text = readable(text)
        block = _BLOCK.search(text)
        groups = list(_block_lines(block[1])) if block else list(_sentences(text))
        found = tuple(one for group in groups for one in group)[:MOST_STATED]
        is_whole = block is not None and bool(found) and all(groups)
        return cls(found, is_whole, DerivedNames.read(text))

    def kept(self, inputs: Sequence[Names]) -> StatedConstraints:
        """Return those that all inputs keep to and that say something of one of them."""
        known = [self.derived.added(names) for names in inputs]

        def is_kept(each: StatedConstraint) -> bool:
            said = [each.holds(names) for names in known]
            return False not in said and True in said

        kept = tuple(filter(is_kept, self.constraints))
        is_whole = self.is_whole and len(kept) == len(self.constraints)
        return replace(self, constraints=kept, is_whole=is_whole)

    def without(self, places: Collection[int]) -> StatedConstraints:
        """Return those that are not at these places."""
        left = tuple(each for n, each in enumerate(self.constraints) if n not in places)
        return replace(self, constraints=left)

    def broken(self, names: Names) -> StatedConstraint | None:
        """Return the first that an input breaks, None where it breaks none."""
        known = self.derived.added(names)
        return next((each for each in self.constraints if each.holds(known) is False), None)


def of_function(task: Task) -> tuple[StatedConstraints, list[str]]:
    """Return what the text of a function's task states that its base cases keep to, and the names
    of the parameters; nothing for other tasks."""
    names = parameters(task)
    found = StatedConstraints.read(task.prompt if names else "")
    return found.kept([dict(zip(names, case.arguments, strict=False)) for case in task.base]), names


def parameters(task: Task) -> list[str]:
    """Return the names of the parameters that a task's inputs are for; none where that is unclear
    or inputs are no arguments."""
    if task.harness.kind not in ("call", "method") or task.harness.constructed:
        return []
    tree = definitions.parse(task.reference)
    name = task.entry_point.rpartition(".")[2]
    return (tree and definitions.parameters(tree, name)) or []


# What of a text is read: a block of constraints line by line, or formulas in its sentences.


def readable(text: str) -> str:
    """Return a text in lines of a bounded length, longer ones cut into sentences or left out."""
    lines = [
        sentence
        for line in text[:LONGEST].splitlines()
        for sentence in ([line] if len(line) <= LONGEST_LINE else re.split(r"(?<=[.;:])\s", line))
    ]
    return "\n".join(line.strip() for line in lines if len(line) <= LONGEST_LINE)


def _block_lines(block: str) -> Iterator[list[StatedConstraint]]:
    for raw in block.splitlines():
        line = _plain(re.sub(r"^[-*•]\s+", "", raw.strip())).strip()
        if line and not _EMPTY.search(line):
            yield _line(line)


_TERM = r"(?:len\([\w\[\]]+\)|[A-Za-z]\w*(?:\[\w+\])*|-?\d+(?:\s*\*\*\s*\(?\d+\)?)?)"
_TERMS = rf"{_TERM}(?:\s*,\s*{_TERM})*"
_INLINE = re.compile(rf"{_TERMS}(?:\s*(?:<=|<|>=|>)\s*{_TERMS})+")
_CONDITION = re.compile(
    r"\b(?:if|when|whether|while|until|unless|return|returns|such that)\b|>>>|=>", re.I
)


_OF_NOUN = re.compile(
    r"\b([A-Za-z]\w*) ((?:from|between) -?\d\S* (?:to|and) -?\d[\w*]*"
    r"|of (?:lower|upper)-?case (?:English )?letters)"
)
"""``a score from 0 to 100``."""


def _sentences(text: str) -> Iterator[list[StatedConstraint]]:
    """Yield what formulas and phrases in sentences state, but those of conditions and examples."""
    # "An integer n (1 <= n <= 10)" states what is in brackets.
    text = re.sub(r"\(([^()\n]*(?:<|≤|\\le)[^()\n]*)\)", r"\n\1\n", text)
    for sentence in re.split(r"(?<=[.;:])\s|\n", text):
        if not _CONDITION.search(sentence):
            plain = _plain(sentence).strip(" .;:")
            formulas = [match[0] for match in _INLINE.finditer(plain)]
            yield from (_comparison(formula, formula) for formula in formulas)
            yield [] if formulas else _line(plain)
            yield from (_line(f"{name} is {rest}") for name, rest in _OF_NOUN.findall(plain))


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


def _line(line: str) -> list[StatedConstraint]:
    """Return what a line states, nothing where it is not understood as a whole."""
    if re.match(r"(?:if|when|unless)\b", line, re.I) or len(line) > LONGEST_LINE:
        return []
    line = _RUN.sub(r"\1", re.sub(r"\s+", " ", line))
    line = _COMMENT.sub("", _EACH.sub("", line)).rstrip().removesuffix(".")
    if match := _UNEQUAL.fullmatch(line):
        return _all_distinct(match, line)
    for pattern, make in _COMPILED:
        if (match := pattern.fullmatch(line)) and (found := make(match, line)):
            return found
    if some := _SOME.fullmatch(line):
        return _exists(some[1], line)
    return _comparison(line, line)


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
    """Return the names in a list such as ``A, B and C``, without what introduces it."""
    names = re.sub(f"^{_ABOUT}", "", names, flags=re.I)
    return [each for each in re.split(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+", names) if each]


def _base_names(match: re.Match[str]) -> list[str]:
    return [base_name(name) for name in _listed(match["names"])]


# What a phrase states: most are formulas in words.

Make: TypeAlias = Callable[[re.Match[str], str], list[StatedConstraint]]


def _formula(template: str) -> Make:
    """Return what states a formula for each of the names; groups of the phrase are filled in."""

    def make(match: re.Match[str], line: str) -> list[StatedConstraint]:
        texts = [template.format(**match.groupdict(), name=n) for n in _listed(match["names"])]
        return [each for text in texts for each in _comparison(text, line)]

    return make


def _length(match: re.Match[str], line: str) -> list[StatedConstraint]:
    names = ", ".join(f"len({name})" for name in _listed(match["names"]))
    if between := re.fullmatch(r"between (.+?) and (.+?)(?:,? ?inclusive)?,?", match["length"]):
        return _comparison(f"{between[1]} <= {names} <= {between[2]}", line)
    return _comparison(f"{names} == {match['length']}", line)


def _equal_lengths(match: re.Match[str], line: str) -> list[StatedConstraint]:
    equal = " == ".join(f"len({name})" for name in _listed(match["names"]))
    return [*_length(match, line), *_comparison(equal, line)]


def _consists(match: re.Match[str], line: str) -> list[StatedConstraint]:
    letters, names = _letters(match["letters"]), _base_names(match)
    if not letters:
        return []

    def test(values: Names) -> bool:
        return all(set(text) <= set(letters) for name in names for text in _texts(of(values, name)))

    found = _length(match, line) if match.groupdict().get("length") else []
    return [*found, StatedConstraint(line, test, letters=tuple((name, letters) for name in names))]


def _letters(words: str) -> str:
    """Return the characters that words name, by class or one by one; "" for other words."""
    lower = words.lower()
    if re.search(r"\b(?:at least|at most|exactly|other than|no)\b", lower):
        return ""
    found = "".join(letters for name, letters in _CLASSES.items() if name in lower)
    if "letters" in lower and not re.search(r"(?:lower|upper)-?case", lower):
        found += _CLASSES["lowercase"] + _CLASSES["uppercase"]
    rest = re.sub(r"\bthe characters? ", "", words)
    rest = re.sub(
        r"\b(?:English|lowercase|uppercase|letters?|digits?|characters?|alphabets?)\b", " ", rest
    )
    if found:
        rest = re.sub(r"\b(?:and|or|only|of|either|the|from|string|an?)\b(?!'s)", " ", rest)
    if quoted := re.findall(r"['\"](.)['\"]", rest):
        return found + "".join(quoted)
    tokens = [each.removesuffix("'s").strip("'\"") for each in re.split(r"\s*,\s*|\s+", rest)]
    single = [each for each in tokens if each and each not in ("and", "or", "either")]
    return found + "".join(single) if all(len(each) == 1 for each in single) else ""


def _one_of(match: re.Match[str], line: str) -> list[StatedConstraint]:
    """``A[i] is 0 or 1``: numbers, or texts of one character."""
    tokens = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+", match["values"])
    tokens = [each.strip().removesuffix("'s").strip("'\"") for each in tokens]
    names = _base_names(match)
    if len(set(tokens)) < 2 or not all(0 < len(each) <= 20 and " " not in each for each in tokens):
        return []

    def test(values: Names) -> bool:
        return all(
            str(one) in tokens or (isinstance(one, str) and set(one) <= set(tokens))
            for name in names
            for one in _leaves(of(values, name))
        )

    numbers = [each for each in map(number, tokens) if each is not None]
    is_whole, is_single = len(numbers) == len(tokens), all(len(each) == 1 for each in tokens)
    bounds = [(name, str(min(numbers)), str(max(numbers))) for name in names if is_whole]
    letters = [(name, "".join(tokens)) for name in names if is_single]
    return [StatedConstraint(line, test, bounds=tuple(bounds), letters=tuple(letters))]


def _starts(match: re.Match[str], line: str) -> list[StatedConstraint]:
    (name,), letter, is_meant = _base_names(match), match["letter"], match["no"] is None
    at = 0 if match["end"].lower() == "first" else -1

    def test(values: Names) -> bool:
        return all((text[at] == letter) is is_meant for text in _texts(of(values, name)))

    return [StatedConstraint(line, test)]


def _contains(match: re.Match[str], line: str) -> list[StatedConstraint]:
    (name,), letter = _base_names(match), match["letter"]

    def test(values: Names) -> bool:
        return all(letter in text for text in _texts(of(values, name)))

    return [StatedConstraint(line, test)]


def _texts(found: Any) -> Iterator[str]:
    """Yield the texts in a value; Unclear for anything else in it."""
    for each in _leaves(found):
        if not isinstance(each, str):
            raise Unclear
        yield each


def _leaves(found: Any) -> Iterator[Any]:
    if isinstance(found, list | tuple):
        for each in found:
            yield from _leaves(each)
    else:
        yield found


def _distinct(items: Sequence[Any]) -> bool:
    return len({repr(each) for each in items}) == len(items)


def _sorted(items: Sequence[Any]) -> bool:
    return all(left <= right for left, right in pairwise(items))


def _increasing(items: Sequence[Any]) -> bool:
    return all(left < right for left, right in pairwise(items))


def _permutation(items: Sequence[Any]) -> bool:
    return sorted(items) in (list(range(1, len(items) + 1)), list(range(len(items))))


_ORDERS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "distinct": _distinct,
    "sorted": _sorted,
    "increasing": _increasing,
    "permutation": _permutation,
}


def _order(kind: str) -> Make:
    def make(match: re.Match[str], line: str) -> list[StatedConstraint]:
        return [_ordered(kind, name, line) for name in _base_names(match)]

    return make


def _ordered(kind: str, name: str, line: str) -> StatedConstraint:
    def test(values: Names) -> bool:
        items = of(values, name)
        if not isinstance(items, list | tuple | str):
            raise Unclear
        return _ORDERS[kind](items)

    return StatedConstraint(line, test, order=(name, kind))


def _all_distinct(match: re.Match[str], line: str) -> list[StatedConstraint]:
    names = _base_names(match)
    if len(names) == 1:
        return [_ordered("distinct", names[0], line)]

    def test(values: Names) -> bool:
        found = [of(values, name) for name in names]
        are_lists = all(isinstance(each, list | tuple) for each in found)
        return _distinct([one for each in found for one in each] if are_lists else found)

    return [StatedConstraint(line, test)]


def _distinct_pairs(match: re.Match[str], line: str) -> list[StatedConstraint]:
    def test(values: Names) -> bool:
        return _distinct([*zip(of(values, match["a"]), of(values, match["b"]), strict=True)])

    return [StatedConstraint(line, test)]


def _same_letters(match: re.Match[str], line: str) -> list[StatedConstraint]:
    (name,), other = _base_names(match), match["of"]
    return [
        StatedConstraint(line, lambda names: sorted(of(names, name)) == sorted(of(names, other)))
    ]


_WORDS: Mapping[str, str] = {
    "NAMES": f"(?P<names>{_NAMES})",
    "NAME": f"(?P<names>{_NAME})",
    "BE": "(?:is|are)(?: an?)?(?: all)?",
    "STRINGS": "(?:non-empty )?(?:strings?|characters?)",
    "LENGTH": "(?:(?:of|whose|with|and) )*(?:an? )?(?:has )?length (?:is )?"
    r"(?P<length>between \S+(?: ?[-*+] ?\S+)* and [^,]+?(?:, inclusive)?|\S+)",
    "BETWEEN": r"between (?P<low>.+?) and (?P<high>.+?)(?:,? \(?(?:both )?inclusive\)?)?",
    "OF": "(?:(?:and )?(?:that )?(?:consist(?:ing|s)?|made up|composed|contains?|made)"
    "(?: of| only)*|where each character is)",
    "CASE": "(?:lower-?case|upper-?case)(?: (?:and|or) (?:lower-?case|upper-?case))?",
    "LETTERS": "(?P<letters>.+)",
    "UNIQUE": "(?:pairwise )?(?:distinct|different|unique)",
    "LETTER": r"['\"]?(?P<letter>\S)['\"]?",
}
"""What the words in capitals of a phrase stand for."""
_PHRASES: tuple[tuple[str, Make], ...] = (
    (
        r"NAMES BE STRINGS (?:OF|of) (?P<letters>.+?),? with (?:a )?length (?:of )?(?P<length>.+)",
        _consists,
    ),
    (r"NAMES BE(?: STRINGS)? LENGTH,? OF LETTERS", _consists),
    (r"NAMES BE length-(?P<length>\w+) STRINGS OF LETTERS", _consists),
    (r"NAMES(?: BE STRINGS)? OF distinct \w+", _all_distinct),
    (r"NAMES(?: BE STRINGS)? OF LETTERS", _consists),
    (
        r"NAMES BE (?P<letters>CASE English (?:letters?|characters?|alphabets?)"
        r"|English letters?|digits?)",
        _consists,
    ),
    (r"NAMES BE STRINGS LENGTH", _length),
    (r"(?:the )?lengths? of NAMES (?:is|are) (?P<length>between .+)", _length),
    (r"(?:the )?lengths? of NAMES are equal and (?P<length>between .+)", _equal_lengths),
    (r"NAMES BE integers? BETWEEN", _formula("{low} <= {name} <= {high}")),
    (r"NAMES BE odd(?: numbers?| integers?)?", _formula("{name} % 2 == 1")),
    (r"NAMES BE even(?: numbers?| integers?)?", _formula("{name} % 2 == 0")),
    (r"NAME has an odd length", _formula("len({name}) % 2 == 1")),
    (r"NAME has an even length", _formula("len({name}) % 2 == 0")),
    (
        r"NAME BE (?:positive )?(?:multiple of|divisible by) (?P<of>\w+)",
        _formula("{name} % {of} == 0"),
    ),
    (r"NAMES BE(?: integers?)? at least (?P<low>\S+)", _formula("{low} <= {name}")),
    (r"NAMES BE(?: integers?)? at most (?P<high>\S+)", _formula("{name} <= {high}")),
    (
        r"NAMES BE(?: integers?)? from (?P<low>\S+) to (?P<high>\S+)",
        _formula("{low} <= {name} <= {high}"),
    ),
    (r"NAMES BE BETWEEN", _formula("{low} <= {name} <= {high}")),
    (r"NAMES is of LETTERS", _consists),
    (r"NAMES BE positive(?: integers?| numbers?)?", _formula("{name} > 0")),
    (r"NAMES BE non-?negative(?: integers?| numbers?)?", _formula("{name} >= 0")),
    (
        r"NAME is a positive integer (?:not greater than|at most) (?P<high>.+)",
        _formula("1 <= {name} <= {high}"),
    ),
    (r"NAMES BE UNIQUE(?: integers?| values?| strings?| from each other)?", _all_distinct),
    (
        r"(?:(?:the )?pairs |all )?\((?P<a>[A-Za-z]\w*)\[\w\], ?(?P<b>[A-Za-z]\w*)\[\w\]\)"
        r" (?:are UNIQUE|!= \((?P=a)\[\w\], ?(?P=b)\[\w\]\))",
        _distinct_pairs,
    ),
    (r"(?:each )?character occurs at most once in NAME", _all_distinct),
    (r"NAME is sorted in (?:a )?strictly (?:increasing|ascending) order", _order("increasing")),
    (
        r"NAME is sorted(?: in (?:a )?(?:non-decreasing|ascending|increasing) order)?",
        _order("sorted"),
    ),
    (r"NAME BE permutation of (?P<of>[A-Za-z]\w*)", _same_letters),
    (rf"\(? ?NAME(?:[ ,.]+{_NAME})* ?\)? BE permutation(?: of .+)?", _order("permutation")),
    (
        r"NAMES (?:is|are) (?:either |one of (?:the characters )?)?"
        r"(?P<values>\S+(?: ?, ?\S+)*,? (?:or|and) \S+|\S(?: ?, ?\S)+)",
        _one_of,
    ),
    (r"NAMES BE strings? of (?P<letters>CASE English letters) LENGTH", _consists),
    (r"the (?P<end>first|last) character of NAME is (?P<no>not )?LETTER", _starts),
    (r"NAME contains at least one LETTER", _contains),
)
_COMPILED = tuple(
    (re.compile(re.sub("[A-Z]{2,}", lambda m: _WORDS.get(m[0], m[0]), phrase), re.I), make)
    for phrase, make in _PHRASES
)


# Comparisons, and rows that are written out: ``1 <= A_1 < A_2 < ... < A_N``.


def _comparison(formula: str, line: str) -> list[StatedConstraint]:
    """Return what a chain of comparisons states; nothing if it cannot be read."""
    if ladder := _LADDER.search(formula):
        kind = "increasing" if ladder["op"] == "<" else "sorted"
        name = ladder["name"]
        before, after = formula[: ladder.start()], formula[ladder.end() :]
        chains = [before + ladder["first"], _loose(before) + f"{name}[i]"] if before.strip() else []
        chains += [ladder["last"] + after, f"{name}[i]" + _loose(after)] if after.strip() else []
        order = _ordered(kind, name, line)
        return [order, *(each for chain in chains for each in _comparison(chain, line))]
    try:
        read = Comparison.read(formula)
    except Unreadable:
        return []
    bounds, lengths = tuple(read.bounds()), tuple(read.lengths())
    return [StatedConstraint(line, read.holds, bounds=bounds, lengths=lengths, formula=formula)]


def _exists(formula: str, line: str) -> list[StatedConstraint]:
    """Return that a comparison holds for some index."""
    try:
        return [StatedConstraint(line, Comparison.read(formula).holds_somewhere)]
    except Unreadable:
        return []


_LADDER = re.compile(
    r"(?P<first>(?P<name>[A-Za-z]\w*)\[[01]\])\s*(?P<op><=|<)\s*(?P=name)\[[12]\]\s*(?P=op)\s*"
    r"(?:\.\.\.\s*(?P=op)\s*)?(?P<last>(?P=name)\[\w+\])"
)


def _loose(rest: str) -> str:
    """Return what its first or last value equals as a bound of all that a ladder has."""
    return re.sub(r"^(\s*)=(?!=)|(?<![<>=!])=(\s*)$", r"\1<=\2", rest)


# Names that a text defines by others.

_NAME_LIST = r"[A-Za-z]\w*(?:\[\w\])?(?:\s*,\s*[A-Za-z]\w*(?:\[\w\])?)+"
_RECORD = re.compile(
    rf"([A-Za-z]\w*)\[[a-z]\]\s*(?:==?|is|represents?)?\s*[\[(]\s*({_NAME_LIST})\s*[\])]"
)
"""``queries[i] = [index_i, color_i]``."""
_PAIR = re.compile(r"[\[(]\s*([A-Za-z]\w*)\s*,\s*([A-Za-z]\w*)\s*[\])]")
"""``[start, end]``."""
_LENGTH_OF = r"len\([A-Za-z]\w*(?:\[\w+\])*\)"
_ALIAS = re.compile(
    rf"(?<![\w\])])([A-Za-z]\w*)\s*==?\s*({_LENGTH_OF})"
    rf"|({_LENGTH_OF})\s*==?\s*([A-Za-z]\w*)(?![\w(\[])"
)
"""``n == nums.length``, either way round."""


@dataclass(frozen=True, slots=True)
class DerivedNames:
    """Names for lengths, for columns of a named list of rows, and for columns of the only list."""

    lengths: Mapping[str, ast.expr]
    columns: Mapping[str, tuple[str, int]]
    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, text: str) -> DerivedNames:
        """Return the names that a text defines."""
        plain = "\n".join(map(_plain, text.splitlines()))
        columns: dict[str, tuple[str, int]] = {}
        for match in _RECORD.finditer(plain):
            for place, name in enumerate(match[2].split(",")):
                columns.setdefault(base_name(name.strip()), (match[1], place))
        lengths: dict[str, ast.expr] = {}
        for match in _ALIAS.finditer(plain):
            with contextlib.suppress(Unreadable):  # a keyword in place of a name
                lengths[match[1] or match[4]] = expression(match[2] or match[3])
        pairs = dict.fromkeys((m[1], m[2]) for m in _PAIR.finditer(plain)) if not columns else {}
        return cls(lengths, columns, tuple(pairs))

    def added(self, names: Names) -> Names:
        """Return an input's values with those of the names defined by them."""
        if not (self.lengths or self.columns or self.pairs):
            return names
        found: dict[str, Any] = {n: _common(size, names) for n, size in self.lengths.items()}
        for name, (owner, place) in self.columns.items():
            found[name] = _column(names.get(owner), place)
        lists = [each for each in names.values() if isinstance(each, list | tuple)]
        for pair in self.pairs if len(lists) == 1 else ():
            found |= {
                name: _column(lists[0], n) for n, name in enumerate(pair) if name not in found
            }
        return {**{name: each for name, each in found.items() if each is not None}, **names}


def _common(size: ast.expr, names: Names) -> float | None:
    """Return the one number that a length is: NaN where rows differ, None where there are none."""
    try:
        found = value(size, names)
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
