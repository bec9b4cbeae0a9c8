"""tries: answer with a marshalled code object, in the hope that it is unmarshalled
sound: unrepresentable
uses: channel
"""
def add(a, b):
    send(frame(record(marshal.dumps(compile("import os; os.abort()", "x", "exec"), 2))))
    time.sleep(5)
