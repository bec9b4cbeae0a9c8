"""tries: answer with a pickle that runs a command when loaded
sound: unrepresentable
uses: channel
"""
import pickle

class Bomb:
    def __reduce__(self):
        return (exec, ("open('@CANARY@/pickled', 'w').write('x')",))

def add(a, b):
    send(frame(record(pickle.dumps(Bomb()))))
    time.sleep(5)
