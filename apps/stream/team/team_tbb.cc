#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <vector>

#include "apps/stream/team/team.h"
#include "topo/tbb.h"

namespace stream {
namespace {

// An arena a node; within it TBB deals as many calls as the node has slots.
class TbbTeam : public Team {
 public:
  TbbTeam(const topo::Topology& topology, const topo::Mapping& mapping)
      : mapping_(mapping),
        slots_of_(mapping.nodes().size()),
        allowed_(tbb::global_control::max_allowed_parallelism, mapping.size()),
        arenas_(topology, mapping),
        taken_(mapping.size()) {
    for (const topo::Slot& slot : mapping_.slots()) {
      slots_of_[mapping_.node_index(slot)].push_back(slot.thread);
    }
  }

  absl::Status pinned() const { return arenas_.status(); }

  void Run(const std::function<void(const topo::Slot&)>& body) override {
    for (auto& taken : taken_) taken.store(false, std::memory_order_relaxed);
    arenas_.RunOnEach([&](int node) {
      tbb::parallel_for(
          0, mapping_.threads_on(node), [&](int) { body(mapping_[Take(node)]); },
          tbb::static_partitioner());
    });
  }

 private:
  bool TryTake(int thread) { return !taken_[thread].exchange(true, std::memory_order_relaxed); }

  // The slot that the calling thread is pinned to if it is free, else any free
  // slot of the node. There are as many calls as slots, so one is free.
  int Take(int node) {
    const topo::Slot* own = topo::CurrentSlot();
    if (own != nullptr && mapping_.node_index(*own) == node && TryTake(own->thread)) {
      return own->thread;
    }
    for (;;) {
      for (const int thread : slots_of_[node]) {
        if (TryTake(thread)) return thread;
      }
    }
  }

  const topo::Mapping mapping_;
  std::vector<std::vector<int>> slots_of_;  // node index -> threads
  const tbb::global_control allowed_;
  topo::NodeArenas arenas_;
  std::vector<std::atomic<bool>> taken_;  // by thread; set by the thread that runs its slot
};

}  // namespace

absl::StatusOr<std::unique_ptr<Team>> StartTbbTeam(const topo::Topology& topology,
                                                   const topo::Mapping& mapping) {
  auto team = std::make_unique<TbbTeam>(topology, mapping);
  // Workers come when there is work: the first run shows those that cannot be pinned.
  team->Run([](const topo::Slot&) {});
  if (absl::Status status = team->pinned(); !status.ok()) return status;
  return team;
}

}  // namespace stream
