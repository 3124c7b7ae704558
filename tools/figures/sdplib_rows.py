"""What solvers of semidefinite programs say, and the table of it. Pure: tools/sdplib runs them."""

import csv
import io
import math
import re

COLUMNS = ("instance", "m", "n", "optimum", "solver", "threads", "status", "digits", "largest error", "iterations",
           "seconds", "MB")


class Failure(Exception):
    pass


def optima(text):
    """By instance: its row, with `value`, a number or None, and `claim`, "primal infeasible" and so on, or None.

    The columns instance, m, n and published_optimum; where sdpa_gmp_primal and sdpa_gmp_dual agree to 1e-6, their value.
    """
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        if "instance" not in row or "published_optimum" not in row:
            raise Failure("the optima have no columns instance and published_optimum")
        published = row["published_optimum"].strip()
        value = number(published)
        both = [number(row.get(name) or "") for name in ("sdpa_gmp_primal", "sdpa_gmp_dual")]
        claim = published if "infeasible" in published else None
        if None not in both and not claim and abs(both[0] - both[1]) <= 1e-6 * (1 + abs(both[0])):
            value = both[0]
        found[row["instance"]] = row | {"value": value, "claim": claim}
    return found


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def digits(value, optimum):
    """Of the objective: how many are the optimum's, 0 to 16."""
    if value is None or optimum is None:
        return None
    error = abs(value - optimum) / (1 + abs(optimum))
    return 16.0 if error == 0 else min(16.0, max(0.0, -math.log10(error)))


def of_ours(record, code):
    (row,) = record["results"]
    errors = [abs(error) for error in row["dimacs"] if error is not None]
    phase = row["phase"] + (", dd" if row["precision"] == "dd" else "")
    return {"status": phase, "code": code, "value": row["dual"], "error": max(errors, default=None),
            "iterations": row["iterations"]}


def after(name, text):
    """The number behind `name` and a sign of equality or a colon."""
    found = re.search(rf"{re.escape(name)}\s*[=:]\s*([-+.\deE]+)", text)
    return number(found[1]) if found else None


def of_sdpa(text, code):
    phase = re.search(r"phase\.value\s*=\s*(\w+)", text)
    errors = [after("p.feas.error", text), after("d.feas.error", text), after("relative gap", text)]
    iterations = after("Iteration", text)
    return {"status": phase[1] if phase else "none", "code": code, "value": after("objValDual", text),
            "error": max((abs(e) for e in errors if e is not None), default=None),
            "iterations": None if iterations is None else int(iterations)}


def of_csdp(text, code):
    said = re.search(r"^(Success|Partial Success|Failure|Stuck|Lack of progress|Declaring)[^\n]*", text, re.MULTILINE)
    said = re.search(r"^(?:Success|Partial Success|Failure)[^\n]*", text, re.MULTILINE) or said
    errors = re.search(r"DIMACS error measures:([^\n]*)", text)
    iterations = re.findall(r"^Iter:\s*(\d+)", text, re.MULTILINE)
    return {"status": said[0] if said else "none", "code": code, "value": after("Primal objective value", text),
            "error": max((abs(float(e)) for e in errors[1].split()), default=None) if errors else None,
            "iterations": int(iterations[-1]) if iterations else None}


def of_dsdp(text, code):
    said = re.search(r"^DSDP (Primal Unbounded|Dual Unbounded|Converged|Terminated)[^\n]*", text, re.MULTILINE)
    unbounded = re.search(r"^DSDP (?:Primal|Dual) Unbounded[^\n]*", text, re.MULTILINE)
    value = after("DSDP Solution", text)
    iterations = re.findall(r"^(\d+)\s+[-+]?\d\.\d+e", text, re.MULTILINE)
    return {"status": (unbounded or said)[0].removeprefix("DSDP ") if said or unbounded else "none", "code": code,
            "value": None if value is None else -value, "error": None,
            "iterations": int(iterations[-1]) if iterations else None}


def cells(row):
    def short(value, form):
        return "" if value is None else format(value, form)

    return [row["instance"], row["m"], row["n"], row["claim"] or short(row["optimum"], ".9g"), row["solver"],
            str(row["threads"]), row["status"], short(row["digits"], ".1f"), short(row["error"], ".0e"),
            short(row["iterations"], "d"), short(row["seconds"], ".2f"), short(row["megabytes"], ".0f")]


def table(rows):
    """Markdown."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "| --- |" + " ---: |" * 3 + " --- | ---: | --- |" + " ---: |" * 5]
    return "\n".join(lines + ["| " + " | ".join(cells(row)) + " |" for row in rows]) + "\n"
