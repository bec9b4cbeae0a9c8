"""Two sorted lists of integers of one length, and that length."""


def precondition(arr1, arr2, n):
    for numbers in (arr1, arr2):
        assert type(numbers) is list and numbers, "both must be lists of at least one element"
        assert all(type(x) is int and abs(x) < 2**50 for x in numbers), (
            "every element must be an integer of at most 50 bits"
        )
        assert numbers == sorted(numbers), "both lists must be sorted"
    assert type(n) is int and n == len(arr1) == len(arr2), "n must be the length of both lists"
