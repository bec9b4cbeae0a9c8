"""From package text to programs of their own."""

from __future__ import annotations

from typing import Any

import pytest

from evalplus_lite.exe.inlining import ClosureBuilder, inline
from evalplus_lite.exe.reading.index import Definition, PackageIndex, Resolver
from evalplus_lite.exe.sources import open_package


def test_closure_crosses_files_aliases_and_reexports(toys: Any) -> None:
    """Relative imports, aliases, re-exports and stars end in one program that computes the same."""
    functions, _ = toys.mined(
        {
            "toy/__init__.py": "from .deep import *\nfrom .deep.core import half as halve\n",
            "toy/deep/__init__.py": "from .core import double, _hidden\n__all__ = ['double']\n",
            "toy/deep/core.py": """
                import re as regex
                FACTOR = 2
                TABLE = {}
                TABLE["x"] = 1
                TABLE.update(y=2)
                def double(n):
                    return n * FACTOR
                def half(n):
                    return n // FACTOR
                def _hidden(text):
                    return len(regex.findall("a", text)) + sum(TABLE.values())
                """,
            "toy/use.py": """
                from toy import double as twice, halve
                from .deep import _hidden
                from . import deep
                from toy.deep import core as lib
                def answer(n: int, text: str = "a") -> int:
                    return twice(n) + halve(n) + _hidden(text) + lib.FACTOR + deep.core.FACTOR
                """,
        }
    )
    function = functions["toy.use.answer"]
    assert toys.run(function, 10, "banana") == 20 + 5 + 3 + 3 + 2 + 2
    assert "twice = double" in function.code
    assert "SimpleNamespace" in function.code
    assert "# toy.deep.core" in function.code


def test_tables_filled_by_calls_while_loading_come_along(toys: Any) -> None:
    """``_register("a", 1)`` at the top of a module belongs to the table that it fills."""
    body = """
        NAMES = {}
        RULES = []
        UNUSED = []
        def _register(name, value):
            local = []
            local.append(name)
            NAMES[name] = value
            RULES.insert(0, (name, value))
        _register("a", 1)
        _register("b", 2)
        def total(text: str) -> int:
            return sum(NAMES.get(letter, 0) for letter in text) + len(RULES)
        """
    functions, _ = toys.mined({"toy.py": body})
    assert toys.run(functions["toy.total"], "abb") == 7
    assert "UNUSED" not in functions["toy.total"].code


def test_state_that_a_kept_function_changes_is_refused(toys: Any) -> None:
    """A function handed over while loading may run at any call, so what it writes is state."""
    body = """
        HOOKS = []
        COUNT = {}
        def _add(function):
            HOOKS.append(function)
        def _seen(text):
            COUNT[text] = COUNT.get(text, 0) + 1
            return COUNT[text]
        _add(_seen)
        def look(text: str) -> int:
            return HOOKS[0](text)
        """
    _, rejects = toys.mined({"toy.py": body})
    assert rejects["toy.look"] == "module state"
    assert (rejects["toy._add"], rejects["toy._seen"]) == ("returns None", "module state")


def test_lazy_names_and_own_submodules_are_found(toys: Any) -> None:
    """What ``__getattr__`` loads stands under TYPE_CHECKING; packages import from themselves."""
    files = {
        "toy/__init__.py": """
            from typing import TYPE_CHECKING
            from toy import config
            if TYPE_CHECKING:
                from toy.deep import twice
            def __getattr__(name):
                import importlib
                return getattr(importlib.import_module("toy.deep"), name)
            """,
        "toy/deep.py": "def twice(n):\n    return 2 * n\n",
        "toy/config.py": "STEP = 3\n",
        "toy/use.py": """
            from toy import config, twice
            def answer(n: int) -> int:
                return twice(n) + config.STEP
            """,
    }
    functions, _ = toys.mined(files)
    assert toys.run(functions["toy.use.answer"], 5) == 13


def test_modules_may_be_forgotten_and_parsed_again(toys: Any) -> None:
    """A program is the same however few modules stay in memory, and few do stay."""
    files = {
        "toy/a.py": "from .b import two\nONE = 1\ndef use(n: int) -> int:\n    return two(n)\n",
        "toy/b.py": "from .c import three\nfrom . import a\n"
        "def two(n):\n    return three(n) + a.ONE\n",
        "toy/c.py": "LIST = []\nLIST.append(3)\ndef three(n):\n    return n + LIST[0]\n",
    }
    codes = []
    with open_package(toys.wheel(files)) as package:
        for kept in (1, 1 << 20):
            index = PackageIndex(package, kept_text=kept)
            closure = ClosureBuilder(Resolver(index)).build(Definition("toy.a", "use"))
            assert not closure.problems
            codes.append(inline(closure)[0])
            first = index.module("toy.a")
            assert index.module("toy.a") is first
            index.module("toy.b")
            assert (index.module("toy.a") is first) == (kept > 1)
    assert codes[0] == codes[1]
    assert "LIST.append(3)" in codes[0]


def test_statements_are_verbatim_and_in_loading_order(toys: Any) -> None:
    """A statement keeps its text, comments included; what loading needs stands before it."""
    body = """
        def shout(word: str) -> str:
            # Loud, but   not too loud.
            return LOUD[word] if word in LOUD else make(word)   # fallback
        def make(word, *, grade="!"):
            return word.upper() + grade
        LOUD = {w: make(w) for w in ("a", "b")}
        """
    functions, _ = toys.mined({"toy.py": body})
    code = functions["toy.shout"].code
    assert "    # Loud, but   not too loud.\n" in code
    assert code.index("def make") < code.index("LOUD = ") < code.index("def shout")
    assert toys.run(functions["toy.shout"], "b") == "B!"


def test_functions_that_call_each_other_are_fine(toys: Any) -> None:
    """A circle among functions is no obstacle, across modules that import each other too."""
    functions, rejects = toys.mined(
        {
            "toy/__init__.py": "",
            "toy/a.py": """
                from . import b
                def even(n: int) -> bool:
                    return True if n == 0 else b.odd(n - 1)
                """,
            "toy/b.py": """
                from .a import even
                def odd(n: int) -> bool:
                    return False if n == 0 else even(n - 1)
                """,
        }
    )
    assert not rejects
    assert toys.run(functions["toy.a.even"], 7) is False
    assert toys.run(functions["toy.b.odd"], 7) is True


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import os\ndef f(x: str) -> str:\n    return os.environ[x]\n", "system"),
        ("import random as r\ndef f(x: int) -> int:\n    return r.randrange(x)\n", "randomness"),
        ("import time\ndef f(x: int) -> float:\n    return time.time()\n", "time"),
        (
            "import datetime\ndef f(x: int) -> str:\n    return str(datetime.date.today())\n",
            "time",
        ),
        ("def f(x: str) -> str:\n    return open(x).read()\n", "files"),
        ("def f(x: str) -> int:\n    return eval(x)\n", "dynamic code"),
        ("def f(x: str) -> str:\n    return getattr(str, x)('a')\n", "dynamic attribute"),
        ("import numpy\ndef f(x: int) -> int:\n    return numpy.abs(x)\n", "third-party library"),
        ("def f(x: int) -> int:\n    return gone(x)\n", "unresolved name"),
        ("N = 0\ndef f(x: int) -> int:\n    global N\n    N += x\n    return N\n", "module state"),
        ("C = {}\ndef f(x: int) -> int:\n    return C.setdefault(x, len(C))\n", "module state"),
        ("class C: n = 0\nT = [C()]\ndef f(x: int) -> int:\n    T[0].n += x\n    return T[0].n\n",
         "module state"),
        ("__version__ = '1'\ndef f(x: int) -> str:\n    return __version__\n", "environment"),
        ("def f(x: int) -> int:\n    from .other import g\n    return g(x)\n",
         "import in a function"),
        ("def f(x: int) -> None:\n    pass\n", "returns None"),
        ("def f() -> int:\n    return 1\n", "no arguments"),
        ("def f(x: 'open') -> int:\n    return 1\n", "type"),
        ("from typing import Callable\ndef f(x: Callable) -> int:\n    return 1\n", "type"),
        ("async def f(x: int) -> int:\n    return x\n", "coroutine"),
        ("def f(x: int) -> int:\n    return x\n\nf = len\n", "redefined later"),
    ],
)  # fmt: skip
def test_impure_and_unfit_functions_are_rejected_with_a_reason(
    toys: Any, body: str, reason: str
) -> None:
    """Every reject carries the reason that belongs to it."""
    functions, rejects = toys.mined({"toy.py": body})
    assert not functions
    assert rejects["toy.f"].startswith(reason)


def test_a_name_that_two_modules_use_differently_is_a_clash(toys: Any) -> None:
    """The flat program never lets one module's name stand for another's, builtins included."""
    functions, rejects = toys.mined(
        {
            "toy/__init__.py": "",
            "toy/a.py": "SIZE = 1\ndef len(x):\n    return 7\n"
            "def one(x):\n    return len(x) + SIZE\n",
            "toy/b.py": "SIZE = 2\nfrom .a import one\n"
            "def f(x: str) -> int:\n    return one(x) + len(x)\n"
            "def g(x: str) -> int:\n    return one(x) + SIZE\n",
        }
    )
    assert not any(name.startswith("toy.b.") for name in functions)
    assert (rejects["toy.b.f"], rejects["toy.b.g"]) == ("name clash", "name clash")


def test_accepted_types_follow_the_paper(toys: Any) -> None:
    """The paper's examples are accepted: ``str | bool``, bare Dict, a tuple of types, aliases."""
    body = """
        import typing as t
        import datetime
        from typing import TYPE_CHECKING, Dict, Optional
        if TYPE_CHECKING:
            from collections.abc import Iterable, Mapping
        Pairs = t.List[t.Tuple[str, int]]
        def a(S: str, max: int, ellipsis: str | bool = '...') -> str: return S
        def b(url: str) -> Dict: return {}
        def c(lines: "Iterable[str]") -> (str, str): return ('', '')
        def d(pairs: Pairs, *rest: int, **more: bool) -> Optional[Pairs]: ...
        def day(when: datetime.date, pairs: Pairs) -> t.Optional[datetime.datetime]: ...
        def until(n: int, end: datetime.date = datetime.date(2020, 1, 1)) -> int: return n
        def e(kind: t.Literal["x", "y"], m: Mapping[str, frozenset[int]]) -> tuple[int, ...]: ...
        """
    functions, rejects = toys.mined({"toy.py": body})
    assert not rejects
    shown = {name[4:]: f.signature.to_json() for name, f in functions.items()}
    assert shown["a"]["parameters"][2]["type"] == "str | bool"
    assert shown["c"]["result"] == "tuple[str, str]"
    assert shown["d"]["result"] == "list[tuple[str, int]] | None"
    assert [p["kind"] for p in shown["d"]["parameters"]] == [
        "positional", "varargs", "varkw",
    ]  # fmt: skip
    assert [p["type"] for p in shown["call_day"]["parameters"]] == ["date", "list[tuple[str, int]]"]
    assert [p["name"] for p in shown["until"]["parameters"]] == ["n"]
    assert shown["call_day"]["result"] == "None | datetime"
    assert shown["e"]["result"] == "tuple[int, ...]"


def test_names_for_type_checkers_alone_are_not_imported(toys: Any) -> None:
    """The stubs of the standard library name types that the library does not have."""
    body = """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from urllib.parse import _QueryType
            from collections.abc import Sequence
        def f(x: int, odd: Sequence[int] = ()) -> int:
            query: _QueryType = x
            return query
        """
    functions, rejects = toys.mined({"toy.py": body})
    assert not rejects
    assert toys.run(functions["toy.f"], 3) == 3
    assert "import Sequence" in functions["toy.f"].code


def test_import_fallbacks_take_the_branch_that_runs_here(toys: Any) -> None:
    """So do branches by version; a library that is not there is not there for the original."""
    functions, _ = toys.mined(
        {
            "toy/__init__.py": "",
            "toy/text.py": """
                import sys
                try:
                    from urllib.parse import quote
                except ImportError:
                    from urllib import quote
                try:
                    from ._fast import speed
                except ImportError:
                    from .slow import speed
                try:
                    import yaml
                except ImportError:
                    yaml = None
                if sys.version_info >= (3,):
                    text = str
                else:
                    text = unicode
                if speed == None:
                    kind = "none"
                else:
                    kind = "some"
                def h(x: str) -> str: return x + kind
                def f(x: str) -> str: return text(quote(x)) + speed()
                def g(x: str) -> bool: return yaml is None
                """,
            "toy/slow.py": "def speed(): return '%'\n",
        }
    )
    assert toys.run(functions["toy.text.f"], "a b") == "a%20b%"
    assert toys.run(functions["toy.text.g"], "a") is True
    assert toys.run(functions["toy.text.h"], "a ") == "a some"


def test_classes_are_cut_to_what_is_mentioned(toys: Any) -> None:
    """Methods that no kept code mentions go, with what they need; those of open classes stay."""
    body = """
        import os
        from html.parser import HTMLParser
        def helper(n: int) -> int:
            return n + 1
        class Base:
            'Says open.'
            def shared(self) -> int:
                return self.hook()
            # Goes with what follows.
            def unused(self) -> str:
                return os.getcwd()
            def hook(self) -> int:
                return 1
        class Counter(Base):
            def __init__(self, n: int) -> None:
                self.n = n
            def hook(self) -> int:
                return helper(self.n)
            @property
            def wide(self) -> int:
                return self.n * 7
            def shown(self) -> str:
                return "{0.wide}".format(self)
            def total(self, more: int) -> int:
                return self.shared() + more
        class Reader(HTMLParser):
            def __init__(self) -> None:
                super().__init__()
                self.found = []
            def handle_starttag(self, tag, attrs):
                self.found.append(tag)
        def tags(text: str) -> list[str]:
            reader = Reader()
            reader.feed(text)
            return reader.found
        """
    listed, _ = toys.mined({"toy.py": body})
    total = listed["toy.Counter_total"].code
    for kept in ("def shared", "def hook", "def helper", "def total"):
        assert kept in total
    for gone in ("unused", "getcwd", "import os", "wide", "shown", "Goes with"):
        assert gone not in total
    assert "def wide" in listed["toy.Counter_shown"].code
    assert "total" not in listed["toy.Counter_shown"].code
    assert "handle_starttag" in listed["toy.tags"].code
