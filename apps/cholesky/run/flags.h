// cholesky's flags.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "apps/cholesky/factorize/setup.h"
#include "apps/cholesky/problem/problem.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace cholesky {

// A value. As written; words are checked by CLI11, the rest by Resolve.
struct Flags {
  int n = 4096, block = 256;
  std::string precision = "f32";
  std::string threads;
  std::string devices = "host";
  bool allow_missing_devices = false;
  std::string offload = "gemm";
  std::string scheduler = "round-robin";
  std::string source = "host-first";
  std::string d2d = "copy";
  std::string sim_free = "none", sim_copies = "asynchronous", far_path = "own";
  std::string sim_queues = "three";
  double far_passes = 8;
  bool no_optimize = false, dry = false, plan = false;
  double device_gflop_per_s = 14'000, host_gflop_per_s = 80, link_gb_per_s = 12, alloc_us = 200,
         call_us = 0;
  std::uint64_t seed = 1;
  int repetitions = 1;
  int spoil = -1;
  std::string schedule;
  std::string json, trace, svg;
};

// Declares them all; `flags` must outlive `app`.
void AddFlags(CLI::App& app, Flags& flags);

// A value: the run that the flags describe.
struct Resolved {
  Flags flags;  // for reports
  Problem problem;
  SetupOptions setup;  // without the places of a --schedule
};

// InvalidArgument names the flag and what it does not fit.
absl::StatusOr<Resolved> Resolve(const Flags& flags, const topo::Topology& topology);

// A sentence that names the missing devices; empty: none. NotFound: the flags do not allow it.
absl::StatusOr<std::string> FindMissing(const Resolved& resolved);

}  // namespace cholesky
