#!/usr/bin/env python3
"""Makes one lcov file of what a test's coverage run left: the part of Bazel's own
merger that C++ needs, which Debian's Bazel has no way to download.

Bazel calls it with --coverage_dir, --output_file and further flags (filters) for
each test. Sources outside the workspace are left out.
"""
import collections
import glob
import gzip
import json
import os
import sys


def read_gcov(path, lines):
    """Adds the line counts of one gcov JSON file to lines[source][number]."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for source in json.load(file)["files"]:
            for line in source["lines"]:
                lines[source["file"]][line["line_number"]] += line["count"]


def read_lcov(path, lines):
    """Adds those of one lcov file."""
    source = None
    with open(path, encoding="utf-8") as file:
        for text in file:
            if text.startswith("SF:"):
                source = text[3:].strip()
            elif text.startswith("DA:") and source is not None:
                number, count = text[3:].split(",")[:2]
                lines[source][int(number)] += int(count)


def is_ours(source):
    return not source.startswith(("/", "external/")) and "/external/" not in source


def write_lcov(lines, file):
    for source in sorted(filter(is_ours, lines)):
        counts = lines[source]
        file.write(f"SF:{source}\n")
        for number in sorted(counts):
            file.write(f"DA:{number},{counts[number]}\n")
        file.write(f"LH:{sum(count > 0 for count in counts.values())}\nLF:{len(counts)}\nend_of_record\n")


def main(arguments):
    flags = dict(argument[2:].split("=", 1) for argument in arguments if "=" in argument)
    lines = collections.defaultdict(collections.Counter)
    folder = flags["coverage_dir"]
    for path in glob.glob(os.path.join(folder, "**", "*.gcov.json.gz"), recursive=True):
        read_gcov(path, lines)
    for path in glob.glob(os.path.join(folder, "**", "*.dat"), recursive=True):
        read_lcov(path, lines)
    with open(flags["output_file"], "w", encoding="utf-8") as file:
        write_lcov(lines, file)


if __name__ == "__main__":
    main(sys.argv[1:])
