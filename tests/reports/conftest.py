"""A real browser, and reports of everything that a page shows, with hostile texts in them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.commands import write_rows

from evalplus_lite.jobs.augmentation import augment
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.quality import find_survivors
from evalplus_lite.jobs.reduction import reduce
from evalplus_lite.jobs.session import Session
from evalplus_lite.reports.reporting import report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CLOSING = "</script><script>window.owned = 1</script><!--<script>"
IMAGE = "<img src=x onerror='window.owned = 2'>"
LINK = "javascript:window.owned=3"
TURNED = "a\u202eb\u200bc\u0007d"
HOSTILE = f"{CLOSING}{IMAGE}<a href='{LINK}'>{LINK}</a>{TURNED}"
LONG = 1 << 20

TASKS: list[dict[str, Any]] = [
    {
        "id": "Own/0",
        "prompt": 'def f(x):\n    """Double x."""\n',
        "entry_point": "f",
        "reference": "def f(x):\n    if x > 1000:\n        return x + x\n    return x * 2\n",
        "inputs": [[1], [2], [3]],
    },
    {
        "id": "Own/1",
        "prompt": "Sort x.",
        "entry_point": "f",
        "reference": "def f(x):\n    return sorted(x)\n",
        "inputs": [[[3, 1]], [[]], [[2, 2, 1]]],
    },
    {
        "id": f"Own/{IMAGE}?#%2F",
        "prompt": HOSTILE,
        "entry_point": "f",
        "reference": f"def f(x):\n    return x + {HOSTILE!r}\n",
        "inputs": [[HOSTILE], ["b"]],
    },
]
BODIES = {
    "careful": ["return x * 2", "return sorted(x)", f"return x + {HOSTILE!r}"],
    f"hasty {IMAGE}": [
        "return x + x if x != 2 else 5",
        "return [*x]",
        f"raise ValueError({HOSTILE!r})  # {HOSTILE}",
    ],
    "never": [
        f"return {LONG} * x  # {'x' * LONG}",
        "return 1 / 0",
        f"return {HOSTILE!r} + x",
    ],
}
"""The bodies of functions by model, one for each task."""


@dataclass(slots=True)
class Made:
    """The report on a run, with suite, mutants and mini suite, and the folder of all of them."""

    path: Path
    folder: Path

    @property
    def url(self) -> str:
        return self.path.as_uri()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A page with every kind of view."""
    folder = tmp_path_factory.mktemp("report")
    tasks = write_rows(folder / "tasks.jsonl", TASKS)
    rows = [
        {"task_id": task["id"], "model": model, "solution": f"def f(x):\n    {body}\n"}
        for model, bodies in BODIES.items()
        for task, body in zip(TASKS, bodies, strict=True)
    ]
    samples = write_rows(folder / "samples.jsonl", rows)
    with Session(workers=2, cache=folder / "cache") as session:
        suite = augment(tasks, inputs=6, out=folder / "suite", session=session).dataset
        evaluate(suite, samples, details=True, minimize=True, out=folder / "run", session=session)
        find_survivors(suite, out=folder / "mutants", session=session)
        reduce(suite, samples, out=folder / "mini", session=session)
    path = folder / "report.html"
    report([folder / name for name in ("suite", "run", "mutants", "mini")], out=path)
    return Made(path, folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it, without a window.

    It ends with its module: its driver runs an event loop, in which other tests could start none.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # The process is root's where CI runs, and Chromium's own sandbox wants another user.
        found = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield found
        found.close()


@dataclass(slots=True)
class Seen:
    """A page with all that it complained about, asked for, or opened."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, url: str) -> None:
        """Open an address, and wait until the page stands."""
        self.page.goto(url)

    def hold(self) -> None:
        """Nothing was complained about, and nothing asked for but files of the report."""
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith("file:")] == []
        assert self.page.evaluate("window.owned") is None


def seen(browser: Browser, **options: Any) -> Seen:
    """Return a page in a context of its own, watched."""
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(10_000)
    found = Seen(page)
    page.on("console", lambda message: found.complaints.append(message.text[:500]))
    page.on("pageerror", lambda error: found.complaints.append(str(error)[:500]))
    page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
    page.on("popup", lambda _: found.complaints.append("a window"))
    page.on("request", lambda request: found.requests.append(request.url))
    return found


@pytest.fixture
def watched(browser: Browser) -> Iterator[Seen]:
    """A page of a desk's size that complained about nothing when the test ends."""
    found = seen(browser, viewport={"width": 1280, "height": 900})
    yield found
    found.hold()
    found.page.context.close()


def hashes(made: Made) -> list[str]:
    """Return the addresses of the report's views, one of each kind."""
    text = made.path.read_text(encoding="utf-8")
    start = text.index('id="index">') + len('id="index">')
    index = json.loads(text[start : text.index("</script>", start)])
    assert len(index["suites"]) == 1
    sections = ["suite-1", "inputs", "survivors"]
    return [*(f"#/{name}" for name in sections), *TASK_VIEWS]


TASK_VIEWS = ("#task/Own/0", "#task/Own/0/sample/0", "#task/Own/0/compare")
