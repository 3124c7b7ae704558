// What the two programs have in common: their flags, and what they print.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "apps/stencil/problem.h"

namespace stencil {

// A value.
struct Flags {
  Problem problem;
  int threads = 0;  // of each rank; 0: OpenMP's choice, shared among the ranks of this machine
  std::string json;
};

// `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// OpenMP's threads from here on. `ranks`: of the job, for the default.
void UseThreads(Flags& flags, int ranks);

// A value: what all ranks together took.
struct Row {
  std::string algorithm;
  int ranks = 1;
  double seconds = 0;  // of the slowest; the parts are of the same rank
  double compute_seconds = 0, preload_seconds = 0, barrier_seconds = 0;
  std::uint64_t exchanges = 0;                  // of each rank
  std::uint64_t faults = 0, pages_fetched = 0;  // of all ranks
  double max_abs_error = 0;
};

// Prints a line, and writes --json's file. An error where the answer is wrong.
absl::Status Report(const Flags& flags, const Row& row, const std::string& command);

}  // namespace stencil
