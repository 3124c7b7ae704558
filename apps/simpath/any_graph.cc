#include "apps/simpath/any_graph.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/program/terminal.h"
#include "apps/simpath/frontier/count_by_edges.h"
#include "apps/simpath/frontier/count_checkpoint.h"
#include "apps/simpath/frontier/partition.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/frontier/states_ahead.h"
#include "apps/simpath/order/estimate.h"
#include "lwt/pool.h"

namespace simpath {
namespace {

using Clock = std::chrono::steady_clock;

// The line that shows how far one part is.
class PartProgress {
 public:
  PartProgress(const Plan& plan, std::string what,
               const std::function<void(const std::string&)>& show)
      : steps_(plan.steps.size()), what_(std::move(what)), show_(show), ahead_(plan.widths) {}

  void Show(const Done& done) {
    ahead_.Add(done.step, done.states);
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double share = ahead_.ShareDone();
    show_(absl::StrCat(what_, "edge ", done.step + 1, " of ", steps_, ", ", done.states, " states",
                       program::TimeLeft(seconds, share)));
  }

 private:
  std::size_t steps_;
  std::string what_;
  const std::function<void(const std::string&)>& show_;
  StatesAhead ahead_;
  Clock::time_point start_ = Clock::now();
};

absl::StatusOr<std::unique_ptr<lwt::Pool>> PoolOf(const topo::Mapping& mapping) {
  lwt::PoolOptions options = {.workers = mapping.size()};
  if (mapping.binds() && mapping.policy() != topo::Policy::kUser) {
    options.placement = mapping.policy();
  }
  return lwt::Pool::Create(options);
}

}  // namespace

absl::StatusOr<Count> CountAnyGraph(const Prepared& prepared, Mode mode,
                                    const topo::Topology& topology, const topo::Mapping& mapping,
                                    const AnyGraphOptions& options) {
  std::unique_ptr<lwt::Pool> pool;
  if (mode == Mode::kPartition) {
    auto created = PoolOf(mapping);
    if (!created.ok()) return created.status();
    pool = *std::move(created);
  }
  auto checkpoint = CountCheckpoint::Open(options.checkpoint, prepared.whole(), prepared.parts());
  if (!checkpoint.ok()) return checkpoint.status();
  std::size_t counted = 0;
  return prepared.CountPaths([&](std::size_t, const Problem& part) -> absl::StatusOr<Count> {
    ++counted;
    if (const auto finished = checkpoint->NextFinished()) return *finished;
    // The paper decides one edge at a time.
    const Plan plan = mode == Mode::kEba ? MakePlan(part, 1) : MakePlan(part);
    PartProgress progress(
        plan,
        prepared.parts().size() == 1
            ? ""
            : absl::StrCat("part ", counted, " of ", prepared.parts().size(), ", "),
        options.progress);
    const CountOptions how = {.memory_limit = options.memory_limit,
                              .progress = [&](const Done& done) { progress.Show(done); },
                              .checkpoint = &*checkpoint};
    absl::StatusOr<Count> count = mode == Mode::kSequential ? CountSequentially(plan, how)
                                  : mode == Mode::kPartition
                                      ? CountByParts(plan, *pool, how)
                                      : CountByEdges(plan, topology, mapping, how);
    if (count.ok()) checkpoint->Finish(*count);
    return count;
  });
}

Prepared InAnotherOrder(const Prepared& prepared) {
  Prepared other = prepared;
  for (std::size_t part = 0; part < prepared.parts().size(); ++part) {
    const Problem& problem = prepared.parts()[part];
    std::vector<std::size_t> same(problem.edges.size());
    std::iota(same.begin(), same.end(), std::size_t{0});
    std::vector<std::vector<std::size_t>> orders = {same, OrderEdges(problem, Order::kBreadthFirst),
                                                    OrderEdges(problem, Order::kBest)};
    for (std::size_t i = 0; i < 3; ++i) orders.emplace_back(orders[i].rbegin(), orders[i].rend());
    std::erase(orders, same);
    if (orders.empty()) continue;  // One edge.
    other.Reorder(part, *std::min_element(
                            orders.begin(), orders.end(), [&](const auto& one, const auto& two) {
                              return EstimateStates(problem, one) < EstimateStates(problem, two);
                            }));
  }
  return other;
}

}  // namespace simpath
