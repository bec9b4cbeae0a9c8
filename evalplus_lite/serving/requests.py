"""Tasks as they come along with a program, for the place where it is judged."""

from __future__ import annotations

import hashlib
import marshal

from evalplus_lite.execution.base import Row
from evalplus_lite.jobs.workers.verification import RequestedTask
from evalplus_lite.tasks.loading import dataset_of
from evalplus_lite.tasks.published.trainers import Form, task_of


def source_of(form: Form, data: Row) -> Row:
    """Return a task that came with a program in the form that ``ProgramJudge.submit`` takes."""
    # In the form without references to equal parts: equal tasks have equal bytes.
    body = marshal.dumps((form, data), 2)
    return f"{__name__}:{requested.__name__}", hashlib.sha256(body).digest(), body


def requested(tests: tuple[Form, Row]) -> RequestedTask:
    """Return the task of tests in a form, or of a row of a known format."""
    form, data = tests
    if form != "row":
        found = task_of(form, data)
        return RequestedTask(found.task, found.tests, found.inside)
    dataset = dataset_of([data], name="task")
    task = dataset.tasks[0]
    suite = dataset.suites.get(task.id)
    return RequestedTask(task, suite=suite, has_plus=dataset.has_plus)
