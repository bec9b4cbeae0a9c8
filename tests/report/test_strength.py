"""What a suite is worth for its size: figures from who kills whom."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

import evalplus_lite.reports.page
from evalplus_lite.errors import InputError
from evalplus_lite.reports.page.sections import (
    MOST_DOCUMENT,
    MutatedFile,
    by_source,
    fitted,
    lost,
    mutated_files,
    read_mutations,
    together,
)
from evalplus_lite.types import Case

BUNDLED = Path(evalplus_lite.reports.page.__file__).parent / "bundled"
KILLERS = ((0, 1, 2, 3), (2,), (), (1, 3))


def mutated(name: str = "T/0", killers: tuple[tuple[int, ...], ...] = KILLERS) -> MutatedFile:
    return MutatedFile(name, 4, tuple(("drop", line, some) for line, some in enumerate(killers)))


def document(tests: int = 4, mutants: int = 3) -> dict[str, Any]:
    place = {"line": 1, "column": 1}
    rows = [
        {
            "id": str(n),
            "mutatorName": "drop",
            "location": {"start": place, "end": place},
            "status": "Killed",
            "killedBy": [str(each) for each in range(n, tests)],
        }
        for n in range(mutants)
    ]
    cases = [{"id": str(n), "name": f"{n}"} for n in range(tests)]
    files = {"T/0.py": {"language": "python", "source": "x\n", "mutants": rows}}
    rest = {"schemaVersion": "2", "thresholds": {"high": 90, "low": 50}}
    return {**rest, "files": files, "testFiles": {"T/0.py": {"tests": cases}}}


def test_what_a_small_suite_gave_up() -> None:
    """Mutants that only left-out tests kill are named, those that most tests kill first."""
    rows = lost([mutated()], {"T/0": {0}})
    assert rows == [("T/0", "drop", 3, 2), ("T/0", "drop", 1, 1)]
    assert lost([mutated()], {"T/0": {1, 2}}) == []


def test_kills_by_source() -> None:
    """Each source's tests, those that kill, kill what base ones do not, and are alone to kill."""
    cases = [Case((n,), source) for n, source in enumerate(["base", "llm", "llm", "mutation"])]
    rows = by_source([mutated()], {"T/0": cases}, {"T/0": 1})
    assert rows == [("base", 1, 1, 0, 0), ("llm", 2, 2, 2, 1), ("mutation", 1, 1, 1, 0)]
    assert by_source([mutated()], {"T/0": cases[:2]}, {"T/0": 1}) == []


def test_documents_become_one() -> None:
    """Of several documents each mutant and test keeps to its own."""
    found = together([("one", document()), ("two", document())])
    assert len(found["files"]) == 2
    ids = [each["id"] for file in found["files"].values() for each in file["mutants"]]
    assert len(set(ids)) == len(ids) == 6
    for file in mutated_files(found):
        assert file.killers == [(0, 1, 2, 3), (1, 2, 3), (2, 3)]


def test_what_a_page_holds() -> None:
    """What is too large is cut by lists first, and said to be; nothing else is lost."""
    assert fitted(document()) == (document(), "")
    large = document(tests=2_000, mutants=800)
    found, words = fitted(large)
    assert found is not None
    assert words
    assert len(json.dumps(found, separators=(",", ":"))) <= MOST_DOCUMENT
    assert [each["status"] for each in found["files"]["T/0.py"]["mutants"]] == ["Killed"] * 800
    kept = {test["id"] for test in found["testFiles"]["T/0.py"]["tests"]}
    assert all(set(each["killedBy"]) <= kept for each in found["files"]["T/0.py"]["mutants"])


@pytest.mark.parametrize("text", ["[]", "{}", '{"files": 1}', '{"files": {"a": {}}}', "{"])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    """A file of another form is named, and nothing else happens."""
    path = tmp_path / "mutants.stryker.json"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape("mutants.stryker.json")):
        read_mutations(path)


def test_the_bundled_script_is_the_published_one() -> None:
    """Its text is that of the release that its README names; its licence stands beside it."""
    readme = (BUNDLED / "README.md").read_text()
    digest = re.search(r"sha256: ([0-9a-f]{64})", readme)
    assert digest
    script = (BUNDLED / "mutation-test-elements.js").read_bytes()
    assert hashlib.sha256(script).hexdigest() == digest[1]
    assert "3.9.0" in readme
    assert "Apache License" in (BUNDLED / "LICENSE").read_text()
    assert b"</script" not in script.lower()
    assert b"<script" not in script.lower()  # which after <!-- would hide the end of its own
