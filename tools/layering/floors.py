"""The floors inside a library or a program: which of its rooms may include which.

A room is a folder, or files of the root folder, each named by its header. The rooms of a library are declared in
order, from the ground to the roof (`rooms` in its BUILD file); a file includes its own room and those below.

A unit is a header with its sources: that of its name, and those beside it that define members of its classes and have
no header of their name. Units include each other in circles only in the rooms that are declared for it.
"""
import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
# The definition of a member, and that of a class, at the beginning of a line.
MEMBER = re.compile(r"^(?=\w)[^\n/#(=]*?\b([A-Z]\w*)::~?\w+\(", re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct)\s+(?:[A-Z_]+(?:\([^)]*\))?\s+)?(\w+)[^;\n]*\{", re.MULTILINE)
# The text that a language.h includes where there is nothing to go on with: there is no such file.
END_OF_COMPILATION = "compiled with"
# Rooms of people, who may include every room.
FOR_PEOPLE = {"tests", "benches", "examples", "cli", "workloads"}


def in_tree(path):
    """The path in the tree of vicinity, which may be a repository of another workspace."""
    return re.sub(r"^(?:\.\./|external/)[^/]+/", "", path)


class Floors:
    """The rooms of the folder `root`, as {"rooms": [["page"], ["space.h", "options.h"], ...], "circles": ["kernel"]}."""

    def __init__(self, root, declared):
        self.root = root
        self.order = declared["rooms"]
        self.circles = set(declared["circles"])
        self.floor = {name: number for number, names in enumerate(self.order) for name in names}

    def room(self, path):
        """The name in `rooms` that the file stands under; None where there is none."""
        folder, file = os.path.split(path[len(self.root) + 1:])
        if not folder:
            header = file.split(".")[0] + ".h"
            return header if header in self.floor else "." if "." in self.floor else None
        while folder and folder not in self.floor:
            folder = os.path.dirname(folder)
        return folder or None

    def holds(self, path):
        parts = path.split("/")
        return path.startswith(self.root + "/") and not FOR_PEOPLE & set(parts)


def includes(text):
    """Yields (line number, header) for each include of a header of the tree."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def faults(floors, texts):
    """Yields a sentence for each room without files, each file in no room, each include that runs up, and each circle of units.

    `texts`: path -> text of all sources of the folder.
    """
    texts = {path: text for path, text in texts.items() if floors.holds(path)}
    units = {}
    for name in sorted(floors.floor.keys() - {floors.room(path) for path in texts}):
        yield f"{floors.root}/BUILD: declares the room '{name}', in which there is no file"
    for path, text in sorted(texts.items()):
        room = floors.room(path)
        if room is None:
            yield f"{path}: stands in no room that {floors.root}/BUILD declares"
            continue
        unit = unit_of(path, texts)
        for number, header in includes(text):
            if "./" in header or "/" not in header and not header.startswith(END_OF_COMPILATION):
                yield f"{path}:{number}: {header} is not a path from the root of the tree"
            if header not in texts:
                continue
            other = floors.room(header)
            if other is not None and floors.floor[other] > floors.floor[room]:
                yield f"{path}:{number}: the room '{room}' stands below '{other}' and may not include {header}"
            if header.rsplit(".", 1)[0] != unit:
                units.setdefault(unit, set()).add(header.rsplit(".", 1)[0])
    for circle in circles(units):
        if not all(floors.room(unit + ".h") in floors.circles for unit in circle):
            yield f"{circle[0]}.h: includes itself by way of {', '.join(circle[1:])}"


def unit_of(path, texts):
    """The unit that the file belongs to: a path without its ending."""
    own = path.rsplit(".", 1)[0]
    if path.endswith(".cc") and own + ".h" not in texts:
        beside = [header for _, header in includes(texts[path])
                  if header in texts and os.path.dirname(header) == os.path.dirname(path)]
        for name in MEMBER.findall(texts[path]):
            for header in beside:
                if name in CLASS.findall(texts[header]):
                    return header.rsplit(".", 1)[0]
    return own


def circles(graph):
    """The strongly connected parts of more than one node, each sorted, by Tarjan's algorithm without recursion."""
    index, low, on, found, stack = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = []
                    while not circle or circle[-1] != node:
                        circle.append(stack.pop())
                        on.discard(circle[-1])
                    if len(circle) > 1:
                        found.append(sorted(circle))
    return found
