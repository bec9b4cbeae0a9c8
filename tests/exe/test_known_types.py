"""Types beyond the paper's, and what tells them where annotations are missing."""

from __future__ import annotations

from typing import Any

from evalplus_lite.exe.selecting.signatures import Signature


def told(signature: Signature) -> list[tuple[str, str, str]]:
    """Return a signature's parameters as (name, type, origin)."""
    return [(p.name, str(p.type), p.origin) for p in signature.parameters]


def test_names_that_stand_for_types_are_followed(toys: Any) -> None:
    """TypeVar, NewType and TypeGuard are what they stand for."""
    body = """
        from typing import AnyStr, NewType, TypeGuard, TypeVar
        import typing as t
        T = TypeVar("T")
        N = t.TypeVar("N", int, float)
        B = TypeVar("B", bound=str)
        Id = NewType("Id", int)
        def any_of(x: T, y: list[T]) -> T: return x
        def number(x: N) -> N: return x + 1
        def bound(x: B, other: AnyStr) -> B: return x
        def named(x: Id) -> Id: return x
        def is_text(x: object) -> TypeGuard[str]: return isinstance(x, str)
        """
    functions, rejects = toys.mined({"toy.py": body})
    assert not rejects
    types = {
        name[4:]: [str(p.type) for p in f.signature.parameters] for name, f in functions.items()
    }
    assert types == {
        "any_of": ["Any", "list[Any]"],
        "number": ["int | float"],
        "bound": ["str", "str"],
        "named": ["int"],
        "is_text": ["object"],
    }
    assert str(functions["toy.is_text"].signature.result) == "bool"


def test_what_a_call_may_leave_out_is_left_out_where_its_type_is_unknown(toys: Any) -> None:
    """Those after it are given by name; what must be given by place cannot be."""
    body = """
        from collections.abc import Callable
        def f(x: int, key: Callable | None = None, y: int = 2, *rest: Callable) -> int:
            return x * y
        def g(x: int, key: Callable | None = None, y: int = 2, /) -> int: return x * y
        def h(key: Callable, x: int) -> int: return x
        """
    functions, rejects = toys.mined({"toy.py": body})
    passed = [(p.name, p.kind) for p in functions["toy.f"].signature.parameters]
    assert passed == [("x", "positional"), ("y", "keyword")]
    assert [p.name for p in functions["toy.g"].signature.parameters] == ["x"]
    assert rejects == {"toy.h": "type collections.abc.Callable"}


def test_defaults_and_documentation_tell_types(toys: Any) -> None:
    """Each with its origin; of what nothing tells only the values of known calls are given."""
    body = '''
        def documented(a, b, c):
            """Do it.

            :param str a: text
            :type b: list of int
            Args:
                c (float): a number
            """
            return a, b, c
        def shown(pair, sep=","):
            """
            >>> shown(("a", 1))
            'a,1'
            """
            return sep.join(map(str, pair))
        def partly(text: str, other) -> str:
            return text * (other - 1)
        def silent(n):
            n - 1
        '''
    functions, rejects = toys.mined({"toy.py": body})
    found = {name[4:]: told(f.signature) for name, f in functions.items()}
    assert found == {
        "documented": [
            ("a", "str", "docstring"), ("b", "list[int]", "docstring"), ("c", "float", "docstring"),
        ],
        "shown": [("pair", "tuple[str, int]", "example"), ("sep", "str", "default")],
        "partly": [("text", "str", "annotation"), ("other", "Any", "none")],
    }  # fmt: skip
    assert rejects == {"toy.silent": "returns None"}
    signature = functions["toy.shown"].signature
    assert Signature.from_json(signature.to_json()) == signature


METHODS = """
    import dataclasses
    import functools
    from collections.abc import Callable
    from typing import NamedTuple
    class Scale:
        BASE = 10
        def __init__(self, unit: str, *, factor: int = 2, hook: Callable | None = None) -> None:
            self.unit, self.factor = unit, factor
        def shown(self, n: int, unit: str = "m") -> str:
            return f"{n * self.factor}{self.unit}{unit}"
        @property
        def name(self) -> str: return self.unit * self.factor
        @staticmethod
        def doubled(n: int) -> int: return 2 * n
        @classmethod
        def based(cls, n: int) -> int: return n + cls.BASE
        def away(self, hook: Callable) -> int: return 1
        @functools.lru_cache
        def cached(self, n: int) -> int: return n
    @dataclasses.dataclass(frozen=True)
    class Point:
        x: int
        y: int = 1
        def moved(self, by: int) -> tuple[int, int]: return self.x + by, self.y
    class Pair(NamedTuple):
        left: str
        right: str
        def joined(self) -> str: return self.left + self.right
    class Other(Scale):
        def more(self, n: int) -> int: return n
    class Far(dict):
        def more(self, n: int) -> int: return n
    """


def test_methods_are_called_by_an_entry_point_of_plain_values(toys: Any) -> None:
    """Objects are made from what the class says; what cannot be made or called is refused."""
    functions, rejects = toys.mined({"toy.py": METHODS})
    names = {name[4:]: [p.name for p in f.signature.parameters] for name, f in functions.items()}
    assert names == {
        "Scale_shown": ["unit", "n", "factor", "unit_given"],
        "Scale_name": ["unit", "factor"],
        "Scale_doubled": ["n"],
        "Scale_based": ["n"],
        "Point_moved": ["x", "by", "y"],
        "Pair_joined": ["left", "right"],
        "Other_more": ["unit", "n", "factor"],
    }
    assert toys.run(functions["toy.Scale_shown"], "k", 3, 4, "m") == "12km"
    assert toys.run(functions["toy.Scale_name"], "k") == "kk"
    assert toys.run(functions["toy.Scale_based"], 1) == 11
    assert toys.run(functions["toy.Pair_joined"], "a", "b") == "ab"
    assert rejects == {
        "toy.Scale.away": "type collections.abc.Callable",
        "toy.Scale.cached": "decorated method",
        "toy.Far.more": "class",
    }
