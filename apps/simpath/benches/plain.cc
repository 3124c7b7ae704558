// The frontier method as Knuth and the paper state it: one edge at a time, by one thread, whatever
// `threads` says. So a row of several threads tells what they bring over it.
#include "absl/status/statusor.h"
#include "apps/simpath/benches/counts.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"

namespace {

absl::StatusOr<simpath::Count> Count(const simpath::Problem& problem, int /*threads*/) {
  return simpath::CountSequentially(simpath::MakePlan(problem, 1));
}

}  // namespace

int main(int argc, char** argv) { return simpath::RunCounts(argc, argv, "plain", Count); }
