// The predictions of a run: a program on a described machine, by policy and threads.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/graph/kronecker.h"
#include "apps/predict/machine/machine.h"
#include "apps/predict/programs/bfs.h"
#include "apps/predict/programs/elements.h"
#include "apps/predict/programs/simpath.h"
#include "apps/predict/programs/stream.h"
#include "apps/program/words.h"
#include "topo/topo.h"

namespace predict {

enum class Program { kStream, kBfs, kSimpath, kElements };
inline constexpr program::Words<Program> kPrograms = {{Program::kStream, "stream"},
                                                      {Program::kBfs, "bfs"},
                                                      {Program::kSimpath, "simpath"},
                                                      {Program::kElements, "elements"}};
constexpr std::string_view ToString(Program program) { return kPrograms.Print(program); }

// A value. What is asked of each program; that of the others means nothing.
struct Questions {
  Program program = Program::kStream;
  StreamOptions stream = {};
  int scale = 26;          // of the search's graph
  int counted_scale = 18;  // of the one whose search is counted
  SearchCosts search = {};
  int grid = 12;  // cells of a side
  StateCosts states = {};
  int balanced = EdgeBasedOptions().balanced;
  ElementsOptions elements = {};
  std::uint64_t seed = 1;  // of where threads are that nothing binds
};

// A value: a row. The rate is Triad's GB/s, the search's GTEPS, millions of states a second, or
// iterations a second.
struct Prediction {
  Program program = Program::kStream;
  topo::Policy policy = topo::Policy::kNone;
  int threads = 0;
  double virtual_seconds = 0;
  double rate = 0;
};
std::string_view RateUnit(Program program);

// A row a mapping, each of which is of the machine's topology. Errors: those of
// simpath::ForecastStates.
absl::StatusOr<std::vector<Prediction>> Predict(const Machine& machine,
                                                const std::vector<topo::Mapping>& mappings,
                                                const Questions& questions);

}  // namespace predict
