// The first error of a runtime's tasks, and whether tasks are to be left out, until a Wait takes
// it.
//
// Threads: any. The lock is held for no call of the user's, and no other lock is taken under it.
// Order: what came before Report or AddRequest happens before what follows a state that says so
//   (state_: release, acquire).
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topo/mutex.h"

namespace taskrt {

// The fate of the tasks that have not begun when a task has failed.
enum class AfterAnError { kOthersRun, kAllAreLeftOut };

// A resource.
class FirstError {
 public:
  // All tasks run. Else some or all that have not begun are left out.
  bool is_clear() const { return state_.load(std::memory_order_acquire) == 0; }
  // All are left out.
  bool has_failed() const { return (state_.load(std::memory_order_acquire) & kFailed) != 0; }

  // Kept if it is the first since Take.
  void Report(absl::Status error, AfterAnError after) {
    const topo::Lock lock(mutex_);
    ReportLocked(std::move(error), after == AfterAnError::kAllAreLeftOut ? kFailed : kRequested);
  }
  // As Report, of no task: the bodies that run are asked to stop.
  void ReportStop(absl::Status error) {
    std::stop_source stop;
    {
      const topo::Lock lock(mutex_);
      ReportLocked(std::move(error), kFailed);
      is_stopped_ = true;
      stop = stop_;
    }
    stop.request_stop();  // It may call the user's.
  }
  // Some task is to be left out.
  void AddRequest() { state_.fetch_or(kRequested, std::memory_order_release); }
  // `describe()`: the task.
  template <typename Describe>
  void AddLeftOut(Describe describe) {
    const topo::Lock lock(mutex_);
    if (left_out_++ == 0) first_left_out_ = describe();
  }

  std::stop_token stop_token() const {
    const topo::Lock lock(mutex_);
    return stop_.get_token();
  }
  // Of a task that has failed, or of ReportStop. OK: none.
  absl::Status status() const {
    const topo::Lock lock(mutex_);
    return status_;
  }
  // status(), where it is why all tasks are left out; else OK.
  absl::Status stopping_status() const { return has_failed() ? status() : absl::OkStatus(); }
  // From here on there is none, and nothing is to be left out.
  absl::Status Take() {
    const topo::Lock lock(mutex_);
    state_.store(0, std::memory_order_release);
    absl::Status taken = WithLeftOut();
    if (std::exchange(is_stopped_, false)) stop_ = std::stop_source();
    left_out_ = 0;
    status_ = absl::OkStatus();
    return taken;
  }

 private:
  static constexpr int kFailed = 1, kRequested = 2;

  void ReportLocked(absl::Status error, int state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    state_.fetch_or(state, std::memory_order_release);
    if (status_.ok()) status_ = std::move(error);
  }
  // Of a task's error the tasks are not named that were left out: it is one of itself.
  absl::Status WithLeftOut() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (left_out_ == 0 || !(status_.ok() || absl::IsCancelled(status_))) return status_;
    return absl::CancelledError(absl::StrCat(
        status_.ok() ? "Completion::Cancel was called" : status_.message(), ": ", left_out_,
        left_out_ == 1 ? " task was" : " tasks were", " left out, first ", first_left_out_));
  }

  std::atomic<int> state_{0};
  mutable topo::Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::stop_source stop_ ABSL_GUARDED_BY(mutex_);
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::uint64_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string first_left_out_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
