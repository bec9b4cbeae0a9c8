"""Contract drafts: constraints implied by a task's inputs and text, as code for review."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evalplus_lite.generate.domains.domain import Domain, union
from evalplus_lite.generate.domains.evidence import Constraint
from evalplus_lite.generate.domains.filter import STATED, InputFilter
from evalplus_lite.generate.domains.layout import Layout
from evalplus_lite.generate.domains.text import DateForm
from evalplus_lite.tasks.formulas import Comparison, Unreadable
from evalplus_lite.tasks.stated_constraints import StatedConstraint, of_function, parameters
from evalplus_lite.types import Task


def infer_constraints(task: Task) -> list[str]:
    """Return the lines of a contract implied by a task's base inputs and text, for a person to
    review and paste into the task. An existing contract is ignored.

    A constraint that cannot be written as an assertion, or is not assumed, becomes a comment. The
    last line counts the assumed ones, which do not apply once the task has a contract. A task whose
    inputs are calls or tests gets only a comment, as they do not constrain other calls.
    """
    kind = task.harness.kind
    if kind in ("sequence", "unittest", "assertions"):
        return [f"# no contract is inferred: the inputs of {kind!r} tasks are calls, not values"]
    # As augmentation would infer them, had the task no contract.
    input_filter = InputFilter.of_task(replace(task, contract=None))
    names = parameters(task)[: len(input_filter.domains)]
    names += [f"argument{n}" for n in range(len(names), len(input_filter.domains))]
    stated = of_function(task)[0].constraints
    body: list[str] = []
    # A script has one input, its text.
    whole = "the text" if kind == "script" else "argument 0"
    constraints = [
        replace(each, text=each.text.replace("argument 0", whole))
        for each in input_filter.constraints
    ]
    writer = _Writer({each.name: each.text for each in constraints})
    for place, (name, domain) in enumerate(zip(names, input_filter.domains, strict=True)):
        body += writer.assertions(domain, name, str(place))
    lost = 0
    for constraint in constraints:
        is_written = constraint.is_on and constraint.name in writer.held
        is_bound = constraint.is_limit and not (constraint.is_chosen or constraint.is_stated)
        if is_written or is_bound:
            continue  # the assertions above imply it
        code = None
        if constraint.is_on:
            code = _code(constraint, names, stated, input_filter.domains)
        if code is not None:
            body += writer.hold(constraint.name, code)
        else:
            description = f"{constraint.text} ({constraint.support}; {constraint.name})"
            body.append(f"# {'assumed' if constraint.is_on else 'not assumed'}: {description}")
            lost += constraint.is_on and constraint.kind not in _WITH_CONTRACTS
    if lost:
        line = f"the assumptions in comments ({lost}) no longer apply: assert those that matter"
        body.append(f"# once the task has a contract, {line}")
    text = "\n".join(body)
    if re.search(r"\bre\.\w+\(", text):
        body.insert(0, "import re")
    lines = [f"def precondition({', '.join(names)}):", *(f"    {line}" for line in body)]
    for name, helper in _HELPERS.items():
        if f"{name}(" in text:
            lines += ["", "", *helper.splitlines()]
    return lines


_WITH_CONTRACTS = ("rectangular", "square", "uniform", "record")
"""Kinds that are also inferred for a task with a contract."""
_HELPERS = {
    "is_day": """\
def is_day(text, *forms):
    import datetime

    for form in forms:
        try:
            day = datetime.datetime.strptime(text, form)
        except ValueError:
            continue
        if day.year >= 1583:
            return True
    return False""",
    "is_balanced": """\
def is_balanced(text):
    opened = []
    for each in text:
        if each in "([{":
            opened.append(each)
        elif each in ")]}" and (not opened or opened.pop() + each not in ("()", "[]", "{}")):
            return False
    return not opened""",
}
"""Functions that assertions call, appended after the precondition."""
_PLAIN = (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict, type(None))
_CODE = {
    "sorted": "list({0}) == sorted({0})",
    "descending": "list({0}) == sorted({0}, reverse=True)",
    "distinct": "all({0}.count(each) == 1 for each in {0})",
    "ordered-pairs": "all(list(row) == sorted(row) for row in {0} if type(row) in (list, tuple))",
    "rectangular": "len({{len(row) for row in {0}}}) <= 1",
    "square": "all(len(row) == len({0}) for row in {0})",
    "less": "{0} < {1}",
    "at-most": "{0} <= {1}",
    "shorter": "len({0}) < len({1})",
    "no-longer": "len({0}) <= len({1})",
    "equal-length": "len({0}) == len({1})",
    "index": "0 <= {0} < len({1})",
    "count": "0 < {0} <= len({1})",
    "at-most-length": "0 <= {0} <= len({1})",
    "element": "{0} in {1}",
    "part": "{0} in {1}",
}
"""Constraints on whole arguments, as expressions with their names."""
_OF_PARTS: dict[str, tuple[str, type]] = {
    "single-blanks": ("{0} == ' '.join({0}.split())", str),
    "equal-lines": ("len({{len(row) for row in {0}}}) <= 1 or max(map(len, {0})) == 1", list),
    "same-keys": ("len({{frozenset(row) for row in {0}}}) <= 1", list),
}
"""Constraints on an argument of a type, or each text in a list, as expressions with its name."""


def _code(
    constraint: Constraint,
    names: Sequence[str],
    stated: Sequence[StatedConstraint],
    domains: Sequence[Domain],
) -> str | None:
    """Return a constraint as an expression; None if there is no simple one."""
    first, kind, *rest = constraint.name.split(".")
    if constraint.name.startswith(STATED):
        return _stated_code(stated[int(kind)], names)
    # Constraints within an argument have no short expression: they stay comments.
    if not all(part.isdecimal() for part in (first, *rest)):
        return None
    if kind in _OF_PARTS:
        domain = domains[int(first)]
        whole, of = _OF_PARTS[kind]
        if domain.kinds == (of,):
            return whole.format(names[int(first)])
        if of is str and domain.kinds == (list,) and domain.items and domain.items.kinds == (str,):
            return f"all({whole.format('each')} for each in {names[int(first)]})"
        return None
    if kind not in _CODE:
        return None
    return _CODE[kind].format(*(names[int(part)] for part in (first, *rest)))


def _stated_code(stated: StatedConstraint, names: Sequence[str]) -> str | None:
    if stated.formula:
        try:
            return Comparison.read(stated.formula).code(names)
        except Unreadable:
            return None
    name, kind = stated.order
    return _CODE[kind].format(name) if name in names and kind in _CODE else None


@dataclass(slots=True)
class _Writer:
    """Writes the assertions that keep values within domains."""

    texts: Mapping[str, str]
    """The text of each constraint, by name."""
    held: set[str] = field(default_factory=set)
    """The names of the constraints that these assertions imply."""

    def assertions(self, domain: Domain, name: str, slot: str, depth: int = 0) -> list[str]:
        """Return the assertions that keep a value within a domain; ``slot`` names its place."""
        # An extended type has no name in a contract, so it stays a comment.
        kinds = [kind for kind in domain.kinds if kind in _PLAIN]
        if len(kinds) < len(domain.kinds) or not kinds:
            seen = " or ".join(kind.__name__ for kind in domain.kinds) or "anything"
            return [f"# {name}: {seen}"]
        words = ["type(None)" if kind is type(None) else kind.__name__ for kind in kinds]
        has_type = f"is {words[0]}" if len(words) == 1 else f"in ({', '.join(words)})"
        lines = [f"assert type({name}) {has_type}, {name!r}"]
        if domain.largest == domain.smallest:
            self.held.add(f"{slot}.size")
        # If there are several types, checks of sizes and ranges apply only to some of them.
        groups: list[tuple[tuple[type, ...], list[str]]] = [
            ((int, float), _ranged(domain, name)),
            ((str,), _sized(domain, name) + self.lettered(domain, name, slot)),
            ((bytes,), _sized(domain, name)),
            (
                (list, tuple, set, frozenset),
                _sized(domain, name) + self.inner(domain, name, slot, depth),
            ),
            ((dict,), _sized(domain, name) + self.entries(domain, name, slot, depth)),
        ]
        for of, checks in groups:
            if not checks or not set(of) & set(kinds):
                continue
            if set(kinds) <= set(of):
                lines += checks
            else:
                lines.append(f"if type({name}) in ({', '.join(kind.__name__ for kind in of)},):")
                lines += [f"    {line}" for line in checks]
        return lines

    def hold(self, constraint: str, code: str) -> list[str]:
        """Return the assertion for a constraint."""
        self.held.add(constraint)
        return [f"assert {code}, {self.texts.get(constraint, constraint)!r}  # {constraint}"]

    def lettered(self, domain: Domain, name: str, slot: str) -> list[str]:
        """Return the assertions on a text's words, characters and form."""
        lines = []
        if domain.words:
            lines.append(f"assert set({name}.split()) <= set({sorted(domain.words)!r}), {name!r}")
            self.held |= {f"{slot}.words", f"{slot}.choices", f"{slot}.alphabet"}
        elif domain.alphabet and not domain.has_any_characters:
            lines.append(f"assert set({name}) <= set({domain.alphabet!r}), {name!r}")
            self.held.add(f"{slot}.alphabet")
        if domain.dates is not None:
            lines += self.dates(domain.dates, name, slot)
        elif domain.layout is not None:
            lines += self.formed(domain, domain.layout, name, slot)
        if domain.widths is not None and f"{slot}.widths" not in self.held:
            runs = [f"[0-9]{{{width}}}" if width else "[0-9]+" for width in domain.widths]
            pattern = "[^0-9]+".join(runs)
            code = f"re.fullmatch('[^0-9]*{pattern}[^0-9]*', {name})"
            lines += self.hold(f"{slot}.widths", code)
        for kind in domain.well_formed:
            if kind in _WELL_FORMED:
                lines += self.hold(f"{slot}.{kind}", _WELL_FORMED[kind].format(name))
        return lines

    def dates(self, form: DateForm, name: str, slot: str) -> list[str]:
        """Return the assertion that a text is a calendar date, which covers its whole form."""
        parts = {"y": "%Y", "m": "%m", "d": "%d"}
        forms = (form.mark.join(parts[each] for each in order) for order in form.orders)
        code = f"is_day({name}, {', '.join(map(repr, forms))})"
        if form.is_padded:
            code += f" and not re.search(r'\\b\\d\\b', {name})"
            self.held.add(f"{slot}.widths")
        self.held |= {f"{slot}.days", f"{slot}.layout"}
        return self.hold(f"{slot}.dates", code)

    def formed(self, domain: Domain, layout: Layout, name: str, slot: str) -> list[str]:
        """Return the assertions that a text's lines have a format, as far as they are simple."""
        lines, characters = [], domain.alphabet
        may_be_blank = layout.may_be_blank or not domain.smallest
        if layout.columns and characters.isascii():
            sorts = {"0": "0-9", "a": "a-z", "A": "A-Z"}
            places = (
                "".join(sorted(sorts.get(each, re.escape(each)) for each in column))
                for column in layout.columns
            )
            pattern = "".join(f"[{place}]" for place in places)
            lines += self.hold(f"{slot}.layout", f"re.fullmatch({_raw(pattern)}, {name})")
        if layout.shapes:
            shapes = ("".join(_pattern(each, layout, characters)) for each in layout.shapes)
            code = f"re.fullmatch({_raw('|'.join(sorted(shapes)))}, {name})"
            if "\n" in characters:
                code = code.replace(f", {name})", ", line)")
                code = f"all({code} for line in {name}.split('\\n') if line.strip())"
                code += "" if may_be_blank else f" and {name}.strip()"
            elif may_be_blank:
                code += f" or not {name}.strip()"
            lines += self.hold(f"{slot}.layout", code)
        sizes = any(" of " in kind for kind in layout.head)
        if layout.starts or layout.markers or layout.decimals or sizes or not layout.shapes:
            self.held.discard(f"{slot}.layout")  # not all of it
        return lines

    def inner(self, domain: Domain, name: str, slot: str, depth: int) -> list[str]:
        """Return the assertions on the elements of a list, tuple or set."""
        if domain.positions is not None:
            lines = []
            for at, each in enumerate(domain.positions):
                lines += self.assertions(each, f"{name}[{at}]", f"{slot}.{at}", depth)
            size = len(domain.positions)
            if domain.smallest == domain.largest == size:
                return lines
            return [f"if len({name}) == {size}:", *(f"    {line}" for line in lines)]
        lines = self.loop(domain.items, name, f"{slot}.items", depth)
        if domain.is_uniform and domain.items and len(domain.items.kinds) > 1:
            code = f"len({{type(each) for each in {name}}}) <= 1"
            lines += self.hold(f"{slot}.uniform", code)
        return lines

    def entries(self, domain: Domain, name: str, slot: str, depth: int) -> list[str]:
        """Return the assertions on the keys and values of a dict."""
        lines = []
        if domain.required:
            code = f"all(key in {name} for key in {sorted(domain.required)!r})"
            lines += self.hold(f"{slot}.fields", code)
        for key, kinds in domain.required.items():
            part = domain.fields.get(key) or Domain(union((), tuple(kinds)))
            lines += self.assertions(part, f"{name}[{key!r}]", f"{slot}.[{key}]", depth)
        lines += self.loop(domain.keys, name, f"{slot}.keys", depth)
        return lines + self.loop(domain.values, f"{name}.values()", f"{slot}.values", depth)

    def loop(self, domain: Domain | None, items: str, slot: str, depth: int) -> list[str]:
        """Return the assertions on each of several values."""
        if domain is None:
            return []
        # An inner loop needs its own name, or it would shadow the item of the outer one.
        item = "item" if not depth else f"item{depth}"
        lines = self.assertions(domain, item, slot, depth + 1)
        return [f"for {item} in {items}:", *(f"    {line}" for line in lines)]


def _ranged(domain: Domain, name: str) -> list[str]:
    low = "" if domain.lowest is None else f"{domain.lowest!r} <= "
    high = "" if domain.highest is None else f" <= {domain.highest!r}"
    lines = [f"assert {low}{name}{high}, {name!r}"] if low or high else []
    if domain.multiple > 1:
        lines.append(f"assert {name} % {domain.multiple} == 0, {name!r}")
    return lines


def _sized(domain: Domain, name: str) -> list[str]:
    low = f"{domain.smallest} <= " if domain.smallest else ""
    high = "" if domain.largest is None else f" <= {domain.largest}"
    return [f"assert {low}len({name}){high}, {name!r}"] if low or high else []


# Formats of texts, as regular expressions.

_WELL_FORMED = {
    "quotes": "{0}.count('\"') % 2 == {0}.count(\"'\") % 2 == 0",
    "decimals": "{0}.isdecimal() or re.fullmatch('[-+]?[0-9]+[.][0-9]+', {0})",
    "brackets": "is_balanced({0})",
}
_TOKENS = {
    "a word": r"[^\W\d_]{2,}",
    "a letter": r"[^\W\d_]",
    "a blank": r"[^\S\n]",
    "several blanks": r"[^\S\n]{2,}",
}


def _pattern(shape: Sequence[str], layout: Layout, characters: str) -> Iterator[str]:
    """Yield the parts of a regular expression for lines of one shape."""
    letters, tokens = "".join(sorted(layout.letters)), []
    sign = r"(?:(?<![\w.])[-+])?" if {*characters} & {*"+-"} else ""
    number = rf"{sign}\d+(?:\.\d+)?" if "." in characters else rf"{sign}\d+"
    for before, kind, after in zip(shape, shape[1:], shape[2:], strict=False):
        # A single letter next to a number, such as a unit.
        is_unit = kind == "a letter" and [before, after].count("a number") == 1
        if kind == "a number":
            tokens.append(number)
        elif is_unit and letters:
            tokens.append(f"[{letters}]")
        else:
            tokens.append(_TOKENS.get(kind) or re.escape(ast.literal_eval(kind)))
    while tokens:
        pair = tokens[:2]
        # A pair that occurs three times may be repeated more often (``layout``).
        if len(tokens) > 5 and tokens[:6] == 3 * pair:
            yield f"(?:{''.join(pair)}){{3,}}"
            del tokens[:6]
        else:
            yield tokens.pop(0)


def _raw(pattern: str) -> str:
    """Return a regular expression as source."""
    is_raw = not {*pattern} & {"'", "\n"} and pattern.isprintable()
    return f"r'{pattern}'" if is_raw else repr(pattern)
