"""Small packages written on the spot for the tests of mining."""

from __future__ import annotations

import sys
import textwrap
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalplus_lite.errors import SandboxUnavailable
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram
from evalplus_lite.exe.selecting.static import MinedFunction, StaticMine
from evalplus_lite.exe.sources import open_package
from evalplus_lite.sandbox import Inputs

METADATA = "Metadata-Version: 2.1\nName: Toy_Pack\nVersion: 1.2\nLicense-Expression: {}\n"


class Toys:
    """Writes small packages into a folder of the test's own, and mines them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def wheel(self, files: dict[str, str], *, licence: str = "MIT") -> Path:
        """Write a wheel that holds these files, dedented."""
        path = self.folder / "toy_pack-1.2-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("toy_pack-1.2.dist-info/METADATA", METADATA.format(licence))
            for name, text in files.items():
                archive.writestr(name, textwrap.dedent(text))
        return path

    def mined(self, files: dict[str, str]) -> tuple[dict[str, MinedFunction], dict[str, str]]:
        """Return what static mining makes of them, by name: functions, and reasons of rejects.

        Nested functions and special methods are not among the rejects.
        """
        with open_package(self.wheel(files)) as package:
            mine = StaticMine(package, max_code=100_000)
            functions = {f"{f.module}.{f.name}": f for f in mine.functions()}
            rejects = (reject for reject in mine.rejects if reject.stage != "top_level")
            return functions, {reject.function: reject.reason for reject in rejects}

    def run(self, function: MinedFunction, *arguments: object) -> object:
        """Call a function of the test's own writing (never of a foreign package)."""
        module = types.ModuleType("inlined")
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "inlined", module)  # dataclasses look there
            exec(compile(function.code, function.name, "exec"), module.__dict__)
        called = getattr(module, function.name)
        assert callable(called)
        return called(*arguments)


@pytest.fixture
def toys(tmp_path: Path) -> Toys:
    """A workshop for toy packages."""
    return Toys(tmp_path)


@pytest.fixture(scope="session")
def sandboxes() -> Iterator[Sandboxes]:
    """Sandboxes for all tests of mining, started when first used."""
    with Sandboxes() as found:
        try:
            found.plain.run(
                CallableProgram("f", "def f(x): return x").program(), Inputs.of([([1], {})])
            )
        except SandboxUnavailable as error:
            pytest.skip(f"needs a sandbox: {error}")
        yield found
