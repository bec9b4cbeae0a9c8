"""A program that tries to escape from a sandbox, layer by layer, and reports its failures."""

ESCAPES = '''
import ctypes, os, resource, signal, socket, struct, sys

def refused(action, *arguments):
    """Whether the system says no."""
    try:
        action(*arguments)
    except (OSError, ImportError, AttributeError):
        return True
    return False

def readable(path):
    try:
        with open(path, "rb") as file:
            file.read(1)
        return True
    except IsADirectoryError:
        try:
            return bool(os.listdir(path))
        except OSError:
            return False
    except OSError:
        return False

def leave_child():
    if os.fork() == 0:
        os._exit(0)

def write(path):
    with open(path, "wb") as file:
        file.write(b"x")
    os.unlink(path)

def signal_parent():
    os.kill(os.getppid() or 1, signal.SIGCONT)

def many_threads():
    import threading
    wait = threading.Event()
    threading.stack_size(65536)
    started = []
    try:
        for _ in range(300):
            thread = threading.Thread(target=wait.wait, daemon=True)
            thread.start()
            started.append(thread)
    except RuntimeError:
        raise OSError("no more threads")
    finally:
        wait.set()

def probe(secrets, modules, folders):
    libc = ctypes.CDLL(None, use_errno=True)
    def unshare():
        if libc.unshare(0x10000000):
            raise OSError(ctypes.get_errno(), "unshare")
    def trace():
        if libc.ptrace(16, os.getppid() or 1, 0, 0):
            raise OSError(ctypes.get_errno(), "ptrace")
    def big():
        try:
            bytearray(4 << 30)
        except MemoryError:
            raise OSError("no memory")
    def keep_mode(folder):
        os.chmod(folder, os.stat(folder).st_mode & 0o7777)
    def send_elsewhere():
        one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        one.sendmsg([b"x"], [], 0, "\\0evalplus_lite_probe")
    def capabilities():
        held = ctypes.create_string_buffer(24)
        libc.capget(struct.pack("<Ii", 0x20080522, 0), held)
        # Those to read files in spite of their modes are kept where the interpreter needs them.
        return struct.unpack("<6I", held)[0] & ~6
    def raise_limit():
        try:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
        except ValueError:
            raise OSError("refused")
    found = {
        "no processes": refused(leave_child),
        "no programs": refused(os.execv, sys.executable or "/bin/true", ["x"]),
        "no network": refused(socket.socket) and refused(socket.socket, socket.AF_INET,
                                                          socket.SOCK_DGRAM),
        "no signals to others": refused(signal_parent),
        "no tracing": refused(trace),
        "no new namespaces": refused(unshare),
        "few threads": refused(many_threads),
        "bounded memory": refused(big) and refused(raise_limit),
        "no privileges": capabilities() == 0,
        "no messages to others": refused(send_elsewhere),
        "no attributes changed": all(refused(keep_mode, folder) for folder in ["/usr", *folders]),
        "no files written": all(refused(write, folder + "/evalplus_lite_probe")
                                for folder in 
                                ["/", "/dev", "/usr", "/var/tmp", "/dev/shm", *folders]),
        "no files read": not any(readable(path) for path in secrets),
        "no benchmark packages": all(refused(__import__, name) for name in modules),
        "no other process seen": not any(readable(f"/proc/{pid}/{name}")
            for pid in {1, os.getppid() or 1} for name in ("mem", "environ", "maps")),
        "clean environment": not {"OPENAI_API_KEY", "PATH", "USER"} & set(os.environ),
    }
    return found
'''
