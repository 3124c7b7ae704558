// How the tasks of a runtime have ended that did not end well, for those that ask later
// (completion.h): each failed task's error, and which tasks were left out. Tasks that are left out
// follow each other, so that many of them need little memory; of errors the newest are kept.
//
// Threads: any. No other lock is taken under this one.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/task/index_set.h"
#include "topo/mutex.h"

namespace taskrt {

// A resource.
class Outcomes {
 public:
  static constexpr std::size_t kMostErrors = 1024;

  void AddError(SubmitIndex index, absl::Status error) {
    const topo::Lock lock(mutex_);
    errors_.emplace(index, std::move(error));
    if (errors_.size() > kMostErrors) {
      forgotten_.Add(errors_.begin()->first);
      errors_.erase(errors_.begin());
    }
    has_any_.store(true, std::memory_order_release);
  }
  // `first`: the runtime's first error so far; OK: none.
  void AddLeftOut(SubmitIndex index, const absl::Status& first) {
    const topo::Lock lock(mutex_);
    if (left_out_.empty() ||
        (left_out_.back().why != first.message() && left_out_.size() < kMostWhys)) {
      left_out_.push_back({std::string(first.message()), {}});
    }
    left_out_.back().tasks.Add(index);
    has_any_.store(true, std::memory_order_release);
  }

  // Of a task that has ended, or was left out: that is Cancelled.
  absl::Status Of(SubmitIndex index) const {
    if (!has_any_.load(std::memory_order_acquire)) return absl::OkStatus();
    const topo::Lock lock(mutex_);
    const auto error = errors_.find(index);
    if (error != errors_.end()) return error->second;
    for (const LeftOut& some : left_out_) {
      if (!some.tasks.Has(index)) continue;
      return absl::CancelledError(
          absl::StrCat("the task was left out", some.why.empty() ? "" : ", after ", some.why));
    }
    if (!forgotten_.Has(index)) return absl::OkStatus();
    return absl::UnknownError("the task has failed; newer errors have taken the place of its own");
  }

 private:
  // Tasks that are left out after further errors name the last of these.
  static constexpr std::size_t kMostWhys = 64;
  struct LeftOut {
    std::string why;
    IndexSet tasks;
  };

  std::atomic<bool> has_any_{false};
  mutable topo::Mutex mutex_;
  std::map<SubmitIndex, absl::Status> errors_ ABSL_GUARDED_BY(mutex_);
  std::vector<LeftOut> left_out_ ABSL_GUARDED_BY(mutex_);
  IndexSet forgotten_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt
