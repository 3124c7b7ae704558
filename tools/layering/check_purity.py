#!/usr/bin/env python3
"""Fails when a file that decides includes something that acts.

A pure file may include standard headers that start no thread and call no
system, Abseil's Status and string functions, and other pure files, of its own
library and of those below. A file is pure if a library lists it, or if the
comment at the top of it, or of its header, says "Pure.".

usage: tools/layering/check_purity.py FILE...

FILE: the sources of one library; LIBRARY/pure.txt lists pure files of that
library and of those below.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True

import check_command  # noqa: E402: found by the path above.
from layering.floors import END_OF_COMPILATION, FOR_PEOPLE, in_tree, unit_of  # noqa: E402

# Standard headers through which a rule could act.
ACTING = {
    "atomic", "barrier", "chrono", "condition_variable", "csignal", "cstdio", "ctime", "filesystem",
    "fstream", "future", "iostream", "latch", "mutex", "random", "semaphore", "shared_mutex",
    "stop_token", "syncstream", "thread",
}
ALLOWED_FOREIGN = ("absl/functional/", "absl/status/", "absl/strings/", "absl/types/")
# Printing the reason before an abort is all that a pure file may do; instructions for vectors act on nothing, nor do
# the digits of addresses; numbers drawn by a given seed are a function of it.
EXCEPTIONS = {
    ("dsm/diff/diff.cc", "cstdio"), ("dsm/diff/diff_x86.cc", "immintrin.h"), ("topo/topology.cc", "cstdio"),
    ("llcl/start/hosts.cc", "arpa/inet.h"), ("apps/graph/graph500_generator.cc", "immintrin.h"),
    ("apps/predict/machine/unbound.h", "random"), ("apps/simpath/forecast/path_samples.cc", "random"),
    ("apps/simpath/frontier/zdd.h", "random"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
WORD = re.compile(r"\bPure[.;,:]")


def says_pure(text):
    """Does the comment at the top of the file say so?"""
    top = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        top.append(line)
    return WORD.search("\n".join(top)) is not None


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
        elif header not in pure and not header.startswith(ALLOWED_FOREIGN) and not header.endswith("/version.h"):
            yield f'{where}"{header}"'


def faults_of(paths):
    texts, pure = {}, set()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith("/pure.txt"):
            pure.update(text.split())
        elif not FOR_PEOPLE & set(path.split("/")):
            texts[in_tree(path)] = text
    pure |= {path for path, text in texts.items() if says_pure(text)}
    pure |= {path for path in texts if path.endswith(".cc") and unit_of(path, texts) + ".h" in pure}
    return [fault for path in sorted(pure & texts.keys()) for fault in faults(path, texts[path], pure)]


if __name__ == "__main__":
    sys.exit(check_command.run("layering/check_purity.py", __doc__, faults_of))
