"""A format of a published set's rows: what tells them, how one becomes a task, where files are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from evalplus_lite.store import Row
from evalplus_lite.tasks.contracts import load_contracts
from evalplus_lite.tasks.fields import Fields
from evalplus_lite.tasks.published.download import Release
from evalplus_lite.types import Rule, RuleKind, Task

# How the published sets compare outputs: facts about single tasks, kept as data.

KINDS: Mapping[str, RuleKind] = {
    # These return the shared, distinct or largest elements, in no order that the text settles.
    "Mbpp/2": "unordered",  # similar_elements
    "Mbpp/7": "unordered",  # find_char_long
    "Mbpp/111": "unordered",  # common_in_nested_lists
    "Mbpp/140": "unordered",  # extract_singly
    "Mbpp/232": "unordered",  # larg_nnum
    "Mbpp/249": "unordered",  # intersection_array
    "Mbpp/579": "unordered",  # find_dissimilar
    "Mbpp/769": "unordered",  # Diff
    # These ask whether a text matches: a match object counts as True.
    "Mbpp/737": "truthiness",  # check_str
    "Mbpp/787": "truthiness",  # text_match_three
    "Mbpp/794": "truthiness",  # text_starta_endb
}

# Tasks of the published plus sets whose answers a contract file's ``check`` judges: any root of a
# polynomial counts, and two texts can be read in two ways. No other contract is taken there, so
# that numbers compare with the literature.
CHECKED: frozenset[str] = frozenset({"HumanEval/32", "Mbpp/558", "Mbpp/581"})


def published_rule(task_id: str, atol: float) -> Rule:
    """Return a published task's rule; an ``atol`` of 0 in its file means the default one."""
    rule = Rule(KINDS[task_id]) if task_id in KINDS else Rule()
    return replace(rule, atol=atol) if atol else rule


Source: TypeAlias = Release | Callable[[], Path]
"""Where a set's file is: a release to be downloaded once, or a function that finds it."""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of published tasks besides their rows, by task id.

    ``contracts`` are contract files, ``tests`` the test programs that a mini file leaves out.
    """

    contracts: Mapping[str, str] = field(default_factory=dict)
    tests: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of row: the keys that tell it, and how it becomes a task.

    A row is of the format most of whose ``keys`` it has, all of them. ``task`` raises
    ``Fields.refuse`` for a row that cannot be used: it is listed, and does not stop the others.
    ``sources`` are the sets of this format that have names. ``contracts`` is the folder of
    contract files that ship with the project, and ``prefix`` what their numbers follow in ids.
    ``tests`` gives the test programs that a file lacks, seen from its first row.
    """

    name: str
    keys: Collection[str]
    task: Callable[[Fields, Background], Task]
    sources: Mapping[str, Source] = field(default_factory=dict)
    contracts: str = ""
    prefix: str = ""
    tests: Callable[[Row], Mapping[str, str]] | None = None

    def known_contracts(self) -> dict[str, str]:
        """Return the contract files' texts by task id: a file's name begins with its number."""
        if not self.contracts:
            return {}
        texts = load_contracts(self.contracts)
        return {f"{self.prefix}{int(stem.partition('_')[0])}": text for stem, text in texts.items()}

    def background(self, first: Row) -> Background:
        """Return what is known besides the rows of a file that begins with ``first``."""
        return Background(self.known_contracts(), self.tests(first) if self.tests else {})
