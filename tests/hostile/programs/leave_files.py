"""tries: leave files, folders that nobody may enter and odd names for the next program
sound: pass
"""
import os

for folder in ("/tmp", "/var/tmp", "/dev/shm", "@CANARY@", "."):
    for name in ("planted.py", "numpy.py", "\n", "-rf", b"\xff\xfe"):
        try:
            path = os.path.join(os.fsencode(folder), name if isinstance(name, bytes) else name.encode())
            with open(path, "w") as file:
                file.write("print('planted')")
        except OSError:
            pass
    try:
        os.makedirs(folder + "/closed/inner")
        open(folder + "/closed/inner/file", "w").close()
        os.symlink("/", folder + "/closed/link")
        os.mkfifo(folder + "/closed/pipe")
        os.chmod(folder + "/closed/inner", 0)
        os.chmod(folder + "/closed", 0)
    except OSError:
        pass

def add(a, b):
    return a + b
