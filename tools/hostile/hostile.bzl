"""A table of hosts that refuse, as a test: //tools/hostile:rows."""

def hostile_host_test(name, table, programs, data, tags = []):
    """Runs programs on hosts that refuse system calls or have low limits, and compares their ends with a table's.

    Args:
      name: of the test.
      table: rows of the host, the program's name, the outcome and a text of the output (tools/hostile/rows.cc).
      programs: the program's name -> its command, with $(location) of each label.
      data: the labels in the commands.
      tags: as of any test.
    """
    native.sh_test(
        name = name,
        size = "large",
        srcs = ["//tools/hostile:rows"],
        args = ["$(location %s)" % table] + ["'%s=%s'" % (key, programs[key]) for key in sorted(programs)],
        data = data + [table],
        # Sanitizers need what the hosts refuse: addresses, system calls, descriptors.
        tags = tags + [
            "no-asan",
            "no-tsan",
        ],
    )
