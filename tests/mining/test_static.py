"""From package text to programs of their own."""

from __future__ import annotations

import ast
import symtable
from pathlib import Path
from typing import Any

import pytest

from evalplus_lite.errors import InputError
from evalplus_lite.mining.inlining.closure import ClosureBuilder
from evalplus_lite.mining.inlining.inline import inline
from evalplus_lite.mining.reading.index import PackageIndex
from evalplus_lite.mining.reading.name_uses import uses_of
from evalplus_lite.mining.reading.resolve import Resolver
from evalplus_lite.mining.selecting.purity import is_banned_package, judge_name
from evalplus_lite.mining.sources.archives import open_package
from evalplus_lite.mining.sources.licence import identify, is_permissive
from evalplus_lite.mining.statistics.static import static_statistics


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
        },
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
    assert rejects == {"toy.look": "module state"}


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
    functions, rejects = toys.mined(files)
    assert not rejects
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
            closure = ClosureBuilder(Resolver(index)).build("toy.a", "use")
            assert not closure.problems
            codes.append(inline(closure, entry_point="use").code)
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
        },
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
        },
    )
    assert not functions
    assert rejects == {"toy.b.f": "name clash", "toy.b.g": "name clash"}


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
        def d(pairs: Pairs, when: datetime.date, *rest: int, **more: bool) -> Optional[Pairs]: ...
        def e(kind: t.Literal["x", "y"], m: Mapping[str, frozenset[int]]) -> tuple[int, ...]: ...
        """
    functions, rejects = toys.mined({"toy.py": body})
    assert not rejects
    shown = {name[4:]: f.signature.to_json() for name, f in functions.items()}
    assert shown["a"]["parameters"][2]["type"] == "str | bool"
    assert shown["c"]["result"] == "tuple[str, str]"
    assert shown["d"]["result"] == "list[tuple[str, int]] | None"
    assert [p["kind"] for p in shown["d"]["parameters"]] == [
        "positional", "positional", "varargs", "varkw",
    ]  # fmt: skip
    assert shown["e"]["result"] == "tuple[int, ...]"


def test_import_fallbacks_take_the_branch_that_runs_here(toys: Any) -> None:
    """Python 2 fallbacks and version branches do not stand in the way; a stub library does."""
    functions, rejects = toys.mined(
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
                def f(x: str) -> str: return text(quote(x)) + speed()
                def g(x: str) -> bool: return yaml is None
                """,
            "toy/slow.py": "def speed(): return '%'\n",
        },
    )
    assert toys.run(functions["toy.text.f"], "a b") == "a%20b%"
    assert rejects == {"toy.text.g": "third-party library"}


def test_free_names_are_those_of_the_compiler() -> None:
    """Global names found by the walk are exactly those that symtable finds, scope by scope."""
    source = """
def f(a, b=D, *c: A1, d=[E for E in F if E + G]) -> R:
    x = [y + z for y in a for z in (y, H)]
    def inner(q=x):
        nonlocal x
        x = K
        return lambda m, n=L: m + n + o + x
    class C(Base):
        p = P
        P = p
        def method(self): return p + __class__.P
    with M as (v, w[N]): pass
    try: pass
    except O as error: error
    match a:
        case Point(x=px) if px: return {**px}
        case [1, *tail]: return tail
        case {"k": kv, **rest}: return kv, rest
    if (t := U()): return t
    for i, J.k in a: del i
    return [s for _ in a if (s := V)], S
"""
    statement = ast.parse(source).body[0]
    table = symtable.symtable(source, "f", "exec")
    expected: set[str] = set()
    pending = [table]
    while pending:
        scope = pending.pop()
        pending.extend(scope.get_children())
        for symbol in scope.get_symbols():
            if symbol.is_referenced() and symbol.is_global():
                expected.add(symbol.get_name())
    found = {u.name for u in uses_of(statement).uses}
    # A class body reads the module's P before it binds its own; symtable has no word for that.
    # Since 3.12 symtable also lists E, a variable of a comprehension at the top level.
    assert found - {"A1", "R", "P"} == expected - {"A1", "R", "f", "E"}
    assert "P" in found
    late = {u.name for u in uses_of(statement).uses if u.when == "late"}
    assert {"D", "F", "E", "G"} & late == set()
    assert {"K", "L", "M", "U", "V"} <= late


def test_licences_are_recognised_and_judged() -> None:
    """One permissive choice is enough; every part of an AND must be; unknown is not permissive."""
    assert is_permissive("MIT OR GPL-3.0-only")
    assert not is_permissive("MIT AND GPL-3.0-only")
    assert is_permissive("(Apache-2.0 WITH LLVM-exception)")
    assert not is_permissive("LicenseRef-Proprietary")
    assert is_permissive("MIT OR (GPL-3.0-only AND BSD-3-Clause)")
    assert not is_permissive("(MIT OR BSD-3-Clause) AND GPL-3.0-only")
    for text in (
        "MIT OR",
        "Foo",
        "((((" * 200 + "MIT",
        "MIT OR " * 10_000 + "MIT",
        "True",
        "é",
        "",
    ):
        assert not is_permissive(text)
    gpl = ["License :: OSI Approved :: GNU General Public License v3 (GPLv3)"]
    assert not identify(expression="", field="MIT", classifiers=gpl, texts=()).permissive
    text = "Permission is hereby granted, free of charge,\n to any person obtaining a copy"
    assert identify(expression="", field="", classifiers=[], texts=[text]).expression == "MIT"
    assert not identify(expression="", field="see LICENSE", classifiers=[], texts=()).permissive


def test_archives_and_folders_read_alike(toys: Any, tmp_path: Path) -> None:
    """A wheel, a source archive and a folder of one package give the same functions."""
    import tarfile

    source = {"toy/__init__.py": "def f(x: int) -> int:\n    return x + 1\n"}
    with open_package(toys.wheel(source)) as package:
        from_wheel = (package.name, package.version, sorted(package.files))
    root = tmp_path / "toy_pack-1.2"
    (root / "src" / "toy").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src" / "toy" / "__init__.py").write_text(source["toy/__init__.py"])
    (root / "tests" / "test_toy.py").write_text("def g(x: int) -> int: return x\n")
    (root / "setup.py").write_text("raise SystemExit('never run')\n")
    (root / "PKG-INFO").write_text("Name: toy-pack\nVersion: 1.2\nLicense-Expression: MIT\n")
    archive = tmp_path / "toy_pack-1.2.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(root, "toy_pack-1.2")
    for path in (archive, root):
        with open_package(path) as package:
            assert (package.name, package.version, sorted(package.files)) == from_wheel
            assert package.licence.permissive


def test_what_is_no_package_is_a_clear_error(tmp_path: Path) -> None:
    """A missing, broken or foreign file is an InputError that names it."""
    broken = tmp_path / "x-1-py3-none-any.whl"
    broken.write_bytes(b"PK no zip")
    for path in (broken, tmp_path / "none.whl", tmp_path / "x.txt"):
        with pytest.raises(InputError, match=path.name):
            open_package(path)


def test_purity_lists_judge_by_the_longest_entry() -> None:
    """A banned module's harmless members pass; a pure module's harmful members do not."""
    assert judge_name("os.path.join") is None
    assert judge_name("os.path.exists") == "system"
    assert judge_name("os") == "system"
    assert judge_name("urllib.parse.quote") is None
    assert judge_name("urllib.request.urlopen") == "network"
    assert judge_name("re.compile") is None
    assert is_banned_package("azure-mgmt-compute")
    assert not is_banned_package("idna")


def test_static_statistics_count_what_the_paper_lists() -> None:
    """Lines without blanks and comments, node types, complexity, call depth, identifiers, ifs."""
    code = '''from __future__ import annotations

# a comment

def leaf(n):
    """Say no."""
    return n if n else -n

def loop(n):
    return loop(n - 1) if n > 9 else leaf(n)


def entry(n):
    if n:
        return loop(n)
    return 0
'''
    found = static_statistics(code, "entry")
    assert (found.lines, found.call_depth, found.ifs, found.returns) == (10, 3, 3, 4)
    assert found.nodes["FunctionDef"] == 3
    assert found.identifiers == 4
    if found.cyclomatic is not None:
        assert found.cyclomatic == 4
        assert 0 < (found.maintainability or 0) <= 100
