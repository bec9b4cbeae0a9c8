"""What is read off texts alone: names, licenses, packages, purity and statistics."""

from __future__ import annotations

import ast
import symtable
from pathlib import Path
from typing import Any

import pytest
from radon.metrics import mi_compute, mi_parameters

from evalplus_lite import exe
from evalplus_lite.errors import InputError
from evalplus_lite.exe.reading.names import uses_of
from evalplus_lite.exe.selecting.static import is_banned_package, judge_name
from evalplus_lite.exe.sources import is_permissive, licence_of, open_package
from evalplus_lite.exe.statistics.measures import static_statistics


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
    assert licence_of({"license": "MIT", "classifiers": gpl}, []) == "GPL-3.0-only"
    text = "Permission is hereby granted, free of charge,\n to any person obtaining a copy"
    assert licence_of({}, [text]) == "MIT"
    for unknown in ("see LICENSE", "(" * 900):
        assert licence_of({"license": unknown}, []) == "unknown"
    assert not is_permissive("unknown")
    for written, spdx in {
        "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0",
        "MIT or (Apache License 2.0 and GPLv3)": "MIT OR (Apache-2.0 AND GPL-3.0-only)",
        "GPL-3.0-only AND MIT": "GPL-3.0-only AND MIT",
    }.items():
        assert licence_of({"license_expression": written}, []) == spdx
        assert licence_of({"license": written}, []) == spdx
        assert is_permissive(spdx) == (" OR " in spdx)


def test_archives_and_folders_read_alike(toys: Any, tmp_path: Path) -> None:
    """A wheel, a source archive and a folder of one package give the same functions."""
    import tarfile

    source = {"toy/__init__.py": "def f(x: int) -> int:\n    return x + 1\n"}
    with open_package(toys.wheel(source)) as package:
        from_wheel = (package.name, package.origin.version, sorted(package.files))
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
            assert (package.name, package.origin.version, sorted(package.files)) == from_wheel
            assert is_permissive(package.origin.licence)


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
    assert not any(map(is_banned_package, ("idna", "azure-data-tables", "sagemaker")))


def test_static_statistics_count_what_the_paper_lists() -> None:
    """Lines that hold code, node types, complexity, call depth, identifiers, ifs."""
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
    assert found["nodes"]["FunctionDef"] == 3
    counts = {"lines": 9, "call_depth": 3, "ifs": 3, "returns": 4, "identifiers": 4}
    assert found.items() >= {**counts, "cyclomatic": 4}.items()


def test_complexity_and_maintainability_are_radons() -> None:
    """Of some of this package's own modules, and of the odd ways to lay out a line."""
    odd = 'x = 1; y = {1: 2}; z = 3\nif x: y = 1; z = 2\n"""\n\nalone\n"""\nclass A: pass\n'
    odd += "def f(a,\n      b=(1,  # why\n         2)):\n    # so\n\n    return a[1:]; \n"
    sources = [path.read_text("utf-8") for path in sorted(Path(exe.__path__[0]).rglob("*.py"))[::4]]
    for code in [odd, *sources]:
        found = static_statistics(code, "f")
        expected = mi_parameters(code)
        assert found["cyclomatic"] == expected[1]
        assert found["maintainability"] == round(mi_compute(*expected), 2)
