#include "llcl/launch/mpi_beside.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace llcl {
namespace {

// MPI_Initialized and MPI_Finalized have this type in every MPI, and may be called at any time.
using Question = int (*)(int* answer);

bool Asks(void* symbol) {
  int answer = 0;
  return symbol != nullptr && reinterpret_cast<Question>(symbol)(&answer) == 0 && answer != 0;
}

struct Ends {
  const pid_t process = getpid();
  topo::Mutex mutex;
  std::vector<std::function<void()>> ends ABSL_GUARDED_BY(mutex);
};

// Never destroyed, as it is read when the process ends.
Ends& AllEnds() {
  static Ends* const ends = new Ends;
  return *ends;
}

void EndAll() {
  Ends& all = AllEnds();
  if (all.process != getpid() || !EndsConnectionAtExit(FindMpi())) return;
  const topo::Lock lock(all.mutex);
  for (const auto& end : all.ends) end();
}

}  // namespace

absl::Status EndedByMpi() {
  return absl::UnavailableError(
      "MPI_Finalize was called, which ends the process's connection to the launcher: join before "
      "it");
}

int NumberOfLaunch() {
  static std::atomic<int> launches = 0;
  return launches++;
}

void EndAtExit(std::function<void()> end) {
  Ends& all = AllEnds();
  const topo::Lock lock(all.mutex);
  if (all.ends.empty()) (void)std::atexit(EndAll);
  all.ends.push_back(std::move(end));
}

MpiBeside FindMpi() {
  void* const initialized = dlsym(RTLD_DEFAULT, "MPI_Initialized");
  if (initialized == nullptr) return MpiBeside::kAbsent;
  if (!Asks(initialized)) return MpiBeside::kNotBegun;
  return Asks(dlsym(RTLD_DEFAULT, "MPI_Finalized")) ? MpiBeside::kEnded : MpiBeside::kRuns;
}

}  // namespace llcl
