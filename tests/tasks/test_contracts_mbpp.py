"""The MBPP+ contracts: what they keep, reject and check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.contracts import call, contract, number, parameters

from evalplus_lite.sandbox import Sandbox
from evalplus_lite.tasks import Dataset
from evalplus_lite.tasks.contracts import load_contracts
from evalplus_lite.types import Raised, Returned
from evalplus_lite.values import wire

OPEN: dict[str, Sequence[tuple[Any, ...]]] = {
    "006_differ_At_One_Bit_Pos": [(-2, 2), (True, 1)],
    "007_find_char_long": [("this.that",), ("well\tdone",)],
    "012_sort_matrix": [([],), ([[1], [1, 2]],), ([[]],)],
    "016_text_lowercase_underscore": [("",), ("aab_cbb\n",), ("é_a",)],
    "020_is_woodall": [(10**60,), (383.0,), (True,)],
    "058_opposite_Signs": [(0, -1), (3, 0), (0, 0), (True, -1)],
    "061_count_Substrings": [("",), ("1" * 151,), ("1a",)],
    "065_recursive_list_sum": [([1e6],), (["a"],)],
    "070_get_equal": [([],)],
    "074_is_samepatterns": [(["a", "a"], ["x", "y"]), ([], [])],
    "075_find_tuples": [([(1,)], 0), ([()], 1)],
    "087_merge_dictionaries_three": [({"a": 1}, {}, {"a": 2}), ({"a": 1}, {"a": True}, {})],
    "092_is_undulating": [(9,), (82,)],
    "097_frequency_lists": [([1],), ([],)],
    "100_next_smallest_palindrome": [(-1,), (10**8 + 1,)],
    "102_snake_to_camel": [("a__b",), ("_a",), ("aB",)],
    "103_eulerian_num": [(0, 0), (19, 1)],
    "109_odd_Equivalent": [("100", 1), ("1", 2), ("", 0)],
    "113_check_integer": [("",), (" 5",), ("1_0",), ("--5",), ("\u00b2",)],
    "119_search": [([],), ([4, 5],), ([1, 1, 1, 1, 2],), ([2, 1, 1],)],
    "123_amicable_numbers_sum": [(220,), (283,), (1209,), (10_001,), (0,)],
    "125_find_length": [("",), ("11",)],
    "128_long_words": [(1, "a,b"), (1, "a\tb")],
    "129_magic_square_test": [([[1, 1], [1, 1]],), ([[3, 4]],), ([],)],
    "137_zero_count": [([0, 0],)],
    "160_find_solution": [(0, 1, 2), (1, 1, 1001), (1, 1, -1)],
    "170_sum_range_list": [([1, 2], 1, 0), ([1], 0, 1)],
    "223_is_majority": [([1], 2, 1), ([2, 1], 2, 1)],
    "239_get_total_number_of_sequences": [(151, 3), (3, 151), (0, 1), (True, 1)],
    "245_max_sum": [([-1],), ([],)],
    "253_count_integer": [([True],)],
    "267_square_Sum": [(0,), (10**6 + 1,)],
    "272_rear_extract": [([()],)],
    "278_count_first_elements": [((1, 2),), ((),)],
    "294_max_val": [([2, 2.5],), (["a"],)],
    "297_flatten_list": [([None],)],
    "305_start_withp": [(["python Php"],), (["Java"],), (["Java Python", "Python Php"],)],
    "306_max_sum_increasing_subseq": [([-1, 2, 3], 3, 0, 2), ([1, 2], 2, 1, 1)],
    "308_large_product": [([1, 2], [2, 1], 2), ([1], [2], 2), ([1], [2], 0)],
    "310_string_to_tuple": [("a\n",)],
    "311_set_left_most_unset_bit": [(0,)],
    "391_convert_list_dictionary": [(["a"], ["b"], [])],
    "392_get_max_sum": [(-1,), (615264,)],
    "405_check_tuplex": [((True,), 1)],
    "410_min_val": [(["a", 2.5, 3],), ([True, 2],), ([],), (["a"],)],
    "415_max_Product": [([3, 3],), ([4, 1, -4, -1],), ([-3, -2, 2, 3],)],
    "419_round_and_sum": [([2.5],), ([-1.5],)],
    "421_concatenate_tuple": [((b"",),)],
    "427_change_date_format": [("2021-1-02",), ("2021-02-30",), ("2021-01-02\n",)],
    "430_parabola_directrix": [(0.5, 1, 1)],
    "440_find_adverb_position": [("a quicklyx way",), ("it's flyé ly",), ("LY ably",)],
    "446_count_Occurrence": [((1, 1), [1, 1])],
    "448_cal_sum": [(-1,)],
    "451_remove_whitespaces": [("a\tb",), ("\n",), (" \u00a0",)],
    "453_sumofFactors": [(0,), (1_000_001,)],
    "459_remove_uppercase": [("\u00e9",), (1,)],
    "463_max_subarray_product": [([],), ([1] * 101,)],
    "465_drop_empty": [({"a": ""},), ({"a": []},)],
    "468_max_product": [([-2, -1],), ([0, 1],)],
    "471_find_remainder": [([0.5], 2), ([1], 0)],
    "472_check_Consecutive": [([2, 1],), ([3, 1, 2],), ([],)],
    "556_find_Odd_Pair": [([1, 2], 1)],
    "558_digit_distance_nums": [(-1, 1)],
    "559_max_sub_array_sum": [([1, 2], 1), ([-1], 1), ([], 0)],
    "563_extract_values": [('"a',), ('"',), ('""',), ("'a'",)],
    "564_count_Pairs": [([1, 2], 1)],
    "576_is_Sub_Array": [([1, 2, 3], [1, 3]), ([1], [])],
    "577_last_Digit_Factorial": [(2.5,), (901,)],
    "581_surface_Area": [(0, 1)],
    "589_perfect_squares": [(2, 1), (0, 10**7)],
    "591_swap_List": [([1],), ([],)],
    "593_removezero_ip": [("0.1.2.3",), ("01.2.3.4",), ("1.0.2.3",), ("1.256",)],
    "597_find_kth": [([2, 1], [3], 1), ([1], [2], 3)],
    "604_reverse_words": [("a  b",), (" a",), ("a\tb",)],
    "607_find_literals": [("abc", "a.c"), ("abc", "")],
    "611_max_of_nth": [([[1, 2]], -1), ([[1], [1, 2]], 0)],
    "615_average_tuple": [(((1,), (1, 2)),), ((),)],
    "620_largest_subset": [([3, 6, 2],), ([0, 1],)],
    "622_get_median": [([1], [2], 0), ([2, 1], [1, 2], 2)],
    "631_replace_spaces": [("a b_c",), ("a\tb",), ("a\n",)],
    "633_pair_xor_Sum": [([7, 3, -5], 3), ([7, 3, 5], 2), ([2**31, 1], 2)],
    "638_wind_chill": [(-1, 1)],
    "639_sample_nam": [(["_a"],), (["\u00c9a"],), ([""],)],
    "643_text_match_wordz_middle": [("zaza",), ("az bz c",), (" za",)],
    "724_power_base_sum": [(2, -1), (10, 10_000)],
    "725_extract_quotation": [('a "b',), ('a "" b',)],
    "734_sum_Of_Subarray_Prod": [([],), ([1] * 101,)],
    "735_toggle_middle_bits": [(1,), (0,)],
    "739_find_Index": [(0,), (13,)],
    "741_all_Characters_Same": [("",)],
    "748_capital_words_spaces": [("ABc",), ("aB",), ("A b",)],
    "749_sort_numeric_strings": [(["+1"],), (["--1"],), (["٣"],)],
    "753_min_k": [([("a", 1)], -1), ([("a", 1)], 2)],
    "759_is_decimal": [("123",), ("1.5",), ("-1.25",), ("1.25\n",), ("1e2",)],
    "763_find_min_diff": [((1,), 1), ((1, 2), 1)],
    "767_get_pairs_count": [([0.5, 0.5], 1)],
    "769_Diff": [([1, 1], [2])],
    "771_check_expression": [("",), ("(a)",)],
    "772_remove_length": [("a  b", 1), ("a,b", 3)],
    "773_occurance_substring": [("abc", "a.c"), ("abc", "")],
    "782_odd_length_sum": [([0.5],), ([1] * 151,)],
    "785_tuple_str_int": [("(7)",), ("(7,8)",), ("(07, 8)",)],
    "786_right_insertion": [([2, 1], 1)],
    "790_even_position": [([2, 2],)],
    "794_text_starta_endb": [("xab",), ("ab\n",)],
    "799_left_rotate": [(2**31, 1), (1, 32)],
    "800_remove_all_spaces": [("a\tb",), ("a\n",)],
    "805_max_sum_list": [([],), ([[0.5]],)],
    "806_max_run_uppercase": [("Aaa",), ("AAbBc",), ("A A",)],
}
"""Inputs of MBPP+ tasks on which its texts leave the answer open, or that they do not allow;
or on which a plain program would not finish."""


@pytest.mark.parametrize(
    ("name", "arguments", "expected", "right", "wrong"),
    [
        ("160_find_solution", [2, 3, 7], (2, 1), [(2, 1), (5, -1)], [(1, 2), None, [2, 1], 7]),
        ("160_find_solution", [2, 2, 3], None, [None], [(1, 1), (0, 0), False]),
        ("415_max_Product", [[1, 2, 3]], (2, 3), [(2, 3), (3, 2)], [(1, 3), (3,), [2, 3], 6]),
    ],
)
def test_mbpp_checks_take_every_right_answer(
    sandbox: Sandbox,
    name: str,
    arguments: list[Any],
    expected: object,
    right: list[Any],
    wrong: list[Any],
) -> None:
    """Any pair that the words allow is right, and no other answer."""
    source = load_contracts("mbpp")[name]
    rows = [(arguments, answer, expected) for answer in (*right, *wrong)]
    outcomes = call(sandbox, source, "check", rows)
    accepted = [isinstance(each, Returned) and wire.decode(each.data) for each in outcomes]
    assert accepted == [True] * len(right) + [False] * len(wrong)


def test_mbpp_contracts_reject_what_is_open(sandbox: Sandbox, mbpp_plus: Dataset) -> None:
    """Base inputs are kept; a refusal is in words; a name may have later capitals."""
    source = load_contracts("mbpp")["639_sample_nam"]
    rows = [(["DYLAN", "sally", "McCoy", "A"],), ([],)]
    assert all(isinstance(each, Returned) for each in call(sandbox, source, "precondition", rows))
    outcomes = call(sandbox, source, "sample_nam", rows)
    assert [isinstance(each, Returned) and wire.decode(each.data) for each in outcomes] == [11, 0]
    reviewed = [task for task in mbpp_plus.tasks if task.contract]
    names = [f"{number(task):03d}_{task.entry_point}" for task in reviewed]
    assert list(load_contracts("mbpp")) == names
    assert list(OPEN) == names
    for name, task in zip(names, reviewed, strict=True):
        own, theirs = parameters(contract(task), "precondition"), task.reference
        assert own == parameters(theirs, task.entry_point), name
        base, refused = [case.arguments for case in task.base], OPEN[name]
        outcomes = call(sandbox, contract(task), "precondition", [*base, *refused])
        for outcome in outcomes[: len(base)]:
            assert isinstance(outcome, Returned), f"{name}: {outcome}"
        for row, outcome in zip(refused, outcomes[len(base) :], strict=True):
            assert isinstance(outcome, Raised), f"{name}: {row}"
            assert (outcome.type, "must" in outcome.message) == ("AssertionError", True), name
