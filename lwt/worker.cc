#include "lwt/worker.h"

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"

namespace lwt {

[[gnu::used]] constinit thread_local Worker* lwt_current_worker = nullptr;

#if !defined(__x86_64__)
[[gnu::noinline]] Worker* Worker::Current() {
  asm volatile("");  // Not a function whose value may be kept.
  return lwt_current_worker;
}
#endif

void Worker::DieOfForeignCall(const char* call) {
  DieOfBrokenContract(
      absl::StrCat(
          call, " was called by ",
          Current() == nullptr ? "an OS thread outside of pools"
                               : "a policy, or by a function given to Suspend",
          ": only lightweight threads may make this call, and Pool::Run starts the first of them"),
      __FILE__, __LINE__);
}

int Worker::RandomPeer() {
  const int others = workers() - 1;
  if (others == 0) return index_;
  const int chosen = static_cast<int>(Random(static_cast<std::uint32_t>(others)));
  return chosen < index_ ? chosen : chosen + 1;
}

}  // namespace lwt
