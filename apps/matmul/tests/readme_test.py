#!/usr/bin/env python3
"""README.md shows what results.json says.

usage: apps/matmul/tests/readme_test.py [--write]

  --write  makes the README so
"""

import json
import os
import sys

FOLDER = "apps/matmul"
BEGIN, END = "<!-- results -->\n", "<!-- /results -->\n"


def name_of(row):
    return row["variant"] + (f", k = {row['candidates']}" if row["policy"] == "depth" else "")


def histogram(row, depths):
    """Steals of one product, in the mean."""
    steals = row["steals_by_depth"] + [0] * (depths - len(row["steals_by_depth"]))
    return [f"{count / row['repetitions']:.1f}" for count in steals]


def table(results):
    """All rows; and who stole at which depth with the most workers."""
    machine, parameters, rows = results["machine"], results["parameters"], results["results"]
    lines = [
        f"{machine['cpu']}, {machine['topology']}; {machine['compiler']}; commit {machine['commit']}; {parameters['date']}; "
        f"leaf: {parameters['leaf']}:\n",
        f"`{parameters['command']}` ([all rows](results.json)).\n",
        "\n",
        "| workers | variant | GFLOP/s | / cutoff | spawns | steals |\n",
        "| ---: | --- | ---: | ---: | ---: | ---: |\n",
    ]
    for row in rows:
        ratio = f"{row['ratio_to_cutoff']:.2f}" if "ratio_to_cutoff" in row else ""
        lines.append(f"| {row['workers']} | {name_of(row)} | {row['gflop_per_s']:.1f} | {ratio} | "
                     f"{row['spawns'] / row['repetitions']:.0f} | {row['steals'] / row['repetitions']:.1f} |\n")
    most = max(row["workers"] for row in rows)
    thieves = [row for row in rows if row["workers"] == most and row["steals"] > 0]
    if thieves:
        depths = max(len(row["steals_by_depth"]) for row in thieves)
        lines += ["\n", f"Steals of one product by depth, {most} workers:\n", "\n",
                  "| depth | " + " | ".join(str(depth) for depth in range(depths)) + " |\n",
                  "| --- |" + " ---: |" * depths + "\n"]
        lines += [f"| {name_of(row)} | " + " | ".join(histogram(row, depths)) + " |\n" for row in thieves]
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
