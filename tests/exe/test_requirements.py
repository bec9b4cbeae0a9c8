"""``--with-deps``: what a package requires is fetched by pip, to inline from and to import."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from evalplus_lite.exe.mining import MiningSettings, PackageWork
from evalplus_lite.exe.running.proof import Sandboxes


def wheel(path: Path, code: str, requires: str = "") -> Path:
    """Write a wheel of one module."""
    name, version = path.name.split("-")[:2]
    facts = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nLicense-Expression: MIT\n"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", code)
        archive.writestr(f"{info}/METADATA", facts + requires)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip takes packages from, and from nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_what_is_required_is_fetched(tmp_path: Path, index: Path) -> None:
    """By the versions that are asked for, wheels for every platform alone; the rest is told."""
    code = "def base(n: int) -> int:\n    return n + {}\n"
    wheel(index / "toydep-1.0-py3-none-any.whl", code.format(1))
    wheel(index / "toydep-2.0-py3-none-any.whl", code.format(2))
    wheel(index / "toyfast-1.0-cp311-cp311-linux_x86_64.whl", code.format(3))
    requires = (
        "Requires-Dist: toydep<2,>=1\nRequires-Dist: toyfast\n"
        "Requires-Dist: toyextra; extra == 'x'\nRequires-Dist: toyurl @ https://toy.invalid/a.whl\n"
    )
    user = "from toydep import base\ndef twice(n: int) -> int:\n    return 2 * base(n)\n"
    path = wheel(tmp_path / "toyuser-1.0-py3-none-any.whl", user, requires)
    rows = {}
    for with_deps in (None, True):
        settings = MiningSettings(static_only=True, with_deps=with_deps)
        rows[with_deps] = PackageWork(settings, Sandboxes()).row(str(path))
    assert [each["reason"] for each in rows[None]["rejects"]] == ["third-party library"]
    (task,) = rows[True]["tasks"]
    assert "return n + 1" in task["code"]
    assert [each["version"] for each in task["origins"]] == ["1.0", "1.0"]
    (lost,) = rows[True]["rejects"]
    assert "toyfast" in lost["details"][0]


@pytest.mark.usefixtures("index")
def test_what_tests_require_is_fetched_for_tests(tmp_path: Path) -> None:
    """What an extra for tests names counts where tests are run, and nowhere else."""
    requires = "Requires-Dist: toyhelp; extra == 'test'\nRequires-Dist: toydocs; extra == 'docs'\n"
    path = wheel(
        tmp_path / "toyuser-1.0-py3-none-any.whl", "def f(n: int) -> int: return n", requires
    )
    lost = {}
    for is_observed in (False, True):
        if is_observed:
            with zipfile.ZipFile(path, "a") as archive:
                archive.writestr("toyuser/tests/test_f.py", "")
        settings = MiningSettings(static_only=True, with_deps=True)
        row = PackageWork(settings, Sandboxes()).row(str(path))
        lost[is_observed] = [
            each["details"][0] for each in row["rejects"] if each["reason"] == "not fetched"
        ]
    assert not lost[False]
    (one,) = lost[True]
    assert "toyhelp" in one


def test_tests_come_from_the_source_archive(tmp_path: Path, index: Path) -> None:
    """pip unpacks it, and starts nothing that it holds."""
    canary = tmp_path / "canary"
    code = "def twice(n, sep):\n    return sep.join(str(part) for part in range(n))\n"
    wheel(index / "toysource-1.0-py3-none-any.whl", code)
    files = {
        "toysource.py": code,
        "setup.py": f"open({str(canary)!r}, 'w').close()\n",
        "PKG-INFO": "Metadata-Version: 2.1\nName: toysource\nVersion: 1.0\n",
        "tests/test_toysource.py": "import toysource\n\n"
        "def test_twice():\n    assert toysource.twice(4, '<>') == '0<>1<>2<>3'\n",
    }
    with tarfile.open(index / "toysource-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"toysource-1.0/{name}")
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    with Sandboxes() as sandboxes:
        row = PackageWork(MiningSettings(), sandboxes).row("toysource==1.0")
    assert row["funnel"]["tests"]["tests run"] == 1
    (task,) = row["tasks"]
    assert "tests" in task["sources"]
    assert not canary.exists()
