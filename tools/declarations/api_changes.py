"""What the difference between two lists of declarations means for a library's users. Pure.

A list is that of <lib>/api.txt: one declaration a line, `NAME: KIND ...`. A function
is `NAME: [WORDS] function (PARAMETERS) [const ...] -> RESULT[, template <...>]`, where
a parameter that has a default argument ends in ` = ...`.
"""

import itertools
import re
import typing

DEFAULT = " = ..."
# Words of a function that only allow more than the same function without them.
HARMLESS_WHEN_ADDED = ("constexpr ", " noexcept")
FUNCTION = re.compile(r".*?: (?:[a-z]+ )*function \(")
OPENING, CLOSING = "([{<", ")]}>"


class Changes(typing.NamedTuple):
    """A value. What a list has gained and lost."""

    broken: list  # (a line that users' programs rely on and that is gone, the lines that have its name now)
    added: list  # lines

    @property
    def is_empty(self):
        return not self.broken and not self.added


def name_of(line):
    return line.split(": ", 1)[0]


def scope_of(line):
    return name_of(line).rsplit("::", 1)[0]


def split_parameters(text):
    """'int, std::pair<int, int> = ...' -> ['int', 'std::pair<int, int> = ...']."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in OPENING) - (character in CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def cut_function(line):
    """-> (what stands before the parameters, the parameters, what stands after them), or None."""
    found = FUNCTION.match(line)
    if not found:
        return None
    begin, depth = found.end(), 1
    for end in range(begin, len(line)):
        depth += (line[end] == "(") - (line[end] == ")")
        if depth == 0:
            return line[:begin], split_parameters(line[begin:end]), line[end:]
    return None


def still_served(line):
    """The lines that a program may have been written for and that `line` serves as well, itself among them."""
    cut = cut_function(line)
    if cut is None:
        return {line}
    before, parameters, after = cut
    required = sum(not parameter.endswith(DEFAULT) for parameter in parameters)
    bare = [parameter.removesuffix(DEFAULT) for parameter in parameters]
    lines = {
        # An override must have the parameters of what it overrides, so that a default helps callers only.
        before + ", ".join(bare[:without] + parameters[without:length]) + after
        for length in (range(required, len(parameters) + 1) if "virtual " not in before else [len(parameters)])
        for without in range(min(required, length), length + 1)
    }
    if "virtual " not in before:
        for word in HARMLESS_WHEN_ADDED:
            lines |= {other.replace(word, "", 1) for other in lines}
    return lines


def breaks_by_being_there(line, old_scopes):
    """The class was there, and gained a function that derived classes must define, or one that is deleted."""
    is_new_duty = re.search(r": (protected )?pure virtual function ", line)
    return bool((is_new_duty or " = delete" in line) and scope_of(line) in old_scopes)


def compare(old, new):
    """Lines of then, lines of now -> Changes."""
    old, new = set(old), set(new)
    served = set(itertools.chain.from_iterable(still_served(line) for line in new))
    names = {}
    for line in sorted(new - old):
        names.setdefault(name_of(line), []).append(line)
    broken = [(line, names.get(name_of(line), [])) for line in sorted(old - served)]
    scopes = {name_of(line) for line in old}
    replacements = {line for _, lines in broken for line in lines}
    added = []
    for line in sorted(new - old - replacements):
        if breaks_by_being_there(line, scopes):
            broken.append((None, [line]))
        else:
            added.append(line)
    return Changes(broken, added)


def describe(changes):
    """The lines that a person reads, `-` for what is gone and `+` for what is new."""
    lines = []
    if changes.broken:
        lines.append("breaks its users:")
        # Overloads of one name are shown once, the gone ones before those that are there now.
        by_name = {}
        for gone, now in changes.broken:
            by_name.setdefault(name_of(gone or now[0]), []).append((gone, now))
        for pairs in by_name.values():
            lines += [f"  - {gone}" for gone, _ in pairs if gone]
            lines += [f"  + {line}" for line in sorted({line for _, now in pairs for line in now})]
    if changes.added:
        lines += ["adds:"] + [f"  + {line}" for line in changes.added]
    return lines


def parse_version(text):
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        raise ValueError(f"'{text}' is no version of three numbers")
    return tuple(int(part) for part in parts)


def least_version(old, changes, is_touched):
    """The least version of a library whose version was `old` and that has changed so.

    `is_touched`: any file of the library differs. Before 1.0 a break needs the next minor
    version and all else the next patch; from 1.0 on semantic versioning holds.
    """
    major, minor, patch = parse_version(old)
    if changes.broken:
        new = (0, minor + 1, 0) if major == 0 else (major + 1, 0, 0)
    elif changes.added and major > 0:
        new = (major, minor + 1, 0)
    elif is_touched or changes.added:
        new = (major, minor, patch + 1)
    else:
        new = (major, minor, patch)
    return ".".join(str(number) for number in new)
