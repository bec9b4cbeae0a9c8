"""tries: change its uid, its groups and its capabilities
sound: pass
uses: breach
"""
import struct

attempt(lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]),
        lambda: os.setresuid(0, 0, 0), lambda: os.setreuid(0, 0))
if libc.capset(struct.pack("<Ii", 0x20080522, 0), struct.pack("<6I", *[0xFFFFFFFF] * 6)) == 0:
    DONE.append("capset")
if os.getuid() == 0:
    DONE.append("root")
