#include "lwt/reactor/proactor.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/reactor/poller.h"

namespace lwt {
namespace {

constexpr short kAlways = POLLERR | POLLHUP | POLLNVAL;
// What completes for no thread; and, in an address of an operation, that it is a cancellation.
constexpr std::uint64_t kNobody = 0, kCancellation = 1;

// Where the kernel takes an operation later only.
constexpr std::chrono::milliseconds kBeforeRetry{1};
// Until an operation that was to be cancelled has had time to complete.
constexpr std::chrono::milliseconds kBeforeNextCancellation{10};

bool IsInterrupted(int result) { return result == -EINTR || result == -ECANCELED; }

// Of an operation that the kernel did not take, for this reason.
int ResultOfNone(int error) {
  if (error == EAGAIN) return -ENOMEM;  // EAGAIN is the word of operations that would block.
  return error == EBUSY ? -ECANCELED : -error;
}

}  // namespace

// One operation of the kernel's, on the stack of the waiting thread.
struct Proactor::Part {
  static constexpr int kPending = INT_MIN;

  Operation* operation = nullptr;
  std::atomic<int> result{kPending};
  pollfd* asked = nullptr;  // of Wait

  bool is_pending() const { return result.load(std::memory_order_relaxed) == kPending; }
  void Complete(int with) {
    result.store(with, std::memory_order_relaxed);
    operation->Complete();
  }
};

absl::StatusOr<std::unique_ptr<Proactor>> Proactor::Create(const IoUringSizes& sizes) {
  absl::StatusOr<std::unique_ptr<IoUring>> ring = IoUring::Create(sizes);
  if (!ring.ok()) return ring.status();
  return std::unique_ptr<Proactor>(new Proactor(*std::move(ring)));
}

absl::Status Proactor::StartWatcher() {
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  absl::Status status;
  try {
    watcher_ = JoinedThread([this] { Watch(); });
  } catch (const std::system_error& error) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("cannot start the thread that watches io_uring: ", error.what()));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

Proactor::~Proactor() {
  // A child of fork(2) shares the ring's memory with its parent, whose watcher goes on.
  if (!watcher_.is_here()) return;
  stopping_.store(true, std::memory_order_release);
  const auto stop = [](std::size_t, io_uring_sqe& entry) {
    entry.opcode = IORING_OP_NOP;
    entry.user_data = kNobody;
  };
  while (ring_->Submit(1, stop).error != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  watcher_.Join();
}

void Proactor::Watch() {
  while (!stopping_.load(std::memory_order_acquire)) {
    ring_->Wait();
    ReapAll();
  }
}

void Proactor::ReapAll() {
  ring_->Reap([](std::uint64_t user_data, int result) {
    if (user_data == kNobody) return;
    if ((user_data & kCancellation) != 0) {
      reinterpret_cast<Operation*>(user_data & ~kCancellation)->Complete();
    } else {
      reinterpret_cast<Part*>(user_data)->Complete(result);
    }
  });
}

// Does the parts, `describe(part, entry)` each, until one has completed or the deadline; then none
// is pending any more. Did the deadline end it?
template <typename Describe>
bool Proactor::Call(std::span<Part> parts, Deadline deadline, Describe describe) {
  Operation operation(static_cast<std::uint32_t>(parts.size()));
  for (Part& part : parts) {
    part.operation = &operation;
    part.result.store(Part::kPending, std::memory_order_relaxed);
  }
  std::span<Part> rest = parts;
  int error = 0;
  while (!rest.empty()) {
    const IoUring::Submitted submitted =
        ring_->Submit(rest.size(), [&](std::size_t i, io_uring_sqe& entry) {
          describe(rest[i], entry);
          entry.user_data = reinterpret_cast<std::uint64_t>(&rest[i]);
        });
    operations_.fetch_add(static_cast<std::int64_t>(submitted.count), std::memory_order_relaxed);
    rest = rest.subspan(submitted.count);
    error = submitted.error;
    // EBUSY: older kernels first want completions to be reaped.
    if (error != EBUSY || deadline <= Clock::now()) break;
    SleepFor(kBeforeRetry);
  }
  bool is_late = error == EBUSY && operation.GiveUp();
  for (Part& part : rest) part.Complete(ResultOfNone(error));
  Reap();  // It may have completed at once.
  if (deadline == Deadline::max()) {
    operation.first.Wait("I/O", WokenBy::kSystem);
  } else if (!is_late) {
    is_late = WakeOrDeadline(operation.first, deadline, "I/O", [&] { return operation.GiveUp(); });
  }
  Finish(parts, operation);
  return is_late;
}

// Returns when all parts have completed: those that are left are cancelled.
void Proactor::Finish(std::span<Part> parts, Operation& operation) {
  while (operation.IsAnyLeft()) {
    Cancel(parts, operation);
    if (operation.Leave()) return;
    const bool is_back = WakeOrDeadline(operation.last, DeadlineAfter(kBeforeNextCancellation),
                                        "I/O", [&] { return operation.Return(); });
    if (!is_back) return;
    operation.last.Reset();
  }
}

// Has the parts cancelled, as far as the kernel takes it now. A cancellation that finds its part
// completed does nothing.
void Proactor::Cancel(std::span<Part> parts, Operation& operation) {
  while (!parts.empty() && !parts.front().is_pending()) parts = parts.subspan(1);
  operation.Expect(static_cast<std::uint32_t>(parts.size()));
  const IoUring::Submitted submitted =
      ring_->Submit(parts.size(), [&](std::size_t i, io_uring_sqe& entry) {
        entry.opcode = IORING_OP_ASYNC_CANCEL;
        entry.fd = -1;
        entry.addr = reinterpret_cast<std::uint64_t>(&parts[i]);
        entry.user_data = reinterpret_cast<std::uint64_t>(&operation) | kCancellation;
      });
  for (std::size_t i = submitted.count; i < parts.size(); ++i) operation.Complete();
}

int Proactor::Perform(const io_uring_sqe& entry, Deadline deadline) {
  while (true) {
    Part part;
    const bool is_late =
        Call({&part, 1}, deadline, [&](Part&, io_uring_sqe& into) { into = entry; });
    const int result = part.result.load(std::memory_order_relaxed);
    if (is_late && IsInterrupted(result)) return -ETIMEDOUT;
    if (result == -ECANCELED) return -ENOMEM;  // By the kernel, which had not begun it.
    if (result != -EINTR) return result;
  }
}

int Proactor::Wait(std::span<pollfd> fds, Deadline deadline) {
  if (const int ready = PollNow(fds); ready != 0) return ready;
  if (deadline <= Clock::now()) return 0;
  Part few[4];
  std::unique_ptr<Part[]> many;
  std::span<Part> parts = few;
  if (fds.size() > std::size(few)) {
    many.reset(new (std::nothrow) Part[fds.size()]);
    if (many == nullptr) return -ENOMEM;
    parts = {many.get(), fds.size()};
  }
  std::size_t count = 0;
  for (pollfd& fd : fds) {
    if (fd.fd >= 0) parts[count++].asked = &fd;  // Others are ignored, as poll(2) does.
  }
  while (true) {
    const bool is_late =
        Call(parts.first(count), deadline, [](const Part& part, io_uring_sqe& entry) {
          entry.opcode = IORING_OP_POLL_ADD;
          entry.fd = part.asked->fd;
          entry.poll32_events = static_cast<std::uint16_t>(part.asked->events);
        });
    int ready = 0;
    std::size_t left = 0;
    for (const Part& part : parts.first(count)) {
      const int result = part.result.load(std::memory_order_relaxed);
      pollfd& asked = *part.asked;
      // A file that is always ready, as poll has reported, or never for this event.
      if (result == -EINVAL) continue;
      parts[left++].asked = &asked;
      if (IsInterrupted(result)) continue;
      if (result < 0 && result != -EBADF) return result;
      const int events = result == -EBADF ? POLLNVAL : result;
      asked.revents = static_cast<short>(events & (asked.events | kAlways));
      ready += asked.revents != 0;
    }
    if (ready > 0 || is_late) return ready;
    count = left;
  }
}

}  // namespace lwt
