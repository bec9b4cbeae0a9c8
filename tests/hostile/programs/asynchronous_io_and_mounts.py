"""tries: take asynchronous I/O contexts of the whole machine; list mounts, lock files, set policies
sound: pass
uses: breach
"""
import platform

NEW = {"statmount": 457, "listmount": 458, "open_tree_attr": 467, "file_getattr": 468}
OLD = {
    "x86_64": {"io_setup": 206, "io_submit": 209, "io_getevents": 208, "io_pgetevents": 333,
               "mlockall": 151, "membarrier": 324, "seccomp": 317, "inotify_add_watch": 254,
               "timer_create": 222, "mbind": 237, "remap_file_pages": 216, "vmsplice": 278},
    "aarch64": {"io_setup": 0, "io_submit": 2, "io_getevents": 4, "io_pgetevents": 292,
                "mlockall": 230, "membarrier": 283, "seccomp": 277, "inotify_add_watch": 27,
                "timer_create": 107, "mbind": 235, "remap_file_pages": 234, "vmsplice": 75},
}[platform.machine()]
for name, number in (NEW | OLD).items():
    room = ctypes.create_string_buffer(4096)
    for first in (8, 0):
        ctypes.set_errno(0)
        got = libc.syscall(number, first, room, room, room, 4096, 0)
        if got >= 0 or ctypes.get_errno() not in (1, 38):
            DONE.append(name)
