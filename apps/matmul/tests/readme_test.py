#!/usr/bin/env python3
"""README.md shows what results.json and simulated.json say.

usage: apps/matmul/tests/readme_test.py [--write]

  --write  makes the README so
"""

import json
import os
import sys

FOLDER = "apps/matmul"
PARTS = ["computing", "fetching", "threads", "stealing", "looking"]


def name_of(row):
    return row["variant"] + (f", k = {row['candidates']}" if row["policy"] == "depth" else "")


def each(row, key):
    """Of one product, in the mean."""
    return row[key] / row["repetitions"]


def markdown(head, rows):
    """Columns to the right, but for variants and depths."""
    rules = ["---" if cell in ("variant", "depth") else "---:" for cell in head]
    return ["| " + " | ".join(cells) + " |\n" for cells in [head, rules, *rows]]


def source(results, file):
    """How it was measured."""
    machine, parameters = results["machine"], results["parameters"]
    if parameters["mode"] == "simulated":
        where = f"Virtual time; commit {machine['commit']}; {parameters['date']}"
    else:
        where = (f"{machine['cpu']}, {machine['topology']}; {machine['compiler']}; commit {machine['commit']}; "
                 f"{parameters['date']}; leaf: {parameters['leaf']}")
    return [where + ":\n", f"`{parameters['command']}` ([all rows]({file})).\n", "\n"]


def speeds(rows):
    """All rows."""
    head = ["workers", "variant", "GFLOP/s", "/ cutoff", "spawns", "steals"]
    is_lost_known = any("lost_ns_per_steal" in row for row in rows)
    cells = []
    for row in rows:
        ratio = f"{row['ratio_to_cutoff']:.2f}" if "ratio_to_cutoff" in row else ""
        lost = f"{row['lost_ns_per_steal'] / 1000:.1f}" if "lost_ns_per_steal" in row else ""
        cells.append([str(row["workers"]), name_of(row), f"{row['gflop_per_s']:.1f}", ratio,
                      f"{each(row, 'spawns'):.0f}", f"{each(row, 'steals'):.1f}"] + [lost] * is_lost_known)
    return markdown(head + ["µs lost / steal"] * is_lost_known, cells)


def most_workers(rows):
    most = max(row["workers"] for row in rows)
    return most, [row for row in rows if row["workers"] == most]


def steals_by_depth(rows):
    """With the most workers."""
    most, rows = most_workers(rows)
    thieves = [row for row in rows if row["steals"] > 0]
    if not thieves:
        return []
    depths = max(len(row["steals_by_depth"]) for row in thieves)
    cells = []
    for row in thieves:
        steals = row["steals_by_depth"] + [0] * (depths - len(row["steals_by_depth"]))
        cells.append([name_of(row)] + [f"{count / row['repetitions']:.1f}" for count in steals])
    return (["\n", f"Steals of one product by depth, {most} workers:\n", "\n"] +
            markdown(["depth"] + [str(depth) for depth in range(depths)], cells))


def where_time_went(rows):
    """With the most workers, which are simulated."""
    most, rows = most_workers(rows)
    shares = []
    for row in rows:
        times = [row[f"virtual_{part}_ns"] for part in PARTS]
        blocks = [each(row, f"blocks_from_{place}") for place in ("shared_cache", "own_node", "other_nodes")]
        shares.append([name_of(row)] + [f"{100 * time / sum(times):.1f} %" for time in times] +
                      [f"{count:.0f}" for count in blocks] +
                      [f"{row['virtual_ns_per_steal']:.0f}" if "virtual_ns_per_steal" in row else "",
                       f"{row['extra_blocks_per_steal']:.2f}" if "extra_blocks_per_steal" in row else ""])
    lines = ["\n", f"Where the time of {most} workers went, and whence they fetched blocks (one product):\n", "\n"]
    lines += markdown(["variant", *PARTS, "shared cache", "own node", "other nodes", "ns / steal", "extra blocks / steal"],
                      shares)
    cutoff = next(row for row in rows if row["variant"] == "cutoff")
    differences = []
    for row in rows:
        if row["variant"] not in ("cutoff", "ideal"):
            more = [(each(row, key) - each(cutoff, key)) / most / 1000
                    for key in (f"virtual_{part}_ns" for part in PARTS)]
            differences.append([name_of(row)] + [f"{value:+.1f}" for value in [*more, sum(more)]])
    lines += ["\n", "A worker's time beyond its time in cutoff, µs a product:\n", "\n"]
    return lines + markdown(["variant", *PARTS, "sum"], differences)


def table_of(results, file):
    rows = results["results"]
    lines = source(results, file) + speeds(rows) + steals_by_depth(rows)
    if results["parameters"]["mode"] == "simulated":
        lines += where_time_went(rows)
    return "".join(lines)


def main(arguments):
    path = os.path.join(FOLDER, "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    is_right = True
    for name in ("results", "simulated"):
        with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
            wanted = table_of(json.load(file), name + ".json")
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        if begin not in text or end not in text:
            print(f"{path} has no lines {begin.strip()} and {end.strip()}")
            return 1
        before, _, rest = text.partition(begin)
        shown, _, after = rest.partition(end)
        if shown != wanted and arguments != ["--write"]:
            is_right = False
            print(f"{path} is not what {name}.json says; run {sys.argv[0]} --write. It should say:\n{wanted}")
        text = before + begin + wanted + end + after
    if arguments == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
