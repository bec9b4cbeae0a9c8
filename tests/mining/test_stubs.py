"""Stub files tell the types of what has no annotations: beside the modules, or in a NAME-stubs."""

from __future__ import annotations

import textwrap
import zipfile
from pathlib import Path
from typing import Any

from evalplus_lite.exe.selecting.static import StaticMine
from evalplus_lite.exe.sources import open_package

CODE = """
    def cut(text, at, key=None): return text[at:]
    def first(things): return things[0]
    def shown(thing): return thing + 1
    def valued(record): return record["first"] + "."
    def fold(function, items): return function(items)
    class Scale:
        def __init__(self, unit): self.unit = unit
        def of(self, n): return [self.unit, n]
    """
STUB = """
    import sys
    from collections.abc import Callable
    from typing import TypeVar, overload
    from _typeshed import StrPath
    from typing_extensions import Literal
    T = TypeVar("T", int, bytes)
    @overload
    def cut(text: str, at: int) -> str: ...
    @overload
    def cut(text: bytes, at: int, key: Callable[[bytes], bytes]) -> bytes: ...
    if sys.version_info >= (3, 8):
        def first(__things: list[T]) -> T: ...
    else:
        def first(__things: str) -> str: ...
    def shown(thing: int) -> None: ...
    class _Record(dict): ...
    def valued(record: _Record) -> str: ...
    def fold(function: Callable[[list[int]], int], items: list[int]) -> int: ...
    class Scale:
        def __init__(self, unit: Literal["m", "s"]) -> None: ...
        def of(self, n: StrPath) -> list[str]: ...
    """
TOLD = {
    "cut": ["text: str | bytes", "at: int"],
    "first": ["things: list[int | bytes]"],
    "Scale_of": ["unit: Literal['m', 's']", "n: str"],
    "valued": [],  # its use tells what the stub does not
}


def signatures(path: Path, stubs: Path | None = None) -> tuple[dict[str, list[str]], set[str]]:
    """Return the parameters of a package's functions, and what told their types."""
    with open_package(path) as package:
        others = [] if stubs is None else [open_package(stubs)]
        functions = list(StaticMine(package, others, types="known").functions())
        for other in others:
            with other:
                pass
    shown = {
        f.name: [f"{p.name}: {p.type}" for p in f.signature.parameters if p.origin == "stub"]
        for f in functions
    }
    return shown, {p.origin for f in functions for p in f.signature.parameters}


def test_stubs_beside_the_modules_tell_types(toys: Any) -> None:
    """Of all overloads that can be read; what they say to return None, or to be called, is out."""
    wheel = toys.wheel({"toy.py": CODE, "toy.pyi": STUB})
    assert signatures(wheel) == (TOLD, {"stub", "use"})


def test_stubs_of_another_package_tell_types(toys: Any, tmp_path: Path) -> None:
    """A NAME-stubs that is at hand declares NAME; what is of another name declares nothing."""
    stubs = tmp_path / "types_toy-1-py3-none-any.whl"
    with zipfile.ZipFile(stubs, "w") as archive:
        archive.writestr(
            "types_toy-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: types-toy\n"
        )
        archive.writestr("toy-stubs/__init__.pyi", textwrap.dedent(STUB))
        archive.writestr("toy/__init__.pyi", "def fold(function: str, items: str) -> int: ...")
    wheel = toys.wheel({"toy.py": CODE})
    assert signatures(wheel, stubs)[0] == TOLD
    assert signatures(wheel)[0] != TOLD


def test_a_checkout_of_typeshed_tells_types(toys: Any, tmp_path: Path) -> None:
    """Of the distribution's own folder in it, and no other."""
    folder = tmp_path / "typeshed"
    for project in ("Toy_Pack", "other"):
        (folder / "stubs" / project / "@tests").mkdir(parents=True)
        (folder / "stubs" / project / "METADATA.toml").write_text('version = "1.*"')
    (folder / "stubs" / "Toy_Pack" / "toy.pyi").write_text(textwrap.dedent(STUB))
    (folder / "stubs" / "Toy_Pack" / "@tests" / "toy.pyi").write_text("def first(things: str): ...")
    (folder / "stubs" / "other" / "toy.pyi").write_text("def cut(text: int, at: str) -> str: ...")
    wheel = toys.wheel({"toy.py": CODE})
    assert signatures(wheel, folder)[0] == TOLD
