"""What the figures of a bench mean: names, values, ratios and their confidence. Pure."""

import json
import math
import re
import statistics

PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
# What Google Benchmark adds to a name and is no parameter of the problem.
MODIFIER = re.compile(r"^(real_time|process_time|manual_time|(iterations|repeats|min_time|min_warmup_time):.*)$")
RATES = ("bytes_per_second", "items_per_second")
LESS_IS_BETTER = ("s", "B")


class Failure(Exception):
    """One sentence for the user."""


def parse_name(name):
    """'fib/lwt/workers:1/real_time' -> ('fib', 'lwt', 'workers:1')."""
    parts = [part for part in name.split("/") if not MODIFIER.match(part)]
    if len(parts) < 2:
        raise Failure(f"the row '{name}' is not named problem/contestant/parameters")
    return parts[0], parts[1], "/".join(parts[2:])


def parse_rows(text, contestant):
    """One process's JSON -> {(problem, contestant, parameters): (value, unit)}."""
    if not text.strip():
        return {}  # The filter matches none of its rows.
    rows = {}
    for row in json.loads(text)["benchmarks"]:
        if row.get("error_occurred"):
            raise Failure(f"{contestant}: {row['name']} failed: {row.get('error_message', 'no reason given')}")
        if row.get("run_type", "iteration") != "iteration":
            continue
        rate = next((rate for rate in RATES if rate in row), None)
        if rate:
            value = (row[rate], rate.replace("_per_second", "/s"))
        elif "bytes" in row:  # A counter of memory held: what such a row is about is not its time.
            value = (row["bytes"], "B")
        else:
            value = (row["real_time"] / PER_SECOND[row["time_unit"]], "s")
        rows.setdefault(parse_name(row["name"]), []).append(value)
    # Repetitions within a process count as one.
    return {key: (statistics.median(value for value, _ in values), values[0][1]) for key, values in rows.items()}


def parse_note(text):
    """What one process says of itself beside its rows, as which BLAS it runs; "" where it says nothing."""
    return json.loads(text).get("context", {}).get("note", "") if text.strip() else ""


def rows_of_commit(rows, library, contestant):
    """The rows of the library's own binary as those of one contestant: each variant becomes a parameter.

    {("read", "lib_direct", "bytes:8"): v} -> {("read", contestant, "lib_direct/bytes:8"): v}; "lib" itself is left out.
    """
    def parameters(variant, rest):
        return "/".join(part for part in ("" if variant == library else variant, rest) if part)

    return {(problem, contestant, parameters(variant, rest)): value for (problem, variant, rest), value in rows.items()}


def ratio_of(ours, theirs, unit):
    """Above 1: ours is better."""
    if not ours > 0 < theirs:
        raise Failure(f"{ours:g} and {theirs:g} {unit} have no ratio")
    return theirs / ours if unit in LESS_IS_BETTER else ours / theirs


def confidence(ordered):
    """Two of the values; the true median lies between them with 95 % confidence.

    Each value is below it or above as a coin falls, so this is exact for any distribution.
    """
    count, low, outside = len(ordered), -1, 0
    while 2 * (outside := outside + math.comb(count, low + 1) / 2**count) <= 0.05:
        low += 1
    if low < 0:
        raise Failure(f"{count} rounds are too few for 95 % confidence")
    return ordered[low], ordered[-1 - low]


def compare(rounds, library):
    """Pairs the rows of each round -> the rows of results.json; without those of `without_ours`."""
    measured = {}  # (problem, contestant, parameters) -> values, one a round
    units = {}
    for rows in rounds:
        for key, (value, unit) in rows.items():
            measured.setdefault(key, []).append(value)
            if units.setdefault(key, unit) != unit:
                raise Failure(f"{'/'.join(key)} has another unit in another round")
    for key, values in measured.items():
        if len(values) != len(rounds):
            raise Failure(f"{'/'.join(key)} was measured in {len(values)} of {len(rounds)} rounds")

    compared = []
    for (problem, contestant, parameters), theirs in measured.items():
        key = (problem, library, parameters)
        peers = [other for other in measured if other[0] == problem and other[2] == parameters]
        if contestant == library and len(peers) > 1:
            continue  # It stands in the rows of its peers.
        if contestant != library and key not in measured:
            continue
        unit = units[key]
        if units[(problem, contestant, parameters)] != unit:
            raise Failure(f"{problem}/{parameters}: a time, a rate and an amount cannot be compared")
        ours = measured[key]
        row = {"problem": problem, "peer": None, "parameters": parameters, "unit": unit,
               "ours": statistics.median(ours), "theirs": None, "ratio": None, "ratio_q1": None, "ratio_q3": None,
               "ratio_low": None, "ratio_high": None}
        if contestant != library:
            ratios = sorted(ratio_of(a, b, unit) for a, b in zip(ours, theirs))
            q1, middle, q3 = statistics.quantiles(ratios, n=4, method="inclusive")
            low, high = confidence(ratios)
            row.update(peer=contestant, theirs=statistics.median(theirs), ratio=middle, ratio_q1=q1, ratio_q3=q3,
                       ratio_low=low, ratio_high=high)
        compared.append({name: rounded(value) for name, value in row.items()})
    return sorted(compared, key=lambda row: (row["problem"], natural(row["parameters"]), row["peer"] or ""))


def without_ours(rounds, library):
    """The rows of the peers that have none of ours to be compared with, by name."""
    names = {key for rows in rounds for key in rows}
    return sorted("/".join(key) for key in names if (key[0], library, key[2]) not in names)


def rounded(value):
    """Six digits: more is noise, and makes files hard to compare."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def natural(text):
    """So that threads:2 comes before threads:16."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text)]
