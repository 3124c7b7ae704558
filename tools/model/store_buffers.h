// The memory of a processor that keeps stores back: total store order, as x86.
//
// Under tools/model's plain atomics every store is seen at once, so that a
// missing fence cannot show. Here each thread has a queue of its own stores;
// when the oldest becomes visible to the others is one more choice of the
// schedule. A fence empties the queue of the thread that runs it; a membarrier
// those of all.
//
//   return model::WithStoreBuffers({{owner, thief}, check});
//
// with objects over model::BufferedAtomic and model::BufferedFence. Costs many
// more interleavings: bound the preemptions.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tools/model/interleavings.h"

namespace model {

// A resource. The pending stores of one run.
class StoreBuffers {
 public:
  explicit StoreBuffers(std::size_t threads) : pending_(threads), ended_(threads, false) {}

  // Of the run that this thread is part of; null outside of one.
  static StoreBuffers* Active() { return CurrentThread() < 0 ? nullptr : active.get(); }

  void Push(const void* atomic, std::function<void()> store) {
    pending_[CurrentThread()].push_back({atomic, std::move(store)});
    Wake(&pending_[CurrentThread()]);
  }
  // The running thread has stored there and nobody else can see it yet.
  bool IsPending(const void* atomic) const {
    for (const auto& [where, store] : pending_[CurrentThread()]) {
      if (where == atomic) return true;
    }
    return false;
  }
  void DrainMine() { Drain(pending_[CurrentThread()]); }
  void DrainAll() {
    for (auto& queue : pending_) Drain(queue);
  }
  void EndMine() {
    ended_[CurrentThread()] = true;
    Wake(&pending_[CurrentThread()]);
  }
  // Makes the stores of `thread` visible one by one, at moments that the
  // schedule chooses, until it has ended.
  void Flush(std::size_t thread) {
    auto& queue = pending_[thread];
    while (true) {
      while (queue.empty() && !ended_[thread]) Sleep(&queue);
      if (queue.empty()) return;
      Step();
      if (!queue.empty()) DrainOne(queue);
    }
  }

  static inline std::shared_ptr<StoreBuffers> active;

 private:
  using Queue = std::deque<std::pair<const void*, std::function<void()>>>;
  static void DrainOne(Queue& queue) {
    const auto [atomic, store] = std::move(queue.front());
    queue.pop_front();
    store();
    Wake(atomic);
  }
  static void Drain(Queue& queue) {
    while (!queue.empty()) DrainOne(queue);
  }

  std::vector<Queue> pending_;
  std::vector<bool> ended_;
};

// The program with a thread more for each of its threads, which makes stores visible.
inline Program WithStoreBuffers(Program program) {
  const std::size_t threads = program.threads.size();
  StoreBuffers::active = std::make_shared<StoreBuffers>(threads);
  for (auto& thread : program.threads) {
    thread = [body = std::move(thread)] {
      body();
      StoreBuffers::active->EndMine();
    };
  }
  for (std::size_t i = 0; i < threads; ++i) {
    program.threads.push_back([i] { StoreBuffers::active->Flush(i); });
  }
  return program;
}

// As model::Atomic.
template <typename T>
class BufferedAtomic {
 public:
  explicit BufferedAtomic(T value = T()) : value_(value), newest_(value) {}

  T Load(std::memory_order) const {
    Step();
    return Seen();
  }
  void Store(T value, std::memory_order) {
    StoreBuffers* const buffers = StoreBuffers::Active();
    if (buffers == nullptr) {
      value_ = value;
      return;
    }
    newest_ = value;  // One writer at a time: stores race in none of our protocols.
    buffers->Push(this, [this, value] { value_ = value; });
  }
  T FetchAdd(T amount, std::memory_order) {
    Settle();
    return std::exchange(value_, value_ + amount);
  }
  T Exchange(T value, std::memory_order) {
    Settle();
    return std::exchange(value_, value);
  }
  bool CompareExchange(T& expected, T value, std::memory_order) {
    Settle();
    if (value_ == expected) {
      value_ = value;
      return true;
    }
    expected = value_;
    return false;
  }
  void WaitWhile(T old) const {
    Step();
    while (Seen() == old) Sleep(this);
  }
  void WakeAll() {}  // A waiter wakes up when it sees the store.
  void SleepWhile(T old, std::int64_t /*nanoseconds*/) {
    Settle();  // The kernel looks.
    if (value_ == old) Sleep(this);
  }
  void WakeOneSleeper() {
    Settle();
    WakeOne(this);
  }
  void WakeAllSleepers() {
    Settle();
    Wake(this);
  }

 private:
  T Seen() const {
    const StoreBuffers* const buffers = StoreBuffers::Active();
    return buffers != nullptr && buffers->IsPending(this) ? newest_ : value_;
  }
  // A read-modify-write acts on memory, after all earlier stores.
  void Settle() {
    Step();
    if (StoreBuffers* const buffers = StoreBuffers::Active()) buffers->DrainMine();
  }

  T value_;
  T newest_;  // of the thread that has a store here pending
};

// lwt::Fence's two sides, as two full fences.
struct BufferedFence {
  static void Light() { Heavy(); }
  static void Heavy() {
    Step();
    if (StoreBuffers* const buffers = StoreBuffers::Active()) buffers->DrainMine();
  }
};

// The same by membarrier: one side is free, the other's runs on all threads.
struct BufferedMembarrier {
  static void Light() {}
  static void Heavy() {
    Step();
    if (StoreBuffers* const buffers = StoreBuffers::Active()) buffers->DrainAll();
  }
};

}  // namespace model
