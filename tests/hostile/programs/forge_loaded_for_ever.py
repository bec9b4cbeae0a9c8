"""tries: report that it has loaded again and again while it never does
sound: crash|timeout
uses: channel
"""
while True:
    send(LOADED)
