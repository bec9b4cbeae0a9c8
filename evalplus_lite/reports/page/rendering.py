"""From data to the text of a page: templates, and what the page is allowed to run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from evalplus_lite.jobs.tables import Table
from evalplus_lite.version import __version__


@dataclass(frozen=True, slots=True)
class Section:
    """A view of its own: shown at ``#/ROUTE``, and one below the other without a script.

    ``template`` is rendered with ``context`` (all texts in it are escaped). ``allows`` adds to the
    page's policy: sources by directive. ``route`` is one of letters, digits and dashes.
    """

    route: str
    title: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    allows: Mapping[str, str] = field(default_factory=dict)


# Characters that cannot be seen, or that turn the text around them, shown as what they are.

ODD = re.compile(r"[^\x20-\x7e\n\t]")
"""What may have to be marked: all but plain ASCII."""
INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that leave no mark on a page though their category is a letter's or a symbol's."""


def marked(text: object) -> Markup:
    """Return a text as HTML in which each hidden character is a mark such as U+202E."""
    return Markup(ODD.sub(_shown, str(escape(str(text)))))


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    if character.isprintable() and not INVISIBLE.match(character):
        return character
    return f'<span class="odd">U+{ord(character):04X}</span>'


SEPARATOR = re.compile(r"(?<=[\w)])([-_/.:,@=+]+)(?=\w)")
"""Where a name may break on a narrow screen."""


def named(text: object) -> Markup:
    """Return a name as ``marked`` does, with a chance to break after its separators."""
    parts = SEPARATOR.split(str(text))
    return Markup("<wbr>").join(
        marked("".join(parts[place : place + 2])) for place in range(0, len(parts), 2)
    )


MOST_ROWS = 500
"""Rows of a table that a page shows."""
UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""Characters that could end a script, as JSON may write them as well."""


def script_json(data: Any) -> str:
    """Return data as JSON that can stand in a script element whatever its texts hold."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(UNSAFE)


def page(
    index: Mapping[str, Any], sections: Sequence[Section], parts: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield the text of a page, a piece at a time.

    ``parts`` are ids and texts (``script_json``) of further data, none of which is held. The
    index's ``home`` is the address of the index's page where this is a page of one task.
    """
    styles = [asset("style.css"), asset("charts.css")]
    scripts = [asset("texts.js"), asset("views.js"), asset("page.js")]
    template = _environment().get_template("page.html")
    yield from template.generate(
        title=index["title"],
        home=index.get("home", ""),
        version=__version__,
        policy=policy(scripts, styles, [section.allows for section in sections]),
        scripts=scripts,
        styles=styles,
        index=script_json(index),
        sections=sections,
        parts=parts,
    )


def table_page(title: str, tables: Sequence[Table]) -> str:
    """Return tables as one page that needs nothing else: no script and no network."""
    style = asset("style.css")
    part = {"path": "", "products": [(table, "") for table in tables], "missing": ()}
    context = {"title": title, "lead": "", "parts": [part], "most": MOST_ROWS}
    template = _environment().get_template("table_page.html")
    return template.render(context=context, style=style, policy=policy([], [style]))


def policy(
    scripts: Sequence[str], styles: Sequence[str], further: Iterable[Mapping[str, str]] = ()
) -> str:
    """Return a Content-Security-Policy under which only these scripts and styles count.

    ``further`` are directives that sections need: each may add one, and change none.
    """
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash, scripts)) or "'none'",
        "style-src": " ".join(map(_hash, styles)) or "'none'",
    }
    last = {"base-uri": "'none'", "form-action": "'none'"}
    added = {name: sources for each in further for name, sources in each.items()}
    assert not {*rules, *last} & set(added)
    return "; ".join(f"{name} {sources}" for name, sources in {**rules, **added, **last}.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def asset(name: str) -> str:
    """Return a text that comes with this package."""
    return (files("evalplus_lite.reports.page") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("evalplus_lite.reports.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = marked
    environment.filters["name"] = named
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}"
    return environment
