#!/usr/bin/env python3
"""Fails when a file that decides includes something that acts.

A pure file may include standard headers that start no thread and call no
system, Abseil's Status and string functions, and other pure files: of its own
library, and of a library below where they are named here.

usage: tools/layering/check_purity.py FILE...      all pure files of one library
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True

import check_command  # noqa: E402: found by the path above.

# Standard headers through which a rule could act.
ACTING = {
    "atomic", "barrier", "chrono", "condition_variable", "csignal", "cstdio", "ctime", "filesystem",
    "fstream", "future", "iostream", "latch", "mutex", "random", "semaphore", "shared_mutex",
    "stop_token", "syncstream", "thread",
}
ALLOWED_FOREIGN = ("absl/status/", "absl/strings/", "absl/types/")
# Of other libraries, whose own test reads them.
PURE_BELOW = {"topo/free_ranges.h"}
# Printing the reason before an abort is all that a pure file may do; instructions for vectors act on nothing.
EXCEPTIONS = {("dsm/diff/diff.cc", "cstdio"), ("dsm/diff/diff_x86.cc", "immintrin.h"), ("topo/topology.cc", "cstdio")}

# What a language.h includes where there is nothing to go on with: there is no such file.
END_OF_COMPILATION = "compiled with"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def faults(path, text, pure):
    """Yields a sentence for each include of `text` that a pure file may not have."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, header = match.groups()
        if header.startswith(END_OF_COMPILATION):
            continue
        where = f"{path}:{number}: a pure file may not include "
        if bracket == "<":
            if ("/" in header or header.endswith(".h") or header in ACTING) and (path, header) not in EXCEPTIONS:
                yield f"{where}<{header}>"
        elif header not in pure | PURE_BELOW and not header.startswith(ALLOWED_FOREIGN) and not header.endswith("/version.h"):
            yield f'{where}"{header}"'


def faults_of(paths):
    pure = {path for path in paths if path.endswith(".h")}
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found += faults(path, file.read(), pure)
    return found


if __name__ == "__main__":
    sys.exit(check_command.run("layering/check_purity.py", __doc__, faults_of))
