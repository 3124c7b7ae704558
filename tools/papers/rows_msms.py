"""mSMS's rows. By row: a kind, and a function from the programs to our values by claim."""

NODES = (2, 8, 32, 64, 128, 180)
FEW = tuple(nodes for nodes in NODES if nodes < 128)  # Above, the paper's MPI was another one.


def tested(claim, target):
    return lambda programs: {claim: programs.passes(target)}


def simulated(programs, algorithm):
    """By number of nodes, a row."""
    rows = programs.results("stencil", "--mode=simulated", "--algorithm=A1,A1p,A2,A2p,mpi",
                            "--nodes=" + ",".join(map(str, NODES)))
    return {row["nodes"]: row for row in rows if row["algorithm"] == algorithm}


def gain(by_faults, by_preload, nodes):
    return by_faults[nodes]["virtual_seconds"] / by_preload[nodes]["virtual_seconds"]


def figure_8(programs):
    faults, preload = simulated(programs, "A1"), simulated(programs, "A1p")
    most = NODES[-1]
    saved = faults[most]["virtual_seconds"] - preload[most]["virtual_seconds"]
    at_barriers = faults[most]["barrier_seconds"] - preload[most]["barrier_seconds"]
    computing = faults[most]["compute_seconds"] + faults[most]["fault_seconds"]  # What the paper's Cal is.
    return {
        "computation by faults over that with preload": computing / preload[most]["compute_seconds"],
        "preload gains more with more nodes": gain(faults, preload, most) > gain(faults, preload, 2),
        "most of the gain is time at barriers": at_barriers > saved / 2,
    }


def figure_9(programs):
    a1, a2, a2p = (simulated(programs, name) for name in ("A1", "A2", "A2p"))
    a1p = simulated(programs, "A1p")
    return {
        "exchanges of 128 steps": a2p[2]["exchanges"],
        "A2 is faster than A1": all(a2[nodes]["virtual_seconds"] < a1[nodes]["virtual_seconds"] for nodes in NODES),
        "preload gains less than it does for A1": all(gain(a2, a2p, nodes) < gain(a1, a1p, nodes) for nodes in FEW),
    }


def figure_10(programs):
    preload, mpi = simulated(programs, "A1p"), simulated(programs, "mpi")
    return {
        "with preload mSMS is faster than MPI below 128 nodes": all(
            preload[nodes]["virtual_seconds"] < mpi[nodes]["virtual_seconds"] for nodes in FEW),
        "both exchange data as often": preload[2]["exchanges"] == mpi[2]["exchanges"],
    }


ROWS = {
    "figure 8": ("simulated", figure_8),
    "figure 9": ("simulated", figure_9),
    "figure 10": ("simulated", figure_10),
    "sms_*": ("tested", tested("are there and tested", "//dsm/tests:sms_test")),
    "MpC": ("tested", tested("figure 2 (b) compiles and runs", "//dsm/tests:mpc_test")),
    "sections 2.5 and 2.6": ("tested", tested("are there and tested", "//dsm/tests:page_model_test")),
}

# By row: why ours differs, and a function to what it is with the paper's cause.
CAUSES = {}

# By row: a function to drawings as SVG.
FIGURES = {}
