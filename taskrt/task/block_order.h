// Which tasks of one block a new access depends on, so that the tasks that access it run as if in
// the order in which they were submitted. Accesses form groups: readers together, commutative ones
// together, reductions together, each other writer alone; a task that joins a group comes after all
// tasks of the group before it.
//
//   in  in | inout | commutative commutative | in ...
//
// `Task` is whatever names a task, a pointer or a number.
//
// Threads: one, which submits. A value.
//
// Source: [WLBS20] section 2.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "taskrt/access.h"

namespace taskrt {

template <typename Task>
class BlockOrder {
 public:
  // `task` accesses the block, after all that have been added. Calls `after(other)` for each task
  // that must have ended before; those need not be different from call to call. `has_ended(other)`:
  // then no task needs to come after it, and it is forgotten: the order of a block that is only
  // read does not grow.
  template <typename After, typename HasEnded>
  void Add(const Task& task, Mode mode, After after, HasEnded has_ended) {
    if (group_.empty() || !Joins(mode)) {
      before_.clear();
      for (Task& other : group_) {
        if (!has_ended(other)) before_.push_back(std::move(other));
      }
      group_.clear();
      mode_ = mode;
      most_ = kFew;
    } else if (has_ended(group_.back())) {
      group_.pop_back();
    } else if (group_.size() >= most_) {
      std::erase_if(group_, has_ended);
      most_ = std::max(kFew, 2 * group_.size());
    }
    for (const Task& other : before_) after(other);
    group_.push_back(task);
  }
  template <typename After>
  void Add(const Task& task, Mode mode, After after) {
    Add(task, mode, after, [](const Task&) { return false; });
  }
  // Calls `before(other)` for each task that Add would come after, for now.
  template <typename Before>
  void ForEachBefore(Mode mode, Before before) const {
    for (const Task& other : Joins(mode) && !group_.empty() ? before_ : group_) before(other);
  }
  // Of those that were added: the last ones, as all others come before them.
  template <typename HasEnded>
  bool HaveAllEnded(HasEnded has_ended) const {
    return std::all_of(group_.begin(), group_.end(), has_ended);
  }

 private:
  bool Joins(Mode mode) const { return mode == mode_ && (mode == Mode::kIn || Commutes(mode)); }

  static constexpr std::size_t kFew = 64;

  std::vector<Task> before_, group_;
  std::size_t most_ = kFew;  // in group_, before it is looked through
  Mode mode_ = Mode::kIn;    // of group_
};

}  // namespace taskrt
