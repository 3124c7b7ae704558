// The program's flags, and what they ask for.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/point.h"
#include "topo/topology.h"

namespace CLI {
class App;
}  // namespace CLI

namespace rma {

// A value.
struct Flags {
  std::string mode = "real";
  std::string conduit = "smp,tcp,ofi";
  std::string provider = "tcp;ofi_rxm";
  std::string network = "tofu,infiniband";
  std::string offload = "all";
  std::string threads;
  std::string bytes = "8,2048";
  int repetitions = 9;
  double seconds = 0.05;
  std::string json;
  std::string svg;
  std::string figure = "latency";
};
void AddFlags(CLI::App& app, Flags& flags);

enum class Figure { kLatency, kOverhead, kRate };

// A value.
struct Resolved {
  topo::Topology topology;  // this machine's
  bool simulated = false;
  std::vector<Point> points;
  int repetitions = 1;
  std::chrono::steady_clock::duration each{};
  Figure figure = Figure::kLatency;
};

// Errors: InvalidArgument, with the flag and its value; of the machine, topo's.
absl::StatusOr<Resolved> Resolve(const CLI::App& app, const Flags& flags);

}  // namespace rma
