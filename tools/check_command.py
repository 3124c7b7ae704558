"""The command line of a check that reads source files: its voice is that of all commands of tools/."""

import sys


def run(name, usage, faults_of):
    """Prints what `faults_of` finds in the files that the arguments name; returns the exit code, 1 for any fault."""
    arguments = sys.argv[1:]

    def refuse(sentence):
        print(f"tools/{name}: {sentence}.", file=sys.stderr)
        return 2

    if "-h" in arguments or "--help" in arguments:
        print(usage.strip())
        return 0
    options = [argument for argument in arguments if argument.startswith("-")]
    if options or not arguments:
        return refuse(f"unknown argument '{options[0]}'; see --help" if options else "no files were given; see --help")
    try:
        found = faults_of(arguments)
    except OSError as error:
        return refuse(f"cannot read {error.filename}: {error.strerror}")
    except UnicodeDecodeError as error:
        return refuse(f"one of the files is no UTF-8: {error}")
    for fault in found:
        print(fault)
    return 1 if found else 0
