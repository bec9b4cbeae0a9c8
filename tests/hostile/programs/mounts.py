"""tries: mount, unmount, chroot, pivot_root and the new mount calls
sound: pass
uses: breach
"""
if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0:
    DONE.append("mount")
calls((166, b"/tmp", 2), (161, b"/"), (155, b".", b"."), (428, -100, b"/", 1), (430, b"tmpfs", 0),
      (442, -100, b"/", 0, bytes(32), 32))
