"""The form of input texts, parsed from a contest's statement: ``N M`` / ``A_1 A_2 ... A_N``.

The last index of a row gives its length, and lines around ``\\vdots`` are repeated. The statement's
constraints (``tasks.stated_constraints``) bound the fields. A form is used only if all examples
match it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evalplus_lite.tasks.formulas import Counted, Items, Names, number
from evalplus_lite.tasks.stated_constraints import (
    StatedConstraint,
    StatedConstraints,
    readable,
)
from evalplus_lite.tasks.texts.forms import (
    Amount,
    Block,
    Field,
    Form,
    Kind,
    Line,
    Part,
    TextForm,
    Unfit,
)
from evalplus_lite.types import Value

_BLOCK = re.compile(
    r"^[#* \t]*Input(?:\s+Format)?:?[* \t]*$(?:.*?(?:format|follows|form)\b[^\n]*\n)(.*?)"
    r"(?=^[#* \t]*(?:Output|Constraints|Sample|Here|Each|The|Note|where)\b|\Z)",
    re.M | re.S | re.I,
)
_CASE = re.compile(
    r"each (?:test ?)?case[^\n]*format[^\n]*\n+(.*?)"
    r"(?=^\s*(?:Output|Constraints|Sample|Here)\b|\n\s*\n|\Z)",
    re.M | re.S | re.I,
)
MOST_LINES = 30
_TOKEN = re.compile(
    r"(?P<dots>\\[lcvd]?dots(?![a-z])|\.\.\.|…|⋮|(?<!\S):(?!\S))|(?P<name>[A-Za-z][A-Za-z0-9]*)(?:_(?:\{(?P<many>[^{}]*)\}|(?P<one>\d+|[A-Za-z]+)))?"
)


@dataclass(frozen=True, slots=True)
class _Item:
    """A name in a line with its indices, or ``...``."""

    name: str
    at: tuple[str, ...] = ()
    is_glued: bool = False


class _Unread(ValueError):
    """The input format cannot be parsed."""


def form_in(statement: str) -> Form | None:
    """Return the form of input texts that a statement describes, or None."""
    statement = readable(statement)
    if not _BLOCK.search(statement):
        return _in_prose(statement)
    rows, case = (
        [_items(line) for line in block[1].splitlines() if line.strip(" `$")] if block else []
        for block in (_BLOCK.search(statement), _CASE.search(statement))
    )
    if not rows or len(rows) > MOST_LINES:
        return None
    try:
        return Form.of(tuple(_parts([row for row in rows if row], case)))
    except _Unread:
        return None


def _items(line: str) -> list[_Item]:
    line = re.sub(
        r"\\(?:mathrm|text|mathit|rm|textrm|texttt)\s*\{([^{}]*)\}", r"\1", line.strip(" `$")
    )
    line = re.sub(r"\\(?:,|;|!|quad|hspace\{[^{}]*\}|hfill)|~", " ", line)
    line = re.sub(r"\s*_\s*", "_", line)
    line = re.sub(r"\{\s*([^{}]*?)\s*\}", lambda m: "{" + m[1].replace(" ", "") + "}", line)
    found: list[_Item] = []
    at = 0
    for match in _TOKEN.finditer(line):
        if line[at : match.start()].strip():
            return [_Item("?")]
        is_glued = bool(found) and match.start() == at
        at = match.end()
        if match["dots"]:
            found.append(_Item("..."))
        else:
            index = match["many"] or match["one"] or ""
            found.append(_Item(match["name"], tuple(filter(None, index.split(","))), is_glued))
    return found if not line[at:].strip() else [_Item("?")]


# Lines in prose: "The first line contains an integer n. Each of the next n lines contains ...".

_NAME = r"[A-Za-z]\d?(?:\s*_\s*(?:\{[^{}]*\}|\w+))?(?!\w)"
_NAMES = rf"{_NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?:{_NAME}|\\ldots))*"
_NOUNS = r"(?:integers?|numbers?|strings?|words?|characters?|reals?|values?|digits?|letters?)"
_NAMED = re.compile(rf"\b{_NOUNS}\s+({_NAMES})")
_NOUN = re.compile(
    r"(?:an?|one|the|its)\s+(?:[\w-]+\s+)*?(\w+)(?:\s+(?:of|from|between|with|that|which)\b.*)?",
    re.I,
)
_SENTENCE = re.compile(
    r"\b(?:first|second|third|fourth|fifth|next|last|only|single|following)\s+"
    rf"(?:(?P<count>{_NAME})\s+)?lines?(?P<case>\s+of\s+each\s+(?:test\s*)?(?:case|set))?"
    r"(?:\s+of\s+(?:the\s+)?(?:input|file))?(?:\s+each)?\s+"
    r"(?:contains?|consists?\s+of|has|have|gives?|holds?)\s+(?P<things>.*)",
    re.I,
)
_READ = re.compile(
    rf"\bread\s+(?:an?\s+{_NOUNS}\s+)?(?P<name>{_NAME}),?\s+(?:and\s+)?then\s+(?P=name)\s+"
    rf"(?:lines,?\s+each\s+(?:with\s+|of\s+|has\s+|contains\s+|is\s+)?(?P<things>[^.;]*)|{_NOUNS}\b)",
    re.I,
)


def _in_prose(statement: str) -> Form | None:
    """Return the form that sentences describe line by line; None if there are none, or one cannot
    be parsed."""
    text = re.sub(r"[$`]|\\[,;! ]", "", statement)
    text = re.sub(r"\.\.\.|…|\\(?:c|l|v)?dots", r"\\ldots", re.sub(r"\([^()]*\)", " ", text))
    text = re.sub(r"\s+", " ", re.sub(r"\s+([,.;:])", r"\1", text))
    known: set[str] = set()
    parts: list[Part] = []
    case: list[Part] = []
    try:
        for sentence in re.split(r"(?<=[.;:]) |, (?=(?:the|each of the) \w+ )", text):
            if match := _SENTENCE.search(sentence):
                count, row = match["count"], _things(match["things"])
                inner = set(known) if count else known
                line = _line(row, inner, depth=1 if count else 0)
                part = Block(_amount(count, known), (line,)) if count else line
                (case if match["case"] or (count and case) else parts).append(part)
            elif match := _READ.search(sentence):
                parts.append(_line([_Item(match["name"])], known, depth=0))
                count = _amount(match["name"], known)
                if match["things"]:
                    line = _line(_things(match["things"]), set(known), depth=1)
                    parts.append(Block(count, (line,)))
                else:
                    parts.append(Line(((Field("values", "any", count=count),),)))
        if case:
            first = parts[0].ways[0][0].name if parts and isinstance(parts[0], Line) else ""
            parts = [*parts, Block(_amount(first, known), tuple(case))]
        return Form.of(tuple(parts)) if parts else None
    except (_Unread, IndexError):
        return None


def _things(text: str) -> list[_Item]:
    """Return the names of a line's values: ``n integers a_1, ..., a_n``, or else their nouns."""
    text = text.strip().rstrip(".;:")
    if lists := _NAMED.findall(text):
        return [item for each in lists for item in _items(re.sub(r",|\band\b", " ", each))]
    nouns = [_NOUN.fullmatch(piece) for piece in re.split(r", (?:and )?| and ", text)]
    if not all(nouns):
        raise _Unread
    return [_Item(match[1]) for match in nouns if match]


def _parts(rows: Sequence[list[_Item]], case: Sequence[list[_Item]] = ()) -> Iterator[Part]:
    """Yield the parts of a format block; lines around a line of dots become a repeated block."""
    at = 0
    known: set[str] = set()
    while at < len(rows):
        size = _repeated(rows, at)
        if size:
            end = next(n for n in range(at, len(rows)) if _is_dots(rows[n]))
            at = end + 1 + size
            body = rows[end + 1 : at]
            if len(body) < size or not body[0][0].at:
                raise _Unread
            count = _amount(body[0][0].at[0], known)
            inner = set(known)
            if case and len(body) == 1 and body[0][0].name.lower() in ("case", "test", "testcase"):
                yield Block(count, tuple(_parts(case)))
            else:
                yield Block(count, tuple(_line(row, inner, depth=1) for row in body))
            continue
        yield _line(rows[at], known, depth=0)
        at += 1


def _is_dots(row: Sequence[_Item]) -> bool:
    return all(item.name == "..." for item in row)


def _repeated(rows: Sequence[list[_Item]], at: int) -> int:
    """Return how many lines are repeated from here on, 0 if this line is not repeated."""
    dots = next((n for n in range(at, len(rows)) if _is_dots(rows[n])), at)
    first = []
    for line in range(at, dots):  # the lines whose names share a first index, which is 1 or 0
        names = [item for item in rows[line] if item.name != "..."]
        if all(item.at for item in names) and {item.at[0] for item in names} in ({"1"}, {"0"}):
            first.append(line)
    return len(first) if first[:1] == [at] else 0


def _line(row: Sequence[_Item], known: set[str], *, depth: int) -> Line:
    fields: list[Field] = []
    at = 0
    while at < len(row):
        item = row[at]
        if item.name in ("?", "..."):
            raise _Unread
        run = [item]
        while (
            at + 1 < len(row) and (row[at + 1].name in (item.name, "...")) and len(item.at) > depth
        ):
            at += 1
            run.append(row[at])
        at += 1
        if run[-1].name == "...":
            raise _Unread
        if len(run) == 1:
            own = item.at[depth:]  # one of a few names with fixed indices: x_A
            name = "_".join((item.name, *own))
            fields.append(Field(name, "any"))
            known.add(name)
            continue
        first, last = run[0].at[-1], run[-1].at[-1]
        count = _amount(last, known)
        if first == "0":
            count = replace(count, plus=count.plus + 1)
        kind: Kind = "char" if run[-1].is_glued or any(each.is_glued for each in run) else "any"
        fields.append(Field(item.name, kind, count=count))
    if len({each.name for each in fields}) < len(fields):
        raise _Unread
    return Line((tuple(fields),))


def _amount(text: str, known: set[str]) -> Amount:
    match = re.fullmatch(
        r"(?:(?P<times>\d+)(?=[A-Za-z]))?(?P<name>[A-Za-z][A-Za-z0-9]*)(?:_\w+)?(?P<plus>[-+]\d+)?|(?P<number>\d+)",
        text,
    )
    if match is None:
        raise _Unread
    if match["number"]:
        return Amount(plus=int(match["number"]))
    if match["name"] not in known:
        raise _Unread
    return Amount(match["name"], int(match["times"] or 1), int(match["plus"] or 0))


@dataclass(frozen=True, slots=True)
class ConstrainedForm(TextForm):
    """A form with the constraints that a statement puts on its texts."""

    form: Form
    stated: StatedConstraints
    has_cases: bool
    """Whether the repetitions of a block with counts of its own are test cases."""

    def parse(self, text: str) -> tuple[Value, ...]:
        """Return a text's values; may raise Unfit."""
        return self.form.parse(text)

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of values, adjusted to fit; raise Unfit if they cannot be."""
        return self.form.render(values)

    def fit(self, values: Sequence[Value]) -> tuple[Value, ...] | None:
        """Return the values adjusted to fit; None if impossible or a constraint is violated."""
        try:
            values, cases = _named(self.form, self.form.render(values), has_cases=self.has_cases)
        except Unfit:
            return None
        return None if any(map(self.stated.broken, cases)) else values

    @classmethod
    def of(cls, form: Form, statement: str, texts: Sequence[str]) -> ConstrainedForm:
        """Return the form with those constraints of a statement that all texts satisfy."""
        ways = []
        for has_cases in (False, True):
            pairs = [_named(form, text, has_cases=has_cases) for text in texts]
            named = [names for _, cases in pairs for names in cases]
            ways.append((StatedConstraints.read(statement).kept(named), has_cases))
        kept, has_cases = min(ways, key=lambda way: (len(way[0].unread), -len(way[0].constraints)))
        return cls(bounded(form, kept.constraints), kept, has_cases)


def _named(form: Form, text: str, *, has_cases: bool) -> tuple[tuple[Value, ...], list[Names]]:
    """Return a text's values, and a mapping of field names to values; may raise Unfit.

    With ``has_cases`` there is one mapping for each repetition of a block with counts of its own.
    ``x_A`` is also an item of ``x``.
    """
    notes: list[tuple[Field, Value]] = []
    values = form.parse(text, lambda field, value, _: notes.append((field, value)))
    counts = form.counts if has_cases else frozenset()
    rows = _rows(form.parts, counts)
    first = next((name for part in form.parts if (name := _case_of(part, counts))), "")
    shared = Counted({name: Items() for name in rows})
    cases = [shared]
    for field, value in notes:
        name = field.name
        if name == first:
            plain = {name: each for name, each in shared.items() if name not in rows}
            cases.append(Counted({**{n: Items() for n in rows}, **plain}))
        names = cases[-1]
        value = Items(value) if isinstance(value, list) else value
        if name in rows:
            names[name].append(value)
            continue
        names[name] = value
        base, _separator, index = name.partition("_")
        if index:
            names.setdefault(base, Items()).append(value)
    return values, list(cases[1:] or cases)


def _case_of(part: Part, counts: frozenset[str]) -> str:
    """Return the first field of a block that has counts of its own and so repeats test cases."""
    if not isinstance(part, Block):
        return ""
    fields = list(_fields((part,)))
    return fields[0].name if any(each.name in counts for each in fields) else ""


def _rows(parts: Sequence[Part], counts: frozenset[str]) -> frozenset[str]:
    """Return the names of fields with several values in a text or in one of its test cases."""
    names = [field.name for field in _fields(parts)]
    found = {name for name in names if names.count(name) > 1}
    for part in parts:
        if isinstance(part, Block):
            is_case, inner = _case_of(part, counts), part.parts
            found |= _rows(inner, counts) if is_case else {f.name for f in _fields(inner)}
    return frozenset(found)


def in_words(form: Form, statement: str) -> Form:
    """Return the form with ``word`` fields where the statement says that values are strings, so
    that ``0101`` is not read as a number."""
    stated = StatedConstraints.read(statement).constraints
    words = {name for each in stated for name, _ in (*each.letters, *each.lengths)}
    numbers = {name for each in stated for name, _, _ in each.bounds}

    def typed(field: Field, *_: object) -> Field:
        is_word = field.name.partition("_")[0] in words - numbers and field.kind == "any"
        return replace(field, kind="word") if is_word else field

    return form.mapped(typed)


def bounded(form: Form, stated: Sequence[StatedConstraint]) -> Form:
    """Return the form with the bounds, lengths, letters and orders that a statement specifies."""
    names = {field.name for field in _fields(form.parts) if not field.is_row}

    def limit(text: str, field: Field) -> Amount | float | None:
        if (value := number(text)) is not None:
            return value
        match = re.fullmatch(r"(\w+)(?:\[\w+\])*((?: [-+] -?\d+)*)", text)
        if match is None or match[1] not in names or match[1] == field.name:
            return None
        terms = re.findall(r"([-+]) (-?\d+)", match[2])
        return Amount(match[1], 1, sum(int(n) if sign == "+" else -int(n) for sign, n in terms))

    def changed(field: Field, _way: object, _line: object, before: frozenset[str]) -> Field:
        for each in stated:
            for name, low, high in each.bounds:
                if name != field.name or field.kind not in ("int", "float"):
                    continue
                for key, text in (("low", low), ("high", high)):
                    value = limit(text, field) if text else None
                    if isinstance(value, Amount) and value.name not in before:
                        continue
                    if value is not None:
                        field = replace(field, **{key: value})  # type: ignore[arg-type]
            for name, length in each.lengths:
                size = limit(length, field) if name == field.name and field.kind == "word" else None
                if isinstance(size, int):
                    size = Amount(plus=size)
                if isinstance(size, Amount) and (not size.name or size.name in before):
                    field = replace(field, kind="char", count=size)
            for name, letters in each.letters:
                if name == field.name and field.kind in ("word", "char"):
                    field = replace(field, letters="".join(dict.fromkeys(letters)))
            if each.order[0] == field.name and field.is_row:
                field = replace(field, order=each.order[1])
        return field

    return form.mapped(changed)


def _fields(parts: Sequence[Part]) -> Iterator[Field]:
    for part in parts:
        if isinstance(part, Block):
            yield from _fields(part.parts)
        else:
            for way in part.ways:
                yield from way
