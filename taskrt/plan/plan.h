// What a program's tasks will copy, before any of them runs: the tasks in the order of their
// submission, each at a place, through the same rules that the runtime follows (replicas.h,
// residents.h). A run copies as many where the runtime takes the tasks in another order, unless
// device memory is short or commutative tasks change a block in another order.
//
// Threads: any. Errors: absl::Status.
//
// Source: [WLBS20] sections 3.3 and 4, tables 3 and 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/access.h"
#include "taskrt/ids.h"
#include "taskrt/place.h"
#include "taskrt/task/replicas.h"

namespace taskrt {

// Values.
struct PlannedBlock {
  std::uint64_t bytes = 0;
  bool is_partial = false;  // of a reduction: it is not written back
};
struct PlannedAccess {
  BlockId block = 0;  // an index of the blocks
  Mode mode = Mode::kIn;
};
struct PlannedTask {
  std::string name = {};
  std::vector<PlannedAccess> accesses = {};
  Place place = kHost;
};

enum class Eviction {
  kFarthestUse,    // of what the tasks submitted so far will use (Belady)
  kLeastRecently,  // used (LRU), to compare with
};

// What a device does with a block whose value only another device has ([WLBS20] section 2.3).
enum class Across {
  kCopy,    // from there: the paper's second method
  kStaged,  // by way of the host, where it then is too
  // Nothing: its kernels use the other's memory, at the rate of the link; the paper's first. Where
  // a device cannot, or the other's memory is bounded, it copies.
  kAccess,
};

struct PlanOptions {
  SourceRule source = SourceRule::kHostFirst;
  Across across = Across::kCopy;
  // If not, each task of a device brings what it reads and returns what it writes.
  bool optimizes = true;
  std::uint64_t device_bytes = 0;  // of memory, each; zero: enough
  Eviction eviction = Eviction::kFarthestUse;
  // How many tasks are known ahead of the one that needs room; zero: all.
  std::uint64_t look_ahead = 0;
};

struct CopyCount {
  std::uint64_t copies = 0, bytes = 0;
  friend bool operator==(const CopyCount&, const CopyCount&) = default;
};
struct CopyCounts {
  CopyCount h2d, d2h, d2d;
  // One from a place to another.
  CopyCount& Of(Place from, Place to) { return from == kHost ? h2d : to == kHost ? d2h : d2d; }
  std::uint64_t copies() const { return h2d.copies + d2h.copies + d2d.copies; }
  friend bool operator==(const CopyCounts&, const CopyCounts&) = default;
};

struct CopyPlan {
  CopyCounts copies;
  CopyCount least;
};

// All blocks begin on the host, and end there but for partial ones. ResourceExhausted names the
// first task whose blocks are more than a device's memory; InvalidArgument one with a block that is
// none, or at no place.
absl::StatusOr<CopyCounts> PlanCopies(std::span<const PlannedBlock> blocks,
                                      std::span<const PlannedTask> tasks,
                                      const PlanOptions& options);

// The least for these places, whatever the order of the tasks and the rules, where memory is not
// short and commutative tasks run as they were submitted: each value goes once to each place that
// reads it, and home at the end. From where does not change how many there are, so all of h2d, d2h
// and d2d together.
CopyCount LeastCopies(std::span<const PlannedBlock> blocks, std::span<const PlannedTask> tasks);

}  // namespace taskrt
