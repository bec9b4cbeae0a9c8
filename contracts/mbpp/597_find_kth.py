"""Two sorted lists of integers, and a number from one to how many there are."""


def precondition(arr1, arr2, k):
    for numbers in (arr1, arr2):
        assert type(numbers) is list, "arr1 and arr2 must be lists"
        assert all(type(x) is int for x in numbers), "every element must be an integer"
        assert numbers == sorted(numbers), "both lists must be sorted"
    assert type(k) is int and 1 <= k <= len(arr1) + len(arr2), (
        "k must be an integer from 1 to the number of elements"
    )
