#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "apps/stream/team.h"

namespace stream {
namespace {

// Workers belong to TBB and outlive a team, so each keeps its pin itself, until
// it enters another team's arena or ends.
thread_local std::optional<topo::ScopedAffinity> pin_of_this_thread;

// Pins each thread that enters the arena to the slot of its index there.
class PinOnEntry : public tbb::task_scheduler_observer {
 public:
  PinOnEntry(tbb::task_arena& arena, const topo::Topology& topology, const topo::Mapping& mapping)
      : task_scheduler_observer(arena), topology_(topology), mapping_(mapping) {
    observe(true);
  }
  ~PinOnEntry() override { observe(false); }

  void on_scheduler_entry(bool) override {
    const int thread = tbb::this_task_arena::current_thread_index();
    pin_of_this_thread.reset();
    auto pin = topo::ScopedAffinity::Pin(topology_, mapping_[thread]);
    if (pin.ok()) {
      pin_of_this_thread.emplace(*std::move(pin));
      return;
    }
    const std::lock_guard lock(mutex_);
    failure_.Update(pin.status());
  }

  void on_scheduler_exit(bool) override { pin_of_this_thread.reset(); }

  absl::Status failure() {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  const topo::Topology topology_;
  const topo::Mapping mapping_;
  std::mutex mutex_;
  absl::Status failure_;  // guarded by mutex_
};

class TbbTeam : public Team {
 public:
  TbbTeam(const topo::Topology& topology, topo::Mapping mapping)
      : mapping_(std::move(mapping)),
        allowed_(tbb::global_control::max_allowed_parallelism, mapping_.size()),
        arena_(mapping_.size()),
        observer_(arena_, topology, mapping_),
        taken_(mapping_.size()) {}

  absl::Status pinned() { return observer_.failure(); }

  void Run(const std::function<void(const topo::Slot&)>& body) override {
    for (auto& taken : taken_) taken.store(false, std::memory_order_relaxed);
    arena_.execute([&] {
      tbb::parallel_for(
          0, mapping_.size(), [&](int) { body(mapping_[Take()]); }, tbb::static_partitioner());
    });
  }

 private:
  // The thread's own slot if nobody was faster, else any that is left. There
  // are as many calls a round as slots, so there is one.
  int Take() {
    const int own = tbb::this_task_arena::current_thread_index();
    for (int i = 0; i < mapping_.size(); ++i) {
      const int slot = (own + i) % mapping_.size();
      if (!taken_[slot].exchange(true, std::memory_order_relaxed)) return slot;
    }
    return own;
  }

  const topo::Mapping mapping_;
  const tbb::global_control allowed_;
  tbb::task_arena arena_;
  PinOnEntry observer_;
  std::vector<std::atomic<bool>> taken_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Team>> StartTbbTeam(const topo::Topology& topology,
                                                   const topo::Mapping& mapping) {
  auto team = std::make_unique<TbbTeam>(topology, mapping);
  // Workers come when there is work; who cannot be pinned shows at the first.
  team->Run([](const topo::Slot&) {});
  if (absl::Status status = team->pinned(); !status.ok()) return status;
  return team;
}

}  // namespace stream
