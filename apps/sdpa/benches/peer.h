// Rows of a solver that is another program: it runs as a process of its own, on files of the
// problems, and must find their values.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/benches/command.h"
#include "apps/sdpa/benches/rows.h"

namespace sdpa {

// A value: how it solved a problem.
struct Solved {
  double value = 0;
  double seconds = 0;  // of the solution, without reading and writing
  // Of an iteration, where it says so.
  std::optional<double> elements_seconds, factorization_seconds;
};

// A value.
struct PeerProgram {
  std::string name;     // of the contestant
  std::string program;  // its file
  std::string note;     // what the results must say, besides its BLAS
  // Its own words on a problem's file, in the folder that is the current one of what it runs.
  std::function<std::vector<std::string>(const std::string& file, int threads)> command;
  // What these words brought, from its output and from the files of that folder.
  std::function<absl::StatusOr<Solved>(const std::vector<Line>& lines, const std::string& folder)>
      read;
  // Of a problem and a number of threads; the contestant's own file says why.
  std::function<bool(const BenchProblem& problem, int threads)> is_left_out;
  bool has_parts = false;  // elements and factorization
};

// The rows of all problems but those left out. Returns the exit code.
int RunPeer(int argc, char** argv, const PeerProgram& peer);

}  // namespace sdpa
