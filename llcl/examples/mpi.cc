// The program with MPI in README.md.
#include "llcl/mpi.h"

#include <cstdio>

#include "llcl/llcl.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    auto job = llcl::JoinMpi(MPI_COMM_WORLD);  // Or any other communicator.
    if (!job.ok()) return std::puts(job.status().ToString().c_str()), 1;
    std::printf("rank %d of %d\n", ToInt(job->endpoint->rank()), job->endpoint->size());
  }
  return MPI_Finalize();
}
