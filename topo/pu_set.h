// Sets of PUs as the kernel's affinity calls take them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topo/topology.h"

namespace topo {

// A value. A set of PU numbers of any size.
class PuSet {
 public:
  PuSet() = default;
  explicit PuSet(const std::vector<PuId>& pus) {
    for (PuId pu : pus) Insert(pu);
  }

  void Insert(PuId pu);
  bool Contains(PuId pu) const;
  int size() const;
  std::vector<PuId> pus() const;

  // As "0-3,8", the kernel's list format; "nothing" for the empty set.
  std::string ToString() const;

  // Trailing words are zero or absent; both mean the same.
  friend bool operator==(const PuSet& a, const PuSet& b) { return a.pus() == b.pus(); }

 private:
  friend absl::StatusOr<PuSet> AffinityMask(pid_t thread);
  friend absl::Status SetAffinityMask(pid_t thread, const PuSet& wanted);
  std::vector<unsigned long> words_;
};

// The affinity mask of a thread; 0 means the calling one. Works on machines of
// any size (glibc's cpu_set_t stops at 1,024). Unavailable where the system, as a filter of a
// container's, refuses the call.
absl::StatusOr<PuSet> AffinityMask(pid_t thread);

// The PUs that this process was given: the main thread's mask, and the places of
// an OpenMP runtime if the program has one that binds threads (OMP_PROC_BIND,
// OMP_PLACES). Such a runtime binds the main thread before main begins: its
// places are then the only record of the mask before.
absl::StatusOr<PuSet> ProcessMask();

// Binds a thread (0: the calling one) to exactly `wanted`. The kernel silently
// drops PUs that the cpuset forbids, so the mask is read back:
// PermissionDenied names what was dropped, and the mask is then as the kernel
// left it. InvalidArgument where none of `wanted` can be used; Unavailable where the system refuses
// the call.
absl::Status SetAffinityMask(pid_t thread, const PuSet& wanted);

}  // namespace topo
