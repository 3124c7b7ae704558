"""ULIBC's rows: tables 2 to 4 of the described machine, the functions, the example of paths. By row: a kind, and a function
from the programs to our values by claim."""

import os
import re

MACHINE = "--topology=pack:4 [numa] core:8 pu:2(indexes=core:pack)"
POLICIES = ("scatter", "compact", "compact+")
THREADS = (1, 2, 4, 8, 16, 32, 64)


def mapping(programs, policy):
    return programs.json("topo", "map", f"--policy={policy}", MACHINE, "--format=json")


def table_2(programs):
    """Cores are numbered in their package, as the paper does."""
    rows = mapping(programs, "compact")
    ours = {"packages": len({row["package"] for row in rows})}
    for package in range(4):
        of_package = [row for row in rows if row["package"] == package]
        cores = sorted({row["core"] for row in of_package})
        at = {(row["smt"], cores.index(row["core"])): row["pu"] for row in of_package}
        ours[f"processors of package {package}"] = [[at[smt, core] for core in range(len(cores))] for smt in (0, 1)]
    return ours


def table_3(programs):
    return {policy: [row["pu"] for row in mapping(programs, policy)] for policy in POLICIES}


def table_4(programs):
    ours = {}
    for policy in POLICIES:
        rows = mapping(programs, policy)
        nodes, cores, threads = [], [], []
        for count in THREADS:
            first = rows[:count]
            nodes.append(len({row["numa_node"] for row in first}))
            of_node = [row for row in first if row["numa_node"] == first[0]["numa_node"]]
            cores.append(len({row["core"] for row in of_node}))
            threads.append(max(sum(row["core"] == other["core"] for row in of_node) for other in of_node))
        ours |= {f"{policy}: NUMA nodes": nodes, f"{policy}: cores of a node": cores, f"{policy}: threads of a core": threads}
    return ours


def figure_7(programs):
    with open(os.path.join(programs.root, "topo/ulibc.h"), encoding="utf-8") as header:
        return {"functions": sorted(set(re.findall(r"\b([a-z_]+)\(", header.read())))}


def figures_5_and_6(programs):
    return {"compile, run and are right": programs.passes("//topo/examples:runs_test")}


def figure_10(programs):
    row = programs.results("simpath", "--graph=tools/papers/ulibc-figure-10.txt", "--source=0", "--target=3")[0]
    return {"paths": int(row["count"])}


def figure_14(programs):
    rows = programs.results("sdpa", "--generate=control:n=10", "--mode=elements", "--method=formulas,terms")
    return {"elements by the loop and by another way agree to": max(row["largest_error"] for row in rows)}


ROWS = {
    "table 2": ("computed", table_2),
    "table 3": ("computed", table_3),
    "table 4": ("computed", table_4),
    "figures 5 and 6": ("tested", figures_5_and_6),
    "figure 7": ("computed", figure_7),
    "figure 10": ("computed", figure_10),
    "figure 14": ("computed", figure_14),
}
