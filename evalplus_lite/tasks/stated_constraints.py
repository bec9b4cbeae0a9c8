"""Input constraints stated in a task's text: ``1 <= n <= 10^5``, ``s consists of digits``.

Two styles are parsed: that of contests, in TeX (``1 \\leq A_i \\leq N``), and that of functions
with named parameters (``0 <= nums[i] < nums.length``). A constraint applies only if all examples
satisfy it, so a misread one has no effect. Promises that cannot be parsed are listed: they make new
inputs doubtful.
"""

from __future__ import annotations

import ast
import contextlib
import math
import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from evalplus_lite.programs import definitions
from evalplus_lite.tasks.formulas import (
    Comparison,
    Counted,
    Items,
    Names,
    Unclear,
    Unreadable,
    base_name,
    chosen,
    expression,
    number,
    of,
    value,
)
from evalplus_lite.types import Task

LONGEST = 20_000
"""Characters of a text that are read; the rest is ignored."""
LONGEST_LINE = 300
MOST_STATED = 60


@dataclass(frozen=True, slots=True)
class StatedConstraint:
    """One constraint; ``text`` is the task's own wording.

    Generators use the ``bounds`` (name, low, high) of values, the ``letters`` and ``lengths`` of a
    name's strings, and the ``order`` of a name's values: ``increasing``, ``sorted``, ``distinct``
    or a ``permutation``. ``formula`` is the constraint as a comparison, if it is one. ``is_firm``
    means that the text promises it, rather than just mentions it.
    """

    text: str
    test: Callable[[Names], bool] = field(compare=False)
    bounds: tuple[tuple[str, str, str], ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    lengths: tuple[tuple[str, str], ...] = ()
    order: tuple[str, str] = ("", "")
    formula: str = ""
    is_firm: bool = False

    def holds(self, names: Names) -> bool | None:
        """Return whether an input satisfies it, or None if it does not apply to the input."""
        try:
            return self.test(names)
        except (Unclear, TypeError, ValueError, IndexError, ArithmeticError):
            return None

    def is_part(self, other: StatedConstraint) -> bool:
        """Return whether the other's formula contains this one: ``b <= 9`` in ``a, b <= 9``."""
        if self.is_firm or not self.formula or self.formula == other.formula:
            return False
        return bool(re.search(rf"(?<!\w){re.escape(self.formula)}(?![\w*])", other.formula))

    def is_kept(self, inputs: Sequence[Names]) -> bool:
        """Return whether it applies to some of the inputs, and none violates it."""
        said = [self.holds(names) for names in inputs]
        return False not in said and True in said


@dataclass(frozen=True, slots=True)
class StatedConstraints:
    """The constraints that a text states, and ``unread`` promises that could not be parsed.

    ``derived`` adds the values of names that the text defines: ``n == nums.length``, and
    ``queries[i] = [l_i, r_i]``.
    """

    constraints: tuple[StatedConstraint, ...]
    unread: tuple[str, ...]
    is_block: bool
    derived: DerivedNames

    @property
    def is_whole(self) -> bool:
        """Whether the text has a block of constraints, and all its promises were parsed."""
        return self.is_block and bool(self.constraints) and not self.unread

    @classmethod
    def read(cls, text: str) -> StatedConstraints:
        """Parse a block of constraints and promises in sentences; without a block, parse all
        formulas in sentences as well."""
        text = readable(text)
        block = _BLOCK.search(text)
        prose = readable(unwrapped(text[: block.start()] if block else text))
        lines = []
        for raw in block[1].splitlines() if block else ():
            line = _plain(re.sub(r"^[-*•]\s+", "", raw.strip())).strip()
            if line and not _EMPTY.search(line) and not _RECORD.fullmatch(line):
                lines.append((line, _line(line)))
        lines += _promises(prose)
        firm = [replace(one, is_firm=True) for _, group in lines for one in group]
        loose = [] if block else [one for group in _sentences(prose) for one in group]
        said = {one.text for one in firm}
        known = (*firm, *(one for one in loose if one.text not in said))
        unread = tuple(line for line, group in lines if not group)
        return cls(known[:MOST_STATED], unread, block is not None, DerivedNames.read(text))

    def kept(self, inputs: Sequence[Names]) -> StatedConstraints:
        """Keep the constraints that apply to some of the inputs and that none violates.

        A promise that the inputs violate, or that applies to none, was misread.
        """
        known = [self.derived.added(names) for names in inputs]
        true = [each for each in self.constraints if each.is_kept(known)]
        kept = tuple(one for one in true if not any(one.is_part(each) for each in true))
        misread = [each.text for each in self.constraints if each.is_firm and each not in kept]
        unread = dict.fromkeys((*self.unread, *misread))
        return replace(self, constraints=kept, unread=tuple(unread))

    def without(self, places: Collection[int]) -> StatedConstraints:
        """Drop the constraints at these positions; unread promises are numbered after them."""
        left = tuple(each for n, each in enumerate(self.constraints) if n not in places)
        count = len(self.constraints)
        unread = tuple(line for n, line in enumerate(self.unread, count) if n not in places)
        return replace(self, constraints=left, unread=unread)

    def broken(self, names: Names) -> StatedConstraint | None:
        """Return the first constraint that an input violates, or None."""
        if not self.constraints:
            return None
        known = self.derived.added(names)
        return next((each for each in self.constraints if each.holds(known) is False), None)


def of_function(task: Task) -> tuple[StatedConstraints, list[str]]:
    """Return the stated constraints that a function task's base cases satisfy, and the names of its
    parameters; both are empty for other tasks."""
    names = parameters(task)
    found = StatedConstraints.read(task.prompt if names else "")
    inputs = [dict(zip(names, case.arguments, strict=False)) for case in task.base]
    ranges = islice(_ranges(task.prompt, names, inputs), MOST_STATED)
    return replace(found, constraints=(*found.constraints, *ranges)).kept(inputs), names


def _ranges(text: str, names: Sequence[str], inputs: Sequence[Names]) -> Iterator[StatedConstraint]:
    """Yield a constraint for each range in a text (``1 to 9, or 0``) that a parameter obeys.

    It applies to parameters that the sentence names, or to any if it names none. A range of years
    also applies to unnamed parameters if no named one obeys it.
    """
    for sentence in sentences(text):
        words = {*re.findall(r"\w+", sentence)}
        for low, high, other in _RANGE.findall(sentence):
            kept = []
            for name in names:
                test = partial(_is_within, name=name, ends=(float(low), float(high)), other=other)
                one = StatedConstraint(f"{name}: {low} to {high}", test)
                if one.is_kept(inputs):
                    kept.append((name in words, one))
            is_free = words.isdisjoint(names) or (
                float(low) >= _YEAR and not any(is_said for is_said, _ in kept)
            )
            yield from (one for is_said, one in kept if is_said or is_free)


_YEAR = 1000


def _is_within(names: Names, *, name: str, ends: tuple[float, float], other: str) -> bool:
    found = names.get(name)
    leaves = _leaves([*found.values()] if isinstance(found, Mapping) else found)
    numbers = [each for each in leaves if type(each) in (int, float)]
    if not numbers:
        raise Unclear
    return all(ends[0] <= each <= ends[1] or str(each) == other for each in numbers)


_RANGE = re.compile(
    r"(?<![\w.-])(-?\d{1,6}(?:\.\d+)?) (?:to|-|–) (\d{1,6}(?:\.\d+)?)(?![\w:])(?:,? or (\d+))?"
)


def parameters(task: Task) -> list[str]:
    """Return the parameter names for a task's inputs; none if they are unclear or inputs are not
    arguments."""
    if task.harness.kind not in ("call", "method") or task.harness.constructed:
        return []
    tree = definitions.parse(task.reference)
    name = task.entry_point.rpartition(".")[2]
    return (tree and definitions.parameters(tree, name)) or []


# Which parts of a text are read: a block of constraints line by line, or formulas in sentences.


def sentences(text: str) -> list[str]:
    """Return the sentences in the first ``LONGEST`` characters of a text."""
    return re.split(r"(?<=[.;!?])\s+|\n", unwrapped(text[:LONGEST]))


def unwrapped(text: str) -> str:
    """Join long lines with lines that continue the same sentence."""
    lines: list[str] = []
    for line in text.splitlines():
        goes_on = re.match(r"\s*[a-z][\w'-]*(?! ?[:(=<>])\b", line)
        if lines and goes_on and _GOES_ON.search(lines[-1]) and "<" not in line + lines[-1]:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines)


_GOES_ON = re.compile(r"[^\n]{40}[\w,]$")
"""The end of a long line within a sentence."""


def readable(text: str) -> str:
    """Return a text with long lines split into sentences; those still too long are dropped."""
    lines = [
        sentence
        for line in text[:LONGEST].splitlines()
        for sentence in ([line] if len(line) <= LONGEST_LINE else re.split(r"(?<=[.;:])\s", line))
    ]
    return "\n".join(line.strip() for line in lines if len(line) <= LONGEST_LINE)


def _promises(text: str) -> Iterator[tuple[str, list[StatedConstraint]]]:
    """Yield the sentences, or clauses, that promise something about every input."""
    for sentence in re.split(r"(?<=[.;:?!])\s|\n", text):
        line = _plain(sentence).strip(" .;:()")
        if sentence.endswith("?") or re.search("can be (?:proven|shown)", line):
            continue
        if _is_promise(line):
            yield from _clauses(line)
        else:  # an instruction or a condition may also contain a promise
            pattern = _WELL_FORMED if _TASK.match(line) else _PROMISE
            yield from (
                (clause, _line(clause))
                for clause in _parts(line)
                if pattern.search(clause) and _is_promise(clause)
            )


def _is_promise(line: str) -> bool:
    line = _NEVER_DOES.sub("", line)
    is_said = _PROMISE.search(line) and not _TASK.match(line) and not _EMPTY.search(line)
    # "It is always the smallest" describes the output, and "a ... contains ..." is a definition.
    if re.search(r"\bit is always\b|^an? [\w ]+\b(?:has|contains|is)\b.* exactly once", line, re.I):
        return False
    return bool(is_said) and not _CONDITION.search(line.partition("that")[0])


def _clauses(line: str) -> list[tuple[str, list[StatedConstraint]]]:
    """Return the constraints of a whole sentence, or of its clauses if one can be parsed."""
    if found := _line(line):
        return [(line, found)]
    parts = [(p, _line(p)) for p in _parts(line) if not re.fullmatch(r"\w+=\S+", p)]
    if not any(found for _, found in parts):
        return [(line, [])]
    return [(part, found) for part, found in parts if found or _PROMISE.search(part)]


_PROMISE = re.compile(
    r"\b(?:guarantee[ds]?|(?:generated|are) such|assumed?|(?:may|can) (?:rely|count) on|promised?"
    r"|uniquely determined"
    r"|exactly one (?:(?:such|valid|possible) )?(?:solution|answer|\w+ exists)|always exists"
    r"|there is always|exactly (?:one|once|twice)|at most the number of|always|never"
    r"|nobody who|(?-i:none) is|no two|there (?:are|is) no (?:circular|duplicate|repeated))\b"
    r"|^(?:nobody|no \w+ is)\b"
    r"|^(?:the|all|each|every|both|inputs?|it|an?|\w+s) (?:.*\b)?(?:is|are) (?:always |\w+ and )?"
    r"(?:valid|well-formed|correct)\b",
    re.I,
)
_NEVER_DOES = re.compile(r"\b(?:that|which) never (?:move|change|leave|open|stop)s?\b", re.I)
"""``a wall that never moves``: behavior, not a promise about inputs."""
_WELL_FORMED = re.compile(r"\b(?:valid|well-formed|correct)\b", re.I)


_TASK = re.compile(
    r".*\b(?:results?|returns?|answers?|outputs?|print\w*|given|must|should|modif\w+|chang\w+|round\w*"
    r"|shown|ignored|counted|function|arguments?|original|order|cut|split|removed|dropped|kept"
    r"|treated|replaced|merged|skipped|left out|outside)\b"
    r"|always as (?:an? )?(?:floats?|ints?|str)\b"
    r"|(?:write|count|find|compute|calculate|determine|give|list|check|decide|tell|get|remove"
    r"|keep|replace|how|what|which)s?\b",
    re.I,
)
"""Sentences that are instructions or describe the output."""
_TERM = r"(?:len\([\w\[\]]+\)|[A-Za-z]\w*(?:\[\w+\])*|-?\d+(?:\s*\*\*\s*\(?\d+\)?)?)"
_TERMS = rf"{_TERM}(?:\s*,\s*{_TERM})*"
_INLINE = re.compile(rf"{_TERMS}(?:\s*(?:<=|<|>=|>)\s*{_TERMS})+")
_CHAIN = re.compile(rf"{_TERM}(?:\s*(?:<=|<|>=|>)\s*{_TERM})+")
"""The same with one name at a time: ``in hours, from < to`` says nothing about hours."""


def _parts(line: str) -> list[str]:
    """Return the clauses of a sentence, including those in parentheses."""
    line = re.sub(r"\s\(", ", ", re.sub(r"\s\(([^()]*)\)", r", \1,", line))
    clauses = re.split(r",\s+(?:and\s+)?", line)
    both = [(clause, _BOTH.fullmatch(clause)) for clause in clauses]
    parts = [p.strip(" ,") for c, found in both for p in (found.groups() if found else (c,))]
    return [part[:-1] if part.count(")") > part.count("(") else part for part in parts]


_BOTH = re.compile(r"(.*\b(?:is|are)\b.*) and ([a-z]\w* (?:is|are)\b.*)")
"""Two clauses, as opposed to one about two names."""
_CONDITION = re.compile(
    r"\b(?:if|when|whether|while|until|unless|return|returns|such that)\b|>>>|=>", re.I
)


_OF_NOUN = re.compile(
    r"\b([A-Za-z]\w*) ((?:from|between) -?\d\S* (?:to|and) -?\d[\w*]*"
    r"|of (?:lower|upper)-?case (?:English )?letters)"
)
"""``a score from 0 to 100``."""


def _sentences(text: str) -> Iterator[list[StatedConstraint]]:
    """Yield the constraints of formulas and phrases, except in conditions and examples."""
    # In "an integer n (1 <= n <= 10)" the parentheses hold the constraint.
    text = re.sub(r"\(([^()\n]*(?:<|≤|\\le)[^()\n]*)\)", r"\n\1\n", text)
    for sentence in re.split(r"(?<=[.;:])\s|\n", text):
        if not _CONDITION.search(sentence):
            plain = _plain(sentence).strip(" .;:")
            formulas = [
                formula(match)
                for pattern, formula in _FORMULAS
                for match in re.finditer(pattern, plain)
            ]
            yield from (_comparison(formula, formula) for formula in dict.fromkeys(formulas))
            for pattern, make in _INPUTS:
                yield from (make(each, each[0]) for each in re.finditer(pattern, plain, re.I))
            if not formulas:
                yield from (found for _, found in _clauses(plain))
            yield from (_line(f"{name} is {rest}") for name, rest in _OF_NOUN.findall(plain))


_FORMULAS: tuple[tuple[re.Pattern[str] | str, Callable[[re.Match[str]], str]], ...] = (
    (_INLINE, lambda m: m[0]),
    (_CHAIN, lambda m: m[0]),
    (
        r"(\([^()]*\)|\b[A-Za-z]\w*) (?:is|are) (?:always )?(?:an? )?"
        r"(?:multiples? of|divisible by) ([A-Za-z]\w*|\d+)\b",
        lambda m: f"{m[1]} % {m[2]} == 0",
    ),
    (  # ``end after start``
        r"\b([A-Za-z]\w*) (?:is )?(?:always )?(?:strictly )?((?:never |not )?"
        r"(?:after|before|(?:later|earlier|greater|larger|less|smaller) than)) (?:the |its )?"
        r"([A-Za-z]\w*)\b",
        lambda m: f"{m[1]} {_sign(m[2])} {m[3]}",
    ),
    (  # ``[start, end] in minutes (0 to 1440)``
        r"[\[(]([A-Za-z]\w*(?:, ?[A-Za-z]\w*)+)[\])][^().;:\[]*\((-?\d\w*) to (-?\d\w*)\b",
        lambda m: f"{m[2]} <= {m[1]} <= {m[3]}",
    ),
)
"""Formulas within sentences."""


def _sign(words: str) -> str:
    """Return the sign of a comparison in words, such as ``never later than``."""
    is_above = re.search("after|later|greater|larger|more|higher", words, re.I)
    if re.match("not?|never", words, re.I):
        return "<=" if is_above else ">="
    return ">" if is_above else "<"


_BLOCK = re.compile(
    r"^[#* \t]*Constraints:?[* \t]*$(.*?)"
    r"(?=^[#* \t]*(?:Input|Output|Sample|Examples?|Note|class |def )\b|\Z)",
    re.M | re.S | re.I,
)
_EMPTY = re.compile(
    r"^(?:all|each|both|every|the)?\s*(?:of\s+the\s+)?(?:input|numeric|given)?\s*(?:values?|inputs?|numbers?)?"
    r"[\w\s,|\[\].]*\b(?:are|is)\s+(?:all\s+)?(?:an?\s+)?integers?(?:, except .*)?\.?$"
    r"|^follow-?up|^ *$"
    # Single inputs are smaller than sums over all test cases.
    r"|^the sum of (?:all )?\S+ (?:over|across) all test ?cases|guaranteed .* that the sum of",
    re.I,
)

# A single line of a block.


def _plain(line: str) -> str:
    """Return a line without TeX: ``1 \\le A _ i \\lt 10^{9}`` as ``1 <= A[i] < 10**9``."""
    for old, new in _TEX:
        line = re.sub(old, new, line)
    line = re.sub(r"([A-Za-z]\w*)\s*_\s*\{([^{}]+)\}", _indexed, line)
    # In a name such as max_size the underscore is not an index.
    line = re.sub(r"\b([A-Za-z][A-Za-z0-9]*)\s*_\s*(\d+|[A-Za-z])(?!\w)", _indexed, line)
    return line.replace("{", "(").replace("}", ")")


_TEX = (
    (r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))"),
    (
        r"(?:(?:\\displaystyle\s*)?\\sum(?:\\limits)?\s*_\s*\{[^{}]*\}\s*\^\s*(?:\{[^{}]*\}|\w)\s*)+"
        r"((?:(?!\\[lg]e|\\[lg]t|[<>=≤≥]| is ).)+)",
        r"sum(\1)",
    ),
    (r"\$(?=[^\"]*(?:\"[^\"]*\"[^\"]*)*$)|\\,|\\ |\\;|\\!|\\left|\\right", " "),
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
    """Return the constraints of a line; none unless the whole line can be parsed."""
    if re.match(r"(?:if|when|unless)\b", line, re.I) or len(line) > LONGEST_LINE:
        return []
    line = _RUN.sub(r"\1", re.sub(r"\s+", " ", line))
    line = _EACH.sub("", _EACH.sub("", line)).rstrip().removesuffix(".")
    line = _COMMENT.sub("", _SUM.sub(r"sum(\1)", line)).rstrip()
    for pattern, make in _COMPILED:
        if (match := pattern.fullmatch(line)) and (found := make(match, line)):
            return found
    if some := _SOME.fullmatch(line):
        return _comparison(some[1], line, is_some=True)
    return _comparison(line, line)


_EACH = re.compile(
    r"^(?:(?:the )?(?:inputs?|tests?|test cases?|it) (?:is|are) (?:generated such|guaranteed) that"
    r"|you (?:may|can) assume(?: that)?|(?:for )?(?:all|each|every|any) \w,|each|every)"
    r"\s+(?:of\s+)?(?:the\s+)?",
    re.I,
)
_SOME = re.compile(
    r"there (?:is|exists) (?:an?|at least one) (?:element |index )?\w (?:such that|where) "
    r"([^<>=!]+(?:<=|>=|==|!=|<|>|=)[^<>=!]+)",
    re.I,
)
_RUN = re.compile(r"\b([A-Za-z]\w*)\[[01]\](?: ?, ?\1\[\w+\])*[, ]*\.\.\.[, ]*(?:and )?\1\[\w+\]")
"""``A[1], A[2], ..., A[N]``."""
_SUM = re.compile(r"\b([A-Za-z]\w*)\[1\] ?\+ ?\1\[2\] ?\+ ?\.\.\. ?\+ ?\1\[\w+\]")
_COMMENT = re.compile(
    r"\s*(?:\(\w+ ?!= ?\w+\)|,? (?:if|for) \w+ ?!= ?\w+|\(len\(\w+\) is [^()]*\)"
    r"|,? for (?:all|each|every|any) \w+\b(?: ?(?:[<=,]|such that).*)?)\.?$"
)
_NAME = r"[A-Za-z]\w*(?:\[\w+\])*"
_ABOUT = (
    r"(?:(?:characters? (?:in|of)|each of|both|(?:the |all )*"
    r"(?:values?|elements?|strings?|words|integers|numbers|given) (?:in|of)|all)\s+)?"
)
_ITEM = rf"(?:(?:len|sum)\({_NAME}\)|{_NAME})"
_NAMES = rf"{_ABOUT}({_ITEM}(?:(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+){_ITEM})*)"
_CLASSES = {
    "lowercase": "abcdefghijklmnopqrstuvwxyz",
    "lower-case": "abcdefghijklmnopqrstuvwxyz",
    "uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "upper-case": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "digits": "0123456789",
}


def _listed(names: str) -> list[str]:
    """Return the names in a list such as ``A, B and C``, without introductory words."""
    names = re.sub(f"^{_ABOUT}", "", names, flags=re.I)
    return [each for each in re.split(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+", names) if each]


def _base_names(match: re.Match[str]) -> list[str]:
    return [base_name(name) for name in _listed(match["names"])]


# Phrases: most are formulas in words.

Make: TypeAlias = Callable[[re.Match[str], str], list[StatedConstraint]]


def _formula(template: str) -> Make:
    """Return a maker that fills a phrase's groups into a formula, for each of the names."""

    def make(match: re.Match[str], line: str) -> list[StatedConstraint]:
        texts = [template.format(**match.groupdict(), name=n) for n in _listed(match["names"])]
        texts = [re.sub(r"\bthe (?:length|size) of (\w+)", r"len(\1)", text) for text in texts]
        return [each for text in texts for each in _comparison(text, line)]

    return make


def _test(test: Callable[[Names, re.Match[str]], bool]) -> Make:
    """Return a maker of constraints that test an input against a phrase's match."""

    def make(match: re.Match[str], line: str) -> list[StatedConstraint]:
        return [StatedConstraint(line, lambda names: test(names, match))]

    return make


def _length(match: re.Match[str], line: str) -> list[StatedConstraint]:
    names = ", ".join(f"len({name})" for name in _listed(match["names"]))
    length = match["length"]
    ends = re.fullmatch(r"between (.+?) and (.+?)(?:,? ?inclusive)?,?", length) or re.fullmatch(
        r"(?:at least (\S+?))?(?: and )?(?:at most (\S+?))?,?", length
    )
    if ends:
        return _comparison(" <= ".join(filter(None, (ends[1], names, ends[2]))), line)
    return _comparison(f"{names} == {length}", line)


def _consists(match: re.Match[str], line: str) -> list[StatedConstraint]:
    letters, names = _letters(match["letters"]), _base_names(match)
    if not letters:
        return []

    def test(values: Names) -> bool:
        return all(set(text) <= set(letters) for name in names for text in _texts(of(values, name)))

    found = _length(match, line) if match.groupdict().get("length") else []
    return [*found, StatedConstraint(line, test, letters=tuple((name, letters) for name in names))]


def _letters(words: str) -> str:
    """Return the characters that words name, as classes or one by one; "" for other words."""
    lower = words.lower()
    if re.search(r"\b(?:at least|at most|exactly|other than|no)\b", lower):
        return ""
    if text := re.search(r'(.*)characters? (?:in|from) the string "([^"]+)"', words):
        return _letters(re.sub(r"\b(?:or|and) *$", "", text[1])) + text[2]
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
    """``A[i] is 0 or 1``: numbers, words, or strings of such characters."""
    tokens = re.split(r"\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+", match["values"])
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


@_test
def _starts(names: Names, match: re.Match[str]) -> bool:
    (name,), is_meant = _base_names(match), match["no"] is None
    at = 0 if match["end"].lower() == "first" else -1
    return all((text[at] == match["letter"]) is is_meant for text in _texts(of(names, name)))


@_test
def _counted(names: Names, match: re.Match[str]) -> bool:
    """``S[i] contains at least one o`` counts in each item, ``grid has exactly one 1`` in all."""
    (name,), letters = _listed(match["names"]), _listed(match["letter"])
    most = 1 if match["exactly"].lower().startswith("exactly") else math.inf

    def count(found: Any, letter: str) -> int:
        texts = list(map(str, _leaves(found)))
        return sum(each.count(letter) if len(letter) == 1 else each == letter for each in texts)

    found = of(names, base_name(name))
    items = found if name.count("[") == 1 and isinstance(found, list | tuple) else [found]
    return all(1 <= count(each, one.strip("'\"")) <= most for each in items for one in letters)


@_test
def _other_than(names: Names, match: re.Match[str]) -> bool:
    (name,), letters = _base_names(match), _letters(match["letters"])
    if not letters:
        raise Unclear
    return all(set(text) - set(letters) for text in _texts(of(names, name)))


@_test
def _times(names: Names, match: re.Match[str]) -> bool:
    """``i occurs in A exactly three times``."""
    (name,), words = _base_names(match), ("", "once", "twice", "three", "four", "five")
    times = words.index(match["times"].lower()) if match["times"].lower() in words else -1
    return {*Counter(of(names, name)).values()} == {times}


# Graphs: lists of pairs of nodes.

_ENDS = [*map(tuple, ("uv", "UV", "ab", "AB", "xy", "XY", "pq"))]
"""Names of the two nodes of an edge."""
_GRAPH = {"tree", "trees", "graph", "connected", "simple", "undirected", "and", "nor", "or", "a"}
_GRAPH |= {"self-loops", "multi-edges", "multiple", "edges", "multi", "valid"}


def _graph(match: re.Match[str], line: str) -> list[StatedConstraint]:
    kind = match["kind"].lower()
    if not {*re.findall(r"[\w-]+", kind)} <= _GRAPH:
        return []
    is_tree = "tree" in kind

    def test(names: Names) -> bool:
        results = []
        for edges in _edge_lists(names):
            nodes = names.get("N", names.get("n"))
            count = nodes if type(nodes) is int and not is_tree else len(edges) + 1
            if is_tree or "connected" in kind:
                results.append(_is_connected(edges, count))
            if not is_tree and ("simple" in kind or "edges" in kind or "loops" in kind):
                results.append(
                    all(a != b for a, b in edges) and _distinct([sorted(each) for each in edges])
                )
        if not results:
            raise Unclear
        return all(results)

    return [StatedConstraint(line, test)]


def _edge_lists(names: Names) -> list[list[Any]]:
    """Return the lists of edges among an input's values."""
    ends = [(names.get(a), names.get(b)) for a, b in _ENDS]
    columns = [
        [*zip(a, b, strict=True)] for a, b in ends if isinstance(a, Items) and isinstance(b, Items)
    ]
    rows = [each for name, each in names.items() if name.lower().startswith("edge")]
    return columns[:1] or [[row[:2] for row in each] for each in rows]


def _is_connected(edges: Sequence[Sequence[int]], count: int) -> bool:
    """Return whether a graph with ``count`` nodes is in one piece."""
    near: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    seen, left = set[int](), [*islice(near, 1)]
    while left:
        if (node := left.pop()) not in seen:
            seen.add(node)
            left += near[node]
    return max(1, len(seen)) == max(count, len(near))


def _texts(found: Any) -> Iterator[str]:
    """Yield the strings in a value; raise Unclear if it has anything else."""
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


@_test
def _holds_some(names: Names, match: re.Match[str]) -> bool:
    """``There is at least one price and none is negative``: tests the value that the noun names, or
    the only list, string or dict. Numbers may be strings."""
    noun = match["noun"].lower().removesuffix("s")
    sized = {name: each for name, each in names.items() if hasattr(each, "__len__")}
    named = [each for name, each in sized.items() if name.lower().startswith(noun)]
    meant = named or (list(sized.values()) if len(sized) == 1 else [])
    if not meant:
        raise Unclear
    leaves = map(str, _leaves(meant))
    is_negative = match["negative"] and any(re.match(r"-\.?\d", each) for each in leaves)
    return all(map(len, meant)) and not is_negative


@_test
def _comes_once(names: Names, match: re.Match[str]) -> bool:
    """``each month at most once``: tests a field of that name."""
    found = names.get(match[1], names.get(f"{match[1]}s"))
    if not isinstance(found, Items):  # about an argument, it may describe its use instead
        raise Unclear
    return _distinct(found)


@_test
def _has_key(names: Names, match: re.Match[str]) -> bool:
    """``every record has the key``: tests dicts and a string argument that is a key."""
    key = names.get(match[1])
    records = [each for each in _leaves([*names.values()]) if isinstance(each, Mapping)]
    if not isinstance(key, str) or not records:
        raise Unclear
    return all(key in each for each in records)


@_test
def _is_between(names: Names, match: re.Match[str]) -> bool:
    """``"a1" to "h8"``: every string lies between two others, character by character."""
    texts = [each for each in _leaves([*names.values()]) if isinstance(each, str)]
    low, high = match["low"], match["high"]
    if len(low) != len(high) or not texts:
        raise Unclear
    return all(
        len(text) == len(low) and all(a <= c <= b for a, c, b in zip(low, text, high, strict=True))
        for text in texts
    )


_INPUTS = (
    (
        r"[\"'](?P<low>[A-Z0-9]{1,6})[\"'] (?:to|through) [\"'](?P<high>[A-Z0-9]{1,6})[\"']",
        _is_between,
    ),
    (
        r".*\bno \w+ (?:occurs|appears|stands|comes) (?:twice|more than once) in all.*",
        _test(lambda names, _: _distinct([*_leaves([*names.values()])])),
    ),
    (r"\b(?:each|every) (\w+) (?:\w+ )?(?:at most|only|exactly) once\b", _comes_once),
    (
        r"(?<!not )\b(?:each|every|all) (?:\w+ ){1,4}?(?:has|have|contains?)"
        r" (?:the|that|this) (\w+)\b",
        _has_key,
    ),
)
"""Phrases within sentences about any values of an input."""


def _distinct(items: Sequence[Any]) -> bool:
    return len({repr(each) for each in items}) == len(items)


_ORDERS: Mapping[str, Callable[[Sequence[Any]], bool]] = {
    "distinct": _distinct,
    "sorted": lambda items: all(map(operator.le, items, items[1:])),
    "increasing": lambda items: all(map(operator.lt, items, items[1:])),
    "permutation": lambda items: (
        sorted(items) in (list(range(1, len(items) + 1)), list(range(len(items))))
    ),
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
    if match.groupdict().get("row"):
        return [StatedConstraint(line, lambda values: all(map(_distinct, of(values, names[0]))))]
    if len(names) == 1:
        return [_ordered("distinct", names[0], line)]

    def test(values: Names) -> bool:
        found = [of(values, name) for name in names]
        are_lists = all(isinstance(each, list | tuple) for each in found)
        return _distinct([one for each in found for one in each] if are_lists else found)

    return [StatedConstraint(line, test)]


@_test
def _distinct_pairs(names: Names, match: re.Match[str]) -> bool:
    pairs = [*zip(of(names, match["a"]), of(names, match["b"]), strict=True)]
    return _distinct([sorted(each) for each in pairs] if match["either"] else pairs)


def _same_letters(match: re.Match[str], line: str) -> list[StatedConstraint]:
    """A permutation of another value, or of letters that the text lists."""
    (name,), other = _base_names(match), match["of"]
    other = "".join(re.findall(r"\bone (\S)(?=,| |$)", other)) or other

    def test(names: Names) -> bool:
        return sorted(of(names, name)) == sorted(names.get(other, other))

    letters = ((name, other),) if other.isupper() and len(other) > 1 else ()
    return [StatedConstraint(line, test, letters=letters)]


_BE = "(?:is|are|(?:must|will) be|lies?|ranges?)(?: always)?(?: an?)?(?: all)?"
_WORDS: Mapping[str, str] = {
    "NAMES": f"(?P<names>{_NAMES})",
    "NAME": f"(?P<names>{_ITEM})",
    "BE": _BE,
    "NOT": f"(?:{_BE} (?:not|never)|(?:must|can|will) ?not be)",
    "INTEGERS": "(?:whole )?(?:numbers?|integers?)",
    "END": r"(?P<end>-?\d\S*|[A-Za-z]\w*|len\(\w+\)|the (?:length|size) of [A-Za-z]\w*)",
    "STRINGS": "(?:non-empty )?(?:strings?|characters?)",
    "LENGTH": "(?:(?:of|whose|with|and) )*(?:an? )?(?:has )?length (?:is )?"
    r"(?P<length>between \S+(?: ?[-*+] ?\S+)* and [^,]+?(?:, inclusive)?"
    r"|at least \S+ and at most \S+|at (?:least|most) \S+|\S+)",
    "BETWEEN": r"between (?P<low>.+?) and (?P<high>.+?)(?:,? \(?(?:both )?inclusive\)?)?",
    "OF": "(?:(?:and )?(?:that )?(?:consist(?:ing|s)?|made up|composed|contains?|made)"
    "(?: of| only)*|where each character is)",
    "CASE": "(?:lower-?case|upper-?case)(?: (?:and|or) (?:lower-?case|upper-?case))?",
    "LETTERS": "(?P<letters>.+)",
    "SOME": "(?:an? )?(?:list|array|tuple|sequence) of",
    "UPWARD": "(?:non-?decreasing|ascending|increasing|sorted)",
    "UNIQUE": "(?:pairwise )?(?:distinct|different|unique)",
    "LETTER": r"['\"]?(?P<letter>\S)['\"]?",
}
"""The patterns behind the capitalized words in phrases."""
_WITHIN = "{low} <= {name} <= {high}"
_PHRASES: tuple[tuple[str, Make | str], ...] = (
    (
        r"(?-i:(?P<names>[A-Za-z]\w*(?P<row>\[\w\])?)\[(?P<one>[a-z])\]\s*!=\s*(?P=names)"
        r"\[(?!(?P=one))[a-z]\])",
        _all_distinct,
    ),
    (
        r"NAMES BE STRINGS (?:OF|of) (?P<letters>.+?),? (?:with|of|whose|and has) (?:a )?"
        r"length (?:of |is )?(?P<length>.+)",
        _consists,
    ),
    (r"NAMES BE(?: STRINGS)? LENGTH,? OF LETTERS", _consists),
    (r"NAMES BE length-(?P<length>\w+) STRINGS OF LETTERS", _consists),
    (r"NAMES(?: BE STRINGS)? OF UNIQUE \w+", _all_distinct),
    (r"NAMES(?: BE STRINGS)? OF LETTERS", _consists),
    (
        r"NAMES BE (?P<letters>CASE English (?:letters?|characters?|alphabets?)"
        r"|English letters?|digits?)",
        _consists,
    ),
    (r"NAMES BE STRINGS LENGTH", _length),
    (r"(?:the )?lengths? of NAMES (?:is|are) (?P<length>between .+|at .+|[\w(). +*-]+)", _length),
    (
        r"(?:the )?lengths? of NAMES are equal and (?P<length>between .+)",
        lambda m, line: [
            *_length(m, line),
            *_comparison(" == ".join(f"len({n})" for n in _listed(m["names"])), line),
        ],
    ),
    (r"NAMES BE(?: INTEGERS)? BETWEEN", _WITHIN),
    (
        r"NAMES BE UNIQUE integers BETWEEN",
        lambda m, line: [*_all_distinct(m, line), *_formula(_WITHIN)(m, line)],
    ),
    (r"NAMES BE even(?: INTEGERS)?", "{name} % 2 == 0"),
    (r"NAMES BE odd(?: INTEGERS)?", "{name} % 2 == 1"),
    (r"NAME has an odd length", "len({name}) % 2 == 1"),
    (r"NAME has an even length", "len({name}) % 2 == 0"),
    (
        r"NAME BE (?:positive )?(?:multiple of|divisible by) (?P<of>[\w() +*-]+)",
        "{name} % ({of}) == 0",
    ),
    (r"NAMES BE(?: INTEGERS)? at least (?P<low>\S+)", "{low} <= {name}"),
    (r"NAMES BE(?: INTEGERS)? at most (?P<high>\S+)", "{name} <= {high}"),
    (r"NAMES BE(?: INTEGERS)? at least (?P<low>\S+) (?:and|but) at most (?P<high>\S+)", _WITHIN),
    (r"NAMES BE(?: INTEGERS)? from (?P<low>\S+) to (?P<high>\S+)", _WITHIN),
    (r"NAMES BE(?: INTEGERS)? (?P<low>-?\d\S*) to (?P<high>-?\d\S*)", _WITHIN),
    (
        r"NAMES BE (?:in|within)(?: the)?(?: range| interval)? \[(?P<low>[^,]+), ?"
        r"(?P<high>[^,]+)\]",
        _WITHIN,
    ),
    (
        r"NAMES BE (?:strictly )?(?P<sign>(?:not? |never )?"
        r"(?:less|smaller|lower|fewer|more|greater|larger|higher) than) END",
        lambda m, line: _formula(f"{{name}} {_sign(m['sign'])} {{end}}")(m, line),
    ),
    (r"NAMES (?:(?:do|does|must|can|will) ?not exceed|never exceeds?) END", "{name} <= {end}"),
    (r"NAMES (?:BE non-?zero|NOT zero)", "{name} != 0"),
    (r"(?P<names>[A-Za-z]\w*) NOT 0", "{name} != 0"),
    (r"NAMES is of LETTERS", _consists),
    (r"NAMES BE positive(?: INTEGERS)?", "{name} > 0"),
    (
        r"NAMES BE (?:(?:whole numbers?|integers?),? )?(?:non-?|never )negative(?: INTEGERS)?",
        "{name} >= 0",
    ),
    (r"NAME is never (?P<other>[A-Za-z]|[a-z]+_?\w*\d)", "{name} != {other}"),
    (r"NAMES BE never negative and at most (?P<high>\S+)", "0 <= {name} <= {high}"),
    (
        r"NAME is a positive integer (?:not? (?:greater|larger|more) than|at most|up to)"
        r" (?P<high>.+)",
        "1 <= {name} <= {high}",
    ),
    (r"NAMES BE UNIQUE(?: integers?| values?| strings?| from each other)?", _all_distinct),
    (r"NAMES (?:BE SOME|holds?|has|have) UNIQUE \w+", _all_distinct),
    (r"NAMES (?:has|have|holds?|contains?) no (?:duplicate|repeated|equal) \w+", _all_distinct),
    (r"NAMES (?:(?:is|are) never (?:the same|equal)|(?:always |never )?differ)", _all_distinct),
    (
        r"(?:(?:the )?pairs |all )?\((?P<a>[A-Za-z]\w*)\[\w\], ?(?P<b>[A-Za-z]\w*)\[\w\]\)"
        r" (?:are UNIQUE|!= \((?P=a)\[\w\], ?(?P=b)\[\w\]\))"
        r"(?P<either> and .* != \((?P=b)\[\w\], ?(?P=a)\[\w\]\))?,?",
        _distinct_pairs,
    ),
    (r"(?:each )?character occurs at most once in NAME", _all_distinct),
    (
        r"(?:but )?never the same \w+ twice",
        _test(lambda names, _: all(map(_distinct, _rows([*names.values()])))),
    ),
    (
        r"NAME (?:is|holds|has|contains|comes)(?: SOME)? (?P<unique>UNIQUE )?"
        r"(?:(?:integers|numbers|values|strings|words) )?(?:given )?(?:sorted )?"
        r"in (?:a )?(?P<strict>strictly )?UPWARD order",
        lambda m, line: _order("increasing" if m["unique"] or m["strict"] else "sorted")(m, line),
    ),
    (r"NAME is sorted(?: ascending)?", _order("sorted")),
    (r"NAME BE permutation of (?:the letters )?(?P<of>[A-Za-z]\w*)", _same_letters),
    (r"NAME contains (?P<of>one \S(?:(?:,| and|, and) one \S)+)", _same_letters),
    (rf"\(? ?NAME(?:[ ,.]+{_NAME})* ?\)? BE permutation(?: of .+)?", _order("permutation")),
    (
        r"NAMES (?:is|are) (?:either |one of (?:the characters )?)?"
        r"(?P<values>\S+(?: ?, ?\S+| or \S+)*,? (?:or|and) \S+|\S(?: ?, ?\S)+)",
        _one_of,
    ),
    (r"NAMES BE (?:either )?(?P<letters>.*characters? from the string .*)", _consists),
    (r"(?P<names>[A-Za-z][\w\[\]]*) (?:is not|does not equal) LETTER", "{name} != '{letter}'"),
    (r"the (?P<end>first|last) character of NAME is (?P<no>not )?LETTER", _starts),
    (r"NAME (?:contains|has) (?P<exactly>at least one|exactly one) LETTER", _counted),
    (r"there (?:is|exists) (?P<exactly>at least one|exactly one) LETTER in NAME", _counted),
    (
        r"(?P<letter>\S+(?:(?: and |, )\S+)*) (?:exists?|appears?|occurs?) "
        r"(?P<exactly>exactly once|at least once) in NAME",
        _counted,
    ),
    (r"NAME contains at least one character other than LETTERS", _other_than),
    (
        r"there (?:is|are) (?:always )?at least (?:one|1) (?P<noun>\w+)"
        r"(?P<negative>,? and none (?:of them )?(?:is|are) negative)?",
        _holds_some,
    ),
    (r"\w (?:occurs|appears) in NAME exactly (?P<times>\w+)(?: times)?", _times),
    (
        r"(?:the )?(?:given )?(?:graph|input|edges\d?)(?: and edges\d)? "
        r"(?:is|are|represents?|forms?|contains neither|contains no|has no|does not contain)"
        r"(?: an?)? (?P<kind>.+)",
        _graph,
    ),
)
"""Phrases with a formula, or with a maker of constraints."""
_COMPILED = tuple(
    (
        re.compile(re.sub("[A-Z]{2,}", lambda m: _WORDS.get(m[0], m[0]), phrase), re.I),
        _formula(make) if isinstance(make, str) else make,
    )
    for phrase, make in _PHRASES
)


# Comparisons, and sequences that are written out: ``1 <= A_1 < A_2 < ... < A_N``.


def _comparison(formula: str, line: str, *, is_some: bool = False) -> list[StatedConstraint]:
    """Return the constraints of a chain of comparisons; none if it cannot be parsed.

    With ``is_some``, it has to hold for some index only.
    """
    if ladder := _LADDER.search(formula):
        kind = "increasing" if ladder["op"] == "<" else "sorted"
        name = ladder["name"]
        before, after = formula[: ladder.start()], formula[ladder.end() :]
        chains = [before + ladder["first"], _loose(before) + f"{name}[i]"] if before.strip() else []
        chains += [ladder["last"] + after, f"{name}[i]" + _loose(after)] if after.strip() else []
        order = _ordered(kind, name, line)
        return [order, *(each for chain in chains for each in _comparison(chain, line))]
    try:
        ways = [Comparison.read(each) for each in re.split(r",? or ", formula)]
    except Unreadable:
        return []
    read, nodes = ways[0], [node for way in ways for operand in way.operands for node in operand]
    if is_some:
        return [StatedConstraint(line, read.holds_somewhere)]
    if len(ways) > 1:  # ``A[i] = -1 or 1 <= A[i] <= N``

        def test(names: Names) -> bool:
            return all(any(way.holds(each) for way in ways) for each in chosen(nodes, names))

        return [StatedConstraint(line, test)]
    bounds, lengths = tuple(read.bounds()), tuple(read.lengths())
    return [StatedConstraint(line, read.holds, bounds=bounds, lengths=lengths, formula=formula)]


_LADDER = re.compile(
    r"(?P<first>(?P<name>[A-Za-z]\w*)\[[01]\])\s*(?P<op><=|<)\s*(?P=name)\[[12]\]\s*(?P=op)\s*"
    r"(?:\.\.\.\s*(?P=op)\s*)?(?P<last>(?P=name)\[\w+\])"
)


def _loose(rest: str) -> str:
    """Turn an equation for a written-out sequence's first or last value into a bound of all."""
    return re.sub(r"^(\s*)=(?!=)|(?<![<>=!])=(\s*)$", r"\1<=\2", rest)


# Names that a text defines through others.

_NAME_LIST = r"[A-Za-z]\w*(?:\[\w\])?(?:\s*,\s*[A-Za-z]\w*(?:\[\w\])?)+"
_RECORD = re.compile(
    rf"([A-Za-z]\w*)\[[a-z]\]\s*(?:==?|is|represents?)?\s*[\[(]\s*({_NAME_LIST})\s*[\])]"
)
"""``queries[i] = [index_i, color_i]``."""
_PAIR = re.compile(r"[\[(]\s*([A-Za-z]\w*)\s*,\s*([A-Za-z]\w*)\s*[\])]")
"""``[start, end]``."""
_LENGTH_OF = r"(?P<size>len\([A-Za-z]\w*(?:\[\w+\])*\))"
_N = r"(?P<n>[a-zA-Z])"
_ALIASES = tuple(
    (re.compile(pattern), size)
    for pattern, size in (
        (rf"(?<![\w\])])(?P<n>[A-Za-z]\w*)\s*==?\s*{_LENGTH_OF}", r"\g<size>"),
        (rf"{_LENGTH_OF}\s*==?\s*(?P<n>[A-Za-z]\w*)\s*-\s*1\b", r"\g<size> + 1"),
        (rf"{_LENGTH_OF}\s*==?\s*(?P<n>[A-Za-z]\w*)(?![\w(\[]|\s*[-+*])", r"\g<size>"),
        (rf"\b(?P<of>\w+),? (?:both )?of (?:length|size) {_N}\b", r"len(\g<of>)"),
        (
            rf"\b{_N} ?[x*] ?[a-zA-Z]\b[\w ]* (?:matrix|grid|array|board),? (?P<of>\w+)",
            r"len(\g<of>)",
        ),
        (rf"\b(?P<of>\w+) of (?:dimensions?|size) {_N} ?[x*] ?[a-zA-Z]\b", r"len(\g<of>)"),
        (rf"\b\w ?[x*] ?{_N}\b[\w ]* (?:matrix|grid|array|board),? (?P<of>\w+)", r"len(\g<of>[0])"),
        (rf"\b(?P<of>\w+) of (?:dimensions?|size) \w ?[x*] ?{_N}\b", r"len(\g<of>[0])"),
    )
)
"""``n == nums.length``, either way round; ``nums of length n``; ``an m x n matrix grid``."""


@dataclass(frozen=True, slots=True)
class DerivedNames:
    """Names of lengths, of columns of a named list of rows, and of columns of any list."""

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
        for pattern, size in _ALIASES:
            for match in pattern.finditer(plain):
                with contextlib.suppress(Unreadable):  # a keyword in place of a name
                    lengths.setdefault(match["n"], expression(match.expand(size)))
        pairs = [(m[1], m[2]) for m in _PAIR.finditer(plain) if m[1] not in "ij" and not columns]
        pairs = list(dict.fromkeys(pairs))
        return cls(lengths, columns, tuple(pairs))

    def added(self, names: Names) -> Names:
        """Return an input's values extended by those of the derived names."""
        found: dict[str, Any] = {}
        for key, each in _fields(names):
            found.setdefault(key, Items()).extend(_leaves(each))
        # A text may mention one field or all: "name", "Names".
        for key in [*found]:
            for word in (f"{key}s", key.capitalize(), f"{key.capitalize()}s"):
                found.setdefault(word, found[key])
        if not (self.lengths or self.columns or self.pairs or found):
            return names
        found |= {n: _common(size, names) for n, size in self.lengths.items()}
        for name, (owner, place) in self.columns.items():
            found[name] = _column(names.get(owner), place)
        for pair in self.pairs:
            rows = [row for each in names.values() for row in _rows(each) if len(row) == len(pair)]
            columns = dict(zip(pair, map(Items, zip(*rows, strict=True)), strict=False))
            found |= {name: each for name, each in columns.items() if name not in found}
        known = {name: each for name, each in found.items() if each is not None}
        return Counted({**known, **names}) if isinstance(names, Counted) else {**known, **names}


def _rows(found: Any) -> Iterator[Sequence[Any]]:
    """Yield the lists in a value that contain no lists or dicts."""
    if isinstance(found, Mapping):
        found = list(found.values())
    elif not isinstance(found, list | tuple):
        return
    elif found and not any(isinstance(each, list | tuple | dict) for each in found):
        yield found
        return
    for each in found:
        yield from _rows(each)


def _fields(found: Any, *, is_inner: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield the key-value pairs of dicts nested in an input's values."""
    if isinstance(found, Mapping):
        for key, each in found.items():
            if is_inner and isinstance(key, str):
                yield key, each
            yield from _fields(each, is_inner=True)
    elif isinstance(found, list | tuple):
        for each in found:
            yield from _fields(each, is_inner=True)


def _common(size: ast.expr, names: Names) -> float | None:
    """Return the value of a length: NaN if rows differ, None if there are none."""
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
