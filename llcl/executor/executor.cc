#include "llcl/executor/executor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "llcl/executor/clock.h"
#include "llcl/executor/thread_number.h"

namespace llcl {
namespace {

// Overdue operations are looked for so often; each look takes some ten microseconds
// where thousands are in flight.
constexpr std::int64_t kLookEveryMs = 10;
constexpr int kStepsPerClock = 64;  // reading it costs as much as a step

}  // namespace

Executor::Executor(Device& device, const ExecutorOptions& options, Host* host)
    : device_(device), options_(options), operations_(options.tags), host_(host) {
  const std::size_t lanes = std::max<std::size_t>(options.lanes, 1);
  for (std::size_t i = 0; i < lanes; ++i) lanes_.emplace_back(options.ring);
}

void Executor::Start() {
  if (!options_.has_thread) return;
  doorbell_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (doorbell_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { Serve(); });
}

Executor::~Executor() {
  Close();
  if (doorbell_ >= 0) close(doorbell_);
}

// Requester.

Posted Executor::TryPost(Command command, Completion then, std::uint32_t most_ms,
                         Completion released) {
  // Counted first: Close waits for whoever is in here.
  accepted_.FetchAdd(1, std::memory_order_seq_cst);
  const auto refuse = [this](Posted why) {
    ended_.FetchAdd(1, std::memory_order_release);
    return why;
  };
  if (closing_.Load(std::memory_order_seq_cst) != 0) return refuse(Posted::kClosing);
  command.tag = operations_.Begin(
      {.then = then, .released = released, .peer = command.peer, .most_ms = most_ms});
  if (command.tag == kNoTag) return refuse(Posted::kNoTag);
  Ring& lane = LaneOfThread();
  if (options_.mode != Mode::kOffload && TryPostHere(lane, command)) return Posted::kPosted;
  switch (lane.TryPush(command)) {
    case Push::kFull:
      if (operations_.Withdraw(command.tag)) return refuse(Posted::kFull);
      // It was given up meanwhile, and told.
      overdue_.FetchAdd(-1, std::memory_order_release);
      released.Tell(Outcome::kLate);
      return Posted::kPosted;
    case Push::kMustWakeIt:
      Wake();
      break;
    case Push::kPushed:
      break;
  }
  return Posted::kPosted;
}

Executor::Ring& Executor::LaneOfThread() {
  return lanes_.size() == 1 ? lanes_.front() : lanes_[ThreadNumber() % lanes_.size()];
}

// Commands that wait in the lane came first, and the device may be full because of
// them.
bool Executor::TryPostHere(const Ring& lane, const Command& command) {
  if (!lane.empty()) return false;
  if (options_.mode == Mode::kDirect) {
    lock_.Take();
  } else if (!lock_.TryTake()) {
    return false;
  }
  const bool posted =
      batch_first_ == batch_end_ && device_.Post(std::span<const Command>(&command, 1)) == 1;
  const bool wakes = posted && sleeps_ && (sleeps_blindly_ || device_.IsHolding());
  if (wakes) sleeps_ = false;
  lock_.Release();
  if (posted) posted_by_callers_.FetchAdd(1, std::memory_order_relaxed);
  if (wakes) Wake();
  return posted;
}

void Executor::Wake() {
  if (doorbell_ < 0) return;
  wakings_.FetchAdd(1, std::memory_order_relaxed);
  const std::uint64_t one = 1;
  (void)!write(doorbell_, &one, sizeof one);
}

// Executor and completer.

void Executor::FillBatch(Step& step) {
  if (batch_first_ < batch_end_) return;
  batch_first_ = batch_end_ = 0;
  for (std::size_t looked = 0; looked < lanes_.size(); ++looked) {
    Ring& lane = lanes_[(next_lane_ + looked) % lanes_.size()];
    while (batch_end_ < kBatch && step.count < kBatch && lane.TryPop(batch_[batch_end_])) {
      const Tag tag = batch_[batch_end_].tag;
      if (!operations_.IsGivenUp(tag)) {
        ++batch_end_;
        continue;
      }
      step.AddReleased(operations_.End(tag).released, Outcome::kLate);
      overdue_.FetchAdd(-1, std::memory_order_release);
    }
  }
  ++next_lane_;
}

// True: all lanes are empty, and the next push to any of them will wake.
bool Executor::StartSleep() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].StartSleep()) continue;
    while (i > 0) lanes_[--i].EndSleep();
    return false;
  }
  return true;
}

bool Executor::Advance(Step& step) {
  // First: traffic that does not end must not keep deadlines waiting.
  const bool gave_up = GiveUpOverdue(step);
  FillBatch(step);
  std::size_t posted = 0;
  if (batch_first_ < batch_end_) {
    posted = device_.Post(std::span(batch_).subspan(batch_first_, batch_end_ - batch_first_));
    batch_first_ += posted;
    posted_from_ring_.FetchAdd(posted, std::memory_order_relaxed);
    batches_.FetchAdd(posted > 0 ? 1 : 0, std::memory_order_relaxed);
  }
  std::array<Ended, kBatch> ended;
  const std::size_t count = device_.Poll(std::span(ended).first((Step::kMost - step.count) / 2));
  for (std::size_t i = 0; i < count; ++i) {
    const auto ending = operations_.End(ended[i].tag);
    if (ending.was_given_up) {
      overdue_.FetchAdd(-1, std::memory_order_release);
    } else {
      step.Add(ending.then, ended[i].outcome);
    }
    step.AddReleased(ending.released, ended[i].outcome);
  }
  device_.Receive(step.inbox);
  return posted > 0 || count > 0 || gave_up || !step.inbox.empty();
}

// Precondition: step.told is empty.
bool Executor::GiveUpOverdue(Step& step) {
  if (--steps_to_clock_ > 0 && next_look_at_ == 0) return false;
  steps_to_clock_ = kStepsPerClock;
  const std::int64_t now = NowMs();
  if (next_look_at_ == 0 && (now < next_look_ms_ || in_flight() == 0)) return false;
  next_look_ms_ = now + kLookEveryMs;
  const bool aborted = aborted_.Load(std::memory_order_acquire) != 0;
  const auto judge = [&](Operation& operation) -> std::optional<Outcome> {
    if (aborted) return Outcome::kAborted;
    if (device_.IsDown(operation.peer)) return Outcome::kPeerDown;
    if (operation.most_ms == 0) return std::nullopt;
    if (operation.deadline_ms == Operation::kUnset) operation.deadline_ms = now + operation.most_ms;
    return now < operation.deadline_ms ? std::nullopt : std::optional(Outcome::kLate);
  };
  next_look_at_ = operations_.GiveUp(next_look_at_, judge, [&](Completion then, Outcome outcome) {
    overdue_.FetchAdd(1, std::memory_order_release);
    step.Add(then, outcome);
    return step.count < kBatch / 2;
  });
  return step.count > 0;
}

bool Executor::TryAdvance() {
  bool did = false;
  if (lock_.TryTake()) {
    Step step;
    did = Advance(step);
    lock_.Release();
    // Not under the lock: whom it tells may post.
    Tell(step);
  }
  if (host_ != nullptr && host_->OnAdvance()) did = true;
  return did;
}

void Executor::Tell(const Step& step) {
  for (std::size_t i = 0; i < step.count; ++i) {
    step.told[i].then.Tell(step.told[i].outcome);
    // Last: Close returns only after whom it told has returned.
    if (step.told[i].is_end) ended_.FetchAdd(1, std::memory_order_release);
  }
  if (host_ == nullptr) return;
  step.inbox.ForEach(
      [&](Rank from, std::span<const std::byte> bytes) { host_->OnMessage(from, bytes); });
}

std::uint64_t Executor::in_flight() const {
  const std::uint64_t ended = ended_.Load(std::memory_order_acquire);
  return accepted_.Load(std::memory_order_acquire) - ended;
}

void Executor::Serve() {
  if (options_.on_thread_start) options_.on_thread_start();
  int idle = 0;
  std::uint64_t rounds = 0;
  while (stopping_.Load(std::memory_order_acquire) == 0) {
    rounds_.Store(++rounds, std::memory_order_relaxed);
    if (TryAdvance()) {
      idle = 0;
    } else if (idle < options_.idle.spins) {
      ++idle;
      topo::Pause();
    } else if (idle < options_.idle.spins + options_.idle.yields) {
      ++idle;
      sched_yield();
    } else {
      SleepUntilWork();
      idle = 0;
    }
  }
}

void Executor::SleepUntilWork() {
  // Overdue operations are looked for while some are in flight; else nothing happens
  // that does not wake the thread. A device that cannot wake it is looked at each
  // millisecond: others may use this rank's memory without a word to it.
  constexpr int kSoon = 1, kWatching = 20, kIdle = 1'000;
  lock_.Take();
  const bool polled_by_others = waiting_.Load(std::memory_order_relaxed) > 0;
  const int device = polled_by_others ? -1 : device_.wait_descriptor();
  const bool sleeps =
      batch_first_ == batch_end_ && (device < 0 || device_.TryArm()) && StartSleep();
  const bool busy = in_flight() > 0;
  sleeps_ = sleeps;
  sleeps_blindly_ = device < 0 && !busy;
  lock_.Release();
  if (!sleeps) return;
  times_slept_.FetchAdd(1, std::memory_order_relaxed);
  pollfd fds[] = {{doorbell_, POLLIN, 0}, {device, POLLIN, 0}};
  int timeout = busy ? kWatching : kIdle;
  if (device < 0 || (host_ != nullptr && host_->IsPending())) {
    timeout = kSoon;
  }
  (void)poll(fds, device >= 0 ? 2 : 1, timeout);
  std::uint64_t rings = 0;
  (void)!read(doorbell_, &rings, sizeof rings);
  lock_.Take();
  for (Ring& lane : lanes_) lane.EndSleep();
  sleeps_ = false;
  steps_to_clock_ = 0;
  lock_.Release();
}

void Executor::Abort() {
  aborted_.Store(1, std::memory_order_release);
  closing_.Store(1, std::memory_order_seq_cst);
  lock_.Take();
  next_look_ms_ = 0;
  steps_to_clock_ = 0;
  lock_.Release();
  Wake();
}

void Executor::Close() {
  closing_.Store(1, std::memory_order_seq_cst);
  while (in_flight() > 0) {
    if (!TryAdvance()) sched_yield();
  }
  if (!thread_.joinable()) return;
  stopping_.Store(1, std::memory_order_release);
  Wake();
  thread_.join();
}

ExecutorCounts Executor::counts() const {
  return {.posted_by_callers = posted_by_callers_.Load(std::memory_order_relaxed),
          .posted_from_ring = posted_from_ring_.Load(std::memory_order_relaxed),
          .batches = batches_.Load(std::memory_order_relaxed),
          .sleeps = times_slept_.Load(std::memory_order_relaxed),
          .wakings = wakings_.Load(std::memory_order_relaxed),
          .rounds = rounds_.Load(std::memory_order_relaxed)};
}

}  // namespace llcl
