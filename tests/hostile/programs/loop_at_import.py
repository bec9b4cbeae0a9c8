"""Loop at import.

problem: add
tries: never finish loading
sound: timeout
"""
while True:
    pass
