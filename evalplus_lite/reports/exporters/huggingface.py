"""A folder that ``datasets.load_dataset(folder)`` loads: JSONL and a dataset card.

Inputs and outputs are text (tagged JSON, as in our own files), because a column holds one type
and tasks take many; ``test`` is a ``check(candidate)`` that needs no decoding.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evalplus_lite.errors import InputError
from evalplus_lite.reports.exporters.entry import Card, ExportedTask, Written, lost_cases
from evalplus_lite.reports.exporters.humaneval import check_text
from evalplus_lite.store import write_jsonl, write_text
from evalplus_lite.tasks.contracts import has_check
from evalplus_lite.values import codec

_CARD = """\
---
pretty_name: {quoted_name}
language: [en, code]
task_categories: [text-generation]
tags: [code, benchmark, evalplus]
size_categories: [{size}]
license: {licence}
configs:
- config_name: default
  data_files:
  - split: test
    path: data/test.jsonl
---

# {name}

{tasks} programming tasks with {base} base and {plus} further test inputs, and the expected outputs.

| column | what it holds |
|---|---|
| `task_id`, `entry_point` | the task's name and the function it asks for |
| `prompt` | what a model is given |
| `canonical_solution` | what, appended to the prompt, is right |
| `test` | `check(candidate)`, which raises where an answer is wrong |
| `inputs`, `expected` | a JSON list of argument lists, and of right outputs, base cases first |
| `base_count` | how many of the inputs are the task's own |
| `comparison` | the rule and tolerances by which outputs are compared |
| `has_check` | 1 if `test` accepts other outputs, too: compare by `test`, not by `expected` |

`inputs` and `expected` are text: JSON in which `{{"$tuple": [...]}}`, `{{"$set": [...]}}`,
`{{"$float": "nan"}}` and the like stand for what JSON cannot say.

```python
from datasets import load_dataset

task = load_dataset("path/to/this/folder", split="test")[0]
names = {{}}
exec(task["prompt"] + task["canonical_solution"] + task["test"], names)
names["check"](names[task["entry_point"]])  # raises where the answer is wrong
```

Running a model's answers like this gives them your whole account: use a sandbox.
"""


def write_huggingface(folder: Path, entries: Sequence[ExportedTask], card: Card) -> Written:
    """Write the folder; the licence is named as the hub's cards do.

    Raises InputError if there are no tasks or a file cannot be written.
    """
    if not entries:
        raise InputError("there is no task to export")
    for option, text in (("--name", card.name), ("--license", card.licence)):
        if not text.isprintable():
            raise InputError(f"{option} {text[:60]!r} holds characters that cannot be shown")
    write_jsonl(
        folder / "data" / "test.jsonl",
        (
            {
                "task_id": entry.task.id,
                "prompt": entry.task.prompt,
                "entry_point": entry.task.entry_point,
                "canonical_solution": entry.solution,
                "test": check_text(entry),
                "inputs": codec.dumps([list(case.arguments) for case in entry.suite.cases]),
                "expected": codec.dumps(entry.expected),
                "base_count": entry.suite.base_count,
                "comparison": json.dumps(entry.task.rule.row),
                "has_check": int(has_check(entry.task)),
            }
            for entry in entries
        ),
    )
    readme = _CARD.format(
        name=card.name,
        # A JSON string is a YAML string, too, whatever it holds.
        quoted_name=json.dumps(card.name, ensure_ascii=False),
        licence=json.dumps(card.licence, ensure_ascii=False),
        size="n<1K" if len(entries) < 1000 else "1K<n<10K",
        tasks=len(entries),
        base=sum(len(entry.base) for entry in entries),
        plus=sum(len(entry.plus) for entry in entries),
    )
    write_text(folder / "README.md", readme)
    return Written(len(entries), lost_cases(entries))
