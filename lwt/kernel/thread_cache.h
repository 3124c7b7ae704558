// The descriptors and stacks that a worker keeps for the threads it starts next.
//
// Threads: one worker. Errors: New returns null where memory ends.
#pragma once

#include <cstddef>
#include <utility>

#include "lwt/machine/stack.h"
#include "lwt/threads/descriptor.h"

namespace lwt {

struct PoolShared;

// A resource of a worker. What it has too many of goes back to the pool.
class ThreadCache {
 public:
  explicit ThreadCache(PoolShared& pool);
  ThreadCache(const ThreadCache&) = delete;
  ThreadCache& operator=(const ThreadCache&) = delete;

  // A thread with a stack and nothing on it; null where memory ends.
  Descriptor* New() {
    Descriptor* const thread = warm_;
    if (thread == nullptr) [[unlikely]] {
      return NewSlowly();
    }
    warm_ = thread->next_free;
    --warm_count_;
    return thread;
  }

  // New() with a stack of its own, of at least `stack_bytes`.
  Descriptor* NewWithOwnStack(std::size_t stack_bytes);

  // A thread from New that was never started, or has ended and was joined.
  void Free(Descriptor& thread) {
    if (thread.stack == nullptr) [[unlikely]] {
      return FreeCold(thread);
    }
    thread.next_free = warm_;
    warm_ = &thread;
    if (++warm_count_ > kMost) [[unlikely]] {
      GiveBackHalf();
    }
  }

  // A stack that no thread runs on any more, or that is just being left.
  void Free(Stack& stack) {
    if (stack.own_bytes != 0) [[unlikely]] {
      return FreeOwn(stack);
    }
    stack.next_free = stacks_;
    stacks_ = &stack;
    if (++stack_count_ > kMost) [[unlikely]] {
      GiveBackHalf();
    }
  }

  // A thread that has ended keeps its stack until it is joined, unless the next thread
  // needs it. The stack stays in this cache until this worker runs another thread.
  void Lend(Descriptor& ended) {
    if (stacks_ != nullptr) return;
    Stack& stack = *std::exchange(ended.stack, nullptr);
    stack.next_free = nullptr;
    stacks_ = &stack;
    stack_count_ = 1;
  }

  // For the pool's end: all stacks go back to it.
  void GiveBackStacks();

 private:
  Descriptor* NewSlowly();
  void FreeCold(Descriptor& thread);
  void FreeOwn(Stack& stack);
  void GiveBackHalf();
  void CoolForMemcheck();

  static constexpr int kMost = 128;

  Descriptor* warm_ = nullptr;  // with stacks
  Descriptor* cold_ = nullptr;  // without
  Stack* stacks_ = nullptr;
  int warm_count_ = 0;  // under Memcheck kMost when the list is empty (CoolForMemcheck)
  int cold_count_ = 0;
  int stack_count_ = 0;
  PoolShared& pool_;
  const bool is_on_memcheck_;
};

}  // namespace lwt
