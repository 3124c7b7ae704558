// The result of a task whose body returns a value.
//
//   const taskrt::TypedKernel sum("sum", [](View<const double> x) { return std::reduce(...); });
//   taskrt::Future<double> total = Submit(rt, sum, in(x));
//   if (absl::StatusOr<double> value = total.Get(); value.ok()) ...
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/completion.h"
#include "taskrt/kept.h"

namespace taskrt {

// A resource: of one task. It may end before the task. Threads: one at a time.
template <typename T>
class [[nodiscard]] Future {
 public:
  // Where the body leaves its result.
  using State = std::optional<T>;

  Future(Completion completion, std::shared_ptr<State> state, const std::shared_ptr<Kept>& kept)
      : completion_(completion), state_(std::move(state)), kept_(kept) {}
  Future(Future&&) noexcept = default;
  Future& operator=(Future&& other) noexcept {
    Future taken(std::move(other));
    std::swap(completion_, taken.completion_);
    std::swap(state_, taken.state_);
    std::swap(kept_, taken.kept_);
    return *this;
  }
  ~Future() {
    if (state_ == nullptr) return;
    if (const std::shared_ptr<Kept> kept = kept_.lock()) kept->Keep(std::move(state_));
  }

  // Returns the body's result when the task has ended; once. Errors: Completion::Wait's.
  absl::StatusOr<T> Get() {
    if (absl::Status status = completion_.Wait(); !status.ok()) return status;
    if (state_ == nullptr || !state_->has_value()) {
      return absl::FailedPreconditionError(state_ == nullptr ? "a result is taken once"
                                                             : "tasks are only planned");
    }
    const std::shared_ptr<State> state = std::exchange(state_, nullptr);
    return *std::move(*state);
  }
  const Completion& completion() const { return completion_; }

 private:
  Completion completion_;
  std::shared_ptr<State> state_;
  std::weak_ptr<Kept> kept_;  // while the runtime is there
};

}  // namespace taskrt
