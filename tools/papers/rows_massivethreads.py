"""MassiveThreads' rows: the matrix product on the simulated machine of the paper. By row: a kind, and a function from the
programs to our values by claim."""

CORES = (1, 2, 4, 8, 12, 16, 20, 24, 28, 32)
CANDIDATES = (2, 8, 32)


def simulated(programs, *flags):
    return programs.results("matmul", "--mode=simulated", "--candidates=" + ",".join(map(str, CANDIDATES)),
                            "--workers=" + ",".join(map(str, CORES)), *flags)


def the_one(rows, **values):
    return next(row for row in rows if all(row[key] == value for key, value in values.items()))


def figure_3(programs):
    rows = simulated(programs)
    speed = {(row["variant"], row["workers"]): row["gflop_per_s"] for row in rows if row["variant"] != "depth"}
    return {
        "Original over Cutoff at 32 cores": speed["original", 32] / speed["cutoff", 32],
        "Cutoff over Ideal at 16 cores": speed["cutoff", 16] / speed["ideal", 16],
        # What a reader sees in the figure as a gap.
        "Cutoff is well below Ideal at 32 cores": speed["cutoff", 32] < 0.9 * speed["ideal", 32],
        "Original is the fastest at so many cores": max(CORES, key=lambda cores: speed["original", cores]),
    }


def figure_5(programs):
    original = the_one(simulated(programs), variant="original", workers=32)
    deep = sum(original["steals_by_depth"][5:])
    return {"tasks deeper than 4 are stolen often": deep > sum(original["steals_by_depth"][:5])}


def figure_6(programs, *flags):
    rows = simulated(programs, *flags)
    random = the_one(rows, variant="original", workers=32)["gflop_per_s"]
    shallowest = [row["gflop_per_s"] for row in rows if row["variant"] == "depth" and row["workers"] == 32]
    return {"the shallowest of several candidates is a little slower than a random task": all(0.8 * random < one < random for one in shallowest)}


def figure_7(programs, *flags):
    rows = simulated(programs, *flags)
    random = the_one(rows, variant="original", workers=32)["steals_by_depth"]
    eight = the_one(rows, variant="depth", workers=32, candidates=8)["steals_by_depth"]
    padded = eight + [0] * (len(random) - len(eight))
    others = [depth for depth in range(len(random)) if depth != 8 and random[depth] > 0]
    return {
        "8 candidates steal fewer tasks of depth 8": len(random) > 8 and padded[8] < random[8],
        "at other depths candidates change little": all(abs(padded[depth] - random[depth]) <= 0.25 * random[depth] for depth in others),
    }


def chapter_3(claim):
    return lambda programs: {claim: programs.passes("//lwt/tests:myth_chapter3_test")}


ROWS = {
    "section 3.1": ("tested", chapter_3("is there and tested")),
    "section 3.2": ("tested", lambda programs: {"is there and tested": programs.passes("//lwt/tests:myth_whole_test")}),
    "section 3.3": ("tested", chapter_3("is there and tested")),
    "section 3.4": ("tested", chapter_3("are there and tested")),
    "figure 3": ("simulated", figure_3),
    "figure 5": ("simulated", figure_5),
    "figure 6": ("simulated", figure_6),
    "figure 7": ("simulated", figure_7),
}

def drawn(figure, *flags):
    return lambda programs: [programs.figure("matmul", "--mode=simulated", "--candidates=2,8,32", f"--figure={figure}", *flags)]


# By row: why ours differs, and a function to what it is with the paper's cause.
CAUSES = {
    "figure 6": ("thieves see depths that are gone, as by MassiveThreads' peek, whose copy of the tail default thieves do not renew; "
                 "--peeks=remembered", lambda programs: figure_6(programs, "--peeks=remembered")),
    "figure 7": ("not found: thieves that see fresh depths steal half as often as random ones, and with --peeks=remembered more often; the paper's "
                 "lie between (apps/matmul/README.md has what was tried)", lambda programs: figure_7(programs, "--peeks=remembered")),
}

# By row: a function to drawings as SVG.
FIGURES = {
    "figure 3": drawn("speed", "--variant=original,cutoff,ideal"),
    "figure 5": drawn("steals", "--variant=original,cutoff", "--workers=32"),
    "figure 6": drawn("steals", "--variant=original,depth", "--workers=32"),
}
