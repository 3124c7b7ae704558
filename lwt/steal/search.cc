// How a worker without work looks for some, and when it gives up and sleeps.
#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "lwt/fatal.h"
#include "lwt/pool.h"
#include "lwt/worker.h"

namespace lwt {
namespace {

// A worker without work tries so often, some tens of microseconds, before it
// sleeps; and sleeps so long at the most, in case that nobody thought of waking it.
constexpr int kTries = 100;
constexpr int kPausesATry = 8;
// So often it looks again at work that its policy does not take.
constexpr int kMostRefusals = 4;
// A loop that creates and joins leaves its continuation in the queue for some
// nanoseconds at a time. A thief that takes it moves the loop to another core for
// nothing, and the other takes it back. So a steal whose work was over within
// kWorthwhile makes the thief wait before its next, twice as long each time; one
// that was worth it halves that.
constexpr std::int64_t kWorthwhileNanoseconds = 20'000;
constexpr std::int64_t kLeastPatienceNanoseconds = 2'000;
constexpr std::int64_t kMostPatienceNanoseconds = 128'000;

std::int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

constexpr std::int64_t kShortestSleepNanoseconds = 2'000'000;
constexpr std::int64_t kLongestSleepNanoseconds = 64'000'000;

}  // namespace

// What a policy throws has nobody to go to.
ReadyThread Worker::StealByPolicy() {
  try {
    ReadyThread stolen = policy_.Steal(*this);
    if (stolen) CheckTaken(stolen.thread_, "a worker, by its policy,");
    return stolen;
  } catch (...) {
    DieOfException(std::current_exception(), absl::StrCat("the policy of worker ", index_),
                   "Nobody calls a policy who could take that: it must not throw.");
  }
}

bool Worker::PolicyHasWork() {
  try {
    return policy_.HasWork(*this);
  } catch (...) {
    DieOfException(std::current_exception(),
                   absl::StrCat("HasWork of the policy of worker ", index_),
                   "Nobody calls a policy who could take that: it must not throw.");
  }
}

bool Worker::HasOwnWork() { return queue_.SizeSeenByThief() > 0 || PolicyHasWork(); }

bool Worker::AnyWork() {
  if (PolicyHasWork()) return true;
  for (int i = 0; i < pool_.workers(); ++i) {
    if (pool_.worker(i).queue_.SizeSeenByThief() > 0) return true;
  }
  return false;
}

// Is there work that the policy does not take? A policy may have its reasons, for
// ever, and a worker must not burn its processor for them. Whose queue it is in is
// woken: the waking for a Put may have gone to this worker.
bool Worker::IsRefused() {
  if (!AnyWork()) {
    refusals_ = 0;
    return false;
  }
  ++refusals_;
  for (int i = 0; i < pool_.workers(); ++i) {
    const Worker& owner = pool_.worker(i);
    if (owner.asleep_.load(std::memory_order_relaxed) && owner.queue_.SizeSeenByThief() > 0) {
      idle_.WakeAll();
      break;
    }
  }
  return refusals_ >= kMostRefusals;
}

// Before the first steal of a search: see kWorthwhile. What comes to the own queue
// meanwhile is returned.
Descriptor* Worker::BePatient() {
  const std::int64_t now = NowNanoseconds();
  if (stolen_at_ns_ != 0) {
    const bool worthwhile = now - stolen_at_ns_ > kWorthwhileNanoseconds;
    patience_ns_ = worthwhile ? patience_ns_ / 2
                              : std::clamp(patience_ns_ * 2, kLeastPatienceNanoseconds,
                                           kMostPatienceNanoseconds);
    stolen_at_ns_ = 0;
  }
  Descriptor* mine = nullptr;
  while (mine == nullptr && NowNanoseconds() < now + patience_ns_ && !pool_.stopping()) {
    for (int pause = 0; pause < kPausesATry; ++pause) Pause();
    mine = PopReady();
  }
  return mine;
}

Descriptor* Worker::Search() {
  if (simulator_ == nullptr) idle_.StartSearch();
  Trace(TraceEvent::Kind::kIdle);
  if (simulator_ == nullptr) {
    if (Descriptor* const mine = BePatient()) {
      counters_.finds.Add();
      idle_.EndSearch();
      Trace(TraceEvent::Kind::kBusy);
      return mine;
    }
  }
  std::int64_t sleep = kShortestSleepNanoseconds;
  while (true) {
    for (int i = 0; i < kTries; ++i) {
      if (AnyPolicy* next = next_policy_.exchange(nullptr, std::memory_order_acq_rel)) {
        policy_ = std::move(*next);
        delete next;
      }
      if (simulator_ != nullptr) FireDueTimers();
      Descriptor* found = PopReady();
      if (found == nullptr) {
        found = StealByPolicy().Release();
        if (found != nullptr && simulator_ == nullptr) stolen_at_ns_ = NowNanoseconds();
      }
      if (simulator_ != nullptr) {
        simulator_->Searched(*this, found != nullptr);
        if (found == nullptr) Spend(&CostModel::look_ns, &SimulatedTime::looking_ns);
      }
      if (found != nullptr || pool_.stopping()) {
        refusals_ = 0;
        counters_.finds.Add();
        if (simulator_ == nullptr) idle_.EndSearch();
        Trace(TraceEvent::Kind::kBusy);
        return found;
      }
      if (simulator_ != nullptr) continue;
      for (int pause = 0; pause < kPausesATry; ++pause) Pause();
    }
    if (simulator_ != nullptr) continue;
    const bool refused = IsRefused();
    counters_.parks.Add();
    Trace(TraceEvent::Kind::kPark);
    asleep_.store(true, std::memory_order_relaxed);
    SleepUntilWorkOrTimer(sleep, refused);
    asleep_.store(false, std::memory_order_relaxed);
    Trace(TraceEvent::Kind::kIdle);
    sleep = std::min(sleep * 2, kLongestSleepNanoseconds);
  }
}

}  // namespace lwt
