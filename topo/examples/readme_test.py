#!/usr/bin/env python3
"""The program in README.md is the program that examples/readme.cc compiles.

usage: readme_test.py README.md readme.cc MAX_LINES [NUMBER [LANGUAGE]]

NUMBER: which of the README's programs of the language it is, from 1 on, which is the default.
LANGUAGE: of its block, cpp by default.
"""
import re
import sys

readme, source, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
number = int(sys.argv[4]) if len(sys.argv) > 4 else 1
language = sys.argv[5] if len(sys.argv) > 5 else "cpp"
text = open(readme, encoding="utf-8").read()
code = open(source, encoding="utf-8").read()
blocks = re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M)
# The first comment of the file points back to the README.
program = code.split("\n", 1)[1]
body = program[program.index("int main"):]
if len(blocks) < number:
    sys.exit(f"{readme} has no ```{language} block" + (f" {number}" if number > 1 else ""))
if blocks[number - 1] != program:
    sys.exit(f"{readme}'s program differs from {source}: copy the file into the block")
if len(body.splitlines()) > most:
    sys.exit(f"{source}: main has {len(body.splitlines())} lines, at most {most}")
