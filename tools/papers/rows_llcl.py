"""LLCL's rows. By row: a kind, and a function from the programs to our values by claim."""


def listings_2_to_5(programs):
    """The ring of requests in all interleavings, and the executor."""
    return {"are there and tested": programs.passes("//llcl/tests:ring_model_test") and programs.passes("//llcl/tests:executor_test")}


ROWS = {
    "listings 2 to 5": ("tested", listings_2_to_5),
}

# By row: why ours differs, and a function to what it is with the paper's cause.
CAUSES = {}

# By row: a function to drawings as SVG.
FIGURES = {}
