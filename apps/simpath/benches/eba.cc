// The paper's edge-based parallel approach, by unbound threads as in the other contestants.
#include "absl/status/statusor.h"
#include "apps/simpath/benches/counts.h"
#include "apps/simpath/frontier/count_by_edges.h"
#include "apps/simpath/frontier/plan.h"
#include "topo/topo.h"

namespace {

absl::StatusOr<simpath::Count> Count(const simpath::Problem& problem, int threads) {
  static const topo::Topology machine = *topo::ThisMachine();
  const auto mapping = topo::Plan(machine, topo::Policy::kNone, threads);
  if (!mapping.ok()) return mapping.status();
  return simpath::CountByEdges(simpath::MakePlan(problem, 1), machine, *mapping);
}

}  // namespace

int main(int argc, char** argv) { return simpath::RunCounts(argc, argv, "eba", Count); }
