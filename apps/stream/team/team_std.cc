#include <atomic>
#include <thread>

#include "apps/stream/team/team.h"

namespace stream {
namespace {

// topo::RunThreads for as long as the team lives; its threads wait at a barrier
// for the next body, run it, and meet the caller at a second one.
class StdTeam : public Team {
 public:
  explicit StdTeam(const topo::Mapping& mapping) : barrier_(mapping.size() + 1) {}

  absl::Status Start(const topo::Topology& topology, const topo::Mapping& mapping) {
    runner_ = std::jthread([this, topology, mapping] {
      const absl::Status status =
          topo::RunThreads(topology, mapping, [this](const topo::Slot& slot) { Work(slot); });
      if (!status.ok()) {
        failure_ = status;  // No thread has called Work.
        Tell(kFailed);
      }
    });
    state_.wait(kStarting);
    if (state_.load() == kFailed) return failure_;
    return absl::OkStatus();
  }

  ~StdTeam() override {
    if (state_.load() != kRunning) return;
    body_ = nullptr;
    barrier_.ArriveAndWait();
  }

  void Run(const std::function<void(const topo::Slot&)>& body) override {
    body_ = &body;
    barrier_.ArriveAndWait();
    barrier_.ArriveAndWait();
  }

 private:
  enum State : int { kStarting, kRunning, kFailed };

  void Tell(State state) {
    state_.store(state);
    state_.notify_all();
  }

  void Work(const topo::Slot& slot) {
    if (slot.thread == 0) Tell(kRunning);
    for (;;) {
      barrier_.ArriveAndWait();
      if (body_ == nullptr) return;
      (*body_)(slot);
      barrier_.ArriveAndWait();
    }
  }

  topo::Barrier barrier_;  // the slots and the caller
  std::atomic<int> state_ = kStarting;
  absl::Status failure_;  // written before kFailed, read after
  // Written by the caller before a barrier that the slots read it after.
  const std::function<void(const topo::Slot&)>* body_ = nullptr;
  std::jthread runner_;  // last: joined before the rest is destroyed
};

}  // namespace

absl::StatusOr<std::unique_ptr<Team>> StartStdTeam(const topo::Topology& topology,
                                                   const topo::Mapping& mapping) {
  auto team = std::make_unique<StdTeam>(mapping);
  if (absl::Status status = team->Start(topology, mapping); !status.ok()) return status;
  return team;
}

}  // namespace stream
