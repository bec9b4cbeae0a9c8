"""Three dictionaries that give no key different values: nothing says which would win."""


def precondition(dict1, dict2, dict3):
    merged = {}
    for each in (dict1, dict2, dict3):
        assert type(each) is dict, "all three must be dictionaries"
        for key, value in each.items():
            other = merged.setdefault(key, value)
            assert type(other) is type(value) and other == value, "a key must have one value"
