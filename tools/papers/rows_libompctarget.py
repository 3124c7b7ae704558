"""libompctarget's rows: copies that are counted, and the Cholesky factorization on simulated devices. By row: a kind, and a
function from the programs to our values by claim."""

CORES = (1, 12)
SMALL = ("--n=1024", "--block=32", "--plan")  # 32 x 32 blocks as the paper's: copies do not depend on their size.
PAPERS = ("--n=32768", "--block=1024", "--dry")
LARGE = ("--n=65536", "--block=1024", "--dry")
# What the paper's runtime pays. Fitted to figure 8: copies of memory that is not page-locked hold up the core that asks for them. Fitted
# to figure 15: each call takes a lock of the driver, also where the copy itself takes no time.
COSTS = ("--sim-copies=blocking", "--link-gb-per-s=7.5", "--alloc-us=500", "--call-us=25")
COSTS_SENTENCE = ("copies hold up the core that asks for them, at 7.5 GB/s, and each call takes 25 us of the driver, one after the other: "
                  "--sim-copies=blocking --call-us=25")
# Fitted to 12 cores of figure 9: kernels use far memory by one way, a block as often as tiles of 64 rows ask for it.
FAR = ("--d2d=access", "--far-path=shared", "--far-passes=16")
# A slow device that does one thing at a time; its speed is fitted to figure 5.
FPGA = ("--device-gflop-per-s=140", "--host-gflop-per-s=60", "--sim-queues=one", "--sim-copies=blocking", "--link-gb-per-s=6")


def factorized(programs, *flags):
    return programs.results("cholesky", *flags)[0]


def speed(programs, *flags):
    return factorized(programs, *flags)["gflop_per_s"]


def section_4_1(programs):
    row = factorized(programs, *SMALL, "--devices=sim:1")
    return {"tasks": row["tasks"], "of them gemm": row["gemm_tasks"]}


def table_3(programs):
    ours = {}
    for name, flags in (("with", ()), ("without", ("--no-optimize",))):
        row = factorized(programs, *SMALL, "--devices=sim:1", *flags)
        ours |= {f"{name}: host to device": row["copies_h2d"], f"{name}: device to host": row["copies_d2h"]}
    return ours


def gains(programs, cores, *flags):
    ours = {}
    for count in cores:
        common = (*PAPERS, "--devices=sim:1", f"--threads={count}", *flags)
        unit = "core" if count == 1 else "cores"
        ours[f"gain by optimization, {count} {unit}"] = speed(programs, *common) / speed(programs, *common, "--no-optimize")
    return ours


def figures_5_and_6(programs):
    return gains(programs, (1, 14), *FPGA)


def figure_8(programs, *flags):
    return gains(programs, CORES, *flags)


def table_5(programs):
    rows = {gpus: factorized(programs, *PAPERS, f"--devices=sim:{gpus}") for gpus in (1, 2, 4)}
    ours = {f"{gpus} GPU{'s' if gpus > 1 else ''}: host to device": row["copies_h2d"] for gpus, row in rows.items()}
    back = {row["copies_d2h"] for row in rows.values()}
    ours["device to host, any number"] = back.pop() if len(back) == 1 else sorted(back)
    return ours | {f"{gpus} GPUs: device to device": rows[gpus]["copies_d2d"] for gpus in (2, 4)}


def by_gpus(programs, size, *flags):
    return [speed(programs, *size, f"--devices=sim:{gpus}", *flags) for gpus in (1, 2, 4)]


def figure_9(programs, far=("--d2d=access",), costs=()):
    ours = {}
    for cores in CORES:
        access = by_gpus(programs, PAPERS, f"--threads={cores}", *costs, *far)
        unit = "core" if cores == 1 else "cores"
        ours[f"method 1: 1 GPU over 4, {cores} {unit}"] = access[0] / access[2]
    copied = by_gpus(programs, PAPERS, "--threads=12", *costs)
    ours["method 2: more GPUs are slower"] = copied[0] > copied[1] > copied[2]
    ours["method 2 is faster than method 1"] = copied[1] > access[1] and copied[2] > access[2]
    return ours


def figure_10(programs, *flags):
    copied = by_gpus(programs, LARGE, "--threads=12", *flags)
    return {"method 2: more GPUs are slower": copied[0] > copied[1] > copied[2]}


def figures_13_to_15(programs, *flags):
    all_costs = by_gpus(programs, PAPERS, "--threads=12", *flags)
    copies, alloc, both = (by_gpus(programs, PAPERS, "--threads=12", f"--sim-free={free}", *flags) for free in ("copies", "alloc", "both"))
    return {
        "without copies' costs it is faster than with them": all(free > real for free, real in zip(copies, all_costs)),
        "without allocation's costs more GPUs gain a little": all(1 < free / real < 1.25 for free, real in zip(alloc[1:], all_costs[1:])),
        "without both 2 GPUs are faster than 1": both[1] > both[0],
        "without both 4 GPUs are a little slower than 2": 0.8 * both[1] < both[2] < both[1],
    }


def figures_16_to_18(programs):
    both = by_gpus(programs, LARGE, "--threads=12", "--sim-free=both")
    return {"without both more GPUs are faster": both[0] < both[1] < both[2]}


def written_program(programs):
    return {"compiles and runs": programs.passes("//taskrt/examples:runs_test")}


ROWS = {
    "program 1": ("tested", written_program),
    "program 2": ("tested", written_program),
    "program 3": ("tested", written_program),
    "section 4.1": ("computed", section_4_1),
    "table 3": ("computed", table_3),
    "figures 5 and 6": ("simulated", figures_5_and_6),
    "figure 8": ("simulated", figure_8),
    "table 5": ("simulated", table_5),
    "figure 9": ("simulated", figure_9),
    "figure 10": ("simulated", figure_10),
    "figures 13 to 15": ("simulated", figures_13_to_15),
    "figures 16 to 18": ("simulated", figures_16_to_18),
}

# By row: why ours differs, and a function to what it is with the paper's cause.
CAUSES = {
    "figure 8": (COSTS_SENTENCE, lambda programs: figure_8(programs, *COSTS)),
    "figure 9": ("the same, and kernels read far memory 16 times by one way that all devices share: --far-path=shared",
                 lambda programs: figure_9(programs, FAR, COSTS)),
    "figure 10": (COSTS_SENTENCE, lambda programs: figure_10(programs, *COSTS)),
    "figures 13 to 15": (COSTS_SENTENCE + "; the calls are what remains without both costs", lambda programs: figures_13_to_15(programs, *COSTS)),
}

# By row: a function to drawings as SVG.
FIGURES = {
    "figure 8": lambda programs: [programs.figure("cholesky", *PAPERS, "--devices=sim:1")],
    "figure 9": lambda programs: [programs.figure("cholesky", *PAPERS, "--devices=sim:4")],
    "figure 10": lambda programs: [programs.figure("cholesky", *LARGE, "--devices=sim:4")],
}
