#include "llcl/executor/executor.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "llcl/executor/clock.h"
#include "topo/mutex.h"

namespace llcl {
namespace {

// Overdue operations are looked for so often; each look takes some ten microseconds
// where thousands are in flight.
constexpr std::int64_t kLookEveryMs = 10;
constexpr int kStepsPerClock = 64;  // reading it costs as much as a step

}  // namespace

Executor::Executor(Device& device, const ExecutorOptions& options, Host* host)
    : device_(device),
      options_(options),
      lanes_(options.lanes, options.ring),
      operations_(options.tags),
      host_(host) {}

void Executor::Start() {
  if (!options_.has_thread) return;
  doorbell_.Open();
  thread_ = std::thread([this] { Serve(); });
}

Executor::~Executor() { Close(); }

// Requester.

Posted Executor::TryPost(Command command, Completion then, std::uint32_t most_ms,
                         Completion released) {
  // Counted first: Close waits for all threads in here.
  accepted_.FetchAdd(1, std::memory_order_seq_cst);
  const auto refuse = [this](Posted why) {
    ended_.FetchAdd(1, std::memory_order_release);
    return why;
  };
  if (closing_.Load(std::memory_order_seq_cst) != 0) return refuse(Posted::kClosing);
  command.tag = operations_.Begin(
      {.then = then, .released = released, .peer = command.peer, .most_ms = most_ms});
  if (command.tag == kNoTag) return refuse(Posted::kNoTag);
  Lanes::Ring& lane = lanes_.OfThread();
  if (options_.mode != Mode::kOffload && TryPostHere(lane, command)) return Posted::kPosted;
  switch (lane.TryPush(command)) {
    case Push::kFull:
      if (operations_.Withdraw(command.tag)) return refuse(Posted::kFull);
      // It was given up meanwhile, and `then` was called.
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

// Commands that wait in the lane came first, and the device may be full because of
// them.
bool Executor::TryPostHere(const Lanes::Ring& lane, const Command& command) {
  if (!lane.empty()) return false;
  if (options_.mode == Mode::kDirect) {
    lock_.Lock();
  } else if (!lock_.TryLock()) {
    return false;
  }
  const bool posted = batch_.empty() && device_.Post(std::span<const Command>(&command, 1)) == 1;
  const bool wakes =
      posted && sleep_ != Sleep::kAwake && (sleep_ == Sleep::kBlind || device_.IsHolding());
  if (wakes) sleep_ = Sleep::kAwake;
  lock_.Unlock();
  if (posted) ExecutorCounters::Add(counters_.posted_by_callers);
  if (wakes) Wake();
  return posted;
}

void Executor::Wake() {
  if (!doorbell_.is_open()) return;
  ExecutorCounters::Add(counters_.wakings);
  doorbell_.Ring();
}

// Executor and completer.

void Executor::FillBatch(Step& step) {
  batch_.Fill(
      lanes_, [&] { return step.count < kBatch; },
      [&](const Command& command) {
        if (!operations_.IsGivenUp(command.tag)) return true;
        step.AddReleased(operations_.End(command.tag).released, Outcome::kLate);
        overdue_.FetchAdd(-1, std::memory_order_release);
        return false;
      });
}

bool Executor::Advance(Step& step) {
  // First: traffic that does not end must not keep deadlines waiting.
  const bool gave_up = GiveUpOverdue(step);
  FillBatch(step);
  std::size_t posted = 0;
  if (!batch_.empty()) {
    posted = device_.Post(batch_.commands());
    batch_.Remove(posted);
    ExecutorCounters::Add(counters_.posted_from_ring, posted);
    ExecutorCounters::Add(counters_.batches, posted > 0 ? 1 : 0);
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
  DeadlineScan& scan = deadlines_;
  if (--scan.steps_to_clock > 0 && scan.next == 0) return false;
  scan.steps_to_clock = kStepsPerClock;
  const std::int64_t now = NowMs();
  if (scan.next == 0 && (now < scan.due_ms || in_flight() == 0)) return false;
  scan.due_ms = now + kLookEveryMs;
  const bool aborted = aborted_.Load(std::memory_order_acquire) != 0;
  const auto judge = [&](Operation& operation) -> std::optional<Outcome> {
    if (aborted) return Outcome::kAborted;
    if (device_.IsDown(operation.peer)) return Outcome::kPeerDown;
    if (operation.most_ms == 0) return std::nullopt;
    if (operation.deadline_ms == Operation::kUnset) operation.deadline_ms = now + operation.most_ms;
    return now < operation.deadline_ms ? std::nullopt : std::optional(Outcome::kLate);
  };
  scan.next = operations_.GiveUp(scan.next, judge, [&](Completion then, Outcome outcome) {
    overdue_.FetchAdd(1, std::memory_order_release);
    step.Add(then, outcome);
    return step.count < kBatch / 2;
  });
  return step.count > 0;
}

bool Executor::TryAdvance() {
  bool did = false;
  if (lock_.TryLock()) {
    Step step;
    did = Advance(step);
    lock_.Unlock();
    // A completion or handler may post.
    Tell(step);
  }
  if (host_ != nullptr && host_->OnAdvance()) did = true;
  return did;
}

void Executor::Tell(const Step& step) {
  for (std::size_t i = 0; i < step.count; ++i) {
    step.told[i].then.Tell(step.told[i].outcome);
    // Last: Close returns only after the completions have returned.
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
    counters_.rounds.Store(++rounds, std::memory_order_relaxed);
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
  lock_.Lock();
  const bool polled_by_others = waiting_.Load(std::memory_order_relaxed) > 0;
  const int device = polled_by_others ? -1 : device_.wait_descriptor();
  const bool sleeps = batch_.empty() && (device < 0 || device_.TryArm()) && lanes_.StartSleep();
  const bool busy = in_flight() > 0;
  sleep_ = !sleeps ? Sleep::kAwake : device < 0 && !busy ? Sleep::kBlind : Sleep::kWokenByDevice;
  lock_.Unlock();
  if (!sleeps) return;
  ExecutorCounters::Add(counters_.sleeps);
  pollfd fds[] = {{doorbell_.descriptor(), POLLIN, 0}, {device, POLLIN, 0}};
  int timeout = busy ? kWatching : kIdle;
  if (device < 0 || (host_ != nullptr && host_->IsPending())) {
    timeout = kSoon;
  }
  (void)poll(fds, device >= 0 ? 2 : 1, timeout);
  doorbell_.Clear();
  const topo::Lock lock(lock_);
  lanes_.EndSleep();
  sleep_ = Sleep::kAwake;
  deadlines_.steps_to_clock = 0;
}

void Executor::Abort() {
  aborted_.Store(1, std::memory_order_release);
  closing_.Store(1, std::memory_order_seq_cst);
  {
    const topo::Lock lock(lock_);
    deadlines_.due_ms = 0;
    deadlines_.steps_to_clock = 0;
  }
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

}  // namespace llcl
