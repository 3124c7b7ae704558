#include "topo/tbb.h"

#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <utility>

#include "topo/affinity.h"

namespace topo {
namespace {

// A thread may be in several arenas at once, one inside the other, and leaves
// them in the opposite order.
struct Entered {
  const void* arena;
  int slot;  // index into the arena's slots, -1: none was free
  std::unique_ptr<ScopedAffinity> pin;
};
struct EnteredArenas : std::vector<Entered> {
  ~EnteredArenas() {
    while (!empty()) pop_back();
  }
};
thread_local EnteredArenas entered;

}  // namespace

class NodeArenas::Arena : public tbb::task_scheduler_observer {
 public:
  Arena(const Topology& topology, const std::vector<Slot>& slots)
      : Arena(topology, slots, MakeArena(static_cast<int>(slots.size()))) {}

  // Workers leave an arena a little after its last task. A worker that has not left
  // when the observer goes stays pinned, so workers get time to leave.
  ~Arena() override {
    {
      std::unique_lock lock(mutex_);
      left_.wait_for(lock, std::chrono::seconds(1), [this] {
        return std::find(free_.begin(), free_.end(), false) == free_.end();
      });
    }
    observe(false);
  }

  tbb::task_arena& arena() { return *arena_; }

  absl::Status status() const {
    std::lock_guard lock(mutex_);
    return status_;
  }

  void on_scheduler_entry(bool) override {
    Entered entry{this, Take(), nullptr};
    if (entry.slot >= 0) {
      auto pin = ScopedAffinity::Pin(topology_, slots_[entry.slot]);
      if (pin.ok()) {
        entry.pin = std::make_unique<ScopedAffinity>(*std::move(pin));
      } else {
        std::lock_guard lock(mutex_);
        status_.Update(pin.status());
      }
    }
    entered.push_back(std::move(entry));
  }

  void on_scheduler_exit(bool) override {
    if (entered.empty() || entered.back().arena != this) return;  // entered before we observed
    const int slot = entered.back().slot;
    entered.pop_back();
    if (slot >= 0) Give(slot);
  }

 private:
  Arena(const Topology& topology, const std::vector<Slot>& slots,
        std::unique_ptr<tbb::task_arena> arena)
      : tbb::task_scheduler_observer(*arena),
        topology_(topology),
        slots_(slots),
        free_(slots.size(), true),
        arena_(std::move(arena)) {
    observe(true);
  }

  // An observer can only watch an arena that has been initialized.
  static std::unique_ptr<tbb::task_arena> MakeArena(int threads) {
    auto arena = std::make_unique<tbb::task_arena>(threads);
    arena->initialize();
    return arena;
  }

  int Take() {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (free_[i]) {
        free_[i] = false;
        return static_cast<int>(i);
      }
    }
    return -1;
  }
  void Give(int slot) {
    std::lock_guard lock(mutex_);
    free_[slot] = true;
    left_.notify_all();
  }

  const Topology topology_;
  const std::vector<Slot> slots_;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::vector<bool> free_;  // guarded by mutex_
  absl::Status status_;     // guarded by mutex_
  std::unique_ptr<tbb::task_arena> arena_;
};

NodeArenas::NodeArenas(Topology topology, Mapping mapping) {
  std::vector<std::vector<Slot>> by_node(mapping.nodes().size());
  for (const Slot& slot : mapping.slots()) by_node[mapping.node_index(slot)].push_back(slot);
  for (const std::vector<Slot>& slots : by_node) {
    arenas_.push_back(std::make_unique<Arena>(topology, slots));
  }
}

NodeArenas::~NodeArenas() = default;

tbb::task_arena& NodeArenas::arena(int node_index) { return arenas_[node_index]->arena(); }

void NodeArenas::RunOnEach(const std::function<void(int)>& body) {
  std::vector<std::unique_ptr<tbb::task_group>> groups;
  for (int i = 0; i < size(); ++i) {
    groups.push_back(std::make_unique<tbb::task_group>());
    arena(i).execute([&] { groups[i]->run([&body, i] { body(i); }); });
  }
  // Every group is waited for inside its arena, whatever the others threw.
  std::exception_ptr first;
  for (int i = 0; i < size(); ++i) {
    try {
      arena(i).execute([&] { groups[i]->wait(); });
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

absl::Status NodeArenas::status() const {
  absl::Status status;
  for (const auto& arena : arenas_) status.Update(arena->status());
  return status;
}

}  // namespace topo
