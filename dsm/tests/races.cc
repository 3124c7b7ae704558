// A rank for races_test.sh: three ranks write to an array of the first one's, with a race or
// without.
#include <cstdio>
#include <string>

#include "dsm/array.h"
#include "dsm/mutex.h"
#include "dsm/space.h"

namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  dsm::SpaceOptions options;
  options.finds_races = true;
  if (argc > 2 && std::string(argv[2]) == "segv") options.engine = dsm::EngineKind::kSegv;
  auto joined = dsm::Space::Join(options);
  if (!joined.ok()) return Fail(joined.status());
  dsm::Space& space = **joined;
  const auto array = dsm::MakeArray<int>(space, {100, 40}, dsm::OnRank{0});
  if (!array.ok()) return Fail(array.status());
  auto mutex = dsm::Mutex::Make(space, 0);
  if (!mutex.ok()) return Fail(mutex.status());
  const int rank = space.rank();

  for (int round = 0; round < 2; ++round) {  // It is found again, not only the first time.
    int* const word = &(*array)(7u, 3u);
    const int mine = 1000 * (round + 1) + rank;
    if (task == "copies" && rank != 0) *word = mine;
    if (task == "home-first" && rank != 2) *word = mine;
    if (task == "home-late" && rank == 1) *word = mine;
    if (task == "home-late" && rank == 0) {
      // Until the other's change is here.
      while (*const_cast<volatile int*>(word) != mine + 1) {
      }
      *word = -mine;
    }
    if (task == "none") {
      for (int z = rank; z < 100; z += 3) (*array)(z, 3u) = mine;
    }
    if (task == "locked") {
      absl::Status status = mutex->Lock().status();
      *word += 1;
      status.Update(mutex->Unlock());
      if (!status.ok()) return Fail(status);
    }
    if (absl::Status met = space.Barrier(dsm::Consistency::kFlush); !met.ok()) return Fail(met);
  }
  if (task == "none" && rank == 0) {
    const auto shared = space.FalselyShared(3);
    std::fputs(space.Describe(shared).c_str(), stdout);
  }
  if (rank == 0) {
    std::printf("%llu races\n", static_cast<unsigned long long>(space.counts().races));
  }
  return 0;
}
