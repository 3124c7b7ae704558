"""mSMS's rows. By row: a kind, and a function from the programs to our values by claim."""

NODES = (2, 8, 32, 64, 128, 180)
FEW = tuple(nodes for nodes in NODES if nodes < 128)  # Above, the paper's MPI was another one.
THREADS = tuple(range(4, 57, 4))  # The paper's nodes have 56 hardware threads.


def tested(claim, target):
    return lambda programs: {claim: programs.passes(target)}


def simulated(programs, algorithm, *flags):
    """By number of nodes, a row."""
    rows = programs.results("stencil", "--mode=simulated", "--algorithm=A1,A1p,A2,A2p,mpi",
                            "--nodes=" + ",".join(map(str, NODES)), *flags)
    return {row["nodes"]: row for row in rows if row["algorithm"] == algorithm}


def gain(by_faults, by_preload, nodes):
    return by_faults[nodes]["virtual_seconds"] / by_preload[nodes]["virtual_seconds"]


def by_threads(points):
    return ("--mode=simulated", "--algorithm=A1p", "--nodes=4", f"--points={points}", "--threads=" + ",".join(map(str, THREADS)))


def enough_threads(programs, points):
    """The fewest with which no larger number is a tenth faster."""
    speed = {row["threads"]: row["updates_per_s"] for row in programs.results("stencil", *by_threads(points))}
    return min(few for few in THREADS if all(speed[more] <= 1.1 * speed[few] for more in THREADS if more > few))


def figure_7(programs):
    return {f"{points} points: threads from which on more gain little": enough_threads(programs, points) for points in (7, 27)}


def figure_8(programs, *flags):
    faults, preload = simulated(programs, "A1", *flags), simulated(programs, "A1p", *flags)
    most = NODES[-1]
    saved = faults[most]["virtual_seconds"] - preload[most]["virtual_seconds"]
    # The parts are rank 0's, as in the paper. It has one neighbor, where most ranks have two.
    at_barriers = faults[most]["first_barrier_seconds"] - preload[most]["first_barrier_seconds"]
    computing = faults[most]["first_compute_seconds"] + faults[most]["first_fault_seconds"]  # What the paper's Cal is.
    return {
        "computation by faults over that with preload": computing / preload[most]["first_compute_seconds"],
        "preload gains more with more nodes": gain(faults, preload, most) > gain(faults, preload, 2),
        "most of the gain is time at barriers": saved > 0 and at_barriers > saved / 2,
    }


def figure_9(programs, *flags):
    a1, a1p, a2, a2p = (simulated(programs, name, *flags) for name in ("A1", "A1p", "A2", "A2p"))
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


def section_4(programs):
    """What tests assert: real ranks, and more nodes than this machine has, each with so many addresses. They touch some pages,
    so that TiB of data are not shown."""
    shown = {}
    if programs.passes("//dsm/tests:huge_space_userfaultfd_4_test"):
        shown["TiB of addresses of a process"] = 30
    if programs.passes("//dsm/tests:cluster_test"):
        shown["nodes"] = 180
    return shown


ROWS = {
    "section 4": ("tested", section_4),
    "figure 7": ("simulated", figure_7),
    "figure 8": ("simulated", figure_8),
    "figure 9": ("simulated", figure_9),
    "figure 10": ("simulated", figure_10),
    "sms_*": ("tested", tested("are there and tested", "//dsm/tests:sms_test")),
    "MpC": ("tested", tested("figure 2 (b) compiles and runs", "//dsm/tests:mpc_test")),
    "sections 2.5 and 2.6": ("tested", tested("are there and tested", "//dsm/tests:page_model_test")),
}

# To put a page in its place mSMS stops all threads, by signals; where a thread that is to be stopped waits for a processor, all wait for
# it. How often is fitted to figure 8. Then nodes differ from step to step; without --spread-percent=0 the slowest node hides that.
LATE = ("--late-percent=1.6", "--late-ms=24", "--spread-percent=0")
LATE_SENTENCE = ("mSMS stops all threads of a node for each page that a fault brings, and at some of the stops a thread is late, which barriers "
                 "make all nodes wait for; " + " ".join(LATE))


def drawn(algorithms, *figures):
    nodes = "--nodes=" + ",".join(map(str, NODES))
    return lambda programs: [programs.figure("stencil", "--mode=simulated", f"--algorithm={algorithms}", nodes, f"--figure={figure}")
                             for figure in figures]


# By row: why ours differs, and a function to what it is with the paper's cause.
CAUSES = {
    "figure 8": (LATE_SENTENCE, lambda programs: figure_8(programs, *LATE)),
    "figure 9": (LATE_SENTENCE, lambda programs: figure_9(programs, *LATE)),
}

# By row: a function to drawings as SVG.
FIGURES = {
    "figure 7": lambda programs: [programs.figure("stencil", *by_threads(points), "--figure=speed") for points in (7, 27)],
    "figure 8": drawn("A1,A1p", "time", "speed", "split"),
    "figure 9": drawn("A2,A2p", "time", "speed", "split"),
    "figure 10": drawn("A1p,mpi", "time", "speed"),
}
