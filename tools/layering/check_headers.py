#!/usr/bin/env python3
"""Fails when a header gives its users warnings, or pages of errors where a compiler's flag is all that is wrong.

All headers together compile without a warning, with more kinds of them than -Wall -Wextra has. Each alone,
with a flag that LIBRARY/language.h refuses, gives one error that names the flag, before all others.

usage: tools/layering/check_headers.py FILE...     exported headers of one library

The paths are relative to the workspace root. Headers of C are not compiled by themselves.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.dont_write_bytecode = True

import check_command  # noqa: E402: found by the path above.

COMPILER = "g++"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wsign-conversion", "-Wuseless-cast", "-Wconversion"]
# The refusal, and the compiler's own that no file is there to go on with.
MOST_ERRORS = 2

REFUSAL = re.compile(r'#error "[^"]*compile this file (with|without) (-\S+)"')
REFUSED = {"-std=c++20": "-std=c++17"}  # a flag that is asked for -> one that is not it


def compile_headers(headers, flags):
    """What the compiler says of a file that includes these headers, line by line."""
    # Headers of libraries that are other repositories, as those of a release.
    others = [f"-I{path}" for path in sorted(glob.glob("../*")) if os.path.isdir(path)]
    text = "".join(f'#include "{header}"\n' for header in headers)
    return subprocess.run(
        [COMPILER, "-fsyntax-only", "-x", "c++", "-I.", *others, *flags, "-"],
        input=text, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}).stderr.splitlines()


def refused_flags(language):
    """A flag that each refusal in the text of a language.h is for, and the flag that it must name."""
    for how, flag in REFUSAL.findall(language):
        yield (REFUSED[flag] if how == "with" else flag), flag


def warnings_of(headers):
    """Yields a sentence for each warning or error."""
    for line in compile_headers(headers, ["-std=c++20", *WARNINGS]):
        if " warning: " in line or " error: " in line:
            yield line


def refusal_faults(header, flag, named):
    """Yields a sentence where `header` with `flag` does not end by one error that has `named` in it."""
    flags = [flag] if flag.startswith("-std=") else ["-std=c++20", flag]
    errors = [line for line in compile_headers([header], flags) if " error: " in line]
    if not errors:
        yield f"{header}: compiles with {flag}, which its library's language.h refuses"
    elif "#error" not in errors[0] or named not in errors[0]:
        yield f"{header}: with {flag} the first error is not that of language.h: {errors[0]}"
    elif len(errors) > MOST_ERRORS:
        yield f"{header}: with {flag} there are {len(errors)} errors, and not one"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def faults_of(paths):
    found = list(warnings_of(paths))
    for header in paths:
        if "#pragma once" in read(header):
            for flag, named in refused_flags(read(f"{header.split('/')[0]}/language.h")):
                found += refusal_faults(header, flag, named)
    return found


if __name__ == "__main__":
    if shutil.which(COMPILER) is None:
        print(f"SKIPPED: there is no {COMPILER}.")
        sys.exit(0)
    sys.exit(check_command.run("layering/check_headers.py", __doc__, faults_of))
