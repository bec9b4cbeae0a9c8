"""Generation of call sequences: calls are inserted, deleted, moved, repeated and changed.

New sequences use only the constructor, methods and attributes that occur in known ones, with
arguments close to those (``Generator``). A sequence in which the reference raises is not a test,
unless the task's text names the exception, or a known sequence has the method raise it.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, islice
from typing import TypeAlias

from evalplus_lite.generate.domains.constants import Constants
from evalplus_lite.generate.domains.filter import InputFilter
from evalplus_lite.generate.domains.words import (
    DIFFER,
    MAY_BE_EMPTY,
    MAY_BE_ZERO,
    MULTIPLE,
    NEVER_DOWN,
    WORDS,
    documents_signs,
    said_of,
    undenied,
)
from evalplus_lite.generate.engine.boundary import boundary_values
from evalplus_lite.generate.engine.conditions import stored_parameters
from evalplus_lite.generate.engine.generator import AdaptedGenerator, Generator
from evalplus_lite.generate.engine.pool import in_turn
from evalplus_lite.generate.engine.scale import Rung, Scales
from evalplus_lite.programs import definitions
from evalplus_lite.tasks.stated_constraints import LONGEST, sentences
from evalplus_lite.types import Case, Value
from evalplus_lite.values.identity import key

KnownCalls: TypeAlias = Sequence[Sequence[Value]]
Place: TypeAlias = tuple[Value, ...]
FEW = 5
"""Number of distinct strings at one position from which others are allowed; fewer count as a
closed set."""


def _admits(seen: Collection[str], text: str) -> bool:
    """Return whether a string is allowed at a position with these known ones.

    Strings with digits (times, addresses, numbered names) have a form that a change would break, so
    only known ones are allowed, unless all are numbers without leading zeros.
    """
    # Known strings are always allowed. A few known strings count as a closed set.
    if text in seen or len(seen) < FEW:
        return text in seen
    if all(map(str.isdecimal, seen)):
        return text.isdecimal() and not text.startswith("0")
    return not has_digits(text) and not all(map(has_digits, seen))


class KnownUse:
    """The strings and attribute reads of known sequences.

    A new sequence may read an attribute only if, for each method called before, some known
    sequence reads it after a call of that method.
    """

    def __init__(self, base: Sequence[Case], owner: str, methods: Collection[str]) -> None:
        self.looks: set[tuple[str, str]] = set()
        self.methods = {owner, *methods}
        self.texts: dict[Place, set[str]] = {}
        calls = [call for case in base for call in case.arguments]
        self.records = {key(each) for _, *given in calls for each in given if _is_record(each)}
        for case in base:
            self.looks.update(self._looks(case.arguments))
            # By method and position: a name in one argument says nothing about a key in another.
            for name, *arguments in case.arguments:
                for place, text in texts((name,), arguments):
                    self.texts.setdefault(place, set()).add(text)

    def admits_call(self, name: str, arguments: Sequence[Value]) -> bool:
        """Return whether a call's strings are allowed at their positions.

        Dicts with nested dicts or lists may have parts that refer to one another, so only known
        ones are allowed.
        """
        if any(key(each) not in self.records for each in arguments if _is_record(each)):
            return False
        return all(
            _admits(self.texts.get(place, ()), text)
            for place, text in texts((name,), list(arguments))
        )

    def admits(self, calls: KnownCalls) -> bool:
        """Return whether a sequence reads attributes only as known sequences do."""
        return self.looks.issuperset(self._looks(calls))

    def _looks(self, calls: KnownCalls) -> Iterator[tuple[str, str]]:
        called: list[str] = []
        for name, *_ in calls:
            if name in self.methods:
                called.append(name)
            else:
                yield from ((each, name) for each in called)


def _is_record(value: Value) -> bool:
    return type(value) is dict and any(type(each) in (dict, list) for each in value.values())


def has_digits(text: str) -> bool:
    """Return whether a text has a digit."""
    return any(character.isdigit() for character in text)


def texts(place: Place, value: Value) -> Iterator[tuple[Place, str]]:
    """Yield the strings in a value with their positions, which include the dict keys on the path.

    Items of a tuple and arguments of a call have separate positions; items of a list or set share
    one, as do all keys of a dict.
    """
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from texts((*place, "a key"), name)
            yield from texts((*place, "of", name), each)
    elif isinstance(value, (list, tuple, set, frozenset)):
        own = isinstance(value, tuple) or len(place) == 1
        for at, each in enumerate(value):
            yield from texts((*place, at if own else "an item"), each)


_MOMENTS = frozenset(("now", "time", "timestamp", "t", "at", "when", "moment", "clock"))
"""Parameters that a text is about if it names none."""


def _parameters(reference: str, methods: Collection[str]) -> dict[tuple[str, int], str]:
    """Return the parameter names of methods by (method, position)."""
    tree = definitions.parse(reference)
    return {
        (method, at): name
        for method in (methods if tree else ())
        for at, name in enumerate((tree and definitions.parameters(tree, method)) or ())
    }


def rising(prompt: str, reference: str, methods: Collection[str]) -> dict[tuple[str, int], str]:
    """Return the arguments (method, position) that never decrease from call to call according to
    the prompt, with their parameter names."""
    matches = list(re.finditer(NEVER_DOWN, prompt, re.I))
    places = _parameters(reference, methods) if matches else {}
    # The parameter is named earlier in the sentence, or else it is a time.
    before = " ".join(sentences(prompt[: match.start()])[-1] for match in matches)
    words = reversed(re.findall(r"\w+", before))
    last = next((word for word in words if word in places.values()), None)
    return {at: name for at, name in places.items() if name == last or name in _MOMENTS}


def unique(
    prompt: str, base: Sequence[Case], reference: str, methods: Collection[str]
) -> frozenset[tuple[str, int]]:
    """Return the arguments (method, position) that differ between all calls, according to the
    prompt and all known sequences."""
    names = {found[1].lower() for found in re.finditer(DIFFER, prompt, re.I)}
    places = _parameters(reference, methods) if names else {}
    return frozenset(
        place
        for place, name in places.items()
        if name in names and not any(_repeats(case.arguments, place) for case in base)
    )


def _repeats(calls: KnownCalls, place: tuple[str, int]) -> bool:
    method, at = place
    given = [key(call[1 + at]) for call in calls if call[0] == method and len(call) > 1 + at]
    return len({*given}) < len(given)


Calls = tuple[list[Value], ...]
Groups = list[tuple[set[tuple[str, int]], list[str]]]
"""Groups of arguments (method, position) that take the same strings, with these strings."""

SAID = re.compile(rf"{MAY_BE_ZERO}|{MAY_BE_EMPTY}|{WORDS['distinct']}|{MULTIPLE}", re.I)
"""Statements of a text that apply to the arguments of any method."""
MAX_TRIES = 60
MORE = 0.4
"""Probability of each further change to a sequence, after the first."""
MOST_CHANGES = 6
KNOWN_ARGUMENTS = 0.5
"""Share of inserted calls whose arguments occurred before."""
REFILL = 12
FIRST = 0.5
"""Share of mutated sequences whose parent is one of the task's own."""
BEYOND = 6
"""Calls that a sequence may have beyond the longest known one."""
SURE = 0.5
"""Share of guaranteed sequences, while there are some."""
WALKS, WALK = 24, 12
"""Number of guaranteed sequences of random calls, and the calls of each."""
WALKED = 0.3
"""Share of the other sequences that are random calls as well."""
MOST_MODELS, MOST_VALUES = 4, 5
"""Known sequences that guaranteed ones are built from, and values of one argument in these."""


@dataclass(slots=True)
class _Method:
    """A method or constructor: arguments that it was called with, and similar new ones."""

    name: str
    seen: list[tuple[Value, ...]]
    use: KnownUse
    generator: Generator | None = None
    fresh: deque[tuple[Value, ...]] = field(default_factory=deque)
    used: list[Case] = field(default_factory=list)

    def draw(self, random: Callable[[], float]) -> tuple[Value, ...]:
        """Return arguments for a call."""
        if self.generator is not None and random() >= KNOWN_ARGUMENTS:
            return self.new() or self.known(random)
        return self.known(random)

    def known(self, random: Callable[[], float]) -> tuple[Value, ...]:
        """Return arguments that occurred before."""
        return self.seen[int(random() * len(self.seen))]

    def new(self) -> tuple[Value, ...] | None:
        """Return new arguments, or None if none are left."""
        if self.generator is None:
            return None
        # Arguments are generated in small batches: those used since the last batch are fed back
        # first, so that the next ones build on them.
        if not self.fresh:
            self.generator.feedback(self.used)
            self.used.clear()
            found = (case.arguments for case in self.generator.propose(REFILL))
            self.fresh.extend(each for each in found if self.use.admits_call(self.name, each))
        return self.fresh.popleft() if self.fresh else None

    def learn(self, arguments: tuple[Value, ...], known: set[bytes]) -> None:
        """Keep the arguments of an accepted sequence."""
        identity = key((self.name, arguments))
        if self.generator is not None and identity not in known:
            known.add(identity)
            self.seen.append(arguments)
            self.used.append(Case(arguments, "mutation"))


class SequenceGenerator:
    """Proposes sequences in batches, like ``Generator`` for other cases.

    ``owner`` is the name of the class, whose call creates the object; ``methods`` are the names of
    its methods, and any other name is an attribute. ``KnownUse`` restricts new sequences. Without a
    known sequence nothing is proposed.
    """

    def __init__(
        self,
        base: Sequence[Case],
        *,
        owner: str,
        rng: random.Random,
        methods: Collection[str] = (),
        constants: Constants | None = None,
        reference: str = "",
        prompt: str = "",
        is_documented: bool = False,
    ) -> None:
        self.owner, self._random, prompt = owner, rng.random, prompt[:LONGEST]
        # Known use comes first, because methods filter their arguments by it.
        self.use = KnownUse(base, owner, methods)
        self.input_filter = InputFilter((), (), ())
        self.scales = Scales()
        self.sequences: list[Calls] = []
        self.first = 0
        self._known: set[bytes] = set()
        self._arguments: set[bytes] = set()
        self._planted: deque[Case] = deque()
        by_method = _calls_by_method(base)
        self.is_documented = is_documented and documents_signs(prompt)
        self.has_unknown = is_documented and "KeyError" in prompt
        self.usual = {
            name: _filter(
                seen, said_of(name, by_method, prompt, with_general=name != owner), constants
            )
            for name, seen in by_method.items()
        }
        named = [name for name in by_method if name != owner]
        self.rising = rising(prompt, reference, named)
        self.unique = unique(prompt, base, reference, named)
        proposed = self.usual
        if self.is_documented:
            proposed = {
                name: replace(each, domains=tuple(domain.of_any_sign() for domain in each.domains))
                for name, each in self.usual.items()
            }
        self.methods = {
            name: _Method(
                name,
                seen,
                self.use,
                Generator(
                    [Case(arguments) for arguments in seen],
                    input_filter=proposed[name],
                    rng=rng,
                    constants=constants,
                )
                if any(seen)
                else None,
            )
            for name, seen in by_method.items()
        }
        for name, method in self.methods.items():
            self._arguments.update(key((name, each)) for each in method.seen)
        self.others = [name for name in self.methods if name != owner]
        # Limit the length, because a sequence grows with every accepted insertion.
        longest = max((len(case.arguments) for case in base), default=0)
        self.longest = longest + BEYOND
        for case in base:
            self._adopt(case)
        # Sequences before this index are the task's own, and preferred as parents.
        self.first = len(self.sequences)
        begins = self.methods[owner].seen[:2] if owner in self.methods else []
        self._starts, self._texts = [[owner, *each] for each in begins], self._shared()
        # Guaranteed sequences come last, since they use everything set up above.
        self.stored = stored_parameters(reference, owner) if reference else {}
        self._sure = deque(
            Case(tuple(calls), "guaranteed", None, (f"calls.{name}",))
            for name, calls in self._guaranteed()
        )

    def _guaranteed(self) -> Iterator[tuple[str, list[Value]]]:
        """Yield sequences that every suite should have, each followed by a call of every method.

        Each call is made on a new object, twice, and left out; each method is called more often
        than in any example, and with boundary values.
        """
        # At the end every method is called once, so that the effects of earlier calls are visible.
        looks = [[name, *self.methods[name].seen[0]] for name in self.others]
        begins: list[list[Value]] = []
        if self.owner in self.methods:
            begins = [[self.owner, *each] for each in self.methods[self.owner].seen[:2]]
            begins += [each for call in begins[:1] for each in self._at_boundary(call)]
        first = [list(each) for each in self.sequences[:MOST_MODELS]]

        def repeated() -> Iterator[tuple[str, list[list[Value]]]]:
            for begun in [[each] for each in begins] or [[]]:
                for name in self.others:
                    calls = [[name, *each] for each in self.methods[name].seen]
                    yield "new", [*begun, *calls[:1]]
                    yield "many", [*begun, *islice(cycle(calls), max(1, self.longest - len(looks)))]

        def changed() -> Iterator[tuple[str, list[list[Value]]]]:
            for calls in first:
                for at in range(self._begins(calls), len(calls)):
                    for change in self._at_boundary(calls[at]):
                        yield "boundary", [*calls[:at], change, *calls[at + 1 :]]
                    for change in self._from_before(calls, at):
                        yield "same", [*calls[:at], change, *calls[at + 1 :]]
                    yield "twice", [*calls[: at + 1], *calls[at:]]
                    yield "none", [*calls[:at], *calls[at + 1 :]]

        known = [("looks", calls) for calls in first]
        turns = range(WALKS if self.others else 0)
        walks = (("walk", self._walk(number)) for number in turns)
        for name, calls in in_turn([repeated(), walks, chain(known, changed())]):
            yield name, [*calls, *looks]

    def _walk(self, number: int) -> list[list[Value]]:
        """Return random calls whose strings come from a few shared ones, so that these recur.

        It starts like an example, since a constructor with a boundary value may raise. It ends with
        calls of one-argument methods for each of these strings.
        """
        some = {name: list(map(list, self.methods[name].seen)) for name in self.others}
        # Methods without arguments reveal as much if called half as often.
        often = [name for name in self.others for _ in range(1 + any(map(len, some[name])))]
        names = [often[int(self._random() * len(often))] for _ in range(WALK)]
        calls = [[name, *some[name][int(self._random() * len(some[name]))]] for name in names]
        # Positions that share a string take the same strings: use three of them here.
        few = {
            place: things
            for places, texts in self._texts
            for things in [self._few(texts)]
            for place in sorted(places)
        }
        for call in calls:
            for at, value in enumerate(call[1:]):
                things = few.get((call[0], at))
                if type(value) is str and things:
                    call[at + 1] = things[int(self._random() * len(things))]
        for (name, at), things in few.items():
            if at == 0 and {*map(len, some[name])} == {1}:
                calls += [[name, each] for each in things]
        return [*self._starts[number % max(1, len(self._starts)) :][:1], *calls]

    def _few(self, values: Sequence[Value]) -> list[Value]:
        begin = int(self._random() * len(values))
        return [values[(begin + step) % len(values)] for step in range(min(3, len(values)))]

    def _shared(self) -> Groups:
        """Return groups of arguments, with the strings seen at any of their positions."""
        groups: list[tuple[set[tuple[str, int]], dict[str, None]]] = []
        for name in self.others:
            for at in range(max(map(len, self.methods[name].seen))):
                rows = [each for each in self.methods[name].seen if len(each) > at]
                own = dict.fromkeys(each[at] for each in rows if type(each[at]) is str)
                places, texts = {(name, at)}, own
                for other in [each for each in groups if own.keys() & each[1].keys()]:
                    groups.remove(other)
                    places, texts = places | other[0], {**other[1], **texts}
                groups.append((places, texts))
        return [(places, list(texts)) for places, texts in groups if texts]

    def _at_boundary(self, call: list[Value]) -> Iterator[list[Value]]:
        """Yield the call with one argument at a boundary, or falsy if it is only stored."""
        name, *arguments = call
        method = self.methods.get(name)
        if method is None or method.generator is None:
            return
        for at, slot in enumerate(method.generator.slots[: len(arguments)]):
            # If unknown names raise a documented KeyError, try one similar to a known name.
            if self.has_unknown and type(arguments[at]) is str and name != self.owner:
                yield [name, *arguments[:at], f"{arguments[at]}s", *arguments[at + 1 :]]
            values = boundary_values(slot)[:MOST_VALUES]
            # If an argument is only stored, also try the falsy value of its type, which breaks
            # programs that test ``if value`` instead of ``is None``.
            if at in self.stored.get(name, ()) and type(arguments[at]) in (int, float, str):
                values = [type(arguments[at])(), *values]
            if self.is_documented and type(arguments[at]) in (int, float):
                values = [type(arguments[at])(each) for each in (0, -1)] + values
            for value in values:
                changed = [*arguments[:at], value, *arguments[at + 1 :]]
                # Falsy values are allowed even if unknown.
                is_falsy = type(value) in (int, float, str) and not value
                if is_falsy or method.use.admits_call(name, changed):
                    yield [name, *changed]

    def _from_before(self, calls: Sequence[list[Value]], at: int) -> Iterator[list[Value]]:
        """Yield a call with an argument of an earlier call, or with the sum of earlier ones, such
        as a withdrawal of everything that was deposited."""
        name, *arguments = calls[at]
        for place, argument in enumerate(arguments):
            rows = [each[1:] for each in calls[:at]]
            values = [one for row in rows for one in row if type(one) is type(argument)]
            if type(argument) in (int, float) and values:
                values.append(sum(values))
            for value in values[-MOST_VALUES:]:
                yield [name, *arguments[:place], value, *arguments[place + 1 :]]

    def propose(self, count: int) -> list[Case]:
        """Return up to ``count`` new sequences; none if there are no more."""
        batch: list[Case] = []
        while self._planted and len(batch) < count:
            self._offer(self._planted.popleft(), batch)
        left = MAX_TRIES
        while self.others and len(batch) < count and left:
            is_sure = bool(self._sure) and self._random() < SURE
            if is_sure:
                case = self._sure.popleft()
            elif self._random() < WALKED:
                calls = self._walk(int(self._random() * MOST_MODELS))
                case = Case(tuple(calls), "mutation", None, ("calls.walk",))
            else:
                case = self._changed()
            left = MAX_TRIES if self._offer(case, batch) else left - 1
        return batch

    def plant(self, cases: Iterable[Case]) -> None:
        """Propose these cases next, unchanged."""
        self._planted.extend(cases)

    def ladder(self, base: Sequence[Case]) -> list[Rung]:
        """Return no rungs: large sequences are not generated."""
        return []

    def feedback(
        self, accepted: Sequence[Case], *, slow: Sequence[Case] = (), apart: Sequence[Case] = ()
    ) -> None:
        """Add the accepted cases as parents of new ones; ignore the others."""
        for case in accepted:
            self._adopt(case)
            for name, *arguments in case.arguments:
                if name in self.methods:
                    self.methods[name].learn(tuple(arguments), self._arguments)

    def unusual(self, case: Case) -> list[int]:
        """Return the positions of calls whose arguments are outside their usual domains."""

        def is_usual(name: str, arguments: Sequence[Value]) -> bool:
            domains = self.usual[name].domains if name in self.usual else ()
            return all(
                at in self.stored.get(name, ()) or domain.explain(value) is None
                for at, (domain, value) in enumerate(zip(domains, arguments, strict=False))
            )

        places = enumerate(case.arguments)
        return [at for at, (name, *arguments) in places if not is_usual(name, arguments)]

    def doubt(self, case: Case) -> str | None:
        """Return why a sequence is doubtful, or None."""
        is_odd = self.is_documented and self.unusual(case)
        return "a call with a number of a sign that no example has" if is_odd else None

    def _adopt(self, case: Case) -> None:
        self._known.add(key(case.arguments))
        self.sequences.append(case.arguments)

    def _in_order(self, calls: Sequence[list[Value]]) -> Calls:
        """Return the calls, with the values of arguments that never decrease sorted."""
        changed = list(map(list, calls))
        for name in {*self.rising.values()}:
            places = [
                (n, at + 1)
                for n, (method, *arguments) in enumerate(calls)
                for at in range(len(arguments))
                if self.rising.get((method, at)) == name
            ]
            values = [changed[n][at] for n, at in places]
            if {*map(type, values)} in ({int}, {float}, {str}, {int, float}):
                for (n, at), value in zip(places, sorted(values), strict=True):
                    changed[n][at] = value
        return tuple(changed)

    def _offer(self, case: Case, batch: list[Case]) -> bool:
        if self.rising:
            case = replace(case, arguments=self._in_order(case.arguments))
        identity = key(case.arguments)
        # A constructor alone returns nothing to compare.
        calls = [name for name, *_ in case.arguments if name != self.owner]
        if identity in self._known or not calls or not self.use.admits(case.arguments):
            return False
        if any(_repeats(case.arguments, place) for place in self.unique):
            return False
        self._known.add(identity)
        batch.append(case)
        return True

    def _changed(self) -> Case:
        random = self._random
        size = self.first if self.first and random() < FIRST else len(self.sequences)
        parent = int(random() * size)
        calls, names = list(self.sequences[parent]), list[str]()
        for change in range(MOST_CHANGES):
            if change and random() > MORE:
                break
            name = CHANGES[int(random() * len(CHANGES))]
            # A change that does nothing is not recorded; the sequence may then be a known one, and
            # is rejected.
            if getattr(self, f"_{name}")(calls):
                names.append(f"calls.{name}")
        return Case(tuple(calls), "mutation", parent, tuple(names))

    def _begins(self, calls: Sequence[list[Value]]) -> int:
        """Return the index of the first call after the constructor's."""
        # The constructor's call always stays first.
        return int(bool(calls) and calls[0][0] == self.owner)

    def _place(self, calls: Sequence[list[Value]], more: int = 0) -> int | None:
        begin = self._begins(calls)
        count = len(calls) - begin + more
        return begin + int(self._random() * count) if count > 0 else None

    def _insert(self, calls: list[list[Value]]) -> bool:
        place = self._place(calls, 1)
        if place is None or len(calls) >= self.longest:
            return False
        method = self.methods[self.others[int(self._random() * len(self.others))]]
        calls.insert(place, [method.name, *method.draw(self._random)])
        return True

    def _change(self, calls: list[list[Value]]) -> bool:
        if not calls:
            return False
        place = int(self._random() * len(calls))  # the constructor's arguments, too
        method = self.methods.get(calls[place][0])
        arguments = method and (method.new() or method.known(self._random))
        if not method or not arguments:
            return False
        calls[place] = [method.name, *arguments]
        return True

    def _delete(self, calls: list[list[Value]]) -> bool:
        place = self._place(calls)
        if place is None:
            return False
        del calls[place]
        return True

    def _swap(self, calls: list[list[Value]]) -> bool:
        first, second = self._place(calls), self._place(calls)
        if first is None or second is None or first == second:
            return False
        calls[first], calls[second] = calls[second], calls[first]
        return True

    def _repeat(self, calls: list[list[Value]]) -> bool:
        place = self._place(calls)
        if place is None or len(calls) >= self.longest:
            return False
        calls.insert(place, calls[place])
        return True

    def _join(self, calls: list[list[Value]]) -> bool:
        """Append the calls of another sequence."""
        other = self.sequences[int(self._random() * len(self.sequences))]
        more = other[self._begins(other) :]
        if not more or len(calls) + len(more) > self.longest:
            return False
        calls.extend(more)
        return True


# Changes by weight.
CHANGES = (
    *["insert"] * 6, *["change"] * 7, *["delete"] * 2, *["swap"] * 2, "repeat",
    *["join"] * 2,
)  # fmt: skip


def _calls_by_method(base: Sequence[Case]) -> dict[str, list[tuple[Value, ...]]]:
    found: dict[str, dict[bytes, tuple[Value, ...]]] = {}
    for case in base:
        for name, *arguments in case.arguments:
            found.setdefault(name, {})[key(tuple(arguments))] = tuple(arguments)
    return {name: list(found[name].values()) for name in sorted(found)}


def _filter(
    seen: Sequence[tuple[Value, ...]], prompt: str, constants: Constants | None
) -> InputFilter:
    """Return the filter for a method's arguments, which may be 0 or empty if the text says so."""
    # As text only phrases about any method's arguments are used.
    known = constants.strings if constants is not None else ()
    # Methods have no contracts, so their arguments stay close to known ones.
    return InputFilter.infer(
        seen, known=known, text=" ".join(match[0] for match in SAID.finditer(undenied(prompt)))
    )


Proposer: TypeAlias = Generator | AdaptedGenerator | SequenceGenerator
"""A generator that proposes cases in batches and learns which were valid."""
