"""tries: exec, posix_spawn, system, subprocess and multiprocessing
sound: pass
uses: breach
"""
import subprocess, sys

for act in (
    lambda: os.posix_spawn("/bin/true", ["true"], {}),
    lambda: os.posix_spawn(sys.executable or "/usr/bin/python3", ["python"], {}),
    lambda: subprocess.run(["/bin/true"]),
    lambda: subprocess.Popen([sys.executable or "python3", "-c", "pass"]),
    lambda: os.popen("true"),
    lambda: os.execv("/bin/true", ["true"]),
    lambda: os.execve(os.open("/lib64/ld-linux-x86-64.so.2", os.O_RDONLY), ["x"], {}),
):
    try:
        attempt(act)
    except subprocess.SubprocessError:
        pass
if os.system("true") == 0:
    DONE.append("system")
