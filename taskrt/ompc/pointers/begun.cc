#include "taskrt/ompc/pointers/begun.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/omp_calls.h"

namespace taskrt {
namespace {

std::atomic<PointerRuntime*> begun{nullptr};  // Members of a region may begin it together.

thread_local std::string error;

}  // namespace

PointerRuntime* BegunRuntime() { return begun.load(std::memory_order_acquire); }
void SetBegunRuntime(PointerRuntime* runtime) { begun.store(runtime, std::memory_order_release); }

absl::Status NotBegun() {
  return absl::FailedPreconditionError("ompc_init was not called, or failed");
}

// The last step of a call: the call may have gone on in another OS thread before.
[[gnu::noinline]] int Answer(const char* call, const absl::Status& status) {
  if (status.ok()) return 0;
  error = absl::StrCat(call, ": ", std::string(status.message()));
  return static_cast<int>(status.code());
}

[[gnu::noinline]] const char* LastError() { return error.c_str(); }

void Require(const char* call, const absl::Status& status) { ompc_require(Answer(call, status)); }

}  // namespace taskrt

void ompc_require(int answer) {
  if (answer == 0) return;
  std::fprintf(stderr, "%s\n", taskrt::LastError());
  std::fflush(nullptr);
  std::_Exit(2);  // Without ompc_finish, for which other tasks and this one would have to end.
}
