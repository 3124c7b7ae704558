#include "apps/matmul/workers/workers.h"

#include <cstddef>

namespace matmul {
namespace {

// Both operators, so that no number is forgotten in one of them.
template <typename F>
void ForEachNumber(Work& to, const Work& from, F combine) {
  combine(to.spawns, from.spawns);
  combine(to.steals, from.steals);
  combine(to.empty, from.empty);
  combine(to.lost, from.lost);
  combine(to.parks, from.parks);
  for (std::size_t i = 0; i < to.steals_by_depth.size(); ++i) {
    combine(to.steals_by_depth[i], from.steals_by_depth[i]);
  }
  lwt::SimulatedTime& time = to.virtual_time;
  const lwt::SimulatedTime& other = from.virtual_time;
  combine(time.computing_ns, other.computing_ns);
  combine(time.fetching_ns, other.fetching_ns);
  combine(time.threads_ns, other.threads_ns);
  combine(time.stealing_ns, other.stealing_ns);
  combine(time.looking_ns, other.looking_ns);
  combine(time.skipped_ns, other.skipped_ns);
  combine(time.blocks_from_shared_cache, other.blocks_from_shared_cache);
  combine(time.blocks_from_own_node, other.blocks_from_own_node);
  combine(time.blocks_from_other_nodes, other.blocks_from_other_nodes);
}

}  // namespace

Work& Work::operator+=(const Work& other) {
  ForEachNumber(*this, other, [](auto& to, auto from) { to += from; });
  return *this;
}

Work& Work::operator-=(const Work& other) {
  ForEachNumber(*this, other, [](auto& to, auto from) { to -= from; });
  return *this;
}

absl::StatusOr<std::unique_ptr<Workers>> StartWorkers(Mode mode, int workers, std::uint64_t seed,
                                                      Home home) {
  return mode == Mode::kReal ? StartRealWorkers(workers, seed)
                             : StartSimulatedWorkers(workers, home);
}

}  // namespace matmul
