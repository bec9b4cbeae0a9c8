"""A wheel built from this tree, alone in an empty environment and folder, does what it promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 900
"""Seconds after which a step must hang: it may download packages."""

pytestmark = pytest.mark.slow


def run(*command: object, folder: Path, home: Path | None = None) -> str:
    """Run a command in a folder, knowing nothing of this checkout; return what it printed."""
    hidden = ("PYTHON", "VIRTUAL_ENV", "EVALPLUS_LITE", "OPENAI")
    known = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    if "EVALPLUS_LITE_PIP_CONFIG" in os.environ:  # the home that scripts/test sets has none
        known["PIP_CONFIG_FILE"] = os.environ["EVALPLUS_LITE_PIP_CONFIG"]
    if home is not None:
        known |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=known,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by way of a source distribution as a release would be."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    (found,) = folder.glob("*.whl")
    assert list(folder.glob("*.tar.gz"))
    return found


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder / "venv", folder=folder)
    found = folder / "venv" / "bin"
    run(found / "python", "-m", "pip", "install", "--quiet", wheel, folder=folder)
    return found


def test_what_it_holds(wheel: Path) -> None:
    """A package index takes both; contracts, data and license are in, tests and scripts are not."""
    (source,) = wheel.parent.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, source, folder=wheel.parent)
    names = zipfile.ZipFile(wheel).namelist()
    contracts = [path.name for path in (ROOT / "contracts" / "humaneval").glob("*.py")]
    assert len(contracts) >= 40
    for name in contracts:
        assert f"evalplus_lite/_contracts/humaneval/{name}" in names
    for path in (ROOT / "data").rglob("*.jsonl.gz"):
        assert f"evalplus_lite/_data/{path.relative_to(ROOT / 'data')}" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "evalplus_lite/py.typed" in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"evalplus_lite", next(top for top in tops if top.endswith(".dist-info"))}


def test_the_installed_package_works(binaries: Path, tmp_path: Path) -> None:
    """It finds contracts and data within itself; the demo runs in an empty folder and home."""
    code = (
        "import json, evalplus_lite\n"
        "from evalplus_lite.tasks.contracts import bundled, load_contracts\n"
        "print(json.dumps([evalplus_lite.__file__, str(bundled('data')), "
        "len(load_contracts('humaneval'))]))"
    )
    package, data, contracts = json.loads(run(binaries / "python", "-c", code, folder=tmp_path))
    assert Path(package).is_relative_to(binaries.parent)
    assert Path(data) == Path(package).parent / "_data"
    assert contracts >= 40
    folder, home = tmp_path / "empty", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    options = ("--tasks", "0,2,53", "--inputs", "10", "--out", "out", "--json")
    shown = json.loads(run(binaries / "evalplus-lite", "demo", *options, folder=folder, home=home))
    assert shown["augmented"]["tasks"] == 3
    assert shown["augmented"]["new"] > 0
    assert (folder / "out" / "suite.jsonl.gz").exists()
    assert "HumanEval/53" in (folder / shown["report"]).read_text(encoding="utf-8")
    assert {path.name for path in folder.iterdir()} == {"out"}
