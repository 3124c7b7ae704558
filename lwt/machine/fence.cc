#include "lwt/machine/fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lwt/contract.h"

namespace lwt {

constinit bool Fence::asymmetric_ = false;

void Fence::Decide() {
#if !defined(__SANITIZE_THREAD__)
  // Processes that share nothing with us are not interrupted; children inherit nothing.
  static const bool offered =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 &&
      (asymmetric_ = true);
  (void)offered;
#endif
}

void Fence::Heavy() {
  Full();
  if (!asymmetric_) return;
  CheckContract(
      syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0,
      "a program with a pool goes on allowing membarrier(2) (was a seccomp filter installed?)");
}

}  // namespace lwt
