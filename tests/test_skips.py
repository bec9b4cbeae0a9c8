"""The rule that no test is skipped silently, shown on runs of pytest with tests that are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import skips

ROOT = Path(__file__).resolve().parents[1]


def run(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the rule on one module of tests."""
    (folder / "test_it.py").write_text(f"import pytest\n\n{test}")
    command = [sys.executable, "-m", "pytest", "-p", "support.skips", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *options, "-rs", str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "in a worker"])
def test_a_skip_for_a_known_reason_passes(tmp_path: Path, options: tuple[str, ...]) -> None:
    """A skip whose reason is on the list stays one, and is told."""
    done = run(tmp_path, "def test():\n    pytest.skip('needs datasets')\n", *options)
    assert done.returncode == 0, done.stdout
    assert "1 skipped" in done.stdout


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "in a worker"])
@pytest.mark.parametrize(
    "test",
    [
        "def test():\n    pytest.skip('not today')\n",
        "@pytest.mark.skip(reason='not today')\ndef test():\n    pass\n",
        "@pytest.mark.skipif(True, reason='not today')\ndef test():\n    pass\n",
        "@pytest.fixture\ndef a():\n    pytest.skip('not today')\n\ndef test(a):\n    pass\n",
        "pytest.importorskip('no_such_module', reason='not today')\n",
        "pytest.skip('not today', allow_module_level=True)\n",
    ],
    ids=["call", "mark", "condition", "fixture", "import", "module"],
)
def test_a_skip_for_any_other_reason_fails(
    tmp_path: Path, test: str, options: tuple[str, ...]
) -> None:
    """Wherever the skip is said, a reason that is not on the list fails the run and is told."""
    done = run(tmp_path, test, *options)
    assert done.returncode != 0, done.stdout
    assert "not today" in done.stdout
    assert "allowed_skips.txt" in done.stdout
    assert "skipped" not in done.stdout.splitlines()[-1]


def test_expected_failures_are_no_skips(tmp_path: Path) -> None:
    """A test marked as failing is told as such, not as a skip."""
    done = run(tmp_path, "@pytest.mark.xfail\ndef test():\n    assert False\n")
    assert done.returncode == 0, done.stdout
    assert "1 xfailed" in done.stdout


def test_the_list_is_explained() -> None:
    """Every reason on the list stands below a comment, as the reader insists."""
    patterns = skips.allowed_reasons(skips.ALLOWED.read_text(encoding="utf-8"))
    assert len(patterns) == len(set(patterns)) > 0
    with pytest.raises(ValueError, match="line 4"):
        skips.allowed_reasons("# because\nneeds a\n\nneeds b\n")
