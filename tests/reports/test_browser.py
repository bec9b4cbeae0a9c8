"""What a person does with a report in a real browser, and what a hostile sample cannot do there."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from reports.conftest import BODIES, IMAGE, TASK_VIEWS, TASKS, Made, Seen, hashes, seen
from support.commands import write_rows

from evalplus_lite.cli import main
from evalplus_lite.jobs.evaluation import evaluate
from evalplus_lite.jobs.session import Session
from evalplus_lite.reports.reporting import report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WORDS = ("1", "[", "]", ", ", "'a\\'b'", "'x' ", "\\", "'", "\n", "nan", "\U0001f600", "\u202e")


def shown_tasks(page: Page) -> list[str]:
    return page.locator("table.tasks tbody th a").all_inner_texts()


def test_every_view_opens(made: Made, watched: Seen) -> None:
    """Each link of the navigation and each view of a task has a heading, and asks for nothing."""
    watched.go(made.url)
    links = watched.page.locator(".top nav a").all()
    assert len(links) >= 4
    for link in links:
        link.click()
        assert watched.page.locator("h1:visible").count() >= 1
        assert link.get_attribute("aria-current") == "page"
    for view in hashes(made):
        watched.go(made.url + view)
        assert watched.page.locator("h1:visible").inner_text()
        watched.hold()
    assert {url.partition("#")[0] for url in watched.requests} == {made.url}


def test_filters_orders_and_themes(made: Made, watched: Seen) -> None:
    """Tasks are found by what happened and by name; one press makes a page dark, and back."""
    watched.go(made.url)
    page = watched.page
    assert len(shown_tasks(page)) == len(TASKS)
    page.get_by_label("Named").fill("own/1")
    assert shown_tasks(page) == ["Own/1"]
    assert page.locator(".map svg").first.get_attribute("viewBox") == "0 0 1 2"
    page.get_by_label("Named").fill("")
    page.get_by_label("Show").select_option("none")
    assert shown_tasks(page) == []
    page.get_by_label("Show").select_option("every")
    assert shown_tasks(page) == []
    page.get_by_label("Show").select_option("all")
    page.get_by_label("Order").select_option("hard")
    first = shown_tasks(page)
    page.get_by_label("Order").select_option("easy")
    assert sorted(first) == sorted(shown_tasks(page))
    watched.go(made.url)
    page = watched.page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(paper) != light
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(paper) == light
    assert page.evaluate("localStorage.length") == 0


def test_from_summary_to_the_failing_input_and_back(made: Made, watched: Seen) -> None:
    """Three clicks lead to it, the back button retraces them; two programs stand side by side."""
    watched.go(made.url)
    page = watched.page
    page.get_by_role("link", name="Own/0", exact=True).click()
    assert page.locator("h1:visible").inner_text() == "Own/0"
    row = page.locator("#view tr", has=page.locator("td", has_text="hasty")).last
    row.get_by_role("link").click()
    text = page.locator("#view").inner_text()
    assert "return x + x if x != 2 else 5" in text
    assert re.search(r"Expected\s+4", text)
    assert re.search(r"Actual\s+5", text)
    page.go_back()
    assert page.locator("h1:visible").inner_text() == "Own/0"
    page.go_back()
    assert page.locator("table.tasks").is_visible()
    page.go_forward()
    assert page.locator("h1:visible").inner_text() == "Own/0"
    watched.go(f"{made.url}#task/Own/0/compare")
    page = watched.page
    marked = page.locator(".two .other:not(.gap)")
    assert [text.strip() for text in marked.all_inner_texts()] == [
        "return x * 2",
        "return x + x if x != 2 else 5",
    ]
    assert page.locator(".two .same").count() == 2
    never = page.get_by_label("Second program").locator("option", has_text="never")
    page.get_by_label("Second program").select_option(never.get_attribute("value"))
    assert "1048576 bytes" in page.locator(".two .second.fault").inner_text()
    page.get_by_role("link", name="whole sample").last.click()
    assert re.search("never, Own/0, sample 0", page.locator("#view h1").inner_text())


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent.trim().slice(0, 40)"))


def test_by_keyboard_alone(made: Made, watched: Seen) -> None:
    """The first key leads past the navigation, arrows walk the map, and focus is always shown."""
    watched.go(made.url)
    page = watched.page
    page.keyboard.press("Tab")
    assert "Skip" in focused(page)
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('map')"):
            break
    else:
        pytest.fail("the map is not reached")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("ArrowRight")
    assert "Own/0" in page.locator(".pointed").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#view h1").inner_text() == "Own/0"
    assert focused(page) == "Own/0"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") in ("A", "DIV")


def test_hostile_texts_stay_texts(made: Made, watched: Seen) -> None:
    """Names, prompts, programs and answers that are markup are read as such, and run nowhere."""
    page = watched.page
    task = quote(TASKS[2]["id"])
    samples = [f"/sample/0?model={quote(model)}" for model in BODIES]
    for view in ("", "/compare", *samples):
        watched.go(f"{made.url}#task/{task}{view}")
        shown = page.locator("#view").inner_text()
        assert "<img src=x" in shown
        assert page.locator("#view img, #view script, a[href^='javascript:']").count() == 0
        assert "\u202e" not in shown
        watched.hold()
    assert page.locator("#view a").evaluate_all("all => all.every((a) => a.protocol === 'file:')")
    watched.go(f"{made.url}#task/{task}")  # whose prompt has them as they are
    assert page.locator("#view .odd", has_text="U+202E").count() > 0
    watched.go(f"{made.url}#task/Own/0/sample/0?model=never")  # a line of a megabyte
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for view in ("suite-1", "inputs", "survivors"):
        watched.go(f"{made.url}#/{view}")
        assert page.locator("main img").count() == 0


@pytest.mark.parametrize(
    "address",
    [
        "#task/none",
        "#task/Own/0/sample/9",
        "#task/Own/0/sample/0?model=none",
        "#task//compare",
        "#task/Own/0/compare?first=9&second=x&sample=-1",
        "#/%E0%A4%A",
        "#task/__proto__",
        "#/constructor",
        "#task/Own/0/sample/0?suite=7",
    ],
)
def test_addresses_that_lead_nowhere(made: Made, watched: Seen, address: str) -> None:
    """A wrong address shows a heading and a way back, and is no error."""
    watched.go(made.url + address)
    assert watched.page.locator("h1:visible").count() >= 1


SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def screens(browser: Browser) -> Iterator[dict[tuple[str, str], Seen]]:
    """Pages by size and colours."""
    found = {
        (size, colours): seen(browser, viewport=SIZES[size], color_scheme=colours)
        for size, colours in (("desk", "light"), ("desk", "dark"), ("phone", "light"))
    }
    yield found
    for each in found.values():
        each.hold()
        each.page.context.close()


VIEWS = ("suite-1", "inputs", "survivors", *(view[1:] for view in TASK_VIEWS))


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(made: Made, screens: dict[tuple[str, str], Seen], view: str) -> None:
    """No view breaks a rule of axe-core, in light or dark, on a desk or a phone."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    for kind, screen in screens.items():
        screen.go(f"{made.url}#/{view}")
        found = axe.run(screen.page).response["violations"]
        assert [(kind, each["id"], told(each)) for each in found] == []


def told(violation: dict[str, Any]) -> list[str]:
    return [f"{node['html'][:120]}: {node['failureSummary']}" for node in violation["nodes"][:3]]


@pytest.mark.parametrize("view", VIEWS)
def test_a_phone_scrolls_one_way_only(
    made: Made, screens: dict[tuple[str, str], Seen], view: str
) -> None:
    """Wide tables and long lines scroll in boxes of their own."""
    page = screens["phone", "light"].page
    page.goto(f"{made.url}#/{view}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("is_text", [False, True])
def test_in_a_sandboxed_frame(made: Made, watched: Seen, tmp_path: Path, is_text: bool) -> None:
    """A viewer that grants scripts and nothing else shows the page and its tasks."""
    inside = f'src="{made.url}"'
    if is_text:
        inside = f'srcdoc="{html.escape(made.path.read_text(encoding="utf-8"))}"'
    host = tmp_path / "host.html"
    host.write_text(
        '<!doctype html><title>h</title><iframe sandbox="allow-scripts" width=1000 height=800'
        f" {inside}></iframe>",
        encoding="utf-8",
    )
    watched.go(host.as_uri())
    frame = watched.page.frame_locator("iframe")
    frame.get_by_role("link", name="Own/0", exact=True).click()
    assert frame.locator("#view h1").inner_text() == "Own/0"
    watched.page.evaluate("history.back()")
    frame.locator("table.tasks").wait_for()


def test_the_page_stands_without_scripts_and_on_paper(
    made: Made, browser: Browser, watched: Seen
) -> None:
    """Scores, map and tables are read; what is printed has no buttons."""
    found = seen(browser, java_script_enabled=False)
    found.go(made.url)
    text = found.page.locator("main").inner_text()
    for part in ("pass@1", "careful", "Own/1", "Where they came from", "Worth an input"):
        assert part in text
    assert found.page.locator(".map svg path").count() > 0
    found.page.context.close()
    watched.page.emulate_media(media="print", color_scheme="light")
    watched.go(made.url)
    assert watched.page.locator("table.scores").is_visible()
    for control in (".filters", "#theme", ".top nav"):
        assert not watched.page.locator(control).first.is_visible()
    assert watched.page.pdf()[:5] == b"%PDF-"


def test_the_policy_refuses_what_is_put_in(made: Made, browser: Browser, tmp_path: Path) -> None:
    """A script, a style sheet or a picture that someone adds to the file is not run or loaded."""
    changed = tmp_path / "changed.html"
    text = made.path.read_text(encoding="utf-8")
    added = (
        f"<script>window.owned = 1</script><div>{IMAGE}</div><style>main{{display:none}}</style>"
    )
    changed.write_text(text.replace("<main", added + "<main", 1), encoding="utf-8")
    found = seen(browser)
    found.go(changed.as_uri())
    assert found.page.evaluate("window.owned") is None
    assert found.page.locator("main").is_visible()
    assert len(found.complaints) >= 3
    found.page.context.close()


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
    page.get_by_role("link", name="Compare two programs").click()
    assert page.locator("#view select").count() == 2
    page.go_back()
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


def test_a_sample_is_counted_within_its_model(watched: Seen, tmp_path: Path) -> None:
    """An address with the model's name leads to its sample, whatever samples others have."""
    texts = {"one": ["return x * 2", "return 2 * x"], "two": ["return x * 2", "return x"]}
    rows = [
        {"task_id": "Own/0", "model": model, "temperature": 0.8, "solution": f"def f(x): {body}\n"}
        for model, bodies in texts.items()
        for body in bodies
    ]
    tasks = str(write_rows(tmp_path / "tasks.jsonl", TASKS[:1]))
    samples, out = str(write_rows(tmp_path / "samples.jsonl", rows)), str(tmp_path / "out")
    assert main(["evaluate", "-d", tasks, "-s", samples, "-o", out, "-w", "1"]) == 0
    page = tmp_path / "report.html"
    assert main(["report", out, "-d", tasks, "-o", str(page)]) == 0
    model = quote("two, temperature 0.8")
    watched.go(f"{page.as_uri()}#task/Own/0/sample/1?model={model}")
    assert watched.page.locator("#view h1").inner_text() == "two, temperature 0.8, Own/0, sample 1"
    text = watched.page.locator("#view").inner_text()
    assert "Own/0#1' --model two --temperature 0.8 --case" in text


def test_what_decided_is_told(watched: Seen, tmp_path: Path) -> None:
    """The line that raised on the smallest input, numbers whole, and a check as what judged."""
    task = {"prompt": "", "entry_point": "f", "inputs": [[5], [0]]}
    check = "def check(inputs, output, expected):\n    return output > 0\n"
    rows = [
        {"id": "raises", "reference": "def f(x): return x\n", **task},
        {"id": "number", "reference": "def f(x): return [-1.6679422344071086, x]\n", **task},
        {"id": "letters", "reference": "def f(x): return 'a word with letters'\n", **task},
        {"id": "check", "reference": "def f(x): return 2.5\n", "contract": check, **task},
    ]
    texts = [
        "def f(x):\n    if x == 0:\n        raise ValueError\n    return -9\n",
        "def f(x): return [-1.0, x]\n",
        "def f(x): return 'a word with lettres'\n",
        "def f(x): return -2.0\n",
    ]
    samples = [{"task_id": r["id"], "solution": t} for r, t in zip(rows, texts, strict=True)]
    given = write_rows(tmp_path / "tasks.jsonl", rows)
    with Session(workers=1, cache=tmp_path / "cache") as session:
        out, path = tmp_path / "run", tmp_path / "report.html"
        evaluate(given, write_rows(tmp_path / "s.jsonl", samples), out=out, minimize=True,
                 session=session)  # fmt: skip
        report([out], datasets=[given], out=path, session=session)
    page = watched.page
    only: dict[str, list[str]] = {}
    for row in rows:
        watched.go(f"{path.as_uri()}#task/{row['id']}/sample/0")
        only[row["id"]] = page.locator("#view mark.only").all_inner_texts()[:2]
        if row["id"] == "raises":
            assert page.locator(".fault").inner_text().startswith("        raise ValueError")
    assert only["number"] == ["-1.6679422344071086", "-1.0"]
    assert only["letters"] == ["e", "e"]
    assert only["check"] == []
    text = page.locator("#view").inner_text()
    assert "check judged" in text
    assert "Expected" not in text
