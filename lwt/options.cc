#include "lwt/options.h"

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lwt {
namespace {

constexpr int kMostWorkers = 4096;
constexpr int kMostNodes = 4096;
constexpr int kMostLooks = 1'000'000;
constexpr std::size_t kMostTraceEvents = std::size_t{1} << 28;
// Searches in vain are simulated one by one, so a step that takes very many of them seems
// to hang.
constexpr double kLeastStepNanoseconds = 1, kMostNanoseconds = 1e9;
constexpr std::uint64_t kMostDistance = 1'000'000;

template <typename Value>
absl::Status Refuse(std::string_view field, const Value& value, std::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("a pool cannot be made with ", std::string(field),
                                                 " = ", value, ": ", std::string(expected)));
}

absl::Status CheckCosts(const CostModel& costs) {
  struct Cost {
    const char* name;
    double ns;
    double least_ns;
  };
  for (const Cost& cost :
       {Cost{"spawn_ns", costs.spawn_ns, 0},
        // Other workers get a turn only when this one's clock moves.
        Cost{"switch_ns", costs.switch_ns, kLeastStepNanoseconds},
        Cost{"look_ns", costs.look_ns, kLeastStepNanoseconds}, Cost{"peek_ns", costs.peek_ns, 0},
        Cost{"steal_ns", costs.steal_ns, 0}, Cost{"lock_ns", costs.lock_ns, 0},
        Cost{"shared_ns", costs.shared_ns, 0}, Cost{"memory_ns", costs.memory_ns, 0},
        Cost{"node_block_ns", costs.node_block_ns, 0}}) {
    // Not-a-number is in no range.
    if (!(cost.ns >= cost.least_ns && cost.ns <= kMostNanoseconds)) {
      return Refuse(absl::StrCat("simulation.costs.", cost.name), cost.ns,
                    absl::StrCat("it is ", cost.least_ns, " to ", kMostNanoseconds));
    }
  }
  if (!(costs.jitter >= 0 && costs.jitter < 1)) {
    return Refuse("simulation.costs.jitter", costs.jitter, "a part of a cost is 0 to less than 1");
  }
  if (costs.block_bytes == 0) {
    return Refuse("simulation.costs.block_bytes", costs.block_bytes, "a block has a byte or more");
  }
  return absl::OkStatus();
}

absl::Status CheckSimulation(const SimulationOptions& options) {
  if (absl::Status status = CheckCosts(options.costs); !status.ok()) return status;
  std::size_t nodes = 1;
  for (const int node : options.node_of) {
    if (node < 0 || node >= kMostNodes) {
      return Refuse("a number in simulation.node_of", node,
                    absl::StrCat("nodes have numbers from 0 to ", kMostNodes - 1));
    }
    nodes = std::max(nodes, static_cast<std::size_t>(node) + 1);
  }
  if (options.home_node < -1 || options.home_node >= static_cast<int>(nodes)) {
    return Refuse(
        "simulation.home_node", options.home_node,
        absl::StrCat("simulation.node_of names ", nodes, " nodes, from 0 on; -1 is none"));
  }
  if (options.node_distances.empty()) return absl::OkStatus();
  if (options.node_distances.size() != nodes * nodes) {
    return Refuse("simulation.node_distances of size", options.node_distances.size(),
                  absl::StrCat("simulation.node_of names ", nodes, " nodes, so there are ",
                               nodes * nodes, " distances, or none"));
  }
  for (const std::uint64_t distance : options.node_distances) {
    if (distance == 0 || distance > kMostDistance) {
      return Refuse("a number in simulation.node_distances", distance,
                    absl::StrCat("a distance is 1 to ", kMostDistance, ", 10 to the own node"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOptions(const PoolOptions& options) {
  if (options.workers < 0 || options.workers > kMostWorkers) {
    return Refuse(
        "workers", options.workers,
        absl::StrCat("1 to ", kMostWorkers, ", or 0 for as many as the machine runs at once"));
  }
  if (options.stack_bytes != 0 &&
      (options.stack_bytes < kLeastStackBytes || options.stack_bytes > kMostStackBytes)) {
    return Refuse("stack_bytes", options.stack_bytes,
                  absl::StrCat("a stack has ", kLeastStackBytes, " bytes to ", kMostStackBytes,
                               ", or 0 for the default"));
  }
  if (options.looks_before_sleep < 1 || options.looks_before_sleep > kMostLooks) {
    return Refuse("looks_before_sleep", options.looks_before_sleep,
                  absl::StrCat("1 to ", kMostLooks));
  }
  if (!options.policy) return absl::InvalidArgumentError("a pool needs a policy");
  if (options.trace_events > kMostTraceEvents) {
    return Refuse("trace_events", options.trace_events,
                  absl::StrCat("a worker keeps 0 to ", kMostTraceEvents, " of them"));
  }
  if (options.stall_report_after < std::chrono::nanoseconds::zero()) {
    return Refuse("stall_report_after in nanoseconds", options.stall_report_after.count(),
                  "0 for never, or a time");
  }
  if (options.io_backend < IoBackend::kEpoll || options.io_backend > IoBackend::kAutomatic) {
    return Refuse("io_backend", static_cast<int>(options.io_backend),
                  "kEpoll, kIoUring or kAutomatic");
  }
  if (options.has_guests && options.placement != topo::Policy::kNone) {
    return Refuse("has_guests", "true", "the OS threads of the program are not pinned by a pool");
  }
  if (!options.simulation) return absl::OkStatus();
  if (options.has_guests)
    return Refuse("has_guests", "true", "simulated workers need no OS threads");
  if (options.io_backend == IoBackend::kIoUring) {
    return Refuse("io_backend", "kIoUring", "simulated workers do no I/O");
  }
  return CheckSimulation(*options.simulation);
}

}  // namespace lwt
