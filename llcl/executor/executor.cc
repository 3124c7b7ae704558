#include "llcl/executor/executor.h"

#include <sched.h>

#include <array>
#include <span>

#include "llcl/executor/sleep.h"
#include "topo/mutex.h"

namespace llcl {

Executor::Executor(Device& device, const ExecutorOptions& options, Host* host)
    : options_(options),
      lanes_(options.lanes, options.ring),
      operations_(options.tags),
      host_(host),
      device_(device),
      overdue_scan_(device, operations_, in_flight_, host),
      thread_(options.idle, counters_) {}

void Executor::Start() {
  if (!options_.has_thread) return;
  thread_.Start(
      [this] {
        if (options_.on_thread_start) options_.on_thread_start();
      },
      [this] { return TryAdvance(); }, [this] { return sleeper_.has_pollers(); },
      [this] { SleepUntilWork(); });
}

Executor::~Executor() { Close(); }

// Requester.

Posted Executor::TryPost(Command command, Completion then, std::uint32_t most_ms,
                         Completion released) {
  // First: Close waits for all threads in here.
  if (!in_flight_.TryAccept()) return Posted::kClosing;
  const auto refuse = [this](Posted why) {
    in_flight_.End();
    return why;
  };
  command.tag = operations_.Begin(
      {.then = then, .released = released, .peer = command.peer, .most_ms = most_ms});
  if (command.tag == kNullTag) return refuse(Posted::kNoTag);
  Lanes::Ring& lane = lanes_.OfThread();
  if (options_.mode != Mode::kOffload &&
      TryPostHere(lane, command, then ? CommandEnd::kReported : CommandEnd::kIgnored)) {
    return Posted::kPosted;
  }
  switch (lane.TryPush(command)) {
    case Push::kFull:
      if (operations_.Withdraw(command.tag)) return refuse(Posted::kFull);
      // It was given up meanwhile, and `then` was called.
      in_flight_.Release();
      released.Complete(Outcome::kLate);
      return Posted::kPosted;
    case Push::kMustWakeIt:
      thread_.Wake();
      break;
    case Push::kPushed:
      break;
  }
  return Posted::kPosted;
}

// Commands that wait in the lane came first, and the device may be full because of
// them.
bool Executor::TryPostHere(const Lanes::Ring& lane, const Command& command, CommandEnd end) {
  if (!lane.empty()) return false;
  if (options_.mode == Mode::kDirect) {
    lock_.Lock();
  } else if (!lock_.TryLock()) {
    return false;
  }
  const bool posted = batch_.empty() && device_.Post(std::span<const Command>(&command, 1)) == 1;
  const bool wakes = posted && WakesFor(end);
  lock_.Unlock();
  if (posted) ExecutorCounters::Add(counters_.posted_by_callers);
  if (wakes) thread_.Wake();
  return posted;
}

// After something was left to the device. True: the caller is to wake the progress thread.
bool Executor::WakesFor(CommandEnd end) {
  if (sleeper_.state() == Sleep::kAwake) return false;
  const bool wakes = sleeper_.MustWakeFor(device_.Release(), end);
  if (wakes) sleeper_.Set(Sleep::kAwake);
  return wakes;
}

void Executor::UseDevice(absl::FunctionRef<void()> f) {
  lock_.Lock();
  f();
  const bool wakes = WakesFor(CommandEnd::kIgnored);
  lock_.Unlock();
  if (wakes) thread_.Wake();
}

// Executor and completer.

void Executor::FillBatch(StepResults& step) {
  batch_.Fill(
      lanes_, [&] { return step.count() < StepResults::kBatch; },
      [&](const Command& command) {
        if (!operations_.IsGivenUp(command.tag)) return true;
        step.AddReleased(operations_.End(command.tag).released, Outcome::kLate);
        in_flight_.Release();
        return false;
      });
}

bool Executor::Advance(StepResults& step) {
  // First: traffic that does not end must not keep deadlines waiting.
  const bool gave_up = overdue_scan_.GiveUp(step);
  FillBatch(step);
  std::size_t posted = 0;
  if (!batch_.empty()) {
    posted = device_.Post(batch_.commands());
    batch_.Remove(posted);
    ExecutorCounters::Add(counters_.posted_from_ring, posted);
    ExecutorCounters::Add(counters_.batches, posted > 0 ? 1 : 0);
  }
  std::array<Ended, StepResults::kBatch> ended;
  const std::size_t count = device_.Poll(std::span(ended).first(step.room()));
  for (std::size_t i = 0; i < count; ++i) {
    const auto ending = operations_.End(ended[i].tag);
    Outcome outcome = ended[i].outcome;
    if (outcome == Outcome::kPeerDown) [[unlikely]]
      outcome = WhyGone(host_, ending.peer);
    if (ending.was_given_up) {
      in_flight_.Release();
    } else {
      step.Add(ending.then, outcome);
    }
    step.AddReleased(ending.released, outcome);
  }
  device_.Receive(step.inbox());
  const bool was_active = activity_ != device_.activity();
  if (was_active) activity_ = device_.activity();
  const bool did = posted > 0 || count > 0 || gave_up || was_active || !step.inbox().empty();
  // Once the answer to what has woken the progress thread is on its way.
  if (!did && sleeper_.state() == Sleep::kAwake) (void)device_.Disarm();
  return did;
}

bool Executor::TryAdvance() {
  bool did = false;
  if (lock_.TryLock()) {
    StepResults step;
    did = Advance(step);
    const bool wakes =
        did && sleeper_.Step([this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return TryArm(); });
    const bool has_messages = !step.inbox().empty();
    const int turn = has_messages ? batches_.Begin() : 0;
    lock_.Unlock();
    if (wakes) thread_.Wake();
    // A completion or handler may post.
    step.Report(in_flight_, host_);
    if (has_messages) batches_.End(turn);
  }
  if (host_ != nullptr && host_->OnAdvance()) did = true;
  return did;
}

void Executor::SleepUntilWork() {
  IdleExecutor idle;
  int descriptor = -1;
  {
    const topo::Lock lock(lock_);
    idle.is_polled = sleeper_.TakePolled();
    descriptor = device_.wait_descriptor();
    if (idle.is_polled && !device_.Disarm()) descriptor = -1;
    idle.device_wakes = descriptor >= 0;
    const bool is_armed = idle.device_wakes && !idle.is_polled;
    const bool sleeps = batch_.empty() && (!is_armed || device_.TryArm()) && lanes_.StartSleep();
    idle.has_operations = in_flight() > 0;
    sleeper_.FallAsleep(sleeps ? SleepOf(idle) : Sleep::kAwake);
    if (!sleeps) return;
  }
  idle.has_pending_host = host_ != nullptr && host_->IsPending();
  thread_.SleepUntilRung(descriptor, MostSleepMs(idle));
  const topo::Lock lock(lock_);
  lanes_.EndSleep();
  sleeper_.Set(Sleep::kAwake);
  overdue_scan_.LookSoon();
}

// What a device has to do may be such that nothing wakes it any more.
bool Executor::TryArm() { return device_.wait_descriptor() >= 0 && device_.TryArm(); }

void Executor::LeaveDevice() {
  if (!lock_.TryLock()) return;
  sleeper_.Leave([this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return device_.Disarm(); });
  lock_.Unlock();
}

void Executor::GiveDeviceBack() {
  bool wakes = false;
  {
    const topo::Lock lock(lock_);
    wakes = sleeper_.GiveBack([this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return TryArm(); });
  }
  if (wakes) thread_.Wake();
}

void Executor::OnLeft(Rank rank) {
  const topo::Lock lock(lock_);
  device_.OnLeft(rank);
  overdue_scan_.LookSoon();
}

bool Executor::HasMet(Rank rank) {
  const topo::Lock lock(lock_);
  return device_.HasMet(rank);
}

Device::Contact Executor::ContactOf(Rank rank) {
  const topo::Lock lock(lock_);
  return device_.ContactOf(rank);
}

void Executor::Doubt(Rank rank) {
  const topo::Lock lock(lock_);
  device_.Doubt(rank);
}

void Executor::Meet(Rank rank) {
  const topo::Lock lock(lock_);
  device_.Meet(rank);
}

void Executor::StopMeeting() {
  const topo::Lock lock(lock_);
  device_.StopMeeting();
}

void Executor::MarkBatches() {
  const topo::Lock lock(lock_);
  batches_.Mark();
}

void Executor::Abort() {
  in_flight_.Close();
  {
    const topo::Lock lock(lock_);
    overdue_scan_.Abort();
  }
  thread_.Wake();
}

void Executor::Close() {
  in_flight_.Close();
  while (in_flight() > 0) {
    if (!TryAdvance()) sched_yield();
  }
  thread_.Stop();
}

}  // namespace llcl
