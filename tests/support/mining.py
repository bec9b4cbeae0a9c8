"""What tests of mining have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalplus_lite.exe.mining import MiningSettings, PackageMine
from evalplus_lite.exe.running.proof import Sandboxes
from evalplus_lite.exe.running.runs import CallableProgram, Invocation, measure
from evalplus_lite.exe.selecting.static import Reject
from evalplus_lite.exe.sources import open_package
from evalplus_lite.exe.statistics.counting import COUNTERS, instrument

SLUG = '''
    import re
    _WORD = re.compile(r"[a-z0-9]+")
    def slug(text: str, sep: str = "-", limit: int = 20) -> str:
        """Join words: slug("Hello World") is "hello-world"."""
        if limit < 0:
            raise ValueError(f"bad limit {limit}")
        words = _WORD.findall(text.lower())
        out = ""
        for word in words:
            if len(out) + len(word) > limit:
                break
            out += (sep if out else "") + word
        return out
    '''


def counted(sandboxes: Sandboxes, code: str, *given: Any, name: str = "f") -> list[dict[str, int]]:
    """Return the counts of calls of a function with one argument each."""
    written = instrument(code)
    assert written is not None
    subject = CallableProgram(name, written.code)
    calls = [Invocation((each,)) for each in given]
    found = measure(sandboxes.plain, subject, calls, COUNTERS).calls
    return [each.steps for each in found if each is not None]


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder; return it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def project(name: str, version: str = "1.0") -> str:
    """Return the text of a pyproject.toml."""
    return f'[project]\nname = "{name}"\nversion = "{version}"\nlicense = "MIT"\n'


def mine_all(path: Path, sandboxes: Sandboxes, **settings: Any) -> tuple[list[Any], dict[str, str]]:
    """Return the tasks of a package, trivial ones too, and the reasons of its rejects."""
    settings = {"keep_all": True, **settings}
    with open_package(path) as package:
        mine = PackageMine(package, MiningSettings(**settings), sandboxes=sandboxes)
        results = list(mine.yields())
    rejects = [each for each in results if isinstance(each, Reject)]
    tasks = [each[0] for each in results if not isinstance(each, Reject)]
    return tasks, {reject.function: reject.reason for reject in rejects}
