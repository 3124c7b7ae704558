// MPI's one-sided operations, with whichever MPI this is compiled with.
// The C functions alone.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "llcl/benches/problems.h"

namespace {

using vicinity::kMostBytes;
using vicinity::kMostThreads;
using vicinity::Op;

struct Window {
  MPI_Win window = MPI_WIN_NULL;
  unsigned char* target = nullptr;
  alignas(64) unsigned char local[kMostThreads * kMostBytes] = {};
};

class Mpi {
 public:
  Mpi(Window& window, int thread)
      : window_(window.window),
        local_(window.local + thread * kMostBytes),
        offset_(thread * kMostBytes) {}

  void Post(Op op, std::int64_t bytes) {
    const int count = static_cast<int>(bytes);
    switch (op) {
      case Op::kRead:
        MPI_Get(local_, count, MPI_BYTE, 1, offset_, count, MPI_BYTE, window_);
        return;
      case Op::kWrite:
        MPI_Put(local_, count, MPI_BYTE, 1, offset_, count, MPI_BYTE, window_);
        return;
      case Op::kAdd:
        MPI_Fetch_and_op(&one_, local_, MPI_UINT64_T, 1, offset_, MPI_SUM, window_);
    }
  }
  void WaitForAll() { MPI_Win_flush(1, window_); }

 private:
  MPI_Win window_;
  unsigned char* local_;
  MPI_Aint offset_;
  std::uint64_t one_ = 1;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  benchmark::Initialize(&argc, argv);
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks != 2 || provided != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "the bench is for two ranks and an MPI with threads\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  static Window window;
  MPI_Win_allocate(kMostThreads * kMostBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window.target,
                   &window.window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window.window);
  const char* const network = std::getenv("LLCL_BENCH_NETWORK");
  vicinity::Register<Mpi>(window, VICINITY_CONTESTANT,
                          network != nullptr ? network : "shared_memory");
  if (rank == 0) benchmark::RunSpecifiedBenchmarks();
  MPI_Barrier(MPI_COMM_WORLD);  // The other rank makes progress in here.
  MPI_Win_unlock_all(window.window);
  MPI_Win_free(&window.window);
  MPI_Finalize();
  return 0;
}
