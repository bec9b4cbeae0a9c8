"""tries: io_uring, bpf, perf, userfaultfd, modules, clocks, host names, raw devices
sound: pass
uses: breach
"""
calls((425, 8, bytes(120)), (321, 0, bytes(72), 72), (298, bytes(128), 0, -1, -1, 0), (323, 0),
      (175, b"", 0, b""), (227, 0, bytes(16)), (170, b"owned", 5), (103, 3, bytes(64), 64),
      (246, 0, 0, 0, 0), (163, 0), (300, 0, 0), (294, 0), (135, 0x0040000))
for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/tty", "/dev/fuse",
             "/sys/kernel/uevent_helper", "/proc/sysrq-trigger"):
    attempt(lambda: os.open(path, os.O_RDWR))
