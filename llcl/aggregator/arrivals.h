// The buffers of records that have come to a rank, until their records are handled.
//
// Records of an epoch are handled in it: records of ranks that have ended an epoch earlier wait
// until this rank has, too.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "llcl/language.h"

namespace llcl {

// A value.
class Arrivals {
 public:
  struct Arrived {
    std::size_t buffer = 0;
    std::uint32_t entries = 0;
    std::uint32_t done = 0;  // entries of them
  };

  explicit Arrivals(std::size_t buffers) : is_here_(buffers) {}

  // False: nonsense, as the buffer's records have not been handled yet, or are of no epoch that
  // the sender can be in.
  [[nodiscard]] bool Add(std::size_t buffer, std::uint32_t entries, std::uint32_t epoch) {
    const bool is_next = epoch == epoch_ + 1;
    if (buffer >= is_here_.size() || is_here_[buffer] || (epoch != epoch_ && !is_next))
      return false;
    is_here_[buffer] = true;
    (is_next ? next_ : ready_).push_back({buffer, entries, 0});
    return true;
  }
  // The oldest that has not been taken. Precondition of the next one: Block or Remove.
  std::optional<Arrived> Take() {
    if (ready_.empty()) return std::nullopt;
    const Arrived arrived = ready_.front();
    ready_.pop_front();
    is_taken_ = true;
    unblocks_at_take_ = unblocks_;
    return arrived;
  }
  // Its next entry cannot go on before an Unblock, of which one may have come since it was taken.
  void Block(const Arrived& arrived) {
    is_taken_ = false;
    (unblocks_ == unblocks_at_take_ ? blocked_ : ready_).push_back(arrived);
  }
  void Unblock() {
    ++unblocks_;
    ready_.insert(ready_.end(), blocked_.begin(), blocked_.end());
    blocked_.clear();
  }
  // All its records are handled.
  void Remove(std::size_t buffer) {
    is_taken_ = false;
    is_here_[buffer] = false;
  }

  bool is_ready() const { return !ready_.empty(); }
  // Are all records of this epoch handled that have come?
  bool is_empty() const { return ready_.empty() && blocked_.empty() && !is_taken_; }
  // Entries of this epoch that wait.
  std::uint64_t waiting() const {
    std::uint64_t all = 0;
    for (const auto* arrivals : {&ready_, &blocked_}) {
      for (const Arrived& arrived : *arrivals) all += arrived.entries - arrived.done;
    }
    return all;
  }

  std::uint32_t epoch() const { return epoch_; }
  // Precondition: is_empty().
  void StartNextEpoch() {
    ++epoch_;
    ready_.swap(next_);
  }

 private:
  std::vector<bool> is_here_;  // by buffer
  std::deque<Arrived> ready_, blocked_, next_;
  bool is_taken_ = false;
  std::uint64_t unblocks_ = 0, unblocks_at_take_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace llcl
