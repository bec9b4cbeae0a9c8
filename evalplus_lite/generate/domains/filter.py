"""The input filter: which inputs may be proposed for a task, given its own inputs and text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import pairwise, permutations
from typing import TypeAlias

from evalplus_lite.errors import InputError
from evalplus_lite.generate.domains import inference
from evalplus_lite.generate.domains.annotations import UNKNOWN, Type, hints
from evalplus_lite.generate.domains.constants import characters as characters_of
from evalplus_lite.generate.domains.constants import examples, from_source, vocabulary
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.generate.domains.evidence import CHANCE, DOUBT, Constraint, Ledger
from evalplus_lite.generate.domains.profile import SEQUENCES, SIZED, Profile
from evalplus_lite.generate.domains.promises import Promise
from evalplus_lite.generate.domains.text import times_in
from evalplus_lite.generate.domains.words import DENIALS, denies_only, documents_signs, is_mentioned
from evalplus_lite.programs import parsing
from evalplus_lite.tasks.assertions import with_stated_contract
from evalplus_lite.tasks.contracts import parse
from evalplus_lite.tasks.formulas import number
from evalplus_lite.tasks.harnesses import has_documented
from evalplus_lite.tasks.stated_constraints import StatedConstraints, of_function
from evalplus_lite.types import Task, Value
from evalplus_lite.values.identity import key
from evalplus_lite.values.kinds.declared import EnumMember
from evalplus_lite.values.kinds.registry import BY_TYPE

Arguments = Sequence[Value]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation that every input must satisfy; ``text`` describes it, ``holds`` tests it.

    ``seen`` examples support it: distinct ones with values at the positions that could have
    violated it. Of a relation about rows or texts, each of these is separate evidence.
    """

    kind: str
    text: str
    positions: tuple[int, ...]
    holds: Callable[[Arguments], bool] = field(compare=False)
    seen: int

    @property
    def name(self) -> str:
        """The name that users see: positions and kind, such as ``0.sorted`` or ``0.less.1``."""
        first, *rest = map(str, self.positions)
        return ".".join((first, self.kind, *rest))


def infer_relations(
    base: Sequence[Arguments], ledger: Ledger, known: Collection[str] = ()
) -> tuple[Relation, ...]:
    """Return the relations that hold for all base inputs and that ``ledger`` requires."""
    # With optional arguments, positions do not correspond, so no relations are inferred.
    if len({len(arguments) for arguments in base}) != 1:
        return ()
    return tuple(
        each
        for each in candidates(base, known)
        # A relation that no example could have violated is not listed.
        if each.seen and ledger.takes(each.name, each.text, kind=each.kind, seen=each.seen)
    )


def candidates(base: Sequence[Arguments], known: Collection[str] = ()) -> Iterator[Relation]:
    """Yield the relations that hold for all base inputs, whatever their support.

    If one implies others, only the strongest is yielded.
    """
    arity = len(base[0])
    for position in range(arity):
        column = [arguments[position] for arguments in base]
        if all(type(value) in SEQUENCES for value in column):
            yield from _within(position, column)
        yield from _within_parts(position, column)
        if all(type(value) is str for value in column):
            yield from _about_keys(position, base, known)
    # Both orders of each pair: ``less`` and ``shorter`` have a direction.
    for first, second in permutations(range(arity), 2):
        pairs = [(arguments[first], arguments[second]) for arguments in base]
        yield from _between(first, second, pairs)


Rule: TypeAlias = tuple[str, str, Callable[..., bool], Callable[..., bool]]
"""A relation's kind, its text, whether values satisfy it, and whether they could violate it."""


def _distinct(values: Iterable[Value]) -> int:
    return len(set(map(key, values)))


def _within(position: int, column: Sequence[Value]) -> Iterator[Relation]:
    def has_several(value: Value) -> bool:
        return _distinct(value) > 1

    # A single element is distinct in any case, so it is not informative.
    rules: list[Rule] = [("distinct", "holds no value twice", _is_distinct, lambda v: len(v) > 1)]
    # Orders are considered only if comparing elements cannot raise, whatever the input.
    kinds = [set(map(type, value)) for value in column]
    if all(each <= {int, float} or each == {str} for each in kinds):
        down = "is sorted downwards"
        rules.insert(0, ("descending", down, lambda v: _is_sorted(v[::-1]), has_several))
        rules.insert(0, ("sorted", "is sorted", _is_sorted, has_several))
    for kind, text, holds, informs in rules:
        if all(map(holds, column)):
            yield Relation(
                kind,
                f"argument {position} {text}",
                (position,),
                partial(_holds_at, (position,), holds),
                _distinct(filter(informs, column)),
            )


def _within_parts(position: int, column: Sequence[Value]) -> Iterator[Relation]:
    """Yield relations that hold for all rows, records, nested lists or texts of an argument."""
    rules = list(_OF_PARTS)
    # Only if all rows are pairs: next to rows of other lengths, a pair is not an interval.
    rows = [row for value in column for row in _parts(value) if _is_row(row, value)]
    if rows and all(len(row) == 2 for row in rows):
        pairs: list[Rule] = [
            ("ordered-pairs", "each pair is in order", _is_sorted, _is_uneven_pair)
        ]
        if all(map(_is_sorted, filter(_is_uneven_pair, rows))):
            pairs += [("proper-pairs", "no pair is of one value", _is_distinct, _is_pair)]
        rules = pairs + rules
    nodes = [each for value in column for each in _parts(value) if type(each) in SEQUENCES]
    kinds = [frozenset(map(type, each)) for each in zip(*nodes, strict=False)]
    # A tree's node has a label that is not a list, unlike a list of records.
    is_inner = [bool(kind & {*SEQUENCES}) for kind in kinds]
    if any(is_inner) and not all(is_inner) and len({*map(len, nodes)}) == 1:

        def is_node(node: Value) -> bool:
            pairs = zip(node, kinds, strict=False)
            return len(node) == len(kinds) and all(type(each) in kind for each, kind in pairs)

        shape = ", ".join(" or ".join(sorted(each.__name__ for each in kind)) for kind in kinds)
        tree = "tree", f"each list in it is [{shape}]", is_node, lambda v: type(v) in SEQUENCES
        rules.insert(len(rules) - 2, tree)
    for kind, text, holds, part in rules:
        # Parts that cannot violate the relation count neither for the decision nor as evidence.
        parts = [each for value in column for each in _parts(value) if part(each)]
        if parts and all(map(holds, parts)):
            text = f"argument {position}: {text}"
            test = partial(_holds_within, position, holds, part)
            yield Relation(kind, text, (position,), test, _distinct(parts))


def _holds_at(
    positions: Sequence[int], holds: Callable[..., bool], arguments: Sequence[Value]
) -> bool:
    return holds(*(arguments[position] for position in positions))


def _holds_within(
    position: int,
    holds: Callable[[Value], bool],
    part: Callable[[Value], bool],
    arguments: Sequence[Value],
) -> bool:
    return all(holds(each) for each in _parts(arguments[position]) if part(each))


def _about_keys(
    position: int, base: Sequence[Arguments], known: Collection[str]
) -> Iterator[Relation]:
    """Yield the relation that a text uses keys of other arguments, such as column conditions."""
    own = {word for text in known for word in _words(text)}

    def speaks(arguments: Arguments) -> tuple[set[str], set[str]]:
        return _words(arguments[position]), {key for each in arguments for key in _keys(each)}

    said = [speaks(arguments) for arguments in base]
    if all(words & keys and words <= keys | own for words, keys in said):
        yield Relation(
            "known-words",
            f"words in argument {position} are keys elsewhere, or ones that the reference knows",
            (position,),
            lambda arguments: (found := speaks(arguments))[0] <= found[1] | own,
            _distinct(arguments[position] for arguments in base),
        )


def _words(text: str) -> set[str]:
    """Return the words in a text that are not in quotes."""
    return {*re.findall(r"[^\W\d]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", " ", text))}


def _keys(value: Value) -> Iterator[str]:
    if type(value) is dict:
        yield from (key for key in value if type(key) is str)
        yield from (key for each in value.values() for key in _keys(each))
    elif type(value) in SEQUENCES:
        yield from (key for each in value for key in _keys(each))


def _parts(value: Value) -> Iterator[Value]:
    """Yield a value and all values nested in its sequences, outermost first."""
    yield value
    if type(value) in SEQUENCES:
        for each in value:
            yield from _parts(each)


def _first_fields(value: Value) -> list[Value]:
    """Return the first fields of a list of records: dicts, or rows of several types."""
    if type(value) not in SEQUENCES or len({*map(type, value)}) != 1:
        return []
    if type(value[0]) is dict:
        return [next(iter(row.values())) for row in value] if all(value) else []
    if type(value[0]) in SEQUENCES and all(len({*map(type, row)}) > 1 for row in value):
        return [row[0] for row in value]
    return []


def _is_board(value: Value) -> bool:
    """Return whether a value is a list of at least two texts, one longer than a character."""
    is_of_texts = type(value) in SEQUENCES and {*map(type, value)} == {str}
    return is_of_texts and len(value) > 1 and max(map(len, value)) > 1


def _is_row(part: Value, whole: Value) -> bool:
    return (
        part is not whole
        and type(part) in SEQUENCES
        and not any(type(each) in SEQUENCES for each in part)
    )


def _is_pair(value: Value) -> bool:
    is_two = type(value) in SEQUENCES and len(value) == 2
    return is_two and {*map(type, value)} <= {int, float}


def _is_uneven_pair(value: Value) -> bool:
    return _is_pair(value) and value[0] != value[1]


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?|\d\d:\d\d(?::\d\d)?")


def _between(first: int, second: int, pairs: Sequence[tuple[Value, Value]]) -> Iterator[Relation]:
    left_kinds = {type(left) for left, _ in pairs}
    right_kinds = {type(right) for _, right in pairs}
    kinds = left_kinds | right_kinds
    # Groups of relations from strong to weak: only the first that holds is yielded.
    groups: list[list[tuple[str, str, Callable[[Value, Value], bool]]]] = []
    values = [each for pair in pairs for each in pair]
    # Dates and the like, or texts of dates or times that sort chronologically.
    has_order = kinds <= BY_TYPE.keys() and BY_TYPE[next(iter(kinds))].has_order
    are_moments = kinds == {str} and all(map(_MOMENT.fullmatch, values))
    if kinds <= {int, float} or (len(kinds) == 1 and has_order) or are_moments:
        groups.append(
            [
                ("less", "{} < {}", lambda a, b: _is_sorted((a, b)) and a != b),
                ("at-most", "{} <= {}", lambda a, b: _is_sorted((a, b))),
            ]
        )
    if kinds <= set(SIZED):
        # Equal lengths imply "no longer" both ways, so nothing weaker is yielded.
        equal = "{} and {} are of equal length"
        if not all(len(left) == len(right) for left, right in pairs):
            groups.append(
                [
                    ("shorter", "{} is shorter than {}", lambda a, b: len(a) < len(b)),
                    ("no-longer", "{} is no longer than {}", lambda a, b: len(a) <= len(b)),
                ]
            )
        elif first < second:
            groups.append([("equal-length", equal, lambda a, b: len(a) == len(b))])
    widths = list(map(_width, values))
    # With one width only, the width is a fixed size rather than a relation.
    if None not in widths and len({*widths}) > 1:
        chained = "{0} has as many columns as {1} has rows"
        wide = "{} and {} have as many columns"
        groups.append(
            [
                ("inner-length", chained, lambda a, b: _width(a) == len(b)),
                ("equal-width", wide, lambda a, b: _width(a) == _width(b)),
            ]
        )
    if left_kinds == {int} and right_kinds <= set(SIZED):
        groups.append(
            [
                ("index", "{} is an index into {}", lambda a, b: 0 <= a < len(b)),
                ("count", "{} is a count or position within {}", lambda a, b: 0 < a <= len(b)),
                ("at-most-length", "{} is at most the length of {}", lambda a, b: 0 <= a <= len(b)),
            ]
        )
    if right_kinds <= set(SEQUENCES) and left_kinds <= {int, str, float}:
        groups.append([("element", "{} is an element of {}", lambda a, b: a in b)])
    if right_kinds <= {dict, *SEQUENCES} and left_kinds == {str}:
        groups.append([("within", "{} stands somewhere in {}", _is_within)])
    if kinds == {str}:
        groups.append([("part", "{} is a part of {}", lambda a, b: a in b)])
    for options in groups:
        for kind, text, holds in options:
            if all(holds(left, right) for left, right in pairs):
                # An empty text is a part of any.
                informative = [pair for pair in pairs if kind != "part" or pair[0]]
                yield Relation(
                    kind,
                    text.format(f"argument {first}", f"argument {second}"),
                    (first, second),
                    partial(_holds_at, (first, second), holds),
                    _distinct(informative),
                )
                break


def _width(matrix: Value) -> int | None:
    """Return the number of columns of a list of equally long rows; None for anything else."""
    if type(matrix) not in SEQUENCES or not matrix:
        return None
    sizes = {len(row) if type(row) in SEQUENCES else -1 for row in matrix}
    return max(sizes) if len(sizes) == 1 and -1 not in sizes else None


def _is_within(text: str, value: Value) -> bool:
    if type(value) is dict:
        return text in value or any(_is_within(text, each) for each in value.values())
    return value == text or (
        type(value) in SEQUENCES and any(_is_within(text, each) for each in value)
    )


def _is_sorted(values: Sequence[Value]) -> bool:
    try:
        return all(left <= right for left, right in pairwise(values))
    except (TypeError, ArithmeticError):  # times with and without an offset; a Decimal that is NaN
        return False


def _is_distinct(values: Sequence[Value]) -> bool:
    return len({*map(key, values)}) == len(values)


_OF_PARTS: tuple[Rule, ...] = (
    (
        "same-keys",
        "dicts of one list have the same keys",
        lambda rows: len({frozenset(row) for row in rows}) == 1,
        lambda v: type(v) in SEQUENCES and len(v) > 1 and {*map(type, v)} == {dict},
    ),
    (
        "distinct-first",
        "records of one list differ in their first field",
        lambda rows: _is_distinct(_first_fields(rows)),
        lambda rows: len(_first_fields(rows)) > 1,
    ),
    (
        "equal-lines",
        "texts of one list are of one length",
        lambda rows: len({*map(len, rows)}) == 1,
        _is_board,
    ),
    (
        "ordered-times",
        "times in a text are in order",
        lambda text: _is_sorted(times_in(text)),
        lambda value: type(value) is str and len({*times_in(value)}) > 1,
    ),
    (
        "single-blanks",
        "words are separated by single blanks",
        lambda text: text == " ".join(text.split()),
        lambda each: type(each) is str and any(map(str.isspace, each)),
    ),
)
"""Rules for the rows, records and texts in an argument."""


_VALUED = {"IntEnum", "StrEnum", "IntFlag", "int", "str", "float"}
"""Base classes whose members equal their values."""


def members_of(source: str) -> tuple[EnumMember, ...]:
    """Return the members of the enumerations at a program's top level.

    Members that are numbers or strings are skipped unless their values are literals.
    """
    try:
        body = parsing.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(
        member for node in body if isinstance(node, ast.ClassDef) for member in _members(node)
    )


def _members(node: ast.ClassDef) -> Iterator[EnumMember]:
    bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
    if not any(base.endswith(("Enum", "Flag")) for base in bases):
        return
    is_valued = bool(bases & _VALUED)
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=given) if name[:1] != "_":
                # A plain member has just a name; members of valued bases are numbers or strings.
                if not is_valued:
                    yield EnumMember(node.name, name)
                elif isinstance(given, ast.Constant) and isinstance(given.value, int | float | str):
                    yield EnumMember(node.name, name, given.value)


def with_members(domain: Domain, members: tuple[EnumMember, ...]) -> Domain:
    """Return the domain extended to all members of each enumeration that has an allowed member."""

    seen = {(each.owner, each.name) for each in domain.choices if type(each) is EnumMember}
    owners = {owner for owner, _ in seen}
    more = [
        each for each in members if each.owner in owners and (each.owner, each.name) not in seen
    ]
    changed = domain.inner(partial(with_members, members=members))
    return replace(changed, choices=(*domain.choices, *more))


@dataclass(frozen=True, slots=True)
class InputFilter:
    """A domain for each argument, the allowed numbers of arguments, and relations between them.

    ``constraints`` are all that the examples satisfy, required or not, with their support;
    ``stated`` are those that the task's text states about the ``parameters``. ``strict``, if no
    contract decides, also has constraints whose violation makes an input doubtful. Inputs that an
    ``unread`` promise of the text may exclude are doubtful as well.
    """

    profiles: tuple[Profile, ...]
    domains: tuple[Domain, ...]
    arities: tuple[int, ...]
    relations: tuple[Relation, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    stated: StatedConstraints | None = None
    parameters: tuple[str, ...] = ()
    strict: InputFilter | None = None
    unread: tuple[Promise, ...] = ()

    @classmethod
    def infer(
        cls,
        base: Sequence[Arguments],
        *,
        known: Collection[str] = (),
        choices: Mapping[str, bool] | None = None,
        text: str = "",
        parameters: Sequence[str] = (),
        chance: float = CHANCE,
    ) -> InputFilter:
        """Return the filter for a task without a contract, which stays close to the base inputs.

        ``known`` are string constants of the reference: if they include all words of the inputs,
        they are the vocabulary. ``choices`` require or remove constraints by name; ``text``,
        ``parameters`` and ``chance`` are as for ``Ledger``.
        Raises InputError if there is no base input, or an unknown constraint in ``choices``.
        """
        # One ledger for all arguments: it collects their constraints, and checks the user's choices
        # at the end.
        profiles = _profiles(base)
        ledger = Ledger(choices, text=text, parameters=parameters, chance=chance)
        domains = tuple(inference.inferred(each, ledger, known=known) for each in profiles)
        relations = infer_relations(base, ledger, known)
        arities = tuple(sorted({*map(len, base)}))
        return cls(profiles, domains, arities, relations, ledger.finished())

    @classmethod
    def typed(
        cls,
        base: Sequence[Arguments],
        *,
        stated: Sequence[Type] = (),
        characters: str = "",
        choices: Mapping[str, bool] | None = None,
    ) -> InputFilter:
        """Return the filter for a task with a contract: just types, forms and characters.

        It allows the types in the examples and the signature (``annotations.hints``), and in
        strings, if examples have some, printable ASCII and ``characters``. ``choices`` are as for
        ``infer``.
        """
        profiles = _profiles(base)
        ledger = Ledger(choices)
        # A signature may have fewer parameters than cases have arguments.
        padded = [*stated, *[UNKNOWN] * len(profiles)]
        domains = tuple(
            inference.typed(profile, ledger, characters=characters).widened(hint)
            for profile, hint in zip(profiles, padded, strict=False)
        )
        arities = tuple(sorted({*map(len, base)}))
        return cls(profiles, domains, arities, constraints=ledger.finished())

    @classmethod
    def of_task(cls, task: Task, *, is_own: bool = False) -> InputFilter:
        """Return the typed filter if the task's contract has a precondition, else the inferred one.

        A contract that was written for the task (``is_own``), rather than taken from its row, also
        decides about characters, and about floats where examples have integers. The task's own
        choices (``Task.constraints``) take precedence over support.
        """
        input_filter = cls._of_task(task, is_own=is_own)
        members = members_of(task.reference)
        return input_filter.with_members(members) if members else input_filter

    @classmethod
    def _of_task(cls, task: Task, *, is_own: bool) -> InputFilter:
        base = [case.arguments for case in task.base]
        try:
            # With a contract only types and shapes are inferred; the contract rejects other inputs
            # in the sandbox.
            if task.contract is not None and parse(task.contract).has_precondition:
                stated = hints(task.prompt, task.entry_point)
                if task.harness.constructed:  # the first argument holds the constructor's
                    stated = (UNKNOWN, *stated)
                characters = characters_of(task.reference)
                typed = cls.typed(
                    base, stated=stated, characters=characters, choices=task.constraints
                )
                # A contract from a published row does not check every type and character, so those
                # in the examples remain a limit.
                if not is_own:
                    return typed
                return replace(typed, domains=tuple(each.opened() for each in typed.domains))
            # Without a contract, calls in the prompt are evidence just like base inputs.
            examples = [*base, *_shown(task, base)]
            return cls._of_text(task, examples, vocabulary(task))
        except InputError as error:
            raise InputError(f"{task.id}: {error.problem}", remedy=error.remedy) from None

    @classmethod
    def _of_text(
        cls, task: Task, examples: Sequence[Arguments], known: Collection[str]
    ) -> InputFilter:
        """Return the filter inferred from examples and the task's text.

        If a block of constraints was parsed completely, no input is doubtful.
        """
        stated, parameters = of_function(task)
        # Users see stated constraints numbered together with unread promises.
        count = len(stated.constraints) + len(stated.unread)
        choices, off = _own_choices(task.constraints, count)
        infer = partial(
            cls.infer,
            examples,
            known=known,
            choices=choices,
            text=task.prompt,
            parameters=parameters,
        )
        inferred, binding = infer(), stated.without(off)
        # The strict filter is inferred from the same examples, but needs fewer for each constraint.
        # Inputs that only it rejects are doubtful. A complete block of constraints leaves no doubt.
        strict = None
        if not stated.is_whole:
            strict = infer(chance=DOUBT).reaching(task.reference).bounded(binding, parameters)
        if strict is not None and has_documented(task) and documents_signs(task.prompt):
            # The prompt documents an exception for some numbers out of range, so numbers of other
            # signs are proposed; they are doubtful if the reference returns a value.
            domains = tuple(each.of_any_sign() for each in inferred.domains)
            inferred = replace(inferred, domains=domains)
        inferred = inferred.reaching(task.reference).bounded(binding, parameters)
        kept = {line for line in binding.unread if inferred.speaks_for(line)}
        return replace(
            inferred,
            constraints=(
                *inferred.constraints,
                *(each for each in _stated(stated, len(examples), off) if each.text not in kept),
            ),
            stated=binding,
            parameters=tuple(parameters),
            strict=strict,
            unread=tuple(
                Promise.read(line, parameters, examples)
                for line in binding.unread
                if line not in kept
            ),
        )

    def reaching(self, reference: str) -> InputFilter:
        """Return the filter with the only number argument allowed up to twice the reference's
        largest constant, so that inputs can reach that constant."""
        own = [n for n, each in enumerate(self.domains) if {*each.kinds} & _NUMBERS]
        most = max((each for each in from_source(reference) if type(each) is int), default=0)
        if len(own) != 1 or not _FARTHEST >= most > 0:
            return self
        domains = list(self.domains)
        highest = domains[own[0]].highest
        if highest is not None:
            domains[own[0]] = replace(domains[own[0]], highest=max(highest, 2 * most))
        return replace(self, domains=tuple(domains))

    def bounded(self, stated: StatedConstraints, parameters: Sequence[str]) -> InputFilter:
        """Return the filter with bounds from the text in place of inferred bounds and relations."""
        bounds = {
            name: (low, high)
            for each in stated.constraints
            for name, low, high in each.bounds
            # Both ends must be stated, for the argument itself and not for its elements.
            if low and high and name in parameters and f"{name}[" not in each.formula
        }
        ends = {parameters.index(name): both for name, both in bounds.items()}
        own = [
            n for n, each in enumerate(self.profiles) if n in ends and set(each.kinds) <= _NUMBERS
        ]
        domains = tuple(
            _between_ends(domain, *ends[n]) if n in own else domain
            for n, domain in enumerate(self.domains)
        )
        # Stated bounds, and stated comparisons of two numbers, replace inferred relations between
        # numbers. Relations that the user requires stay.
        chosen = {each.name for each in self.constraints if each.is_chosen}
        said = [
            {
                parameters.index(word)
                for word in re.findall(r"\w+", each.formula)
                if word in parameters
            }
            for each in stated.constraints
            if re.search("[<>]", each.formula)
        ]
        off = {
            each.name
            for each in self.relations
            if each.positions[0] in own
            or (
                each.kind in ("less", "at-most") and any({*each.positions} <= pair for pair in said)
            )
        } - chosen
        return replace(
            self,
            domains=domains,
            relations=tuple(each for each in self.relations if each.name not in off),
            constraints=tuple(
                replace(each, is_on=False, is_stated=False) if each.name in off else each
                for each in self.constraints
            ),
        )

    def speaks_for(self, promise: str) -> bool:
        """Return whether a required constraint is of a kind that a promise mentions."""
        # Such a promise is stronger than any kind of constraint.
        if re.search(r"\b(?:exactly|different|distinct|unique)\b", promise):
            return False
        return any(
            each.is_on
            and is_mentioned(each.kind, promise)
            # What is never empty may be more than that.
            and (each.kind not in DENIALS or denies_only(each.kind, promise))
            for each in self.constraints
        )

    def with_members(self, members: tuple[EnumMember, ...]) -> InputFilter:
        """Return the filter extended to all members of enumerations that have an allowed member."""
        domains = tuple(with_members(domain, members) for domain in self.domains)
        strict = self.strict and self.strict.with_members(members)
        return replace(self, domains=domains, strict=strict)

    def doubt(self, arguments: Arguments) -> str | None:
        """Return why an admitted input is doubtful, or None if it is not."""
        for promise in self.unread:
            if promise.may_exclude(arguments):
                return f"the task makes a promise that was not understood: {promise.text}"
        return None if self.strict is None else self.strict.explain(arguments)

    def undoubting(self) -> InputFilter:
        """Return the same filter without doubts."""
        return replace(self, strict=None, unread=())

    def admits(self, arguments: Arguments) -> bool:
        """Return whether the input may be proposed."""
        return self.explain(arguments) is None

    def explain(self, arguments: Arguments) -> str | None:
        """Return why the input may not be proposed, or None if it may."""
        # From cheap to expensive: number of arguments, single arguments, relations, stated
        # constraints.
        if len(arguments) not in self.arities:
            seen = " or ".join(map(str, self.arities))
            return f"{len(arguments)} arguments where {seen} were seen"
        for position, (domain, value) in enumerate(zip(self.domains, arguments, strict=False)):
            if (reason := domain.explain(value)) is not None:
                return f"argument {position}: {reason}"
        for relation in self.relations:
            if not relation.holds(arguments):
                return f"violates: {relation.text}"
        if self.stated is not None:
            names = dict(zip(self.parameters, arguments, strict=False))
            if (broken := self.stated.broken(names)) is not None:
                return f"violates the task's text: {broken.text}"
        return None


_NUMBERS: frozenset[type] = frozenset((int, float))
_FARTHEST = 10**6
"""Largest constant that may extend a number's range; larger ones are moduli and the like."""


def _between_ends(domain: Domain, low: str, high: str) -> Domain:
    """Return the domain of a number between two ends; ends that are not numbers are ignored."""
    lowest, highest = number(low), number(high)
    return replace(
        domain,
        lowest=domain.lowest if lowest is None else lowest,
        highest=domain.highest if highest is None else highest,
    )


STATED = "stated."
"""Prefix of the names of stated constraints, followed by a number."""


def _own_choices(choices: Mapping[str, bool], count: int) -> tuple[dict[str, bool], frozenset[int]]:
    """Return the choices of inferred constraints, and the numbers of removed stated ones."""
    inferred = {name: is_on for name, is_on in choices.items() if not name.startswith(STATED)}
    own = choices.keys() - inferred.keys()
    # A choice of an unknown stated constraint is a user error, reported early.
    if unknown := own - {f"{STATED}{number}" for number in range(count)}:
        raise InputError(
            f"the task's text states no {min(unknown)!r}", remedy="see augment's output"
        )
    return inferred, frozenset(int(name.removeprefix(STATED)) for name in own if not choices[name])


def _stated(stated: StatedConstraints, examples: int, off: Collection[int]) -> Iterator[Constraint]:
    count = len(stated.constraints)
    texts = [each.text for each in stated.constraints]
    for place, text in enumerate((*texts, *stated.unread)):
        is_off, is_read = place in off, place < count
        yield Constraint(
            f"{STATED}{place}", text, examples, 1, not is_off and is_read, is_off, is_stated=True
        )


def _profiles(base: Sequence[Arguments]) -> tuple[Profile, ...]:
    if not base:
        raise InputError("no base input to infer constraints from", remedy="give the task an input")
    return tuple(Profile.of_argument(base, position) for position in range(max(map(len, base))))


def _shown(task: Task, base: Sequence[Arguments]) -> list[Arguments]:
    """Return the calls in the prompt with the same types as some base input, as more evidence."""
    seen = {tuple(map(type, arguments)) for arguments in base}
    shown = examples(task.prompt, task.entry_point)
    return [arguments for arguments in shown if tuple(map(type, arguments)) in seen]


ALL = "all"


def with_choices(
    tasks: Sequence[Task], *, on: Sequence[str] = (), off: Sequence[str] = ()
) -> tuple[Task, ...]:
    """Return the tasks with choices (``TASK:NAME`` or ``TASK:all``) added to their own.

    Raises InputError for an unknown task or constraint. The tasks' own choices are checked here
    too, before anything is computed.
    """
    # Options on the command line override the tasks' own choices.
    chosen = {task.id: dict(task.constraints) for task in tasks}
    known = {task.id: task for task in tasks}
    for option, texts, is_on in (("--constraint", on, True), ("--no-constraint", off, False)):
        for text in texts:
            task, name = _parted(text, known, option)
            names = [constraint.name for constraint in _found(task)] if name == ALL else [name]
            chosen[task.id].update(dict.fromkeys(names, is_on))
    made = tuple(replace(task, constraints=chosen[task.id]) for task in tasks)
    for task in made:
        # Infer again with the choices, to report unknown names before any work.
        if task.constraints and task.base:
            _found(task)
    return made


def _found(task: Task) -> Sequence[Constraint]:
    return InputFilter.of_task(with_stated_contract(task)).constraints if task.base else ()


def _parted(text: str, known: dict[str, Task], option: str) -> tuple[Task, str]:
    """Return task and name; both may have colons, so the task is looked up among the ids."""
    # Ids may be prefixes of one another, so the longest match wins.
    fits = [id for id in known if text.startswith(f"{id}:")]
    if not fits:
        id = text.rpartition(":")[0] or text
        close = get_close_matches(id, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "TASK is an id of the data set"
        raise InputError(f"{option} {text}: no task {id!r}", remedy=f"TASK:NAME; {hint}")
    id = max(fits, key=len)
    return known[id], text[len(id) + 1 :]
