#include "lwt/threads/debugger.h"

#include <pthread.h>

#include "absl/base/thread_annotations.h"
#include "lwt/threads/descriptor.h"
#include "topo/mutex.h"

// Offsets of members of classes that are more than a C struct: gcc and clang have them all the
// same.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace lwt {

// A suspended flow as SwitchTo leaves it: where its resume address and frame pointer lie, counted
// from its stack pointer, and how far above that the stack pointer is once it is resumed.
#if defined(__x86_64__)
constexpr std::uint32_t kResumeOffset = 0, kFramePointerOffset = 8, kSavedBytes = 16 + 128;
#elif defined(__aarch64__)
constexpr std::uint32_t kResumeOffset = 8, kFramePointerOffset = 0, kSavedBytes = 16;
#endif

// Read by gdb/lwt.py, member after member.
struct DebuggerLayout {
  std::uint32_t version = 1;
  // Of DebuggerEntry.
  std::uint32_t next = offsetof(DebuggerEntry, next_);
  std::uint32_t blocks = offsetof(DebuggerEntry, blocks_);
  std::uint32_t block_count = offsetof(DebuggerEntry, block_count_);
  std::uint32_t block_threads = offsetof(DebuggerEntry, block_threads_);
  // Of Descriptor.
  std::uint32_t descriptor_bytes = sizeof(Descriptor);
  std::uint32_t sp = offsetof(Descriptor, sp);
  std::uint32_t stack = offsetof(Descriptor, stack);
  std::uint32_t body = offsetof(Descriptor, body);
  std::uint32_t depth = offsetof(Descriptor, depth);
  std::uint32_t name = offsetof(Descriptor, name);
  std::uint32_t waits_for = offsetof(Descriptor, waits_for);
  // Of a suspended flow.
  std::uint32_t resume_offset = kResumeOffset;
  std::uint32_t frame_pointer_offset = kFramePointerOffset;
  std::uint32_t saved_bytes = kSavedBytes;
  std::uint32_t unused = 0;
  // Of the pools, newest first.
  DebuggerEntry* entries = nullptr;
};
static_assert(sizeof(std::unique_ptr<Descriptor[]>) == sizeof(Descriptor*));

extern "C" {
constinit DebuggerLayout lwt_debugger;
}

namespace {
constinit topo::Mutex entries_mutex;

// A child of fork(2) makes pools of its own, whatever another thread did here meanwhile.
void FreeInChildren() {
  [[maybe_unused]] static const int registered =
      pthread_atfork([]() ABSL_NO_THREAD_SAFETY_ANALYSIS { entries_mutex.Lock(); },
                     []() ABSL_NO_THREAD_SAFETY_ANALYSIS { entries_mutex.Unlock(); },
                     []() ABSL_NO_THREAD_SAFETY_ANALYSIS { entries_mutex.Unlock(); });
}

}  // namespace

DebuggerEntry::DebuggerEntry() {
  FreeInChildren();
  const topo::Lock lock(entries_mutex);
  next_ = lwt_debugger.entries;
  lwt_debugger.entries = this;
}

DebuggerEntry::~DebuggerEntry() {
  const topo::Lock lock(entries_mutex);
  DebuggerEntry** link = &lwt_debugger.entries;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

void DebuggerEntry::Show(const std::vector<std::unique_ptr<Descriptor[]>>& blocks,
                         std::size_t block_threads) {
  block_threads_ = block_threads;
  blocks_ = blocks.data();
  block_count_ = blocks.size();
}

}  // namespace lwt
