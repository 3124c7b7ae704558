"""The tables of a bench, for the terminal and for a README. Pure."""

import math
import re

from bench_figures import Failure

BEGIN, END = re.compile(r"<!-- bench(?:: (.+?))? -->"), "<!-- /bench -->"
MOST_IN_README = 20
NO_DIFFERENCE = "no difference shown"


def amount(value, unit):
    """1.2e-7 s -> '120 ns'; a rate gets its prefix likewise."""
    if value is None:
        return ""
    steps = ([(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")] if unit == "s" else
             [(1e12, "T" + unit), (1e9, "G" + unit), (1e6, "M" + unit), (1e3, "k" + unit), (1, unit)])
    scale, name = next((step for step in steps if abs(value) >= step[0]), steps[-1])
    return f"{value / scale:.3g} {name}"


def has_confidence(row):
    return row.get("ratio_low") is not None


def figure(value):
    """Two digits behind the point, and more where these would read 0 or 1: 1.23, 0.003, 1.005."""
    near = min(abs(value), abs(value - 1))
    return f"{value:.2f}" if near == 0 or near >= 0.01 else f"{value:.{min(6, -math.floor(math.log10(near)))}f}"


def ratio_cell(row):
    """'1.23 (1.10–1.31)': the ratio and what is known of its exactness.

    Where the 95 % confidence interval contains 1, the cell says that no difference is shown. Older files have quartiles only, which say how values vary and not how well their median is
    known: the cell names them.
    """
    if row["ratio"] is None:
        return ""
    if not has_confidence(row):
        return f"{figure(row['ratio'])} (quartiles {figure(row['ratio_q1'])}–{figure(row['ratio_q3'])})"
    text = f"{figure(row['ratio'])} ({figure(row['ratio_low'])}–{figure(row['ratio_high'])})"
    return f"{text} {NO_DIFFERENCE}" if row["ratio_low"] <= 1 <= row["ratio_high"] else text


def cells(row):
    return [row["problem"], row["parameters"], row["peer"] or "", amount(row["ours"], row["unit"]),
            amount(row["theirs"], row["unit"]), ratio_cell(row)]


def heads(library, rows):
    return ["problem", "parameters", "peer", library, "peer's",
            "ratio (95 % confidence)" if any(map(has_confidence, rows)) else "ratio"]


def legend(library, rows):
    """What a reader must know of the column of ratios."""
    rated = [row for row in rows if row["ratio"] is not None]
    with_confidence = [row for row in rated if has_confidence(row)]
    text = f"a ratio above 1 means that {library} is better"
    if with_confidence:
        text += ", and an interval that contains 1 does not show a difference"
    if len(with_confidence) < len(rated):
        text += "; where a row names quartiles, its confidence interval was not recorded"
    return text


def text_table(library, rows):
    table = [heads(library, rows)] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in table) for i in range(len(table[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) if i in (3, 4) else cell.ljust(width)
                  for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
        for line in table)


def markdown_table(library, results):
    machine = results["machine"]
    lines = [f"{machine['cpu']}, {machine['pus']} PUs, {machine['numa_nodes']} NUMA node"
             f"{'' if machine['numa_nodes'] == 1 else 's'}; {results['compiler']}; commit {results['commit']}; "
             f"{results['date']}. Medians of {results['rounds']} rounds; {legend(library, results['rows'])}.", "",
             "| " + " | ".join(heads(library, results["rows"])) + " |", "| --- | --- | --- | ---: | ---: | --- |"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in results["rows"]]
    if results.get("notes"):
        lines += ["", *(f"- {note}" for note in results["notes"])]
    return "\n".join(lines)


def shown(readme, results, path):
    """The rows of the results that the README's marker names, with the other keys as they are."""
    markers = list(BEGIN.finditer(readme))
    if len(markers) != 1 or readme.count(END) != 1 or markers[0].start() > readme.index(END):
        raise Failure(f"{path} must have a line <!-- bench: REGEX --> once and the line {END} once after it")
    wanted = re.compile(markers[0].group(1) or "")
    rows = [row for row in results["rows"]
            if wanted.search("/".join([row["problem"], row["peer"] or "", row["parameters"]]))]
    if not 0 < len(rows) <= MOST_IN_README:
        raise Failure(f"{path} would show {len(rows)} rows of 1 to {MOST_IN_README}: its line <!-- bench: REGEX --> says which")
    return {**results, "rows": rows}


def replace_table(readme, table):
    """`readme` with what stands between the markers replaced."""
    begin = BEGIN.search(readme).end()
    return readme[:begin] + "\n\n" + table + "\n\n" + readme[readme.index(END):]
