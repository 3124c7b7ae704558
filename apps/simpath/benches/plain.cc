// The frontier method as Knuth and the paper state it: one edge at a time, by one thread, whatever
// `threads` says. So the ratio of a row of several threads is their gain over one thread of this
// method.
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
