#!/usr/bin/env python3
"""The program in README.md is the program that examples/readme.cc compiles.

usage: readme_test.py README.md readme.cc MAX_LINES
"""
import re
import sys

readme, source, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
text = open(readme, encoding="utf-8").read()
code = open(source, encoding="utf-8").read()
blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.S | re.M)
# The first comment of the file points back to the README.
program = code.split("\n", 1)[1]
body = program[program.index("int main"):]
if not blocks:
    sys.exit(f"{readme} has no ```cpp block")
if blocks[0] != program:
    sys.exit(f"{readme}'s program differs from {source}: copy the file into the block")
if len(body.splitlines()) > most:
    sys.exit(f"{source}: main has {len(body.splitlines())} lines, at most {most}")
