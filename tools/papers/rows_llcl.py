"""LLCL's rows: the interface by tests, figures 2 to 7 measured between two ranks of this machine by TCP, which is neither Tofu
nor InfiniBand. By row: a kind, and a function from the programs to our values by claim."""

# Both figures' threads and bytes in one run, in which all points take turns. More than 2 threads take turns on 2 cores, with
# the communication threads of both ranks.
MEASURED = ("--conduit=ofi", "--threads=1,2,4,8", "--bytes=8,2048")
# What a node of the paper has: 16 cores, of which one is the communication thread's; 20 cores.
TOFU = ("--mode=simulated", "--network=tofu", "--threads=1,2,3,4,6,8,10,12,15", "--bytes=8")
INFINIBAND = ("--mode=simulated", "--network=infiniband", "--threads=1,2,4,6,8,10,12,16,18,20", "--bytes=8,2048")
DRAWN = ("--conduit=ofi", "--threads=1,2,4,8", "--repetitions=6", "--seconds=0.02")


def by_threads(programs, flags, offload, key, size=8):
    rows = programs.results("rma", *flags)
    return {row["threads"]: row[key] for row in rows if row["offload"] == offload and row["bytes"] == size}


def least(values):
    return min(values, key=values.get)


def most(values):
    return max(values, key=values.get)


def listing_1(programs):
    """By shared memory and by libfabric, two processes each; what requests promise; all that is in it."""
    targets = ("//llcl/tests:listings_test", "//llcl/tests:listings_6_7_smp_test", "//llcl/tests:listings_6_7_ofi_test")
    return {"compiles and runs as written": all([programs.passes(target) for target in targets])}


def listings_2_to_5(programs):
    """The ring of requests in all interleavings, and the executor."""
    return {"are there and tested": programs.passes("//llcl/tests:ring_model_test") and programs.passes("//llcl/tests:executor_test")}


def figure_2(programs, flags=MEASURED, native="hybrid"):
    """Native is a thread that posts and polls the network itself: of ours, the mode hybrid."""
    offloaded = by_threads(programs, flags, "offload", "latency_ns")
    return {
        "latency with offloading over the native one, 1 thread": offloaded[1] / by_threads(programs, flags, native, "latency_ns")[1],
        "threads with the least latency": least(offloaded),
    }


def figure_3(programs, flags=MEASURED):
    overhead = by_threads(programs, flags, "offload", "overhead_ns")
    return {
        "overhead over latency, 1 thread": overhead[1] / by_threads(programs, flags, "offload", "latency_ns")[1],
        "threads with the least overhead": least(overhead),
        "the largest overhead over the least": max(overhead.values()) / min(overhead.values()),
    }


def figure_4(programs, flags=MEASURED):
    rate = by_threads(programs, flags, "offload", "messages_per_s")
    return {
        "the rate of most threads over the largest": rate[max(rate)] / max(rate.values()),
        "threads with the largest rate": most(rate),
    }


def figure_5(programs, flags=MEASURED):
    offloaded = by_threads(programs, flags, "offload", "latency_ns")
    return {
        "latency with offloading over that without, 1 thread": offloaded[1] / by_threads(programs, flags, "direct", "latency_ns")[1],
        "threads with the least latency with offloading": least(offloaded),
    }


def figure_6(programs, flags=MEASURED):
    offloaded, direct = (by_threads(programs, flags, offload, "overhead_ns") for offload in ("offload", "direct"))
    return {
        "overhead with offloading over that without, 1 thread": offloaded[1] / direct[1],
        # What a reader sees in the figure as steep.
        "without offloading overhead rises steeply with threads": direct[max(direct)] > 2 * direct[1],
    }


def figure_7(programs, flags=MEASURED):
    offloaded, direct = (by_threads(programs, flags, offload, "messages_per_s") for offload in ("offload", "direct"))
    large = by_threads(programs, flags, "direct", "messages_per_s", 2048)
    return {
        "8 bytes: the largest rate with offloading over that without": max(offloaded.values()) / max(direct.values()),
        "8 bytes: threads with the largest rate with offloading": most(offloaded),
        "without offloading, 1 thread: the rate of 2048 bytes over that of 8": large[1] / direct[1],
    }


ROWS = {
    "listing 1": ("tested", listing_1),
    "listings 2 to 5": ("tested", listings_2_to_5),
    "figure 2": ("measured", figure_2),
    "figure 3": ("measured", figure_3),
    "figure 4": ("measured", figure_4),
    "figure 5": ("measured", figure_5),
    "figure 6": ("measured", figure_6),
    "figure 7": ("measured", figure_7),
}

_BY_TOFU = ("a message by TCP takes many microseconds of both cores, so that the steps of a request hardly count; simulated: "
            "Tofu's latency, one communication thread, and the line of the ring's tail that goes from core to core")
_BY_INFINIBAND = ("TCP's send is a system call that the caller makes without offloading, and 2 cores have no room for a "
                  "communication thread; simulated: InfiniBand's doorbell, spin locks of the queue and of the tags, and batches")

# By row: why ours differs, and a function to what it is with the paper's cause.
CAUSES = {
    "figure 2": (_BY_TOFU, lambda programs: figure_2(programs, TOFU, "direct")),
    "figure 3": (_BY_TOFU, lambda programs: figure_3(programs, TOFU)),
    "figure 4": (_BY_TOFU + "; there a requester alone fills the ring, as none disturbs it", lambda programs: figure_4(programs, TOFU)),
    "figure 5": (_BY_INFINIBAND, lambda programs: figure_5(programs, INFINIBAND)),
    "figure 6": (_BY_INFINIBAND, lambda programs: figure_6(programs, INFINIBAND)),
    "figure 7": (_BY_INFINIBAND + "; the paper's rate of 2048 bytes, 20.9 GB/s, is more than two ports of FDR have, and is not explained",
                 lambda programs: figure_7(programs, INFINIBAND)),
}


def drawn(figure, measured, simulated):
    """What was measured, and what is simulated."""
    return lambda programs: [programs.figure("rma", f"--figure={figure}", *flags) for flags in (measured, simulated)]


# By row: a function to drawings as SVG.
FIGURES = {
    f"figure {number}": drawn(figure, (*DRAWN, *series), simulated)
    for first, series, simulated in ((2, ("--offload=offload,hybrid", "--bytes=8"), TOFU),
                                     (5, ("--offload=direct,offload", "--bytes=8,2048"), INFINIBAND))
    for number, figure in enumerate(("latency", "overhead", "rate"), first)
}
