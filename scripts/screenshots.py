"""Take the pictures of a report that the documents show.

    python -m scripts.screenshots [-o docs/images] [--work FOLDER]

Three models are made up of references and their mutants, on a suite of HumanEval's first tasks, so
that whoever has the package's ``dev`` extra and Chromium gets the same pictures. What was run stays
in ``--work`` and is taken from there the next time.
"""

from __future__ import annotations

import argparse
import io
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from evalplus_lite import Dataset, Sample, augment, evaluate, load_dataset
from evalplus_lite.jobs.session import Session
from evalplus_lite.programs.mutation.mutants import mutants
from evalplus_lite.reports.reporting import report

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
TASKS, INPUTS, SAMPLES, SEED = "0-39", 40, 5, 0
SKILLS = {"model-l": 0.85, "model-m": 0.65, "model-s": 0.35}
"""How often a made-up model gives the reference; else one of its mutants."""
COLOURS = 128
"""Of a picture: few, so that it is small."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A view to take: its address within the report, and its colours."""

    name: str
    address: str
    is_dark: bool = False


PICTURES = (
    Picture("report-light", "#/suite-1"),
    Picture("report-dark", "#/suite-1", is_dark=True),
    Picture("report-sample", "{failing}"),
    Picture("report-compare", "{failing_task}/compare"),
)


def main() -> int:
    """Run what the report is on, and take its pictures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("-o", "--out", type=Path, default=IMAGES, help="folder of the pictures")
    parser.add_argument("--work", type=Path, help="folder of what was run")
    options = parser.parse_args()
    program = shutil.which("chromium")
    if program is None:
        sys.exit("chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as temporary:
        page = made(options.work or Path(temporary)).resolve()
        options.out.mkdir(parents=True, exist_ok=True)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
            for name, data in taken(browser, page):
                path = options.out / f"{name}.png"
                path.write_bytes(data)
                print(f"{path}: {len(data) / 1000:.0f} kB")
            browser.close()
    return 0


def made(work: Path) -> Path:
    """Return the report on made-up models and a suite."""
    with Session() as session:
        data = load_dataset("humaneval", tasks=[TASKS], session=session)
        suite = augment(data, inputs=INPUTS, seed=SEED, out=work / "suite", session=session)
        samples = list(made_up(data))
        evaluate(
            suite.dataset,
            samples,
            details=True,
            minimize=True,
            ks=(1, 5),
            out=work / "results",
            session=session,
        )
        page = work / "report.html"
        report(
            [work / "suite", work / "results"],
            out=page,
            title="HumanEval",
            session=session,
        )
    return page


def made_up(data: Dataset) -> Iterator[Sample]:
    """Yield the samples of the made-up models: task by task some are harder for all of them."""
    for task in data:
        wrong = [mutant.source for mutant in mutants(task.reference)]
        ease = random.Random(f"{SEED} {task.id}").uniform(-0.3, 0.25)
        for model, skill in SKILLS.items():
            chance = random.Random(f"{SEED} {task.id} {model}")
            for index in range(SAMPLES):
                is_right = chance.random() < skill + ease
                source = task.reference if is_right else chance.choice(wrong)
                yield Sample(task.id, source, model, index)


def taken(browser: Browser, page: Path) -> Iterator[tuple[str, bytes]]:
    """Yield each picture's name and its PNG."""
    failing = failing_sample(browser, page)
    task = failing.partition("/sample/")[0]
    for picture in PICTURES:
        view = opened(browser, picture)
        address = picture.address.format(failing=failing, failing_task=task)
        view.goto(f"{page.as_uri()}{address}")
        yield picture.name, smaller(view.screenshot())
        view.context.close()


def opened(browser: Browser, picture: Picture) -> Page:
    """Return an empty page of a picture's colours."""
    return browser.new_context(
        viewport={"width": 1200, "height": 800},
        color_scheme="dark" if picture.is_dark else "light",
        reduced_motion="reduce",
    ).new_page()


def failing_sample(browser: Browser, page: Path) -> str:
    """Return the address of the first sample with a wrong answer to a short input."""
    view = browser.new_page()
    for number in range(int(TASKS.split("-")[1]) + 1):
        view.goto(f"{page.as_uri()}#task/HumanEval/{number}")
        for address in view.locator("#view a[href*='/sample/']").evaluate_all(ADDRESSES):
            view.goto(f"{page.as_uri()}{address}")
            values = view.locator("#view .value").all_inner_texts()
            if len(values) >= 3 and 6 <= len(values[0]) <= 40:
                view.close()
                return str(address)
    raise LookupError("no sample fails by its answer")


ADDRESSES = "all => all.map((each) => each.getAttribute('href'))"


def smaller(data: bytes) -> bytes:
    """Return a PNG with few colours."""
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    stream = io.BytesIO()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
    return stream.getvalue()


if __name__ == "__main__":
    sys.exit(main())
