#!/usr/bin/env python3
"""Fails when a comment or a document has a sentence that names nobody.

The subject of a sentence is a noun of the code or of the field: "the waiting
thread", not "who waits". Two forms are found, those with hardly a false alarm: a
statement that begins with Who or Whoever, and something that "is told".

usage: tools/prose/check_prose.py FILE...      C++, C, Starlark, shell, Python and Markdown
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True

import check_command  # noqa: E402: found by the path above.

# A statement: a question may begin with Who.
HEADLESS = re.compile(r"^(Who|Whoever)\b[^?]*$")
TOLD = re.compile(r"\b(is|are|was|were|be|been|being|gets|get) told\b")

CODE_COMMENT = re.compile(r"(?://|\*)[/ ]?(.*)$")
HASH_COMMENT = re.compile(r"^\s*#(?!!|include|pragma|define|if|endif|else|error)\s?(.*)$")


def blocks(path, text):
    """Yields (line number, prose) of each comment or paragraph, its lines joined."""
    start, words = 0, []
    in_code = False
    for number, line in enumerate(text.splitlines() + [""], 1):
        if path.endswith(".md"):
            in_code ^= line.startswith("```")
            part = None if in_code or line.startswith(("```", "|", "    ")) or not line.strip() else line.lstrip("-# ")
            begins = line.startswith(("- ", "#"))
        else:
            match = (HASH_COMMENT if path.endswith((".py", ".sh", ".bzl", "BUILD")) else CODE_COMMENT).search(line)
            part = match.group(1) if match and '"' not in line[:match.start()] and "://" not in line else None
            begins = bool(part and part.startswith("  ")) or bool(match and line[:match.start()].strip())
        if words and (not part or begins):
            yield start, " ".join(words)
            words = []
        if part:
            if not words:
                start = number
            words.append(part.strip())


def faults(path, text):
    """Yields a sentence for each statement that names nobody."""
    for number, prose in blocks(path, text):
        for sentence in re.split(r"(?<=[.:;?!])\s+", prose):
            if HEADLESS.search(sentence):
                yield f"{path}:{number}: a statement has a noun for its subject: '{sentence[:60]}'"
            elif TOLD.search(sentence):
                yield f"{path}:{number}: a caller is notified, an error is reported: '{sentence[:60]}'"


def faults_of(paths):
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found += faults(path, file.read())
    return found


if __name__ == "__main__":
    sys.exit(check_command.run("prose/check_prose.py", __doc__, faults_of))
