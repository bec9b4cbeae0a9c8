"""A dictionary; its keys may be of any type, its string keys are ASCII.

A string without letters, "1" or "", is in lower case to some (it equals its lower()) and not to
others (its islower() is false), so keys of that kind must not decide the answer.
"""


def precondition(dict):
    assert type(dict) is type({}), "dict must be a dictionary"
    texts = [key for key in dict if type(key) is str]
    assert all(key.isascii() for key in texts), "every string key must be ASCII"
    if len(texts) == len(dict):
        with_letters = all(k.islower() for k in texts) or all(k.isupper() for k in texts)
        without = all(k == k.lower() for k in texts) or all(k == k.upper() for k in texts)
        assert with_letters == without, (
            "the answer must be the same whatever the case of a key without letters"
        )


# The original stops at the second key, so a third one in another case goes unseen.
def check_dict_case(dict):
    if not dict or not all(isinstance(key, str) for key in dict):
        return False
    return all(key.islower() for key in dict) or all(key.isupper() for key in dict)
