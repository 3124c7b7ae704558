#include "dsm/threads/communication_threads.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "llcl/launch/place.h"
#include "topo/affinity.h"
#include "topo/discover.h"
#include "topo/mapping.h"
#include "topo/pu_set.h"

namespace dsm {

void CommunicationThreads::AddThisThread() {
  const topo::Lock lock(mutex_);
  threads_.push_back(static_cast<pid_t>(syscall(SYS_gettid)));
}

// Ranks of one machine that may run on the same PUs share these; a rank that a launcher has bound
// has its own.
absl::Status CommunicationThreads::Place(llcl::Launch& launch, int rank, int program_threads) {
  const auto mask = topo::ProcessMask();
  // First all exchange: no rank waits for one that has given up.
  const auto all = launch.Allgather(llcl::ThisPlace().machine + "\n" +
                                    (mask.ok() ? mask->ToString() : "unknown"));
  if (!mask.ok()) return mask.status();
  if (!all.ok()) return all.status();
  const std::string& mine = (*all)[static_cast<std::size_t>(rank)];
  const auto together = std::count(all->begin(), all->end(), mine);
  const auto before = std::count(all->begin(), all->begin() + rank, mine);
  const auto machine = topo::ThisMachine();
  if (!machine.ok()) return machine.status();
  const auto order = topo::Plan(*machine, topo::Policy::kCompact, mask->size());
  if (!order.ok()) return order.status();
  placement_ = dsm::Place(order->slots(), static_cast<int>(before), static_cast<int>(together),
                          program_threads);
  // They have all started: this rank could not have met the others otherwise.
  const topo::Lock lock(mutex_);
  for (const pid_t thread : threads_) {
    const absl::Status bound = topo::SetAffinityMask(thread, topo::PuSet(placement_.communication));
    if (!bound.ok()) return bound;
  }
  return absl::OkStatus();
}

}  // namespace dsm
