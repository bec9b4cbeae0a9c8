"""The tutorials do what they say: all they show is run, in order, and what is seen is compared.

On a page of docs/tutorials, blocks of ``sh`` and ``python`` are run in a folder like a checkout;
one with a title is saved under it, or added to that file where the title ends in "(continued)". A
block of ``text`` is what the commands since the last such block print: each of its lines stands in
theirs, in that order; a line may be cut at its end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import PATIENCE, ROOT, environment

PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r'^(```+)(\w+)(?: title="([^"]+)")?\n(.*?)^\1$', re.DOTALL | re.MULTILINE)
SERVER = "http://localhost:8000/v1"
MORE = " (continued)"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What may be kept from one page to the next."""
    return tmp_path_factory.mktemp("cache")


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Return the kind, title and text of each block of a page."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(kind, title, text) for _, kind, title, text in found]


def printed(command: list[str], folder: Path, cache: Path) -> str:
    path = f"{folder / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}"
    variables = environment(cache, COLUMNS="100", PATH=path + os.environ["PATH"])
    done = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_can_be_followed(
    page: Path, tmp_path: Path, cache: Path, model_server: Any
) -> None:
    """From its first line to its last, in a checkout, with what it saves on the way."""
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "docs" / "examples")
    command = tmp_path / "bin" / "evalplus-lite"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m evalplus_lite "$@"\n')
    command.chmod(0o755)
    model_server.says('{"value": 1}')
    seen: list[str] = []
    for kind, title, text in blocks(page):
        if title:
            name, is_more, _ = title.partition(MORE)
            with (tmp_path / name).open("a" if is_more else "w") as file:
                file.write(text)
        elif kind == "sh":
            lines = text.replace(SERVER, model_server.url)
            seen += printed(["bash", "-euc", lines], tmp_path, cache).splitlines()
        elif kind == "python":
            seen += printed([sys.executable, "-c", text], tmp_path, cache).splitlines()
        elif kind == "text":
            rest = iter(seen)
            for line in text.splitlines():
                assert any(each.startswith(line) for each in rest), "\n".join([line, "", *seen])
            seen = []
        else:
            pytest.fail(f"{page.name}: a block of {kind} without a title is not looked at")
