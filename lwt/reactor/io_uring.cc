#include "lwt/reactor/io_uring.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lwt {
namespace {

struct Named {
  unsigned value;
  const char* name;
};
constexpr Named kFeatures[] = {
    {IORING_FEAT_SINGLE_MMAP, "IORING_FEAT_SINGLE_MMAP"},
    {IORING_FEAT_NODROP, "IORING_FEAT_NODROP"},                // completions are never lost
    {IORING_FEAT_SUBMIT_STABLE, "IORING_FEAT_SUBMIT_STABLE"},  // entries are read in Submit
    {IORING_FEAT_RW_CUR_POS, "IORING_FEAT_RW_CUR_POS"},        // offset -1
    {IORING_FEAT_FAST_POLL, "IORING_FEAT_FAST_POLL"},          // sockets hold up no kernel thread
};
constexpr Named kOperations[] = {
    {IORING_OP_NOP, "IORING_OP_NOP"},
    {IORING_OP_POLL_ADD, "IORING_OP_POLL_ADD"},
    {IORING_OP_READ, "IORING_OP_READ"},
    {IORING_OP_WRITE, "IORING_OP_WRITE"},
    {IORING_OP_ACCEPT, "IORING_OP_ACCEPT"},
    {IORING_OP_CONNECT, "IORING_OP_CONNECT"},
    {IORING_OP_ASYNC_CANCEL, "IORING_OP_ASYNC_CANCEL"},
};

absl::Status Refused(std::string_view call) {
  const int error = errno;
  return absl::UnavailableError(
      absl::StrCat("io_uring is not available: ", std::string(call), ": ", std::strerror(error)));
}
absl::Status Misses(std::string_view what) {
  return absl::UnavailableError(
      absl::StrCat("io_uring is not available: this kernel lacks ", std::string(what)));
}

unsigned Acquire(unsigned* word) { return std::atomic_ref(*word).load(std::memory_order_acquire); }
void Release(unsigned* word, unsigned value) {
  std::atomic_ref(*word).store(value, std::memory_order_release);
}

}  // namespace

absl::StatusOr<std::unique_ptr<IoUring>> IoUring::Create(const IoUringSizes& sizes) {
  std::unique_ptr<IoUring> ring(new IoUring);
  if (absl::Status opened = ring->Open(sizes); !opened.ok()) return opened;
  return ring;
}

absl::Status IoUring::Open(const IoUringSizes& sizes) {
  io_uring_params params = {};
  params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
  params.cq_entries = sizes.completions;
  fd_ = static_cast<int>(syscall(SYS_io_uring_setup, sizes.submissions, &params));
  if (fd_ < 0) return Refused("io_uring_setup");
  if (absl::Status checked = Check(params.features); !checked.ok()) return checked;
  return Map(params);
}

absl::Status IoUring::Check(unsigned features) const {
  for (const Named& feature : kFeatures) {
    if ((features & feature.value) == 0) return Misses(feature.name);
  }
  constexpr unsigned kMost = 256;
  alignas(io_uring_probe)
      std::byte memory[sizeof(io_uring_probe) + kMost * sizeof(io_uring_probe_op)] = {};
  auto* const probe = reinterpret_cast<io_uring_probe*>(memory);
  if (syscall(SYS_io_uring_register, fd_, IORING_REGISTER_PROBE, probe, kMost) != 0) {
    return Refused("io_uring_register(IORING_REGISTER_PROBE)");
  }
  const auto* const operations =
      reinterpret_cast<const io_uring_probe_op*>(memory + sizeof(io_uring_probe));
  for (const Named& operation : kOperations) {
    if (operation.value >= probe->ops_len ||
        (operations[operation.value].flags & IO_URING_OP_SUPPORTED) == 0) {
      return Misses(operation.name);
    }
  }
  return absl::OkStatus();
}

absl::Status IoUring::Map(const io_uring_params& made) {
  const std::size_t bytes = std::max(made.sq_off.array + made.sq_entries * sizeof(unsigned),
                                     made.cq_off.cqes + made.cq_entries * sizeof(io_uring_cqe));
  constexpr int kProtection = PROT_READ | PROT_WRITE, kFlags = MAP_SHARED | MAP_POPULATE;
  void* const shared = mmap(nullptr, bytes, kProtection, kFlags, fd_, IORING_OFF_SQ_RING);
  if (shared == MAP_FAILED) return Refused("mmap of the queues");
  shared_ = {static_cast<std::byte*>(shared), bytes};
  void* const entries = mmap(nullptr, made.sq_entries * sizeof(io_uring_sqe), kProtection, kFlags,
                             fd_, IORING_OFF_SQES);
  if (entries == MAP_FAILED) return Refused("mmap of the submission queue's entries");
  entries_ = {static_cast<io_uring_sqe*>(entries), made.sq_entries};
  const auto word = [&](unsigned offset) { return reinterpret_cast<unsigned*>(&shared_[offset]); };
  submissions_ = {word(made.sq_off.head), word(made.sq_off.tail), *word(made.sq_off.ring_mask)};
  completions_ = {word(made.cq_off.head), word(made.cq_off.tail), *word(made.cq_off.ring_mask)};
  completed_ = reinterpret_cast<const io_uring_cqe*>(&shared_[made.cq_off.cqes]);
  // The i-th place of the queue is the i-th entry's, always.
  for (unsigned i = 0; i < made.sq_entries; ++i) word(made.sq_off.array)[i] = i;
  return absl::OkStatus();
}

IoUring::~IoUring() {
  if (!entries_.empty()) munmap(entries_.data(), entries_.size_bytes());
  if (!shared_.empty()) munmap(shared_.data(), shared_.size());
  if (fd_ >= 0) close(fd_);
}

io_uring_sqe& IoUring::EmptyEntry(std::size_t i) {
  const unsigned tail = *submissions_.tail + static_cast<unsigned>(i);
  io_uring_sqe& entry = entries_[tail & submissions_.mask];
  entry = {};
  return entry;
}

// Hands over the `count` entries behind the tail; the queue is empty before and after. How many
// the kernel took; `error`: why it took none.
unsigned IoUring::HandOver(unsigned count, int& error) {
  const unsigned tail = *submissions_.tail;
  Release(submissions_.tail, tail + count);
  long taken = -1;
  do {
    taken = syscall(SYS_io_uring_enter, fd_, count, 0, 0, nullptr, 0);
  } while (taken < 0 && errno == EINTR);
  if (taken <= 0) {
    error = taken == 0 ? EAGAIN : errno;
    taken = 0;
  }
  if (static_cast<unsigned>(taken) < count) {
    Release(submissions_.tail, tail + static_cast<unsigned>(taken));
  }
  return static_cast<unsigned>(taken);
}

void IoUring::Wait() { syscall(SYS_io_uring_enter, fd_, 0, 1, IORING_ENTER_GETEVENTS, nullptr, 0); }

bool IoUring::HasCompletions() const {
  return std::atomic_ref(*completions_.head).load(std::memory_order_relaxed) !=
         Acquire(completions_.tail);
}

std::size_t IoUring::TakeSome(std::span<Completion> into) {
  if (!reap_lock_.TryLock()) return 0;
  const unsigned head = *completions_.head;
  const std::size_t some = std::min<std::size_t>(Acquire(completions_.tail) - head, into.size());
  Acquire(submissions_.tail);  // See Order.
  for (std::size_t i = 0; i < some; ++i) {
    const io_uring_cqe& one = completed_[(head + static_cast<unsigned>(i)) & completions_.mask];
    into[i] = {one.user_data, one.res};
  }
  Release(completions_.head, head + static_cast<unsigned>(some));
  reap_lock_.Unlock();
  return some;
}

}  // namespace lwt
