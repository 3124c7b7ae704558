// The handle of a lightweight thread, and how the running one names itself.
//
// Threads: a handle is used by one thread at a time, of the pool that its thread
// belongs to.
#pragma once

#include <cstdint>
#include <utility>

#include "lwt/contract.h"
#include "lwt/kernel/join.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {

// A resource: a thread that will be joined. Empty if default-made or moved from.
class [[nodiscard]] Thread {
 public:
  Thread() = default;
  Thread(Thread&& other) noexcept : thread_(std::exchange(other.thread_, nullptr)) {}
  Thread& operator=(Thread&& other) {
    Thread before(std::move(*this));  // joined at the end of this function
    thread_ = std::exchange(other.thread_, nullptr);
    return *this;
  }
  // Joins. What the thread threw is then lost: Join() to get it. Always inlined:
  // so a handle is a register, and the check costs nothing after a Join.
  [[gnu::always_inline]] ~Thread() {
    if (thread_ != nullptr) JoinThread(*thread_);
  }

  bool joinable() const { return thread_ != nullptr; }

  // Whether the thread has ended, so that Join does not wait. As Join and Detach: not
  // of an empty handle.
  bool ended() const {
    CheckContract(thread_ != nullptr, kEmpty);
    return thread_->completion.IsDone();
  }

  // Waits for its end, without holding up the worker. Throws what its body
  // threw; Dropped if it never ran.
  void Join() {
    CheckContract(thread_ != nullptr, kEmpty);
    Descriptor& thread = *std::exchange(thread_, nullptr);
    // Not forgotten: no copy of this handle was used.
    if (thread.completion.IsDone() && thread.error == nullptr) [[likely]] {
      Scheduler::OfPool(*thread.pool, "Join").cache().Free(thread);
    } else {
      JoinSlowly(thread);
    }
  }

  // Gives up the handle: the thread is freed when it ends, or now if it has ended.
  // An exception that it throws, or threw, ends the program.
  void Detach() {
    if (thread_ != nullptr && thread_->completion.IsDone() && thread_->error == nullptr)
        [[likely]] {
      Scheduler& scheduler = Scheduler::OfPool(*thread_->pool, "Detach");
      thread_->completion.Forget();
      scheduler.cache().Free(*std::exchange(thread_, nullptr));
    } else {
      DetachSlowly();
    }
  }

 private:
  friend class ThreadHandles;  // kernel/new_thread.h
  explicit Thread(Descriptor* thread) : thread_(thread) {}
  static void JoinSlowly(Descriptor& thread);
  void DetachSlowly();

  static constexpr const char* kEmpty =
      "a thread is joined or detached once: this handle is empty (default-made, moved from or "
      "used)";

  Descriptor* thread_ = nullptr;
};

// What the running thread runs, if that is a `Body` that was spawned with this name: for libraries,
// whose functions may so find out in whose thread they are called. `name` is a literal of the
// caller's own, compared by its address. Null: something else, or no thread.
template <typename Body>
Body* RunningBody(const char* name) {
  const Scheduler* const scheduler = Scheduler::Current();
  if (scheduler == nullptr || scheduler->current() == nullptr) return nullptr;
  const Descriptor& thread = *scheduler->current();
  return thread.name == name ? static_cast<Body*>(thread.body) : nullptr;
}

// A word that a thread inherits from the thread that starts it, by Spawn, Create, a forked call
// that becomes a thread, or Pool::Run. Zero at first. For libraries: it shows on whose behalf a
// thread runs that the library did not start. All libraries share the word, and the starter may end
// before the thread: so it is to be a number that its library recognizes among those of others, and
// no pointer. The reference: the running thread's, for its life. From lightweight threads only.
inline std::uint64_t& Inherited() { return Scheduler::OfThread("Inherited").current()->inherited; }

// Is the caller a lightweight thread? Else it is a policy, or an OS thread outside of pools.
inline bool IsLightweightThread() {
  const Scheduler* const scheduler = Scheduler::Current();
  return scheduler != nullptr && scheduler->current() != nullptr;
}

// Lets other ready threads of this worker run first; false where there were none. Cheap then.
bool Yield();

// The worker that runs the calling thread; -1 outside of pools.
int WorkerIndex();

// How many spawns the calling thread is from the thread of Pool::Run.
int Depth();

// Sets the running thread's own hint, which others can peek at when it is queued
// again. False where there is no memory for it.
bool SetHintBytes(std::span<const std::byte> hint);
template <Hint T>
bool SetHint(const T& hint) {
  return SetHintBytes(std::as_bytes(std::span(&hint, 1)));
}

}  // namespace lwt
