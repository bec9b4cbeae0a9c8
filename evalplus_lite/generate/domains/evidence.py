"""Evidence: which examples support a constraint on inputs, and how many are enough.

Only an *informative* example speaks for a constraint: one that might have broken it. A list of one
element is sorted whatever the task demands, so it says nothing about order; and examples that look
the same at the slot in question count once.

Each kind of constraint has a *habit*: how often an informative example keeps to it although the
task does not ask for it, since people write ``[1, 2, 3]`` where any list would do. A constraint is
required if the chance that all examples keep to it by habit alone is at most ``CHANCE``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evalplus_lite.errors import InputError

LONGEST = 20_000
"""Characters of a task's text that are read."""
CHANCE = 0.05
DOUBT = 0.24
"""The chance below which inputs that break a constraint are doubtful, though it is not required."""
HARDLY_MEANT = ("distinct", "size", "no-longer", "less", "at-most")
"""Kinds that are not doubted: of 102 on HumanEval that fewer inputs support than are needed,
contracts share nine (``scripts/benchmarks/constraints.py``)."""
HABITS: Mapping[str, float] = {
    "rectangular": 0.35,
    "square": 0.35,
    "widths": 0.35,
    "layout": 0.35,
    "fields": 0.05,
    "dates": 0.2,
    "times": 0.2,
    "escapes": 0.2,
    "brackets": 0.35,
    "quotes": 0.35,
    "same-keys": 0.35,
    "equal-lines": 0.35,
    "distinct-first": 0.5,
    "known-words": 0.2,
    "tree": 0.35,
    "ordered-times": 0.5,
    "sorted": 0.5,
    "descending": 0.5,
    "size": 0.5,
    "ordered-pairs": 0.5,
    "ordered-rows": 0.5,
    "single-blanks": 0.6,
    "uniform": 0.5,
    "alphabet": 0.6,
    "words": 0.6,
    "choices": 0.5,
    "index": 0.6,
    "count": 0.6,
    "at-most-length": 0.6,
    "element": 0.6,
    "within": 0.5,
    "part": 0.6,
    "distinct": 0.7,
    "equal-length": 0.7,
    "inner-length": 0.5,
    "equal-width": 0.5,
    "shorter": 0.75,
    "no-longer": 0.75,
    "less": 0.8,
    "at-most": 0.8,
}
"""Measured on HumanEval's inputs against its contracts (``scripts/benchmarks/constraints.py``);
the rest are guesses: those of what texts consist of, ``same-keys``, ``known-words``, ``tree``,
``within``, ``inner-length``, ``equal-width``, ``ordered-times``, ``ordered-pairs`` ..."""
_IS = r"(?:an?|two|already|is|are) (?:strictly )?"
WORDS: Mapping[str, str] = {
    "rectangular": r"matrix|grid|rectang|square|table|board|image",
    "square": r"square|n ?[x×*] ?n",
    "widths": r"(?:\w+|\d+) (?:decimals?|decimal places|digits)|HH|MM|YYYY|leading zeros",
    "dates": r"dates?|days?|birthday|calendar",
    "times": r"times?|clock|hours?|HH",
    "escapes": r"escapes?|percent|URLs?",
    "brackets": r"parenthes[ei]s|brackets?|braces?|expressions?|JSON",
    "quotes": r"quotes?|quoted|JSON",
    "distinct-first": r"(?:are|all|pairwise) (?:distinct|unique|different)|no two|\bids?\b",
    "equal-lines": r"grids?|boards?|matri\w+|same length|maps?|rows|pictures?|images?",
    "same-keys": r"same keys|rows?|records?|tables?|columns?",
    "tree": r"trees?|nodes?",
    "ordered-times": r"before|later|after|starts?|ends?|from",
    "sorted": rf"{_IS}(?:sorted|ascending|increasing|non-?decreasing)",
    "descending": rf"{_IS}(?:descending|decreasing|non-?increasing)",
    "distinct": r"(?:of|are|all|contains?|only|pairwise) (?:distinct|unique|different)"
    r"|no duplicates|permutation",
    "ordered-pairs": r"intervals?|ranges?|start|<=|≤|before",
    "layout": r"absolute|well-formed|valid|correct",
    "single-blanks": r"(?:single|one) (?:space|blank)",
    "alphabet": r"binary|digits?|lower-?case|upper-?case|letters?|hexadecimal|alphabet|consist",
    "words": r"one of|either|keywords?|commands?|operators?",
    "equal-length": r"(?:same|equal) (?:length|size|number)|parallel|corresponding",
    "inner-length": r"multipl|product|matri",
    "equal-width": r"add|sum|matri",
    "index": r"index|indices|position",
    "count": r"at least [a-z]\b|at most|no more than|number of|first k|k-?th|k largest|k smallest",
    "at-most-length": r"at most|no more than|length",
    "within": r"nodes?|vert(?:ex|ices)|graph|network|(?<!not )(?:is|are) (?:on|in) the",
    "element": r"(?<!not )(?:is|are) in the|contained|member|element of|present in",
    "less": r"<|less than|smaller|before|after|later|below|range|between|low|lo\b|start|min",
    "at-most": r"<=|≤|at most|before|after|later|range|between|from|low|lo\b|start|min",
}
"""Words of a task's text that speak of a kind of constraint: one example is enough then."""
LIMITS: Mapping[str, int] = {
    "not-negative": 1,
    "not-positive": 1,
    "not-zero": 1,
    "not-empty": 1,
    "record": 1,
    "reach": 1,
    "length": 1,
    "letters": 1,
}
"""Kinds that say how far to go beyond what was seen, rather than what all examples share: one
example is enough for them, as without a contract an input far off is rarely meant."""


# What else a task's text says of inputs, beyond what examples show.

MAY_BE_ZERO = (
    r"(?:0|zero|none) or more|non-?negative|at least (?:0|zero)|>= ?0|(?<![\w.])0 <="
    r"|may (?:also )?be (?:0|zero)"
    r"|(?<![\w.])(?:0|zero) (?:is (?:fine|ok|okay|allowed|valid|possible)|gives|means)\b"
)
SIGNS = re.compile(
    r"negative|positive|(?<![\w.])(?:0|zero) or (?:less|fewer|below)"
    r"|(?:below|under|above|less than|fewer than|smaller than|at least) (?:0|1|zero|one)\b"
    r"|no such (?:position|index|place|seat|row|number)|out of range",
    re.I,
)
"""An exception is for numbers of some sign."""


def documents_signs(text: str) -> bool:
    """Return whether a sentence names an exception and numbers of some sign, or out of range."""
    sentences = re.split(r"(?<=[.;!?])\s+|\n", text)
    return any(
        SIGNS.search(each) and re.search(r"Error\b|raise|Exception", each) for each in sentences
    )


MAY_BE_EMPTY = (
    r"(?<!non-)(?<!not )(?<!an )(?<!the )empty|(?<!return )(?:an|the) empty \w+ (?:has|is|gives)"
    r"|may have no|no \w+ (?:yet|at all)|(?:may|can) be missing"
    r"|without (?:any|rows|items|elements|entries|records|lines)\b|with nothing in"
)
OF_ANY_SIGN = (
    r"(?:is|are|levels?|like|floors?) -\d"
    r"|(?:lists?|arrays?|matri\w+|rows?|columns?|sequences?|tuples?|trees?)(?: \w+)? of "
    r"(?:integers|numbers|floats)|\(?-\d[\d^*]* ?(?:to|<=|≤|\.\.)"
    r"|(?<!non-)(?<!not )(?<!no )(?<!never )negative|below (?:0|zero)"
)
"""Elements may have any sign."""
ANY_NUMBER = r"any (?:whole numbers?|integers?)\b(?! of)"
"""A number may have any sign."""
EQUAL_ROWS = r"rows?\b[^.]* (?:same|equal|equally) |rectang"
"""Rows are of one length, and nothing is said of how many there are."""
BLANK_LINES = r"(?:blank|empty) lines?"
ANY_CASE = (
    r"case[- ]insensitive|case (?:does not|doesn't|means nothing)|(?:small|lower|upper|capital)"
    r"(?:[- ]case)?(?: letters?)? (?:or|and) (?:small|lower|upper|capital)|any mix of"
)
"""Letters of either case are alike."""
NEVER_DOWN = (
    r"never (?:goes? (?:down|back)|decreas|gets? smaller|earlier)|non-?decreasing|chronological"
    r"|in (?:the )?order of time|only (?:goes up|increases)|(?:are|is) increasing"
)
"""Numbers that calls have in turn."""
NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_THINGS = (
    r"(?:whole )?(?:characters?|letters?|digits?|elements?|items?|numbers?|entries|values?|symbols?"
    r"|rows|lines|columns|cells)|long"
)


def most_decimals(text: str) -> int | None:
    """Return how many decimals numbers have at most, if a text says so."""
    said = re.search(rf"(?:up to|at most|more than) (\d|{'|'.join(NUMERALS)}) decimal", text, re.I)
    if said is None:
        return None
    return int(said[1]) if said[1].isdigit() else NUMERALS.index(said[1].lower())


def says_size(text: str, size: int) -> bool:
    """Return whether a text says that something has this length, or shows the names of its parts.

    ``ten characters``, ``of length 10``, ``[x1, y1, x2, y2]``.
    """
    count = f"(?:{size}|{NUMERALS[size]})" if size < len(NUMERALS) else str(size)
    if mentions(text, rf"{count}[- ](?:{_THINGS})\b|length(?: is| of|:|=)? {count}\b"):
        return True
    parts = r"[A-Za-z]\w*(?:, ?[A-Za-z]\w*)" + f"{{{size - 1}}}"
    return size > 1 and re.search(rf"[\[(]{parts}[\])]", text) is not None


ANY_TEXT = (
    r"free text|all kinds of things|(?:(?:anything|everything|all) else"
    r"|(?:any|every) other (?:text|string|input|value))\b[^.]*"
    r"(?:Error|False|None|invalid|improper)|(?:anything|everything|whatever) that is (?:not|no)\b"
    r"|whatever is (?:not|no)\b"
)
"""A text in no format has an answer as well."""
MULTIPLE = r"(?:multiples? of|divisible by) (\d+)\b"


def multiple_of(text: str) -> int:
    """Return what all numbers are multiples of, as a text says; 1 if it says nothing."""
    said = re.search(MULTIPLE, text, re.I)
    return max(1, int(said[1])) if said else 1


_LISTED = re.compile(r"\b\w+(?:, \w+){1,20},? (?:and|or) \w+")


def listed(text: str) -> frozenset[str]:
    """Return the words of lists in a text: ``DEBUG, INFO, WARN and ERROR``."""
    return frozenset(word for found in _LISTED.findall(text) for word in re.findall(r"\w+", found))


# Constraints with their support, and the decision which are required.


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint that every example keeps to; its ``name`` is made of positions and its kind.

    ``seen`` distinct informative examples speak for it, ``needed`` are enough. ``is_on`` says
    whether it binds what is generated, ``is_chosen`` whether the user decided so, ``is_stated``
    whether the task's text says it.
    """

    name: str
    text: str
    seen: int
    needed: int
    is_on: bool
    is_chosen: bool = False
    is_stated: bool = False

    @property
    def kind(self) -> str:
        """What kind of constraint it is: a key of ``HABITS`` or ``LIMITS``."""
        return next((part for part in self.name.split(".")[::-1] if not part.isdigit()), "")

    @property
    def is_limit(self) -> bool:
        """Whether it says how far to go beyond what was seen (``LIMITS``)."""
        return self.needed <= 1

    def to_json(self) -> dict[str, Any]:
        """Return the constraint as a suite's provenance holds it."""
        return asdict(self)

    @property
    def support(self) -> str:
        """How well it is supported, as text."""
        if self.is_chosen:
            return "chosen by the task"
        if self.is_stated:
            return "stated by the task"
        if self.is_on:
            return f"seen in {self.seen} of {self.seen} informative examples"
        return f"seen in {self.seen} informative examples, {self.needed} are needed"


class Ledger:
    """Decides which of the constraints found are required, and records all of them.

    ``choices`` are the user's, by name of the constraint: True requires one whatever its support.
    ``chance`` bounds the probability that habit alone explains the support of a required one. Of a
    kind that the task's ``text`` mentions, one example is enough.
    """

    def __init__(
        self,
        choices: Mapping[str, bool] | None = None,
        *,
        text: str = "",
        parameters: Sequence[str] = (),
        chance: float = CHANCE,
    ) -> None:
        self._choices, self._text, self._chance = choices or {}, text[:LONGEST], chance
        self._constraints: dict[str, Constraint] = {}
        self._about = [_said_of(name, parameters, self._text) for name in parameters]

    def about(self, position: int | None) -> str:
        """Return what the text says of a parameter, or of none by name."""
        if position is None or position >= len(self._about):
            return self._text
        return self._about[position]

    def takes(
        self,
        name: str,
        text: str,
        *,
        kind: str,
        seen: int,
        position: int | None = None,
        is_said: bool = False,
    ) -> bool:
        """Record a constraint with its support; return whether it is required.

        It is about one ``position``, or several; ``is_said``: the text states it.
        """
        # The user's choice decides; then the task's words; then the number of examples.
        enough = needed(kind, chance=self._chance)
        chosen = self._choices.get(name)
        is_stated = is_said or is_mentioned(kind, self.about(position))
        is_on = is_stated or seen >= enough if chosen is None else chosen
        # Constraints that are not required are noted as well: the user sees them with their
        # support, and can require them by name.
        self._constraints[name] = Constraint(
            name, text, seen, enough, is_on, chosen is not None, is_stated
        )
        return is_on

    def finished(self) -> tuple[Constraint, ...]:
        """Return all constraints found; InputError if the user names one that was not."""
        for name in self._choices:
            # A typing error in a choice would otherwise leave the constraint as it was, without a
            # word.
            if name not in self._constraints:
                known = ", ".join(sorted(self._constraints)) or "none"
                raise InputError(f"no constraint {name!r} was inferred", remedy=f"one of: {known}")
        return tuple(self._constraints.values())


def mentions(text: str, words: str) -> bool:
    """Return whether a text has one of these words, a regular expression."""
    # Only the beginning of a word is bounded: "interval" is to find "intervals".
    return re.search(rf"(?<!\w)(?:{words})", text, re.I) is not None


def is_mentioned(kind: str, text: str) -> bool:
    """Return whether a text speaks of a kind of constraint."""
    return kind in WORDS and mentions(text, WORDS[kind])


def _said_of(name: str, parameters: Sequence[str], text: str) -> str:
    """Return the sentences of a text that name this parameter, or none."""

    def names(parameter: str, sentence: str) -> bool:
        # "A" is a word, and so is the s of "it's".
        is_word = parameter.lower() in ("a", "i")
        return (
            not is_word
            and re.search(rf"(?<![\w'’]){re.escape(parameter)}(?!\w)", sentence) is not None
        )

    sentences = re.split(r"(?<=[.;:?!])\s+|\n", text)
    return "\n".join(
        sentence
        for sentence in sentences
        if names(name, sentence) or not any(names(each, sentence) for each in parameters)
    )


def needed(kind: str, *, chance: float = CHANCE) -> int:
    """Return how many informative examples a kind of constraint needs."""
    if kind in LIMITS:
        return LIMITS[kind]
    # For these the doubtful filter asks for as many examples as the usual one, so they raise no
    # doubt.
    if kind in HARDLY_MEANT:
        chance = CHANCE
    # By habit alone, n examples all keep to the constraint with probability habit ** n. The
    # smallest n for which that is at most ``chance`` is enough: 5 for a habit of 0.5 and a chance
    # of 0.05.
    return math.ceil(math.log(chance) / math.log(HABITS[kind]))
