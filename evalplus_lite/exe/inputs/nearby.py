"""Calls near known ones: one or two small changes, as a person makes who varies a test."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evalplus_lite.exe.inputs.call_space import OMITTED, Arguments
from evalplus_lite.generate.domains.domain import Domain
from evalplus_lite.types import Value

_TOKEN = re.compile(r"\d+|[^\W\d_]+|\s+|[\W_]")
_CROSSED, _SECOND, _GROWN = 0.25, 0.35, 0.3
"""How often a value of another call is taken, a second change made, a text or list made longer."""
LONGEST = 1500
"""Characters or items beyond which nothing is made longer."""
_TRIES = 6


@dataclass(slots=True)
class Nearby:
    """Changes calls; ``domains`` say what each parameter may be."""

    domains: Sequence[Domain]
    random: Callable[[], float]

    def call(self, arguments: Arguments, others: Sequence[Arguments]) -> Arguments:
        """Return a call near another, with values of further ones here and there."""
        for _ in range(1 + (self.random() < _SECOND)):
            at = self._below(len(arguments))
            value = self._changed(at, arguments[at], [each[at] for each in others])
            arguments = (*arguments[:at], value, *arguments[at + 1 :])
        return arguments

    def _changed(self, at: int, value: Value, others: Sequence[Value]) -> Value:
        domain = self.domains[at]
        for _ in range(_TRIES):
            if domain.choices and (self.random() < 0.5 or value is OMITTED):
                new = self._pick(domain.choices)
            elif value is OMITTED or value is None or self.random() < _CROSSED:
                new = self._pick(others)
            else:
                new = self.near(value, others)
            is_new = type(new) is not type(value) or new != value
            if is_new and domain.explain(new) is None:
                return new
        return value

    def near(self, value: Value, others: Sequence[Value]) -> Value:
        """Return a value of the same type with a small change."""
        match value:
            case bool():
                return not value
            case int() | float():
                return self._number(value)
            case str():
                return self._text(value, [each for each in others if isinstance(each, str)])
            case bytes():
                texts = [each.decode("latin-1") for each in others if isinstance(each, bytes)]
                changed = self._text(value.decode("latin-1"), texts)
                return changed.encode("latin-1", "replace")
            case list():
                return self._items(value, [each for each in others if type(each) is list])
            case tuple() | set() | frozenset():
                if not value:
                    return value
                items = sorted(value, key=repr) if not isinstance(value, tuple) else [*value]
                spot = self._below(len(items))
                items[spot] = self.near(items[spot], items)
                return type(value)(items)
            case dict():
                return self._mapping(value, [each for each in others if isinstance(each, dict)])
        return value

    def _number(self, value: float) -> float:
        way = self._below(6)
        if isinstance(value, int):
            width = len(str(abs(value)))
            ways = (value + 1, value - 1, value + self._below(2 * abs(value) + 3),
                    value * (2 + self._below(3)), self._below(10**width), -value)  # fmt: skip
            return ways[way]
        step = 10.0 ** -self._below(3)
        scaled = (value + step, value - step, value * 2, value / 10, round(value), -value)
        return round(float(scaled[way]), 6) if abs(scaled[way]) < 1e15 else value

    def _text(self, value: str, others: Sequence[str]) -> str:
        if not value:
            return self._pick(others) if others else value
        tokens = _TOKEN.findall(value)
        at = self._below(len(tokens))
        pool = [t for each in others[:30] for t in _TOKEN.findall(each[:200]) if t != tokens[at]]
        if self.random() < _GROWN and len(value) < LONGEST:
            other = self._pick(others) if others else value
            blanks = [token for token in tokens if not token.isalnum()]
            return f"{value}{self._pick(blanks or [' '])}{other}"
        way = self._below(6)
        if way == 0:
            tokens[at] = ""
        elif way == 1:
            tokens[at] *= 2
        elif way == 2:
            same = [token for token in pool if _class(token) == _class(tokens[at])]
            tokens[at] = self._pick(same or pool or [tokens[at].swapcase()])
        elif way == 3:
            other = self._below(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif way == 4:
            tokens[at] = self._token(tokens[at])
        else:
            cut = self._below(len(tokens))
            tokens = tokens[cut:] if self.random() < 0.5 else tokens[: cut + 1]
        return "".join(tokens)

    def _token(self, token: str) -> str:
        """Return a token with another digit, letter case, or a letter less or twice."""
        spot = self._below(len(token))
        if token.isdecimal():
            return token[:spot] + str(self._below(10)) + token[spot + 1 :]
        ways = (token.swapcase(), token.capitalize(), token[:spot] + token[spot + 1 :],
                token[:spot] + token[spot] + token[spot:])  # fmt: skip
        return ways[self._below(4)]

    def _items(self, value: list[Value], others: Sequence[list[Value]]) -> list[Value]:
        pool = [item for each in others for item in each[:50]] or value
        if not pool:
            return value
        if self.random() < _GROWN and len(value) < LONGEST:
            return [*value, *(self._pick(others) if others else value)]
        at = self._below(len(value) or 1)
        way = self._below(5)
        if way == 0 or not value:
            return [*value[:at], self._pick(pool), *value[at:]]
        if way == 1:
            return value[:at] + value[at + 1 :]
        if way == 2:
            return [*value[:at], self.near(value[at], pool), *value[at + 1 :]]
        if way == 3:
            return [*value[at:], *value[:at]]
        return [*value[: at + 1], value[at], *value[at + 1 :]]

    def _mapping(self, value: dict[Value, Value], others: Sequence[dict[Value, Value]]) -> Value:
        more = [pair for each in others for pair in each.items()]
        if not value or (more and self.random() < 0.4):
            return {**value, **dict([self._pick(more)])} if more else value
        key = self._pick(list(value))
        if len(value) > 1 and self.random() < 0.3:
            return {name: each for name, each in value.items() if name != key}
        return {**value, key: self.near(value[key], list(value.values()))}

    def _below(self, count: int) -> int:
        return int(self.random() * count)

    def _pick(self, options: Sequence[Value]) -> Value:
        return options[self._below(len(options))]


def _class(token: str) -> str:
    return "digits" if token.isdecimal() else "word" if token.isalpha() else "sign"
