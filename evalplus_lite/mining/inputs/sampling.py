"""Inputs without a language model: drawn by type, from the code's own constants, and mutated."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence

from evalplus_lite.mining.inputs.value_pool import Material, hints
from evalplus_lite.mining.running.runs import Call
from evalplus_lite.mining.selecting.annotations import Type
from evalplus_lite.mining.selecting.candidates import Parameter, Signature
from evalplus_lite.types import Value

_INTEGERS = (0, 1, -1, 2, 3, 5, 7, 10, 11, 13, 16, 37, 64, 97, 100, 101, 255, 256, 999, 1000, 1024)
_LARGE = (10**6, 2**31 - 1, -(2**31), 10**9 + 7, 2**63 - 1, 10**18)
_FLOATS = (0.0, 1.0, -1.0, 0.5, -0.25, 1.5, 2.0, 3.14159, 10.0, 99.99, 1e-9, 1e6, 123456.789, 1e16)
_WORDS = (
    "a", "abc", "hello", "Hello World", "foo_bar", "x1", "test", "The cat sat", "one two three",
    "A", "ABC", "123", "-5", "3.14", "true", "None", "key=value", "a,b,c", "a b", "a-b-c", "x.y.z",
    "(a)", "[1, 2]", "{k: v}", "a/b", "100%", "#tag", "$5", "a@b.c", "line1\nline2", "\tindent",
    "  spaces  ", "ä", "Straße", "naïve", "日本", "привет", "🙂", "é", "x" * 30, "ab" * 20,
)  # fmt: skip
_LETTERS = string.ascii_letters + string.digits + "     .,:;-_/'\"()[]{}<>=+*&%$#@!?\\|~^`\n\t"


class Maker:
    """Makes calls of one function; the same seed makes the same calls."""

    def __init__(self, signature: Signature, material: Material, rng: random.Random) -> None:
        self.signature, self.material, self.rng = signature, material, rng
        self.positional = [p for p in signature.parameters if p.kind == "positional"]
        self.keyword = [p for p in signature.parameters if p.kind == "keyword"]
        self.varargs = next((p for p in signature.parameters if p.kind == "varargs"), None)
        self.varkw = next((p for p in signature.parameters if p.kind == "varkw"), None)

    def fresh(self) -> Call:
        """Draw a call; optional parameters are given more often than not."""
        required = sum(p.is_required for p in self.positional)
        spare = len(self.positional) - required
        count = required + (spare if self.rng.random() < 0.5 else self.rng.randint(0, spare))
        args = [self.value(p.type, p.name) for p in self.positional[:count]]
        if self.varargs is not None and count == len(self.positional):
            more = self.rng.choice((1, 1, 2, 3, 0))
            args += [self.value(self.varargs.type, self.varargs.name) for _ in range(more)]
        kwargs = {
            p.name: self.value(p.type, p.name)
            for p in self.keyword
            if p.is_required or self.rng.random() < 0.6
        }
        if self.varkw is not None:
            for name in self.rng.sample(("a", "b", "key", "name"), self.rng.randint(0, 2)):
                kwargs[name] = self.value(self.varkw.type, name)
        return Call(tuple(args), kwargs)

    def mutated(self, call: Call, others: Sequence[Call] = ()) -> Call:
        """Return a call that differs in one argument or a few; ``others`` lend theirs."""
        args, kwargs = list(call.args), dict(call.kwargs)
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            places: list[int | str] = [*range(len(args)), *kwargs]
            if not places:
                return self.fresh()
            place = self.rng.choice(places)
            parameter = self._parameter(place)
            if parameter is None:
                continue
            lender = self.rng.choice(others) if others and self.rng.random() < 0.15 else None
            if isinstance(place, int):
                if lender is not None and place < len(lender.args):
                    args[place] = lender.args[place]
                else:
                    args[place] = self.changed(args[place], parameter.type, parameter.name)
            else:
                kwargs[place] = self.changed(kwargs[place], parameter.type, parameter.name)
        if len(args) < len(self.positional) and self.rng.random() < 0.2:
            missing = self.positional[len(args)]
            args.append(self.value(missing.type, missing.name))
        return Call(tuple(args), kwargs)

    def _parameter(self, place: int | str) -> Parameter | None:
        if isinstance(place, int):
            return self.positional[place] if place < len(self.positional) else self.varargs
        return next((p for p in self.signature.parameters if p.name == place), self.varkw)

    # Values by type

    def value(self, kind: Type, name: str = "", depth: int = 0) -> Value:
        """Draw a value of a type."""
        rng = self.rng
        match kind.kind:
            case "none":
                return None
            case "literal":
                return rng.choice(kind.values)
            case "union":
                solid = [a for a in kind.arguments if a.kind != "none"]
                chosen = rng.choice(kind.arguments if rng.random() < 0.35 else solid or [kind])
                return None if chosen is kind else self.value(chosen, name, depth)
            case "bool":
                return rng.random() < 0.5
            case "int":
                return self._integer(name)
            case "float":
                return self._float(name)
            case "str":
                return self.text(name)
            case "bytes":
                return self.text(name).encode()[:40]
            case "date":
                return self._date()
            case "datetime":
                return f"{self._date()}T{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:00"
            case "any" | "object":
                kinds = ("int", "str", "float", "bool", "none", "str")
                return self.value(Type(rng.choice(kinds)), name, depth)
            case _:
                return self._container(kind, name, depth)

    def _container(self, kind: Type, name: str, depth: int) -> Value:
        rng = self.rng
        item = kind.arguments[0] if kind.arguments else Type(rng.choice(("int", "str")))
        size = rng.choice((0, 1, 2, 2, 3, 3, 4, 5, 8) if depth < 2 else (0, 1, 2))
        inner = name.rstrip("s")
        if kind.kind in ("dict", "mapping"):
            key, held = (*kind.arguments, Type("str"), Type("str"))[:2]
            if not kind.arguments:
                held = Type(rng.choice(("int", "str", "bool")))
            return {
                _hashable(self.value(key, "key", depth + 1)): self.value(held, inner, depth + 1)
                for _ in range(size)
            }
        if kind.kind == "tuple" and kind.arguments and not kind.variadic:
            return tuple(self.value(a, inner, depth + 1) for a in kind.arguments)
        values = [self.value(item, inner, depth + 1) for _ in range(size)]
        if size > 1 and rng.random() < 0.25:
            values[rng.randrange(size)] = values[0]
        if kind.kind == "set":
            return {_hashable(v) for v in values}
        if kind.kind == "frozenset":
            return frozenset(_hashable(v) for v in values)
        if kind.kind == "tuple":
            return tuple(values)
        if rng.random() < 0.15:
            values = _ordered(values)
        return values

    def _date(self) -> str:
        year = self.rng.choice((1, 1970, 1999, 2000, 2024))
        return f"{year:04d}-{self.rng.randint(1, 12):02d}-{self.rng.randint(1, 28):02d}"

    def _integer(self, name: str) -> int:
        rng = self.rng
        pick = rng.random()
        if pick < 0.3 and (known := [v for v in hints(name, "number") if type(v) is int]):
            return int(rng.choice(known))
        if pick < 0.5 and self.material.integers:
            return rng.choice(self.material.integers)
        if pick < 0.75:
            return rng.choice(_INTEGERS)
        if pick < 0.93:
            return rng.randint(-20, 120)
        return rng.choice((*_LARGE, rng.randint(-(10**6), 10**6)))

    def _float(self, name: str) -> float:
        rng = self.rng
        pick = rng.random()
        if pick < 0.25 and (known := hints(name, "number")):
            return float(rng.choice(known))
        if pick < 0.4 and self.material.floats:
            return float(rng.choice(self.material.floats))
        if pick < 0.5 and self.material.integers:
            return float(rng.choice(self.material.integers))
        if pick < 0.75:
            if rng.random() < 0.1:
                return float(rng.choice(("inf", "-inf", "nan", "-0.0")))
            return rng.choice(_FLOATS)
        scale = 10.0 ** rng.randint(-3, 6)
        return round(rng.uniform(-1000, 1000) * scale, rng.randint(0, 6))

    def text(self, name: str = "") -> str:
        """Draw a string: what the name suggests, what the code holds, words, or any letters."""
        rng = self.rng
        pick = rng.random()
        known = hints(name, "text")
        if pick < 0.28 and known:
            return str(rng.choice(known))
        if pick < 0.45 and self.material.strings:
            return rng.choice(self.material.strings)
        if pick < 0.65 and self.material.pieces:
            count = rng.choice((1, 2, 3, 4, 6))
            pool = self.material.pieces
            sources = [rng.choice(pool if rng.random() < 0.6 else _WORDS) for _ in range(count)]
            return rng.choice(("", " ", "", "-", "\n", ".")).join(sources)
        if pick < 0.85:
            return rng.choice(_WORDS)
        if pick < 0.88:
            return ""
        return "".join(rng.choice(_LETTERS) for _ in range(rng.choice((1, 1, 2, 3, 5, 8, 16, 40))))

    # Changes by type

    def changed(self, value: Value, kind: Type, name: str) -> Value:
        """Return a value of the type that is near another one, or a fresh one."""
        rng = self.rng
        if rng.random() < 0.25:
            return self.value(kind, name)
        if kind.kind == "union":
            fits = [a for a in kind.arguments if _fits(value, a)]
            return self.changed(value, fits[0], name) if fits else self.value(kind, name)
        if type(value) is bool:
            return not value
        if type(value) is int and kind.kind == "int":
            return rng.choice((value + 1, value - 1, -value, value * 2, value // 2, value * 10 + 7))
        if type(value) is float and abs(value) < 1e300:
            return rng.choice((value + 1, -value, value * 10, value / 3, float(round(value))))
        if type(value) is str and kind.kind == "str":
            return self._retext(value, name)
        if type(value) in (list, tuple) and kind.kind != "union":
            return self._relist(value, kind, name)
        if type(value) is dict and len(kind.arguments) == 2 and value:
            key = rng.choice(list(value))
            rest = {k: v for k, v in value.items() if k != key or rng.random() < 0.5}
            return {**rest, key: self.changed(value[key], kind.arguments[1], name)}
        return self.value(kind, name)

    def _retext(self, text: str, name: str) -> str:
        rng = self.rng
        at = rng.randint(0, len(text))
        until = min(len(text), at + rng.choice((1, 1, 2, 4)))
        extra = rng.choice(self.material.pieces) if self.material.pieces else ","
        match rng.randrange(10):
            case 0:
                return text[:at] + text[until:]
            case 1 | 2:
                return text[:at] + extra + text[at:]
            case 3:
                return text[:at] + rng.choice(_LETTERS) + text[until:]
            case 4:
                return text + text[at:until] if rng.random() < 0.7 else (text * 2)[:400]
            case 5:
                return rng.choice((text.upper(), text.lower(), text.title(), text[::-1]))
            case 6:
                return text[:at] + self.text(name) + text[at:]
            case 7:
                return rng.choice(("  ", "\n", "\t", '"', "(")) + text
            case 8:
                parts = text.split(" ")
                rng.shuffle(parts)
                return " ".join(parts)
            case _:
                return text[:at] + extra + text[until:]

    def _relist(self, value: Sequence[Value], kind: Type, name: str) -> Value:
        rng = self.rng
        items = list(value)
        fixed = kind.kind == "tuple" and not kind.variadic and len(kind.arguments) == len(items)
        item = kind.arguments[0] if kind.arguments else Type("str")
        inner = name.rstrip("s")
        if items and (fixed or rng.random() < 0.4):
            at = rng.randrange(len(items))
            items[at] = self.changed(items[at], kind.arguments[at] if fixed else item, inner)
        elif items and rng.random() < 0.3:
            del items[rng.randrange(len(items))]
        elif items and rng.random() < 0.3:
            rng.shuffle(items)
        else:
            more = self.value(item, inner, 1) if rng.random() < 0.7 or not items else items[0]
            items.insert(rng.randint(0, len(items)), more)
        return tuple(items) if type(value) is tuple else items


def _fits(value: Value, kind: Type) -> bool:
    names = {
        "NoneType": "none",
        "list": "list sequence iterable collection",
        "dict": "dict mapping",
    }
    own = names.get(type(value).__name__, type(value).__name__)
    return kind.kind in own.split() or (kind.kind == "literal" and value in kind.values)


def _hashable(value: Value) -> Value:
    if type(value) is list:
        return tuple(_hashable(v) for v in value)
    if type(value) is set:
        return frozenset(value)
    return repr(value) if type(value) is dict else value


def _ordered(values: list[Value]) -> list[Value]:
    try:
        return sorted(values)
    except TypeError:
        return values
