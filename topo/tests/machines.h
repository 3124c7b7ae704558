// Machines that several tests use.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "topo/discover.h"
#include "topo/topology.h"

namespace topo {

// The paper's 4-way Sandybridge-EP.
inline constexpr std::string_view kSandybridge = "pack:4 [numa] core:8 pu:2(indexes=core:pack)";

inline Topology Synthetic(std::string_view description) {
  absl::StatusOr<Topology> topology = FromSynthetic(description);
  if (!topology.ok()) ADD_FAILURE() << topology.status();
  return *topology;
}

// This machine; where it has one node and two PUs, that.
inline const Topology& Here() {
  static const Topology* here = new Topology(*ThisMachine());
  return *here;
}

// A machine of random shape: packages with one to three nodes each (or nodes
// without PUs), cores of one to three hardware threads, PU numbers shuffled,
// PUs and nodes forbidden at random. At least one PU is allowed.
inline Topology RandomMachine(unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int n) { return std::uniform_int_distribution<int>(0, n)(random); };
  MachineDescription machine;
  machine.source = "random machine " + std::to_string(seed);
  const int packages = 1 + upto(3);
  int core = 0;
  for (int package = 0; package < packages; ++package) {
    const int nodes = 1 + upto(2);
    for (int node = 0; node < nodes; ++node) {
      const NodeId id{static_cast<int>(machine.nodes.size())};
      machine.nodes.push_back(
          {.id = id, .os_index = ToInt(id) * 3, .memory_bytes = 1u << 30, .allowed = upto(4) != 0});
      const int cores = upto(5);
      const bool near = upto(9) != 0;  // sometimes PUs that no node is near to
      for (int c = 0; c < cores; ++c, ++core) {
        for (int smt = 0, smts = 1 + upto(2); smt < smts; ++smt) {
          machine.pus.push_back({.package = package,
                                 .core = core,
                                 .smt = smt,
                                 .kind = c % 2,
                                 .allowed = upto(3) != 0,
                                 .near = near ? std::vector<NodeId>{id} : std::vector<NodeId>{}});
        }
      }
    }
  }
  machine.core_kinds = {{"small", 0}, {"big", 1}};
  if (machine.pus.empty()) machine.pus.push_back({.near = {NodeId{0}}});
  std::vector<int> numbers(machine.pus.size() * 2);  // with holes
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  std::shuffle(numbers.begin(), numbers.end(), random);
  for (std::size_t i = 0; i < machine.pus.size(); ++i) machine.pus[i].id = PuId{numbers[i]};
  machine.pus.front().allowed = true;
  return Topology(std::move(machine));
}

}  // namespace topo
