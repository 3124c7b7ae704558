#include "lwt/simulation.h"

#include <limits>

#include "lwt/contract.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/kernel/simulator.h"

namespace lwt {

void Compute(double nanoseconds) {
  Scheduler& worker = Scheduler::Here();
  // Not-a-number fails both comparisons.
  CheckContract(nanoseconds >= 0 && nanoseconds <= std::numeric_limits<double>::max(),
                "Compute takes 0 nanoseconds or more, and no infinity of them");
  if (worker.simulator() != nullptr) {
    worker.simulator()->Spend(worker, nanoseconds, &SimulatedTime::computing_ns);
  }
}

void Touch(const void* data, std::size_t bytes, Access access) {
  Scheduler& worker = Scheduler::Here();
  CheckContract(
      reinterpret_cast<std::uintptr_t>(data) + bytes >= reinterpret_cast<std::uintptr_t>(data),
      "what Touch is given ends in the address space");
  if (worker.simulator() != nullptr) worker.simulator()->Touch(worker, data, bytes, access);
}

}  // namespace lwt
