#include "llcl/executor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace llcl {

Executor::Executor(Device& device, const ExecutorOptions& options)
    : device_(device),
      options_(options),
      ring_(options.ring),
      tags_(options.tags),
      completions_(options.tags) {
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

Posted Executor::TryPost(Command command, Completion then) {
  // Counted first: Close waits for whoever is in here.
  accepted_.FetchAdd(1, std::memory_order_seq_cst);
  const auto refuse = [this](Posted why) {
    ended_.FetchAdd(1, std::memory_order_release);
    return why;
  };
  if (closing_.Load(std::memory_order_seq_cst) != 0) return refuse(Posted::kClosing);
  const Tag tag = tags_.TryTake();
  if (tag == kNoTag) return refuse(Posted::kNoTag);
  command.tag = tag;
  completions_[tag] = then;
  if (options_.mode != Mode::kOffload && TryPostHere(command)) return Posted::kPosted;
  switch (ring_.TryPush(command)) {
    case Push::kFull:
      tags_.Free(tag);
      return refuse(Posted::kFull);
    case Push::kMustWakeIt:
      Wake();
      break;
    case Push::kPushed:
      break;
  }
  return Posted::kPosted;
}

// Commands that wait in the ring came first, and the device may be full because of
// them.
bool Executor::TryPostHere(const Command& command) {
  if (!ring_.empty()) return false;
  if (options_.mode == Mode::kDirect) {
    lock_.Take();
  } else if (!lock_.TryTake()) {
    return false;
  }
  const bool posted =
      batch_first_ == batch_end_ && device_.Post(std::span<const Command>(&command, 1)) == 1;
  lock_.Release();
  if (posted) posted_by_callers_.FetchAdd(1, std::memory_order_relaxed);
  return posted;
}

void Executor::Wake() {
  if (doorbell_ < 0) return;
  wakings_.FetchAdd(1, std::memory_order_relaxed);
  const std::uint64_t one = 1;
  (void)!write(doorbell_, &one, sizeof one);
}

// Executor and completer.

bool Executor::Advance(std::array<Ended, kBatch>& ended, std::size_t& count) {
  if (batch_first_ == batch_end_) {
    batch_first_ = batch_end_ = 0;
    while (batch_end_ < kBatch && ring_.TryPop(batch_[batch_end_])) ++batch_end_;
  }
  std::size_t posted = 0;
  if (batch_first_ < batch_end_) {
    posted = device_.Post(std::span(batch_).subspan(batch_first_, batch_end_ - batch_first_));
    batch_first_ += posted;
    posted_from_ring_.FetchAdd(posted, std::memory_order_relaxed);
    batches_.FetchAdd(posted > 0 ? 1 : 0, std::memory_order_relaxed);
  }
  count = device_.Poll(ended);
  return posted > 0 || count > 0;
}

bool Executor::TryAdvance() {
  if (!lock_.TryTake()) return false;
  std::array<Ended, kBatch> ended;
  std::size_t count = 0;
  const bool did = Advance(ended, count);
  lock_.Release();
  // Not under the lock: whom it tells may post.
  Tell(ended.data(), count);
  return did;
}

void Executor::Tell(const Ended* ended, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Completion then = completions_[ended[i].tag];
    tags_.Free(ended[i].tag);
    then.Tell(ended[i].outcome);
    // Last: Close returns only after whom it told has returned.
    ended_.FetchAdd(1, std::memory_order_release);
  }
}

std::uint64_t Executor::in_flight() const {
  const std::uint64_t ended = ended_.Load(std::memory_order_acquire);
  return accepted_.Load(std::memory_order_acquire) - ended;
}

void Executor::Serve() {
  int idle = 0;
  while (stopping_.Load(std::memory_order_acquire) == 0) {
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
  // Devices without a descriptor are looked at so often while something is in flight,
  // and so seldom else.
  constexpr int kBusyMilliseconds = 1, kIdleMilliseconds = 100;
  lock_.Take();
  const bool sleeps = batch_first_ == batch_end_ && device_.TryArm() && ring_.StartSleep();
  lock_.Release();
  if (!sleeps) return;
  sleeps_.FetchAdd(1, std::memory_order_relaxed);
  const int device = device_.wait_descriptor();
  pollfd fds[] = {{doorbell_, POLLIN, 0}, {device, POLLIN, 0}};
  const int timeout = device >= 0 || in_flight() == 0 ? kIdleMilliseconds : kBusyMilliseconds;
  (void)poll(fds, device >= 0 ? 2 : 1, timeout);
  std::uint64_t rings = 0;
  (void)!read(doorbell_, &rings, sizeof rings);
  lock_.Take();
  ring_.EndSleep();
  lock_.Release();
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
          .sleeps = sleeps_.Load(std::memory_order_relaxed),
          .wakings = wakings_.Load(std::memory_order_relaxed)};
}

}  // namespace llcl
