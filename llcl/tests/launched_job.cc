#include <cstdio>
#include <cstdlib>
#include <memory>

#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/tests/job.h"

namespace llcl {
namespace {

std::unique_ptr<Launch> job;

std::vector<std::string> AllgatherOrAbort(std::string_view mine) {
  auto all = job->Allgather(mine);
  if (!all.ok()) job->Abort(1, all.status().ToString());
  return *std::move(all);
}

}  // namespace

std::vector<int> RankCounts() { return {job->size()}; }
const char* ConduitName() {
  static const std::string name = FindConduitChoice().conduit;
  return name.empty() ? "smp" : name.c_str();
}
int RanksOfThisProcess(int /*ranks*/) { return 1; }

void RunRanks(int /*ranks*/, const OptionsOfRank& options, const std::function<void(Member&)>& f,
              std::uint64_t /*seed*/) {
  auto conduit = MakeConduit(*job);
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  EndpointOptions of_rank = options(ToInt(job->rank()));
  of_rank.packs = std::getenv("LLCL_TEST_PACKS") != nullptr;
  Member member(std::make_unique<Endpoint>(*std::move(conduit), of_rank), &AllgatherOrAbort);
  f(member);
  member.Barrier();  // No rank's memory goes before all are done with it.
}

std::string OfTheFirstRank(const std::string& mine) { return AllgatherOrAbort(mine).front(); }

}  // namespace llcl

int main(int argc, char** argv) {
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) {
    std::fprintf(stderr, "%s\n", launch.status().ToString().c_str());
    return 1;
  }
  llcl::job = *std::move(launch);
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  llcl::job.reset();
  return result;
}
