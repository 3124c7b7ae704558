#include "apps/matmul/workers/threads.h"

#include <cstddef>
#include <cstdint>

#include "apps/matmul/workers/remembered_depths.h"
#include "lwt/policies.h"

namespace matmul {

static_assert(kDepths == lwt::kMostDepths);

lwt::AnyPolicy PolicyOf(const StealRule& rule, int workers) {
  if (rule.victims == Victims::kDepth && rule.peeks == Peeks::kRemembered) {
    return RememberedDepths(workers, rule.candidates);
  }
  if (rule.victims == Victims::kDepth) return lwt::ShallowestOf{rule.candidates};
  return lwt::RandomVictim();
}

Work WorkOf(const lwt::Pool& pool) {
  Work work;
  work.virtual_time = pool.simulated_time();
  for (int i = 0; i < pool.workers(); ++i) {
    const lwt::Counters& counters = pool.worker(i).counters();
    work.spawns += counters.spawns.value();
    work.empty += counters.empty.value();
    work.lost += counters.lost.value();
    work.parks += counters.parks.value();
    for (std::size_t depth = 0; depth < work.steals_by_depth.size(); ++depth) {
      const std::int64_t steals = counters.steals_by_depth[depth].value();
      work.steals_by_depth[depth] += steals;
      work.steals += steals;
    }
  }
  return work;
}

}  // namespace matmul
