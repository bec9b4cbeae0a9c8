"""Words: phrases in a task's text that indicate properties of its inputs.

Each pattern starts at a word boundary (``mentions``). ``tasks.stated_constraints`` parses
constraints that are formulas or clauses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from evalplus_lite.tasks.stated_constraints import sentences

_IS = r"(?:an?|two|already|is|are|comes?) (?:strictly )?"
_NOT = (
    r"(?:not|never|cannot|\w+n['’]t)"
    r"(?: (?:be|an?|the|any|has|have|hold|contain|include|worry|about))*"
)
_NONE = (
    r"(?:no \w+|(?:neither|none)(?: of (?:the )?\w+)?)"
    r" (?:is|are|(?:can|may|will|must) be)(?: ever)?"
)


def _denial(word: str) -> str:
    return rf"non[- ]?{word}\b|(?:{_NOT}|{_NONE}|no(?: \w+ or)?|without) {word}\b"


DENIALS: Mapping[str, str] = {"not-empty": _denial("empty"), "not-negative": _denial("negative")}
"""Words that state a limit by what it excludes; they permit nothing."""
WORDS: Mapping[str, str] = {
    **DENIALS,
    "rectangular": r"matrix|grid|rectang|square|table|board|image",
    "square": r"square|n ?[x×*] ?n",
    "widths": r"(?:\w+|\d+) (?:decimals?|decimal places|digits)|HH|MM|YYYY|leading zeros",
    "dates": r"dates?|days?|birthday|calendar",
    "days": r"dates?|days?|months?",
    "month-days": r"MM-DD|birthdays?|months?",
    "times": r"times?|clock|hours?|HH",
    "escapes": r"escapes?|percent|URLs?",
    "brackets": r"parenthes[ei]s|brackets?|braces?|expressions?|JSON",
    "quotes": r"quotes?|quoted|JSON",
    "decimals": r"decimal (?:numbers?|places)|prices?|amounts?",
    "distinct-first": r"(?:are|all|pairwise) (?:distinct|unique|different)|no two|ids?\b"
    r"|(?<!their )(?<!whose )(?<!the )names (?:all )?differ\b|all (?:the )?\w+ differ\b",
    "equal-lines": r"grids?|boards?|matri\w+|same length|maps?|rows|pictures?|images?",
    "same-keys": r"same keys|rows?|records?|tables?|columns?",
    "tree": r"trees?|nodes?",
    "ordered-times": r"before|later|after|starts?|ends?|from",
    "sorted": rf"{_IS}(?:sorted|ascending|increasing|non-?decreasing)"
    r"|(?:is|are|comes?) (?:given )?in (?:strictly )?(?:sorted|ascending|increasing) order",
    "descending": rf"{_IS}(?:descending|decreasing|non-?increasing)",
    "distinct": r"(?:gets|of|are|all|contains?|holds|only|pairwise|all (?:the )?\w+"
    r"|(?:every|each) \w+ is) (?:distinct|unique|different)(?! (?:from|to|than|in)\b)"
    r"|no duplicates|no (?:repeated|duplicate) \w+|all (?:the )?\w+ differ\b"
    r"|no \w+ (?:occurs|appears|comes) twice|permutation|each once",
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
"""Phrases that mention a kind of constraint, for which one example is then enough."""

DENIED: Mapping[str, str] = {
    "rectangular": r"rows? (?:do not|don't|need not)(?: all)? (?:have|be of) (?:the )?"
    r"(?:same|equal)"
    r"|rows? (?:may|can) (?:differ|(?:be of|have) (?:different|any|other))",
    "proper-pairs": r"<=|≤|equal|same|empty|zero|length 0",
    "single-blanks": r"(?<!never )(?<!no )(?:more than one|several|two|multiple) "
    r"(?:blanks?|spaces?)",
    "ordered-pairs": r"(?:may|can) (?:come|be|stand|appear)\b[^.]{0,40}\b(?:any|either) order",
}
"""Phrases that deny a kind of constraint, however many examples satisfy it."""

MAY_BE_ZERO = (
    r"(?:0|zero|none) or more|non-?negative|at least (?:0|zero)|>= ?0|(?<![\w.])0 <="
    r"|(?:may (?:also )?be|was|were) (?:0|zero)\b"
    r"|(?<![\w.])(?:0|zero) (?:is (?:fine|ok|okay|allowed|valid|possible)|gives|means)\b"
)
SIGNS = re.compile(
    r"negative|positive|(?<![\w.])(?:0|zero) or (?:less|fewer|below)"
    r"|(?:below|under|above|less than|fewer than|smaller than|at least) (?:0|1|zero|one)\b"
    r"|no such (?:position|index|place|seat|row|number)|out of range",
    re.I,
)
"""An exception is about numbers with a certain sign, or out of range."""
MAY_BE_EMPTY = (
    r"(?<!an )(?<!the )empty|(?<!return )(?:an|the) empty \w+ (?:has|is|gives)"
    r"|(?:also|even|including) (?:an|the) empty"
    r"|may have no|no \w+ (?:yet|at all)|(?:may|can) be missing"
    r"|without (?:any|rows|items|elements|entries|records|lines)\b|with nothing in"
)
OF_ANY_SIGN = (
    r"(?:is|are|levels?|like|floors?) -\d"
    r"|(?:lists?|arrays?|matri\w+|rows?|columns?|sequences?|tuples?|trees?)(?: \w+)? of "
    r"(?:integers|numbers|floats)|\(?-\d[\d^*]* ?(?:to|<=|≤|\.\.)"
    r"|negative|below (?:0|zero)"
)
"""Elements may have any sign."""
OF_ONE_SIGN = (
    r"positive|non-?negative|natural|(?:(?:must|will) not|cannot|(?:ca|wo)n['’]t|never) be negative"
    rf"|never negative|{_NONE} negative"
)
"""Elements may not."""
ANY_NUMBER = r"any (?:whole numbers?|integers?)\b(?! of)"
"""A number may have any sign."""
EQUAL_ROWS = r"rows?\b[^.]* (?:same|equal|equally) |rectang"
"""Rows have the same length; their number is not mentioned."""
BLANK_LINES = r"(?:blank|empty) lines?"
ANY_CASE = (
    r"case[- ]insensitive|case (?:does not|doesn't|means nothing)|(?:small|lower|upper|capital)s?"
    r"(?:[- ]case)?(?: letters?)? (?:or|and) (?:as )?(?:small|lower|upper|capital)|any mix of"
)
"""Upper and lower case are equivalent."""
NEVER_DOWN = (
    r"never (?:go(?:es|ing)? (?:down|back)|decreas|gets? smaller|earlier)|non-?decreasing"
    r"|chronological|in (?:the )?order of time|only (?:goes up|increases)|(?:are|is) increasing"
)
"""Numbers do not decrease from call to call."""
DIFFER = (
    r"(?<!if )(?<!unless )(?<!whether )\ball (?:the )?(\w+?)s?"
    r" (?:differ|are (?:different|distinct|unique))\b"
)
"""Arguments differ between all calls."""
MOST_PARTS = 12
"""Limit on names in brackets that count as a list of parts."""
NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_THINGS = (
    r"(?:whole )?(?:characters?|letters?|digits?|elements?|items?|numbers?|entries|values?|symbols?"
    r"|rows|lines|columns|cells)|long"
)
OTHER_TEXT = (
    r"(?:(?:anything|everything|all) else"
    r"|(?:any|every) other (?:text|string|input|value))\b[^.]*"
    r"(?:Error|False|None|invalid|improper)|(?:anything|everything|whatever) that is (?:not|no)\b"
    r"|whatever is (?:not|no)\b"
)
"""Texts without the expected format have an answer as well."""
ANY_TEXT = rf"free text|all kinds of things|{OTHER_TEXT}"
"""The same, or a part of the text has no format."""
NO_NUMBER = r"invalid|otherwise|(?:no|not an?) (?:valid )?(?:price|number|amount)\b"
"""Texts that are not numbers have an answer as well."""
MULTIPLE = r"(?:multiples? of|divisible by) (\d{1,18})\b"
_LETTERS = frozenset("aAiI")
"""Names that are words of English, too."""
_WINDOW = 300
"""Characters of a sentence that are read before a word."""
_LISTED = re.compile(r"\b\w+(?:, \w+){1,20},? (?:and|or) \w+")


def mentions(text: str, words: str) -> bool:
    """Return whether a text matches a regular expression at the start of a word."""
    # Only the start is bounded, so that "interval" also matches "intervals".
    return re.search(rf"(?<!\w)(?:{words})", text, re.I) is not None


def is_mentioned(kind: str, text: str) -> bool:
    """Return whether a text mentions a kind of constraint."""
    return kind in WORDS and mentions(text, WORDS[kind])


_ORDERS = ("sorted", "descending", "distinct")
_OF_TASK = (*_ORDERS, "single-blanks", *DENIALS)
"""Kinds that a text may state of what comes out, or ask about, as well."""
_CONDITION = re.compile(
    r"\b(?:if|whether|when|while|unless|until|(?:such|so) that|how many)\b", re.I
)
_GIVEN = re.compile(
    r"\b(?:given|already|of|from|(?<!into )(?<!return )two|insert [\w ]{0,40}\binto"
    r"|(?:position|index|place|find|search\w*|look) [\w ]{0,40}\bin)(?: an?| the| two)?"
    r" (?:(?:sorted|ascending|increasing|descending|decreasing) \w+"
    r"|(?:list|array)s? of (?:distinct|unique)\b)",
    re.I,
)
"""What is given, though the sentence may say what to do: ``the median of a sorted list``."""
_OF_INPUT = re.compile(
    r"\b(?:given|input|already)\b"
    r"|^\W*(?:all|every|each|no|the (?:numbers|values|elements|items|integers|entries)"
    r"|the \w+s are (?:all )?(?:distinct|unique|different))\b",
    re.I,
)
"""A sentence about the input, though it names no parameter."""
_OF_RESULT = re.compile(
    r"\b(?:return|result|answer|output|print|count|give|yield)(?:s|ed|ing)?\b|\bnumber of\b"
    r"|^\W*(?:write\W+)?(?:sort|insert|collapse|squeeze|join|normali[sz]e|replace|reduce|remove"
    r"|trim|convert|merge|arrange|order|put|format|keep|make|drop)\b(?! (?:is|are)\b)"
    r"|\w\([^()]*\):? (?:(?:is |are )?(?:the|an?)\b|(?:all|every) \w+$)",
    re.I,
)
"""What comes out, before the words for it: ``squares(xs): a sorted list``."""


def is_stated(kind: str, text: str, names: Collection[str]) -> bool:
    """Return whether a text states a kind of constraint of the parameters with these names.

    An order that it asks about, or that comes out, it does not state.
    """
    if kind not in _OF_TASK:
        return is_mentioned(kind, text)
    names = [name for name in names if name not in _LETTERS]
    named = rf"\b(?:{'|'.join(names)})\b" if names else "(?!)"
    for sentence in sentences(text):
        is_given = kind in _ORDERS and _GIVEN.search(sentence)
        is_free = not names or kind not in _ORDERS or _OF_INPUT.search(sentence)
        is_named = is_free or re.search(named, sentence)
        for match in re.finditer(rf"(?<!\w)(?:{WORDS[kind]})", sentence, re.I):
            until = sentence[: match.end()][-_WINDOW:]
            before = until.removesuffix(match[0])
            if _CONDITION.search(before):
                continue
            if is_given or kind in DENIALS or re.search(rf"{named},?(?: which)? $", before):
                return True
            if is_named and not _OF_RESULT.search(until):
                return True
    return False


def undenied(text: str) -> str:
    """Return a text without what it denies: ``never empty`` does not permit what is empty."""
    return re.sub(rf"(?<!\w)(?:{'|'.join(DENIALS.values())})", " ", text, flags=re.I)


def denies_only(kind: str, text: str) -> bool:
    """Return whether a sentence says no more than that a kind of limit holds."""
    words = r"(?:(?!(?:and|or)\b)[\w',]+ )*"
    return re.fullmatch(rf"{words}(?:{DENIALS[kind]})", text, re.I) is not None


def is_denied(kind: str, text: str) -> bool:
    """Return whether a text says that a kind of constraint does not hold."""
    return kind in DENIED and mentions(text, DENIED[kind])


def said_of(name: str, names: Collection[str], text: str, *, with_general: bool = True) -> str:
    """Return the sentences of a text that name this parameter or method, and, ``with_general``,
    those that name none of ``names``."""
    found = []
    for sentence in sentences(text):
        # "A" and "I" are words, not names, and neither is the s of "it's".
        words = {*re.findall(r"(?<![\w'’])\w+", sentence)} - _LETTERS
        words |= {*re.findall(r"(?<=[(`])\w(?=[)`])|\b\w(?=\[)", sentence)}  # ``len(a)``, ``a[i]``
        named = words & {*names}
        if name in named or (with_general and not named):
            found.append(sentence)
    return "\n".join(found)


def documents_signs(text: str) -> bool:
    """Return whether a sentence names an exception, and numbers of a sign or out of range."""
    named = (each for each in sentences(text) if re.search(r"Error\b|raise|Exception", each))
    return any(map(SIGNS.search, named))


def says_size(text: str, size: int) -> bool:
    """Return whether a text states this length, or lists that many names in brackets.

    ``ten characters``, ``of length 10``, ``[x1, y1, x2, y2]``.
    """
    count = f"(?:{size}|{NUMERALS[size]})" if size < len(NUMERALS) else str(size)
    if mentions(text, rf"{count}[- ](?:{_THINGS})\b|length(?: is| of|:|=)? {count}\b"):
        return True
    parts = r"[A-Za-z]\w*(?:, ?[A-Za-z]\w*)" + f"{{{size - 1}}}"
    is_named = 1 < size <= MOST_PARTS and re.search(rf"(?<!\w)[\[(]{parts}[\])]", text)
    return bool(is_named)


def most_decimals(text: str) -> int | None:
    """Return the maximum number of decimals, if a text states one."""
    said = re.search(rf"(?:up to|at most|more than) (\d|{'|'.join(NUMERALS)}) decimal", text, re.I)
    if said is None:
        return None
    return int(said[1]) if said[1].isdigit() else NUMERALS.index(said[1].lower())


def multiple_of(text: str) -> int:
    """Return the divisor of all numbers that a text states, or 1."""
    said = re.search(MULTIPLE, text, re.I)
    return max(1, int(said[1])) if said else 1


def stands_alone(text: str, characters: str) -> bool:
    """Return whether a text mentions each of several characters separately: ``made of L and R``."""
    words = {*re.findall(r"(?<![\w'\"`])\w(?![\w'\"`])", text)}
    return len(characters) > 1 and words.issuperset(characters)


def quoted_words(text: str) -> list[str]:
    """Return the quoted words in a text, except those in example calls, braces and brackets."""
    said = re.sub(r"\w\((?:[^()\n]|\([^()\n]*\))*\)|\{[^{}]*\}|\[[^\[\]]*\]", " ", text)
    return re.findall(r"[\"'`]([A-Za-z]{3,20})[\"'`]", said)


def listed(text: str) -> frozenset[str]:
    """Return the words of enumerations in a text: ``DEBUG, INFO, WARN and ERROR``."""
    return frozenset(word for found in _LISTED.findall(text) for word in re.findall(r"\w+", found))
