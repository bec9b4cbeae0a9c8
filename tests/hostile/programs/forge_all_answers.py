"""tries: write the loaded mark and a full batch of answers itself, before the runner does
sound: fail
uses: channel
"""
send(LOADED)
send(frame(4 * record(integer(0)), 0, 4))
time.sleep(0.2)
os._exit(0)
