"""tries: write zeros to the result channel without end
sound: crash|unrepresentable
uses: channel
"""
def add(a, b):
    while True:
        send(bytes(1 << 20))
