// The mode partition, which is the program's for any graph.
#include "absl/status/statusor.h"
#include "apps/simpath/benches/counts.h"
#include "apps/simpath/frontier/partition.h"
#include "apps/simpath/frontier/plan.h"
#include "lwt/pool.h"

namespace {

absl::StatusOr<simpath::Count> Count(const simpath::Problem& problem, int threads) {
  auto pool = lwt::Pool::Create({.workers = threads});
  if (!pool.ok()) return pool.status();
  return simpath::CountByParts(simpath::MakePlan(problem), **pool);
}

}  // namespace

int main(int argc, char** argv) { return simpath::RunCounts(argc, argv, "simpath", Count); }
