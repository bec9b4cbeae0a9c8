"""tries: nothing: correct code that uses event loops, pipes, timers, signals, mappings and databases
sound: pass
"""
import asyncio, decimal, io, json, locale, mmap, os, pathlib, platform
import queue, resource, select, selectors, shutil, signal, socket, sqlite3, tempfile, threading, time


def pipes(value):
    reading, writing = os.pipe()
    with select.epoll() as poll:
        poll.register(reading, select.EPOLLIN)
        os.write(writing, str(value).encode())
        assert poll.poll(1)
    with os.fdopen(os.dup(reading)) as file, selectors.DefaultSelector() as chosen:
        chosen.register(reading, selectors.EVENT_READ)
        os.close(writing)
        return int(file.read())


def alarms():
    heard = []
    signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    signal.sigtimedwait([signal.SIGUSR1], 0.01)
    signal.raise_signal(signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return bool(heard)


def files():
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a")
            path.write_text("text")
            shutil.copy2(path, path.with_name("b"))
            path.rename(path.with_name("c"))
            with sqlite3.connect(path.with_name("d")) as data:
                data.execute("create table t (x)")
            return len(list(pathlib.Path(folder).iterdir())) == 3
    except FileNotFoundError:
        return True  # this tier has no folder to write in


def add(a, b):
    assert pipes(a) == a and alarms() and files()
    with mmap.mmap(-1, 8192) as page:
        page[:3] = b"abc"
        assert page.find(b"c") == 2
    one, two = socket.socketpair()
    with one, two:
        one.sendall(b"x")
        assert two.recv(1) == b"x"
    with sqlite3.connect(":memory:") as data:
        data.execute("create table t (x)")
    assert os.cpu_count() and os.sched_getaffinity(0) and resource.getrusage(resource.RUSAGE_SELF)
    assert platform.system() == "Linux" and os.getcwd() and time.sleep(0.001) is None
    assert locale.getlocale() and os.statvfs("/usr/lib").f_bsize
    async def work():
        loop = asyncio.get_running_loop()
        inside = await loop.run_in_executor(None, threading.get_native_id)
        return await asyncio.wait_for(asyncio.sleep(0, a + b), 5) if inside else None
    return asyncio.run(work())
