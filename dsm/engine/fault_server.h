// The thread that faults are reported to, and that wakes the threads that faulted, where faults do
// not come as signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "absl/status/statusor.h"
#include "dsm/engine/faults.h"
#include "dsm/layout/pages.h"
#include "dsm/threads/never_waits.h"
#include "llcl/owned_fd.h"

namespace dsm {

// A resource: a thread, which takes no signals. Faults are handled one after the other, as
// they come. A thread that faulted sleeps meanwhile, in the system, and is woken when the listener
// has returned: so the page's state says that it is there before the thread goes on.
class FaultServer final : public FaultWatch {
 public:
  // `userfaultfd`: does not block, tells the thread of a fault, is registered for all or parts of
  // `view`, outlives it.
  // Aborts when the listener says that a fault is none of its own: there is no other.
  // Errors: ResourceExhausted.
  static absl::StatusOr<std::unique_ptr<FaultServer>> Start(int userfaultfd,
                                                            std::span<const std::byte> view,
                                                            FaultListener& listener);
  ~FaultServer() override;

 private:
  FaultServer(int userfaultfd, llcl::OwnedFd end, std::uintptr_t view, FaultListener& listener);
  void Serve();
  void Wake(std::uintptr_t page);

  const never_waits::Server server_;
  const int userfaultfd_;
  const llcl::OwnedFd end_;  // an eventfd, written to at the end
  const std::uintptr_t view_;
  FaultListener& listener_;
  const PageSize system_page_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace dsm
