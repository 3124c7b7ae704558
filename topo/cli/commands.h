// The subcommands of the `topo` program.
#pragma once

#include <ostream>

namespace topo::cli {

// Parses the arguments, runs one subcommand, writes its answer to `out`.
// Returns the exit status: 0 for an answer, 1 for `verify` that found a
// misplacement, 2 for any error, reported in one sentence on `err`.
int Run(int argc, char** argv, std::ostream& out, std::ostream& err);

}  // namespace topo::cli
