"""Mining real packages, where their wheels are at hand: the numbers the project promises."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalplus_lite.exe.selecting.static import StaticMine
from evalplus_lite.exe.sources import open_package

FOLDER = os.environ.get("EVALPLUS_LITE_WHEELS")


@pytest.mark.slow
@pytest.mark.skipif(FOLDER is None, reason="set EVALPLUS_LITE_WHEELS to a folder of wheels")
def test_real_wheels_give_the_papers_functions() -> None:
    """From idna, email-validator and nltk come the paper's own examples, each a program."""
    wanted = {"idna": "valid_contexto", "email_validator": "split_email", "nltk": "exact_match"}
    for package, name in wanted.items():
        paths = sorted(Path(str(FOLDER)).glob(f"{package}-*.whl"))
        if not paths:
            pytest.skip(f"no wheel of {package}")
        with open_package(paths[0]) as source:
            found = {function.name: function for function in StaticMine(source).functions()}
        assert name in found
        compile(found[name].code, name, "exec")
