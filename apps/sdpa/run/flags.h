// sdpa's flags.
#pragma once

#include <optional>
#include <string>

#include "apps/program/words.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace sdpa {

enum class Mode { kSolve, kElements };
inline constexpr program::Words<Mode> kModes = {{Mode::kSolve, "solve"},
                                                {Mode::kElements, "elements"}};

// A value. As written; Resolve checks what CLI11 does not.
struct Flags {
  std::string problem, generate, theta, max_cut;
  std::optional<int> first_id;  // of an edge list's vertices
  std::string mode = "solve";
  std::string method;  // empty: terms
  std::string parameters, initial;
  std::optional<int> iterations;
  std::optional<double> tolerance, start;
  std::optional<double> seconds;
  std::string precision = "auto", schur = "auto";
  std::string policy = "none", threads;
  std::string placement;  // empty: first-touch
  std::string devices = "host";
  std::optional<int> repetitions;
  std::string checkpoint;
  int checkpoint_seconds = 60;
  bool resume = false;
  std::string write, result, solution, output, svg, json;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

}  // namespace sdpa
