// A count by each way to count edge by edge, each with some numbers of threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "apps/simpath/frontier/count_by_edges.h"
#include "apps/simpath/frontier/partition.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"
#include "lwt/pool.h"
#include "topo/topo.h"

namespace simpath {

// A resource.
struct TestedMode {
  std::string name;
  std::function<absl::StatusOr<Count>(const Problem&, const CountOptions&)> count;
};

inline std::vector<TestedMode> AllModes() {
  std::vector<TestedMode> modes = {
      {"sequential", [](const Problem& problem, const CountOptions& options) {
         return CountSequentially(MakePlan(problem), options);
       }}};
  const topo::Topology machine = *topo::FromSynthetic("pack:2 [numa] core:4 pu:1");
  for (const int threads : {1, 2, 5}) {
    const topo::Mapping mapping = topo::Plan(machine, topo::Policy::kCompact, threads)->Unbound();
    modes.push_back({absl::StrCat("eba by ", threads),
                     [machine, mapping](const Problem& problem, const CountOptions& options) {
                       return CountByEdges(MakePlan(problem, 1), machine, mapping, options);
                     }});
  }
  for (const int workers : {1, 3}) {
    const std::shared_ptr<lwt::Pool> pool = *lwt::Pool::Create({.workers = workers});
    modes.push_back({absl::StrCat("partition by ", workers),
                     [pool](const Problem& problem, const CountOptions& options) {
                       return CountByParts(MakePlan(problem), *pool, options);
                     }});
  }
  return modes;
}

}  // namespace simpath
