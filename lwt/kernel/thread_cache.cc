#include "lwt/kernel/thread_cache.h"

#include <utility>

#include "lwt/kernel/pool_shared.h"
#include "lwt/machine/valgrind.h"

namespace lwt {

ThreadCache::ThreadCache(PoolShared& pool) : pool_(pool), is_on_memcheck_(RunsOnMemcheck()) {
  if (is_on_memcheck_) warm_count_ = kMost;
}

Descriptor* ThreadCache::NewSlowly() {
  constexpr int kBatch = 32;
  pool_.CheckHasWorkers();
  if (cold_ == nullptr) {
    for (Descriptor* thread : pool_.descriptors.Take(kBatch)) {
      thread->next_free = cold_;
      cold_ = thread;
      ++cold_count_;
    }
  }
  if (stacks_ == nullptr) {
    Stack* stacks[kBatch];
    const std::size_t got = pool_.stacks.Take(stacks);
    for (std::size_t i = got; i-- > 0;) {
      stacks[i]->next_free = stacks_;
      stacks_ = stacks[i];
      ++stack_count_;
    }
  }
  if (cold_ == nullptr || stacks_ == nullptr) return nullptr;
  Descriptor* const thread = cold_;
  cold_ = thread->next_free;
  --cold_count_;
  thread->stack = stacks_;
  stacks_->thread = thread;
  stacks_ = stacks_->next_free;
  --stack_count_;
  if (is_on_memcheck_) pool_.stacks.AnnounceUnused(*thread->stack);
  return thread;
}

Descriptor* ThreadCache::NewWithOwnStack(std::size_t stack_bytes) {
  Descriptor* const thread = New();
  if (thread == nullptr) return nullptr;
  pool_.CheckHasWorkers();
  Stack* const own = pool_.stacks.TakeOwn(stack_bytes);
  if (own == nullptr) {
    Free(*thread);
    return nullptr;
  }
  Free(*std::exchange(thread->stack, own));
  own->thread = thread;
  return thread;
}

void ThreadCache::FreeOwn(Stack& stack) {
  pool_.CheckHasWorkers();
  pool_.TakeBack(stack);
}

void ThreadCache::FreeCold(Descriptor& thread) {
  thread.next_free = cold_;
  cold_ = &thread;
  if (++cold_count_ > kMost) GiveBackHalf();
}

// Of each list that is too long the older half goes back to the pool: the newest
// is in the cache, and may be the stack that its last user is just leaving.
void ThreadCache::GiveBackHalf() {
  pool_.CheckHasWorkers();
  // Cuts the list after its newer half; returns the older.
  const auto cut = [](auto* list) {
    for (int i = 1; i < kMost / 2; ++i) list = list->next_free;
    return std::exchange(list->next_free, nullptr);
  };
  if (is_on_memcheck_ && warm_ != nullptr) CoolForMemcheck();
  if (warm_count_ > kMost) {
    for (Descriptor* thread = cut(warm_); thread != nullptr;) {
      Descriptor* const next = thread->next_free;
      pool_.TakeBack(*std::exchange(thread->stack, nullptr));
      pool_.TakeBack(*thread);
      thread = next;
    }
    warm_count_ = kMost / 2;
  }
  if (cold_count_ > kMost) {
    pool_.descriptors.GiveBack(cut(cold_));
    cold_count_ = kMost / 2;
  }
  if (stack_count_ > kMost) {
    for (Stack* stack = cut(stacks_); stack != nullptr;) {
      Stack* const next = stack->next_free;
      pool_.TakeBack(*stack);
      stack = next;
    }
    stack_count_ = kMost / 2;
  }
}

// A stack that is used again must be announced as unused, and New does not ask for Memcheck. So no
// thread stays warm there: the list counts as full from the start.
void ThreadCache::CoolForMemcheck() {
  Descriptor& thread = *std::exchange(warm_, nullptr);
  warm_count_ = kMost;
  Free(*std::exchange(thread.stack, nullptr));
  FreeCold(thread);
}

void ThreadCache::GiveBackStacks() {
  for (Descriptor* thread = warm_; thread != nullptr; thread = thread->next_free) {
    pool_.TakeBack(*thread->stack);
  }
  while (stacks_ != nullptr) {
    Stack& stack = *stacks_;
    stacks_ = stack.next_free;
    pool_.TakeBack(stack);
  }
}

}  // namespace lwt
