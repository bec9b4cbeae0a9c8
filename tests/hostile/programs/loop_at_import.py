"""tries: never finish loading
sound: timeout
"""
while True:
    pass
