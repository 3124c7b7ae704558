#!/usr/bin/env python3
"""README.md shows what results.json says.

usage: apps/stream/tests/readme_test.py [--write]

  --write  makes the README so
"""

import json
import os
import sys

FOLDER = "apps/stream"
BEGIN, END = "<!-- results -->\n", "<!-- /results -->\n"


def table(results):
    """The Triad rows of each policy and thread count."""
    machine, parameters = results["machine"], results["parameters"]
    triad = {(row["policy"], row["threads"], row["variant"]): row
             for row in results["results"] if row["kernel"] == "triad"}
    lines = [
        f"{machine['cpu']}, {machine['topology']}; {machine['compiler']}; commit {machine['commit']}; {parameters['date']}; "
        f"2^{parameters['elements'].bit_length() - 1} doubles an array; Triad:\n",
        f"`{parameters['command']}` ([all rows](results.json)).\n",
        "\n",
        "| policy | threads | tuned GB/s | plain GB/s | limit GB/s | tuned / plain | tuned / limit |\n",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    ]
    for (policy, threads, variant), tuned in triad.items():
        if variant != "tuned":
            continue
        plain, limit = triad[policy, threads, "plain"], triad[policy, threads, "limit"]
        lines.append(f"| {policy} | {threads} | {tuned['gb_per_s']:.1f} | {plain['gb_per_s']:.1f} | "
                     f"{limit['gb_per_s']:.1f} | {tuned['ratio_to_plain']:.2f} | {tuned['ratio_to_limit']:.2f} |\n")
    return "".join(lines)


def main(arguments):
    with open(os.path.join(FOLDER, "results.json"), encoding="utf-8") as file:
        results = json.load(file)
    path = os.path.join(FOLDER, "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, begin, rest = text.partition(BEGIN)
    shown, end, after = rest.partition(END)
    if not (begin and end):
        print(f"{path} has no lines {BEGIN.strip()} and {END.strip()}")
        return 1
    wanted = table(results)
    if arguments == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + begin + wanted + end + after)
    elif shown != wanted:
        print(f"{path} is not what results.json says; run {sys.argv[0]} --write. It should say:\n{wanted}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
