#include "lwt/fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lwt {
namespace {

bool RegisterMembarrier() {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  // Processes that share nothing with us are not interrupted; children inherit nothing.
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#endif
}

}  // namespace

const bool Fence::asymmetric_ = RegisterMembarrier();

void Fence::Heavy() {
  Full();
  if (asymmetric_) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

}  // namespace lwt
