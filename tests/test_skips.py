"""The rule that no test is skipped silently, shown on runs of pytest with tests that are."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from support import skips
from support.commands import captured

ROOT = Path(__file__).resolve().parents[1]


NOT_TODAY = {
    "call": "def test():\n    pytest.skip('not today')\n",
    "mark": "@pytest.mark.skip(reason='not today')\ndef test():\n    pass\n",
    "condition": "@pytest.mark.skipif(True, reason='not today')\ndef test():\n    pass\n",
    "fixture": "@pytest.fixture\ndef a():\n    pytest.skip('not today')\ndef test(a):\n    pass\n",
    "importing": "pytest.importorskip('no_such_module', reason='not today')\n",
    "module": "pytest.skip('not today', allow_module_level=True)\n",
}
ALLOWED = "def test():\n    pytest.skip('needs datasets')\n"
EXPECTED = "@pytest.mark.xfail\ndef test():\n    assert False\n"


@pytest.mark.parametrize("options", [(), ("-n", "1")], ids=["alone", "in a worker"])
def test_a_skip_that_is_not_on_the_list_fails(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Wherever it is said; one that is on the list, and an expected failure, do not."""
    tests = {name: text for name, text in NOT_TODAY.items() if not options or name != "module"}
    for name, text in {**tests, "allowed": ALLOWED, "expected": EXPECTED}.items():
        (tmp_path / f"test_{name}.py").write_text(f"import pytest\n\n{text}")
    command = [sys.executable, "-m", "pytest", "-p", "support.skips", "-p", "no:cacheprovider"]
    done = captured(
        [*command, "--continue-on-collection-errors", *options, "-ra", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTEST_ADDOPTS": ""},
    )
    assert done.returncode != 0, done.stdout
    refused = set(re.findall(r"^(?:FAILED|ERROR) .*?test_(\w+)\.py", done.stdout, re.MULTILINE))
    assert refused == set(tests)  # a worker tells one fault of collection alone
    assert done.stdout.count("allowed_skips.txt") >= len(tests)
    last = done.stdout.splitlines()[-1]
    assert ("1 skipped" in last, "1 xfailed" in last) == (True, True)


def test_the_list_is_explained() -> None:
    """Every reason on the list stands below a comment, as the reader insists."""
    patterns = skips.allowed_reasons(skips.ALLOWED.read_text(encoding="utf-8"))
    assert len(patterns) == len(set(patterns)) > 0
    with pytest.raises(ValueError, match="line 4"):
        skips.allowed_reasons("# because\nneeds a\n\nneeds b\n")
