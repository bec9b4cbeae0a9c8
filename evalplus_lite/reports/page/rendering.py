"""Rendering of a page: templates, escaping, and the Content-Security-Policy."""

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

from evalplus_lite.cli.escaping import is_shown
from evalplus_lite.jobs.tables import Table
from evalplus_lite.version import __version__


@dataclass(frozen=True, slots=True)
class Section:
    """A view of the page, shown at ``#/ROUTE``; without scripts, sections follow each other.

    ``template`` is rendered with ``context`` (all texts in it are escaped). With ``has_pictures``
    the page may show pictures that it contains. ``route`` is one of letters, digits and dashes.
    """

    route: str
    title: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    has_pictures: bool = False


# Visible marks for invisible characters and those that change the text's direction.

ODD = re.compile(r"[^\x20-\x7e\n\t]")
"""Characters that may need a mark: all but printable ASCII."""


def marked(text: object) -> Markup:
    """Return a text as HTML that shows each hidden character as a mark such as U+202E."""
    return Markup(ODD.sub(_shown, str(escape(str(text)))))


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    if is_shown(character):
        return character
    return f'<span class="odd">U+{ord(character):04X}</span>'


SEPARATOR = re.compile(r"(?<=[\w)])([-_/.:,@=+]+)(?=\w)")
"""Positions at which a name may break on a narrow screen."""


def named(text: object) -> Markup:
    """Return a name as ``marked`` does, with optional line breaks after its separators."""
    parts = SEPARATOR.split(str(text))
    return Markup("<wbr>").join(
        marked("".join(parts[place : place + 2])) for place in range(0, len(parts), 2)
    )


MOST_ROWS = 500
"""Maximum number of rows of a table on the page."""
UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
"""JSON escapes for characters that could end a script."""


def script_json(data: Any) -> str:
    """Return data as JSON that is safe in a script element, whatever its strings contain."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).translate(UNSAFE)


def page(
    index: Mapping[str, Any], sections: Sequence[Section], parts: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield the text of a page in pieces.

    ``parts`` are ids and texts (``script_json``) of further data, which are not kept in memory. In
    the page of one task, the index's ``home`` is the address of the index's page.
    """
    styles = [asset("style.css")]
    scripts = [asset("texts.js"), asset("views.js"), asset("page.js")]
    template = _environment().get_template("page.html")
    yield from template.generate(
        title=index["title"],
        home=index.get("home", ""),
        version=__version__,
        policy=policy(scripts, styles, images=any(each.has_pictures for each in sections)),
        scripts=scripts,
        styles=styles,
        index=script_json(index),
        sections=sections,
        parts=parts,
    )


def table_page(title: str, tables: Sequence[Table]) -> str:
    """Return tables as one page that needs no script and no network."""
    style = asset("style.css")
    part = {"path": "", "products": [(table, "") for table in tables], "missing": ()}
    context = {"title": title, "lead": "", "parts": [part], "most": MOST_ROWS}
    template = _environment().get_template("table_page.html")
    return template.render(context=context, style=style, policy=policy([], [style]))


def policy(scripts: Sequence[str], styles: Sequence[str], *, images: bool = False) -> str:
    """Return a Content-Security-Policy that allows only these scripts and styles, and ``images``
    in the page itself."""
    rules = {
        "default-src": "'none'",
        "script-src": " ".join(map(_hash, scripts)) or "'none'",
        "style-src": " ".join(map(_hash, styles)) or "'none'",
        **({"img-src": "data:"} if images else {}),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def asset(name: str) -> str:
    """Return a text file of this package."""
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
