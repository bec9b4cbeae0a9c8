"""How the published sets compare outputs: facts about single tasks, kept as data.

Source: the comparison that evalplus 0.3.1 and its repository make for each set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalplus_lite.types import Rule, RuleKind

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
