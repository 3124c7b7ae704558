// The program with MPI in README.md.
#include "llcl/mpi.h"

#include <cstdio>
#include <utility>

#include "dsm/dsm.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    auto launch = llcl::MakeMpiLaunch(MPI_COMM_WORLD);  // Or any other communicator.
    if (!launch.ok()) return std::puts(launch.status().ToString().c_str()), 1;
    auto space = dsm::Space::JoinBy(*std::move(launch));
    if (!space.ok()) return std::puts(space.status().ToString().c_str()), 1;
    std::printf("rank %d of %d\n", (*space)->rank(), (*space)->ranks());
  }
  return MPI_Finalize();
}
