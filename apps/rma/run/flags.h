// The program's flags, and what they ask for.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/collective.h"
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
  int ranks = 0;  // 0: not named
  std::string collectives = "none";
  std::string collective_bytes = "8,64,512,4096,32768,262144,2097152,8388608";
};
void AddFlags(CLI::App& app, Flags& flags);

// Reads by threads, collective operations by size.
enum class Figure { kLatency, kOverhead, kRate, kCollectives };

// With the network mixed the program starts so many, by default: two on each of two hosts.
inline constexpr int kRanksOfMixed = 4;

// A value.
struct Resolved {
  topo::Topology topology;  // this machine's
  bool simulated = false;
  int ranks = 2;
  std::vector<Point> points;
  std::vector<CollectivePoint> collectives;
  int repetitions = 1;
  std::chrono::steady_clock::duration each{};
  Figure figure = Figure::kLatency;
};

// Errors: InvalidArgument, with the flag and its value; of the machine, topo's.
absl::StatusOr<Resolved> Resolve(const CLI::App& app, const Flags& flags);

}  // namespace rma
