#!/usr/bin/env python3
"""Fails when a source file includes a library that its folder may not know.

/usr/include stays visible to every compilation, so a missing dependency can
still compile: only reading the #include lines sees it. Also refuses a library's
header that is not for its users, a source that does not include its own header first
(by which its compilation proves that the header compiles alone), and names that say
nothing (utils, common, ...).

usage: tools/layering/check_includes.py FILE...

The paths are relative to the workspace root, after ../REPOSITORY/ where the files are those of a release.
LIBRARY/hidden.txt lists that library's headers that are not for users; FOLDER/rooms.json the rooms inside FOLDER,
whose order floors.py describes.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True

import check_command  # noqa: E402: found by the path above.
from layering import floors  # noqa: E402

LIBRARIES = ["topo", "lwt", "llcl", "dsm", "taskrt"]

# Which library may include which; the same edges as each version.bzl's REQUIRES.
EDGES = {
    "topo": set(),
    "lwt": {"topo"},
    "llcl": {"topo"},
    "dsm": {"llcl", "topo"},
    "taskrt": {"lwt", "topo"},
    "apps": set(LIBRARIES),
    "tools": set(),
}

# The foreign headers that one file each may include, so that what they do has
# one place. Tests and benches may include what they like of these.
ONE_PLACE = {
    "hwloc.h": {"topo/discover.cc", "topo/read_machine.cc"},
    "numaif.h": {"topo/memory.cc", "topo/resident.cc"},
    "mpi.h": {"llcl/mpi.h"},
}
ONE_PLACE_PREFIX = {
    "oneapi/tbb": {"topo/tbb.h", "topo/tbb.cc"},
    "tbb/": set(),
    "valgrind/": {"lwt/machine/valgrind.cc"},
    "rdma/": {f"llcl/ofi/{part}" for part in (
        "atomics.cc", "atomics.h", "context.h", "device.cc", "fabric.cc", "fabric.h", "messages.cc", "operations.cc")},
}
# Foreign headers that a library's public headers and sources may include.
FOREIGN = ("absl/base/thread_annotations.h", "absl/debugging/symbolize.h", "absl/functional/", "absl/status/", "absl/strings/", "absl/types/")
PROGRAM_ONLY = ("CLI/", "nlohmann/", "gtest/", "gmock/", "benchmark/", "rapidcheck", "absl/")
MEANINGLESS = {"utils", "util", "common", "misc", "helper", "helpers", "manager", "internal", "detail", "impl"}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def is_for_people(path):
    """Programs, tests, benches and examples: what no library depends on."""
    return path.startswith(("apps/", "tools/")) or any(
        part in ("tests", "benches", "examples", "cli", "workloads") for part in path.split("/"))


def faults(path, text, hidden=frozenset(), headers=frozenset()):
    """Yields a sentence for each rule that the file breaks.

    `hidden`: headers that are not for other libraries' users. `headers`: all of the tree.
    """
    top = path.split("/")[0]
    for part in path.split("/"):
        if part.rsplit(".", 1)[0] in MEANINGLESS:
            yield f"{path}: the name '{part}' says nothing"
    own = path[:-len(".cc")] + ".h"
    included = INCLUDE.search(text)
    if path.endswith(".cc") and own in headers and (not included or included.group(1) != own):
        yield f"{path}: includes its own header, {own}, not first"
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1)
        where = f"{path}:{number}: "
        first = header.split("/")[0]
        if "/" in header and first in LIBRARIES and first != top and first not in EDGES.get(top, set()):
            yield f"{where}{top} may not include {first} ({header})"
        if header in hidden and top != first and top != "tools":
            yield f"{where}{header} is not for users of {first}: {first}/{first}.h names those that are"
        if first == "apps" and top != "apps":
            yield f"{where}libraries do not know the programs ({header})"
        if is_for_people(path):
            continue
        if header in ONE_PLACE and path not in ONE_PLACE[header]:
            yield f"{where}only {' and '.join(sorted(ONE_PLACE[header]))} may include {header}"
        for prefix, places in ONE_PLACE_PREFIX.items():
            if header.startswith(prefix) and path not in places:
                yield f"{where}only {' and '.join(sorted(places)) or 'nobody'} may include {header}"
        if header.startswith(PROGRAM_ONLY) and not header.startswith(FOREIGN):
            yield f"{where}a library may not include {header}: its users would need it too"


def faults_of(paths):
    texts, hidden, declared = {}, set(), {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = floors.in_tree(path)
        if name.endswith("/hidden.txt"):
            hidden.update(text.split())
        elif name.endswith("/rooms.json"):
            declared[os.path.dirname(name)] = json.loads(text)
        else:
            texts[name] = text
    headers = {path for path in texts if path.endswith(".h")}
    found = [fault for path, text in texts.items() for fault in faults(path, text, hidden, headers)]
    for root, rooms in declared.items():
        found += floors.faults(floors.Floors(root, rooms), texts)
    return found


if __name__ == "__main__":
    sys.exit(check_command.run("layering/check_includes.py", __doc__, faults_of))
