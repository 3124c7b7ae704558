// MPI's collective operations, with whichever MPI this is compiled with, by shared memory or by
// TCP.

// The C functions alone.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstdlib>
#include <string_view>
#include <thread>

#include "llcl/benches/collectives.h"

namespace {

// The settings by which ranks of one machine speak TCP; MPI_Init reads them. Debian's MPICH has no
// other device than UCX; Open MPI's own is faster for collective operations.
void AskForTcp() {
  constexpr const char* kSettings[][2] = {{"UCX_TLS", "tcp,self"},
                                          {"MPIR_CVAR_NOLOCAL", "1"},
                                          {"OMPI_MCA_pml", "ob1"},
                                          {"OMPI_MCA_btl", "tcp,self"}};
  for (const auto& [name, value] : kSettings) setenv(name, value, 1);
}

// Where there are more ranks than processors: a rank that waits gives its processor to the others.
void AskToYield() { setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1); }

class Mpi {
 public:
  int ranks() const {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
  }
  void Barrier() { MPI_Barrier(MPI_COMM_WORLD); }
  void Broadcast(std::byte* bytes, std::size_t size) {
    MPI_Bcast(bytes, static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  void Allgather(const std::byte* mine, std::byte* all, std::size_t size) {
    const int count = static_cast<int>(size);
    MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, MPI_COMM_WORLD);
  }
  void Allreduce(const double* mine, double* sums, std::size_t count) {
    MPI_Allreduce(mine, sums, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void Alltoall(const std::byte* mine, std::byte* theirs, std::size_t size) {
    const int count = static_cast<int>(size);
    MPI_Alltoall(mine, count, MPI_BYTE, theirs, count, MPI_BYTE, MPI_COMM_WORLD);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (std::string_view(VICINITY_NETWORK) == "tcp") AskForTcp();
  if (VICINITY_RANKS > static_cast<int>(std::thread::hardware_concurrency())) AskToYield();
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Mpi mpi;
  vicinity::CollectiveBench<Mpi> bench(mpi);
  if (rank == 0) {
    bench.Register(VICINITY_CONTESTANT, VICINITY_NETWORK);
    benchmark::RunSpecifiedBenchmarks();
    bench.End();
  } else {
    bench.Serve();
  }
  MPI_Finalize();
  return 0;
}
