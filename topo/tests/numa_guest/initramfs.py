#!/usr/bin/env python3
"""Writes the file system that a guest boots from.

usage: initramfs.py OUTPUT INIT RUNS PROGRAM... [PATH=FILE]...

It holds INIT as /init, RUNS as /runs, each PROGRAM in /bin, the shared
libraries that `ldd` names for them in /lib (the loader where the programs ask
for it), and each FILE as PATH. The format is cpio's `newc`, which is 110 hexadecimal bytes a file, so
no package is needed for it; uncompressed, because the guest unpacks slowly.
"""

import os
import re
import stat
import subprocess
import sys


class Archive:
    def __init__(self, file):
        self.file = file
        self.inodes = 0
        self.names = set()

    def add(self, name, mode, data=b"", device=(0, 0)):
        """Adds a file, a folder or a device, and before it the folders above it."""
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent:
            self.add(parent, stat.S_IFDIR | 0o755)
        self.names.add(name)
        self.inodes += 1
        fields = [self.inodes, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.file.write(pad(header + name.encode() + b"\0") + pad(data))

    def end(self):
        self.add("TRAILER!!!", 0)


def pad(data):
    return data + b"\0" * (-len(data) % 4)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def libraries(program):
    """Yields (path in the guest, path here) of what the program is linked with."""
    listing = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if "not a dynamic executable" in listing.stdout or "statically linked" in listing.stdout:
        return
    if listing.returncode != 0:
        sys.exit(f"initramfs.py: ldd {program}: {listing.stdout.strip()}")
    for line in listing.stdout.splitlines():
        found = re.match(r"\s*(\S+) => (/\S+) \(", line)
        loader = re.match(r"\s*(/\S+) \(", line)
        if found:
            yield "lib/" + os.path.basename(found[1]), found[2]
        elif loader:
            yield loader[1].lstrip("/"), loader[1]
        elif "not found" in line:
            sys.exit(f"initramfs.py: {program}: {line.strip()}")


def main(arguments):
    if len(arguments) < 4:
        print(__doc__)
        return 2
    output, init, runs, *programs = arguments
    with open(output, "wb") as file:
        archive = Archive(file)
        # The kernel opens the console before it starts /init.
        archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
        archive.add("init", stat.S_IFREG | 0o755, read(init))
        archive.add("runs", stat.S_IFREG | 0o644, read(runs))
        for folder in ("proc", "sys", "tmp"):
            archive.add(folder, stat.S_IFDIR | 0o755)
        for program in programs:
            path, equals, other = program.partition("=")
            if equals:
                archive.add(path, stat.S_IFREG | 0o644, read(other))
                continue
            archive.add("bin/" + os.path.basename(program), stat.S_IFREG | 0o755, read(program))
            for name, path in libraries(program):
                archive.add(name, stat.S_IFREG | 0o755, read(path))
        archive.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
