"""Parts of a page that are read without a script: a title, a route, and what stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Section:
    """A view of its own: shown at ``#/ROUTE``, and one below the other without a script.

    ``template`` is rendered with ``context`` (all texts in it are escaped). ``data`` is plain JSON
    for the view's script, in ``<script type="application/json" id="data-ROUTE">``. ``scripts``
    are texts that run as the page opens; each is allowed by its hash, and nothing else is but what
    ``allows`` adds to the page's policy: sources by directive.
    ``route`` is one of letters, digits and dashes.
    """

    route: str
    title: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    data: Any = None
    scripts: tuple[str, ...] = ()
    allows: Mapping[str, str] = field(default_factory=dict)
