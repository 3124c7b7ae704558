// MPI's one-sided operations, with whichever MPI this is compiled with, by shared memory
// or by TCP.

// The C functions alone.
#define MPICH_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "llcl/benches/problems.h"

namespace {

using vicinity::kMemoryBytes;
using vicinity::kMostBytes;
using vicinity::kMostThreads;
using vicinity::Op;

struct Window {
  MPI_Win window = MPI_WIN_NULL;
  unsigned char* target = nullptr;
  alignas(64) unsigned char local[kMemoryBytes] = {};
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

constexpr std::string_view kNetwork = VICINITY_NETWORK;

// What makes ranks of one machine speak TCP; MPI_Init reads it. Both MPIs do so by UCX:
// Debian's MPICH has no other device, and of Open MPI 4.1.4's own, osc/pt2pt refuses
// several threads and osc/rdma makes no window on btl/tcp.
void AskForTcp() {
  constexpr const char* kSettings[][2] = {{"UCX_TLS", "tcp,self"},
                                          {"MPIR_CVAR_NOLOCAL", "1"},
                                          {"OMPI_MCA_pml", "ucx"},
                                          {"OMPI_MCA_osc", "ucx"},
                                          {"OMPI_MCA_opal_common_ucx_tls", "any"},
                                          {"OMPI_MCA_opal_common_ucx_devices", "any"}};
  for (const auto& [name, value] : kSettings) setenv(name, value, 1);
}

// Open MPI 4.1.4's fetch-and-add takes four times as long as UCX's, as if by a lock over the
// network; of threads that ask at once it served 144 a second, on a busy machine, so that
// their rows do not end in bearable time.
int MostAddingThreads() {
#ifdef OPEN_MPI
  if (kNetwork == "tcp") return 1;
#endif
  return kMostThreads;
}

}  // namespace

int main(int argc, char** argv) {
  if (kNetwork == "tcp") AskForTcp();
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
  MPI_Win_allocate(kMemoryBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window.target, &window.window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window.window);
  vicinity::Register<Mpi>(window, VICINITY_CONTESTANT, VICINITY_NETWORK, MostAddingThreads());
  if (rank == 0) vicinity::RunAll();
  MPI_Barrier(MPI_COMM_WORLD);  // The other rank makes progress in here.
  MPI_Win_unlock_all(window.window);
  MPI_Win_free(&window.window);
  MPI_Finalize();
  return 0;
}
