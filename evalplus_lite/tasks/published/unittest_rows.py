"""What the readers of rows with unit tests share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalplus_lite.harness import Harness
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.unit_tests import divided
from evalplus_lite.types import Case, Style, Task


def tested_task(
    fields: Fields,
    *,
    prompt: str,
    entry_point: str,
    reference: str,
    style: Style,
    extra: Mapping[str, Any],
) -> Task:
    """Return a task whose cases are the tests in the row's ``test``; refuses a row without."""
    try:
        tests = divided(fields.text("test"))
    except ValueError as error:
        raise fields.refuse(str(error)) from None
    return Task(
        id=fields.id("task_id"),
        prompt=prompt,
        entry_point=entry_point,
        harness=Harness("unittest", tests=tests.text, inside=len(tests.inside)),
        reference=reference,
        base=tuple(Case(name) for name in tests.names),
        contract=tests.check,
        style=style,
        extra=extra,
    )
