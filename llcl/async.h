// Other ways to wait for an operation than a Flag: a std::future, co_await, and the
// waiting of a thread library.
//
//   // Resumed on the thread that completes it.
//   const llcl::Awaited read = co_await llcl::Async([&](llcl::Completion then) {
//     return endpoint.TryRead({.from = there, .to = here, .bytes = 8, .then = then});
//   });
//
//   // A lightweight thread lets others run meanwhile.
//   llcl::Parked<lwt::Event> done;
//   if (endpoint.TryRead({..., .then = done.completion()}) == llcl::Posted::kPosted) done.Wait();
//
// Threads, order: as completion.h.
#pragma once

// clang-format off: <coroutine> refuses an older C++ by an error of its own.
#include "llcl/language.h"
// clang-format on

#include <atomic>
#include <concepts>
#include <coroutine>
#include <future>
#include <memory>
#include <utility>

#include "llcl/completion.h"
#include "llcl/executor/executor.h"

namespace llcl {

// Posts an operation that is given its completion.
template <typename F>
concept PostFunction = requires(F f, Completion then) {
  { f(then) } -> std::same_as<Posted>;
};

// A value. If the operation was refused the outcome has no meaning.
struct Awaited {
  Posted posted = Posted::kPosted;
  Outcome outcome = Outcome::kDone;
};

// For co_await.
template <PostFunction Post>
class Async {
 public:
  explicit Async(Post post) : post_(std::move(post)) {}
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> caller) {
    caller_ = caller;
    result_.posted = post_(Completion(
        [](void* self, Outcome outcome) { static_cast<Async*>(self)->OnEnd(outcome); }, this));
    // From the exchange on the coroutine may run elsewhere, and this object be gone.
    return result_.posted == Posted::kPosted &&
           state_.exchange(kSuspended, std::memory_order_acq_rel) == kPosting;
  }
  Awaited await_resume() const noexcept { return result_; }

 private:
  enum State { kPosting, kSuspended, kEnded };
  void OnEnd(Outcome outcome) {
    result_.outcome = outcome;
    const std::coroutine_handle<> caller = caller_;
    if (state_.exchange(kEnded, std::memory_order_acq_rel) == kSuspended) caller.resume();
  }

  Post post_;
  std::coroutine_handle<> caller_;
  Awaited result_;
  std::atomic<State> state_{kPosting};
};

// A request with a future of its outcome, which is valid only if the request was posted, or done.
struct PostedFuture {
  Posted posted = Posted::kPosted;
  std::future<Outcome> outcome;
};
template <PostFunction Post>
PostedFuture AsFuture(Post post) {
  auto promise = std::make_unique<std::promise<Outcome>>();
  std::future<Outcome> future = promise->get_future();
  const Posted posted = post(Completion(
      [](void* self, Outcome outcome) {
        const std::unique_ptr<std::promise<Outcome>> owned(
            static_cast<std::promise<Outcome>*>(self));
        owned->set_value(outcome);
      },
      promise.get()));
  if (posted == Posted::kDone) {
    promise->set_value(Outcome::kDone);
    return {posted, std::move(future)};
  }
  if (posted != Posted::kPosted) return {posted, {}};
  (void)promise.release();  // The completion deletes it.
  return {posted, std::move(future)};
}

// A wait in which a library parks the thread. `Event` has Wait() and Set(); Set may come
// first, and the event may be destroyed as soon as Wait returns (lwt::Event; or the
// program's own). For one operation. Lives until that was completed.
template <typename Event>
class Parked {
 public:
  Parked() = default;
  Parked(const Parked&) = delete;
  Parked& operator=(const Parked&) = delete;

  Completion completion() {
    return {[](void* self, Outcome outcome) {
              static_cast<Parked*>(self)->outcome_ = outcome;
              static_cast<Parked*>(self)->event_.Set();
            },
            this};
  }
  Outcome Wait() {
    event_.Wait();
    return outcome_;
  }

 private:
  Event event_;
  Outcome outcome_ = Outcome::kDone;
};

}  // namespace llcl
