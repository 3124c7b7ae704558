// A rank for space_mpi_test.sh: MPI and a space in one program, begun and ended in both orders. Its
// arguments: HOW (`find`, `world`, `halves`), BEGIN (`mpi-first`, `dsm-first`), END
// (`dsm-ends-first`, `mpi-ends-first`), ENGINE (`userfaultfd`, `segv`).

// The C functions alone.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "dsm/dsm.h"
#include "llcl/mpi.h"

namespace {

constexpr std::uint64_t kCount = 20'000;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(stderr);
  _exit(3);
}

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

void CheckMpi() {
  int rank = 0, size = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != size * (size + 1) / 2) Fail("MPI does not add the numbers of all ranks");
}

absl::StatusOr<std::unique_ptr<dsm::Space>> Join(const std::string& how,
                                                 const dsm::SpaceOptions& options) {
  if (how == "find") return dsm::Space::Join(options);
  MPI_Comm communicator = MPI_COMM_WORLD;
  if (how == "halves") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &communicator);
  }
  auto launch = llcl::MakeMpiLaunch(communicator);
  if (!launch.ok()) return launch.status();
  return dsm::Space::JoinBy(*std::move(launch), options);
}

// Each rank writes a share of the elements, and reads all.
void CheckSpace(dsm::Space& space) {
  const auto memory = space.Allocate({{kCount}, sizeof(int)}, dsm::Block{.count = space.ranks()});
  Check(memory.status());
  const std::span<int> array(reinterpret_cast<int*>(memory->data()), kCount);
  const auto ranks = static_cast<std::uint64_t>(space.ranks());
  for (auto i = static_cast<std::uint64_t>(space.rank()); i < kCount; i += ranks) {
    array[i] = static_cast<int>(i) + 1;
  }
  Check(space.Barrier(dsm::Consistency::kFlush));
  for (std::uint64_t i = 0; i < kCount; ++i) {
    if (array[i] != static_cast<int>(i) + 1) Fail("a rank does not see what another wrote");
  }
  Check(space.Barrier(dsm::Consistency::kFlush));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) Fail("four arguments");
  const std::string how = argv[1], begin = argv[2], end = argv[3], engine = argv[4];
  dsm::SpaceOptions options;
  options.engine = engine == "segv" ? dsm::EngineKind::kSegv : dsm::EngineKind::kUserfaultfd;
  if (begin == "mpi-first") MPI_Init(&argc, &argv);
  auto space = Join(how, options);
  if (absl::IsUnavailable(space.status()) && engine == "userfaultfd") {
    std::printf("no such engine: %s\n", space.status().ToString().c_str());
    _exit(4);
  }
  Check(space.status());
  CheckSpace(**space);
  if (begin == "dsm-first") MPI_Init(&argc, &argv);
  CheckMpi();
  CheckSpace(**space);
  if (end == "dsm-ends-first") {
    space->reset();
    CheckMpi();
  }
  MPI_Finalize();
  if (end == "mpi-ends-first") {
    CheckSpace(**space);
    space->reset();
  }
  std::printf("right\n");
  return 0;
}
