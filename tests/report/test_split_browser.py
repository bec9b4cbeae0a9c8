"""What a browser does with a report of several files, and with two texts that differ."""

from __future__ import annotations

import random
import re
from pathlib import Path

from evalplus_lite.reports import report

from .conftest import Made, Seen

WORDS = ("1", "[", "]", ", ", "'a\\'b'", "'x' ", "\\", "'", "\n", "nan", "\U0001f600", "\u202e")


def test_a_split_report_is_walked_from_file_to_file(
    made: Made, watched: Seen, tmp_path: Path
) -> None:
    """The index leads to a task, that to its sample and to the next one, and both back."""
    out = tmp_path / "a #1 report.html"
    assert report(made.folder / "run", out=out, most_bytes=0).summary["files"] == 4
    watched.go(out.as_uri())
    page = watched.page
    page.get_by_role("link", name="Own/0", exact=True).click()
    page.wait_for_url(re.compile(r"/1-1\.html"))
    assert page.locator("h1:visible").inner_text() == "Own/0"
    page.get_by_role("link", name="Next task").click()
    page.wait_for_url(re.compile(r"/1-2\.html"))
    page.get_by_role("link", name="sample 0").first.click()
    assert re.search("Own/1, sample 0", page.locator("h1:visible").inner_text())
    page.locator(".crumbs a").first.click()
    page.wait_for_url(re.compile(r"report\.html"))
    assert page.locator("table.tasks").is_visible()
    page.go_back()
    page.wait_for_url(re.compile(r"/1-2\.html"))
    page.locator(".brand a").click()
    page.wait_for_url(re.compile(r"report\.html"))
    assert page.locator("table.tasks").is_visible()


def test_what_differs_is_marked_and_nothing_is_lost(made: Made, watched: Seen) -> None:
    """The pieces of two texts make the texts again; what is shared is the same on both sides."""
    chance = random.Random(0)
    pairs = [
        ["".join(chance.choices(WORDS, k=chance.randrange(9))) for _ in range(2)]
        for _ in range(300)
    ]
    pairs += [["[1, 2, 3]", "[1, 3]"], ["x" * 5000, "x" * 4999], ["a" * 20_000, "b" * 20_000]]
    watched.go(made.url)
    found = watched.page.evaluate("pairs => pairs.map(([a, b]) => compared(a, b))", pairs)
    for texts, sides in zip(pairs, found, strict=True):
        assert ["".join(piece for piece, _ in side) for side in sides] == texts
        shared = ["".join(piece for piece, is_shared in side if is_shared) for side in sides]
        assert shared[0] == shared[1]
    assert "".join(piece for piece, is_shared in found[300][0] if not is_shared) == "2, "
