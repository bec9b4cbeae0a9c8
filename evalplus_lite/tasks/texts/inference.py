"""Inference of the form of input texts from examples.

Candidate forms come from the example with the most lines; plain ones go first, and the cheapest
form that fits all examples wins. The types, letters and bounds of its fields are then inferred from
all values.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import string
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from evalplus_lite.tasks.texts.forms import (
    INTEGER,
    Amount,
    Block,
    Field,
    Form,
    Kind,
    Line,
    Part,
    Reader,
    Scope,
    TextForm,
    Unfit,
    is_number,
    value_of,
    written,
)
from evalplus_lite.tasks.texts.grammar import form_of
from evalplus_lite.tasks.texts.input_format import ConstrainedForm, form_in, in_words
from evalplus_lite.types import Case, Task, Value

# Templates: in texts of unknown form, only numbers and words are replaced, one for one.

_TOKEN = re.compile(r"\S+")
_KINDS: tuple[Kind, ...] = ("int", "float", "word")
_FIELDS = {kind: Field(kind, kind) for kind in _KINDS}
Shape: TypeAlias = tuple[tuple[str, ...], tuple[Kind, ...]]
"""The whitespace between a text's tokens, and the kind of each token."""


class Templates(TextForm):
    """The shapes of some texts; a text's values are its shape's number and its tokens by kind."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.shapes: list[Shape] = list(dict.fromkeys(shape for shape, _ in map(_split, texts)))

    def parse(self, text: str) -> tuple[Value, ...]:
        """Return a text's values; raise Unfit if it has none of the shapes."""
        shape, tokens = _split(text)
        if shape not in self.shapes:
            raise Unfit("it has the shape of none of the examples")
        found: dict[Kind, list[Value]] = {kind: [] for kind in _FIELDS}
        for kind, token in zip(shape[1], tokens, strict=True):
            found[kind].append(value_of(_FIELDS[kind], token, {}))
        return (self.shapes.index(shape), *found.values())

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of a shape with these tokens; raise Unfit for tokens of wrong types."""
        number, *given = values
        if type(number) is not int:
            raise Unfit("the shape's number is none")
        gaps, kinds = self.shapes[number % len(self.shapes)]
        lists = dict(zip(_FIELDS, given, strict=True))
        used = dict.fromkeys(_FIELDS, 0)
        text = gaps[0]
        for kind, gap in zip(kinds, gaps[1:], strict=True):
            items = lists[kind] if isinstance(lists[kind], list | tuple) else []
            value = items[used[kind] % len(items)] if items else None
            used[kind] += 1
            text += written(_FIELDS[kind], value, {}) + gap
        return text


def _split(text: str) -> tuple[Shape, list[str]]:
    tokens = _TOKEN.findall(text)
    gaps = tuple(_TOKEN.split(text))
    kinds: tuple[Kind, ...] = tuple(
        "int" if INTEGER.fullmatch(each) else "float" if is_number(each) else "word"
        for each in tokens
    )
    return (gaps, kinds), tokens


# Tables: lines with the same number of fields, such as CSV, without a preceding count. A text's
# only value is the list of its rows, so mutation adds, drops, repeats and changes rows as it does
# with records in an argument.

MARKS = (";", ",", "\t", "|", " ")
"""Field separators, in order of preference; a space is the last resort."""
FEWEST = 3
"""Rows in all examples together that are needed to accept a table."""


@dataclass(frozen=True, slots=True)
class Table(TextForm):
    """Rows of ``fields`` separated by a ``mark``, after a ``head`` line ("" for none)."""

    fields: tuple[Field, ...]
    mark: str
    head: str

    @classmethod
    def of(cls, texts: Sequence[str]) -> Table | None:
        """Return the form of texts that are all tables of one width, or None."""
        lines = [text.rstrip("\n").split("\n") for text in texts]
        for mark in MARKS:
            heads = {each[0] for each in lines}
            head = heads.pop() if len(heads) == 1 else ""
            rows = [line.split(mark) for each in lines for line in each[bool(head) :]]
            # A first line that all texts share is a header if a column of numbers is below it.
            columns = list(zip(*rows, strict=False))
            has_numbers = any(all(map(is_number, column)) for column in columns)
            if not head or not has_numbers or any(map(is_number, head.split(mark))):
                head, rows = "", [line.split(mark) for each in lines for line in each]
            widths = {*map(len, rows)}
            if len(rows) < FEWEST or len(widths) != 1 or widths == {1} or not all(map(all, rows)):
                continue
            columns = list(zip(*rows, strict=True))
            fields = tuple(_field(f"v{n}", column) for n, column in enumerate(columns))
            return cls(fields, mark, head)
        return None

    def parse(self, text: str) -> tuple[Value, ...]:
        """Return the list of a text's rows; may raise Unfit."""
        lines = text.rstrip("\n").split("\n")
        if self.head and lines.pop(0) != self.head:
            raise Unfit("another head")
        return ([self._row(line.split(self.mark)) for line in lines if line],)

    def _row(self, words: Sequence[str]) -> Value:
        if len(words) != len(self.fields) or not all(words):
            raise Unfit(f"a row of {len(words)} fields")
        pairs = zip(self.fields, words, strict=True)
        return tuple(value_of(field, word.strip(), {}) for field, word in pairs)

    def render(self, values: Sequence[Value]) -> str:
        """Return the text of rows; raise Unfit for values of wrong types."""
        (rows,) = values
        if type(rows) is not list:
            raise Unfit("no rows")
        lines = [self.head] if self.head else []
        for row in rows:
            if type(row) not in (list, tuple) or len(row) != len(self.fields):
                raise Unfit("no row")
            words = [written(each, value, {}) for each, value in zip(self.fields, row, strict=True)]
            lines.append(self.mark.join(word.replace(self.mark, "") for word in words))
        return "".join(f"{line}\n" for line in lines)


def _field(name: str, words: Sequence[str]) -> Field:
    """Return a column's field: int (if written canonically), float, text or word."""
    if all(INTEGER.fullmatch(word) and str(int(word)) == word for word in words):
        return Field(name, "int")
    if all(map(is_number, words)):
        return Field(name, "float", decimals=_decimals(words))
    return Field(name, "text" if any(" " in word for word in words) else "word")


def _decimals(words: Sequence[str]) -> tuple[int, int]:
    """Return the least and greatest number of decimals of numbers."""
    places = [len(word.partition(".")[2]) for word in words]
    return min(places), max(places)


MOST_TRIES = 8_000
MOST_FIELDS = 8
MOST_PARTS = 4
MOST_WAYS = 8
OPEN, OFFSET, WAYS = 6, 1.5, 4
"""Costs of a row of any length, of a count plus or minus one, of a line with alternatives."""
LONGEST = 20_000
"""Characters of the longest example from which a form is inferred."""
SEEN, FEW = 6, 3
"""Values needed to conclude that a count bounds them; in lines with alternatives, and for ends of a
range, the second number is enough."""


def inferred(texts: Sequence[str]) -> Form | None:
    """Return the cheapest form that fits all texts, or None if none does."""
    short = [text for text in texts if len(text) <= LONGEST]
    if not all(text.strip() for text in texts) or not short:
        return None
    driver = max(short, key=lambda text: (text.count("\n"), len(text.split())))
    for is_plain in (True, False):
        best: Form | None = None
        lowest = math.inf
        for parts in _Search(driver.rstrip("\n").split("\n"), is_plain=is_plain).forms():
            form, price = Form.of(parts), sum(map(_price, parts))
            if price < lowest and all(_fits(form, text) for text in texts):
                best, lowest = form, price
        if best is not None:
            return _refined(best, texts)
    return None


def _price(part: Part) -> float:
    """Return the cost of a part; the form with the lowest total wins."""
    if isinstance(part, Block):
        return 1 + OFFSET * bool(part.count.plus) + sum(map(_price, part.parts))
    if len(part.ways) > 1:
        return WAYS
    (way,) = part.ways
    return 1 + sum(
        OPEN if each.is_open else 1 + OFFSET * bool(each.count and each.count.plus) for each in way
    )


def _fits(form: Form, text: str) -> bool:
    try:
        form.parse(text)
    except Unfit:
        return False
    return True


class _Search:
    """A search for forms of one example, likely ones first, with a limited number of tries.

    Plain forms have no rows of arbitrary length, or of a length that is a count plus or minus one.
    """

    def __init__(self, lines: list[str], *, is_plain: bool) -> None:
        self.lines, self.is_plain = lines, is_plain
        self.left = MOST_TRIES
        self.names = itertools.count()
        self.line_of: dict[str, int] = {}

    def forms(self) -> Iterator[tuple[Part, ...]]:
        for parts, _ in self.sequences(0, {}, {}, len(self.lines), 0):
            yield parts

    def sequences(
        self, at: int, scope: Scope, outer: Scope, most: int, depth: int
    ) -> Iterator[tuple[tuple[Part, ...], int]]:
        """Yield possible parts for the lines from ``at`` on, and the line where they end.

        At the top level they cover all lines; in a block they are at most ``most`` parts.
        """
        if at == len(self.lines):
            yield (), at
            return
        for part, end, inner in self.part(at, scope, outer, depth):
            self.left -= 1
            if self.left <= 0:
                return
            if depth:
                yield (part,), end
                if most > 1 and end < len(self.lines):
                    for rest, last in self.sequences(end, inner, outer, most - 1, depth):
                        if rest:
                            yield (part, *rest), last
            else:
                for rest, last in self.sequences(end, inner, outer, most, depth):
                    yield (part, *rest), last

    def part(
        self, at: int, scope: Scope, outer: Scope, depth: int
    ) -> Iterator[tuple[Part, int, Scope]]:
        """Yield possible parts at a line: a row of a counted length, blocks, then single lines.

        Inside a block, only counts from the same block can be repetition counts.
        """
        # If several numbers may count the lines, prefer the nearest line's, and the first on that
        # line: people write a grid's height before its width, and a row's length last.
        own = [name for name in scope if name not in outer]
        own.sort(key=lambda name: -self.line_of[name])
        # A line with as many values as a count is a row, unless the next line has as many (a
        # table). A row is tried first, and not as the start of repeated lines.
        sizes = [len(line.split()) for line in self.lines[at : at + 2]]
        is_row = sizes[0] > 2 and sizes[0] in scope.values() and sizes[0] not in sizes[1:]
        lines = list(self.line(at, scope))
        if is_row:
            yield from (each for each in lines if each[0].ways[0][0].count is not None)
        if depth < 2:
            for name in own:
                count = scope[name]
                if not 1 <= count <= len(self.lines) - at or (count == 1 and depth):
                    continue
                yield from self.blocks(at, scope, Amount(name), count, depth)
            for name in own:
                if 2 <= scope[name] <= len(self.lines) - at + 1:  # the edges of a tree
                    yield from self.blocks(at, scope, Amount(name, 1, -1), scope[name] - 1, depth)
        yield from (each for each in lines if not is_row or each[0].ways[0][0].count is None)

    def blocks(
        self, at: int, scope: Scope, count: Amount, times: int, depth: int
    ) -> Iterator[tuple[Part, int, Scope]]:
        bodies = (
            found
            for size in range(1, MOST_PARTS + 1)  # small ones first
            for found in self.sequences(at, {**scope}, scope, size, depth + 1)
            if len(found[0]) == size
        )
        for body, end in itertools.chain(self.mixed(at, times), bodies):
            lines = self.lines[at:]
            block, reader = Block(count, body), Reader(lines)
            self.left -= 1
            with contextlib.suppress(Unfit):
                reader.parts([block], {**scope})
                if reader.at >= times and end > at:
                    yield block, at + reader.at, scope

    def mixed(self, at: int, times: int) -> Iterator[tuple[tuple[Part, ...], int]]:
        """Yield a line with alternatives, distinguished by the first word, if they are few."""
        rows = [line.split() for line in self.lines[at : at + times]]
        if not all(rows):
            return
        ways = {(row[0], len(row)) for row in rows}
        words = {word for word, _ in ways}
        if not 2 <= len(ways) <= MOST_WAYS or len(words) < len(ways):
            return
        numbers = sum(map(is_number, words))
        if 0 < numbers < len(words) or (numbers and len(rows) < 2 * len(words)):
            return
        lines = [
            (Field(word, "literal", letters=word), *(self.field() for _ in range(size - 1)))
            for word, size in sorted(ways)
        ]
        yield (Line(tuple(lines)),), at + 1

    def line(self, at: int, scope: Scope) -> Iterator[tuple[Line, int, Scope]]:
        tokens = self.lines[at].split()
        for name in reversed(scope):
            if scope[name] == len(tokens):
                yield _alone(self.field(count=Amount(name))), at + 1, scope
        if len(tokens) == 1 and not is_number(tokens[0]):
            for name in reversed(scope):
                if scope[name] == len(tokens[0]):
                    field = self.field(kind="char", count=Amount(name))
                    yield _alone(field), at + 1, scope
        for name in () if self.is_plain else reversed(scope):
            for plus in (-1, 1):
                if scope[name] + plus == len(tokens) > 1:
                    yield _alone(self.field(count=Amount(name, 1, plus))), at + 1, scope
        if len(tokens) <= MOST_FIELDS:
            fields = tuple(self.field() for _ in tokens)
            inner = scope | {
                each.name: int(token)
                for each, token in zip(fields, tokens, strict=True)
                if INTEGER.fullmatch(token)
            }
            self.line_of.update(dict.fromkeys(inner.keys() - scope.keys(), at))
            yield Line((fields,)), at + 1, inner
        if tokens and not self.is_plain:
            yield _alone(self.field(is_open=True)), at + 1, scope

    def field(self, **options: object) -> Field:
        return replace(Field(f"v{next(self.names)}", "any"), **options)  # type: ignore[arg-type]


def _alone(field: Field) -> Line:
    return Line(((field,),))


def _refined(form: Form, texts: Sequence[str]) -> Form | None:
    """Return the form with types, letters and bounds of fields; None if it fits by chance."""
    seen: defaultdict[str, list[tuple[Value, Scope]]] = defaultdict(list)

    def note(field: Field, value: Value, scope: Scope) -> None:
        known = {**scope}
        seen[field.name] += [
            (one, known) for one in (value if isinstance(value, list) else [value])
        ]

    for text in texts:
        form.parse(text, note)

    tokens = [token for text in texts for token in text.split() if is_number(token)]
    with_plus = {float(token) for token in tokens if token[0] == "+"}

    def is_signed(values: Iterable[float]) -> bool:
        positive = {value for value in values if value > 0}
        return bool(positive) and positive <= with_plus

    def refined(field: Field, way: tuple[Field, ...], line: Line, _: object) -> Field:
        found = seen.get(field.name, [])
        values = [value for value, _ in found]
        if field.kind == "literal" or not values:
            return field if field.kind != "any" else replace(field, kind="int")
        if field.kind == "char":
            return replace(field, letters=_alphabet(values))
        if all(type(value) is int for value in values):
            if field.name in form.counts:
                return replace(field, kind="int", low=min(1, *values))
            low, high = _range({field.name}, found, SEEN if len(line.ways) == 1 else FEW)
            if high is None:  # try all numbers of the line together
                names = {each.name for each in way}
                low, high = _range(names, [one for name in sorted(names) for one in seen[name]])
            before = way[way.index(field) - 1]
            pairs = [
                (one, value) for (one, _), value in zip(seen[before.name], values, strict=False)
            ]
            # The ends of a range: two indices, the first of which is never greater.
            is_end = high is not None and before is not way[-1] and len({*pairs}) >= FEW
            if is_end and all(type(one) is int and one <= value for one, value in pairs):
                low = Amount(before.name)
            return replace(field, kind="int", low=low, high=high, is_signed=is_signed(values))
        words = [str(value) for value in values]
        if field.kind != "word" and all(is_number(word) for word in words):
            signed = is_signed(map(float, words))
            return replace(field, kind="float", decimals=_decimals(words), is_signed=signed)
        return replace(field, kind="word", letters=_alphabet(words))

    made = form.mapped(refined)
    return None if _is_chance(made.parts) else made


def _is_chance(parts: Sequence[Part]) -> bool:
    """Return whether lines of words continue after a block, so that its count fits by chance."""

    def kinds(part: Part) -> list[Kind]:
        return [each.kind for each in part.ways[0]] if isinstance(part, Line) else []

    return any(
        isinstance(block, Block)
        and [kinds(part) for part in block.parts] == [kinds(one)]
        and "word" in kinds(one)
        and kinds(one) == kinds(two)
        for block, one, two in zip(parts, parts[1:], parts[2:], strict=False)
    )


def _range(
    own: set[str], found: Sequence[tuple[Value, Scope]], least: int = SEEN
) -> tuple[Amount | float | None, Amount | float | None]:
    """Return the bounds of values that look like indices up to a number of the text, or Nones."""
    values = [value for value, _ in found]
    is_index = len(values) >= least and all(type(value) is int for value in values)
    if not is_index or (low := min(values)) not in (0, 1):
        return None, None
    names = set.intersection(*(set(scope) for _, scope in found)) - own
    for other in sorted(names):
        pairs = [(value, scope[other] - (1 - low)) for value, scope in found]
        if all(value <= high for value, high in pairs) and any(v == h for v, h in pairs):
            return low, Amount(other, 1, low - 1)
    return None, None


def _alphabet(words: Sequence[str]) -> str:
    """Return the characters of words: those seen, and whole classes if enough of them are seen."""
    seen = set("".join(words))
    if len(seen) > 3 or len(words) < SEEN:
        for group in map(set, (string.ascii_lowercase, string.ascii_uppercase, string.digits)):
            seen |= group if len(seen & group) > 2 else set()
    return "".join(sorted(seen))


# The form of a task's input texts: as stated by the task, or inferred from examples.


def text_form(task: Task, examples: Sequence[Case]) -> TextForm | None:
    """Return the form of a task's input texts, or None if its inputs are not single texts.

    Raises ``GrammarError`` for an invalid grammar, and ``Unfit`` for an example that does not
    match it.
    """
    texts = [case.arguments[0] for case in examples if len(case.arguments) == 1]
    if task.harness.kind != "script" or not texts or len(texts) < len(examples):
        return None
    if not all(type(text) is str for text in texts):
        return None
    if not task.grammar:
        form: TextForm | None = stated_form(task.prompt, texts) or inferred(texts)
        return form or Table.of(texts) or Templates(texts)
    stated = form_of(task.grammar)
    for text in texts:
        stated.parse(text)
    return stated


def stated_form(statement: str, texts: Sequence[str]) -> ConstrainedForm | None:
    """Return the form that a contest's statement describes, with its constraints; None unless all
    texts match it."""
    form = form_in(statement)
    if form is None:
        return None
    form = in_words(form, statement)
    refined = _refined(form, texts) if all(_fits(form, text) for text in texts) else None
    if refined is None:
        return None
    found = ConstrainedForm.of(refined, statement, texts)
    return found if all(_fits(found.form, text) for text in texts) else None


def values_of(form: TextForm, cases: Sequence[Case]) -> list[tuple[Value, ...]] | None:
    """Return the values of all cases' texts, or None if one does not have the form."""
    try:
        return [form.parse(case.arguments[0]) for case in cases]
    except (Unfit, IndexError, AttributeError):
        return None
