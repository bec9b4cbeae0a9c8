"""Methods: signature and calls that a prompt shows are those of functions, but for self."""

from __future__ import annotations

from evalplus_lite.generate.domains.annotations import hints
from evalplus_lite.generate.domains.constants import examples

PROMPT = '''
class Solution:
    def twoSum(self, nums: list[int], target: int) -> list[int]:
        """Return the places of two numbers with that sum.

        >>> Solution().twoSum([2, 7, 11], 9)
        >>> s.twoSum(target=6, nums=[3, 3])
        """
'''


def test_a_method_is_read_off_its_prompt() -> None:
    first, second = hints(PROMPT, "Solution.twoSum")
    assert (first.kind, second.kind) == ("list", "int")
    assert examples(PROMPT, "Solution.twoSum") == [([2, 7, 11], 9), ([3, 3], 6)]
    assert examples(PROMPT, "twoSum") == []
