// A variable that is full or empty: readers wait until it is full, writers until
// it is empty.
//
//   lwt::FullEmptyCell<int> cell;
//   lwt::Thread writer = lwt::Spawn([&] { cell.WriteWhenEmpty(42); });
//   const int taken = cell.ReadAndEmpty();
//
// The full/empty bits of the Tera MTA's memory and of MassiveThreads' felock.
//
// Threads: any, inside and outside of pools. The thread that took a value may
//   destroy the cell if no other thread uses it, even while the writer is about to return.
// Order: what came before a write happens before what follows a read of that
//   value, and what came before a ReadAndEmpty before what follows the next
//   WriteWhenEmpty (the mutex).
// Progress: blocking. When it becomes full, all threads in ReadFull are woken and one in
//   ReadAndEmpty: a thread in ReadFull may find that the value has gone, and waits for another.
// Errors: what T's copy or move throws leaves the cell full or empty as it was.
//
// tests/channel_model_test.cc runs this code under every interleaving of up to 4 preemptions
// (larger programs of fewer, down to 1).
#pragma once

#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "lwt/condition_variable.h"
#include "lwt/mutex.h"
#include "topo/mutex.h"

namespace lwt {

// A value. `T`: movable; copyable for ReadFull.
template <typename T, typename Mutex, typename ConditionVariable>
class BasicFullEmptyCell {
 public:
  BasicFullEmptyCell() = default;  // empty
  explicit BasicFullEmptyCell(T value) : value_(std::move(value)) {}
  BasicFullEmptyCell(const BasicFullEmptyCell&) = delete;
  BasicFullEmptyCell& operator=(const BasicFullEmptyCell&) = delete;

  bool IsFull() const {
    const topo::Lock lock(mutex_);
    return value_.has_value();
  }

  // Waits until it is full; a copy of the value, which stays.
  T ReadFull() {
    const topo::Lock lock(mutex_);
    while (!value_.has_value()) full_to_read_.Wait(mutex_, kWhyFull);
    return *value_;
  }

  // Waits until it is full; takes the value.
  T ReadAndEmpty() {
    const topo::Lock lock(mutex_);
    while (!value_.has_value()) full_to_take_.Wait(mutex_, kWhyFull);
    return Take();
  }

  // Waits until it is empty; fills it.
  void WriteWhenEmpty(T value) {
    const topo::Lock lock(mutex_);
    while (value_.has_value()) empty_.Wait(mutex_, "an empty cell");
    Fill(std::move(value));
  }

  // Fills it, whatever it held.
  void Write(T value) {
    const topo::Lock lock(mutex_);
    Fill(std::move(value));
  }

  // As the functions above, but false or nullopt where these would wait.
  std::optional<T> TryReadFull() const {
    const topo::Lock lock(mutex_);
    return value_;
  }
  std::optional<T> TryReadAndEmpty() {
    const topo::Lock lock(mutex_);
    if (!value_.has_value()) return std::nullopt;
    return Take();
  }
  // `value` is moved from only if true.
  [[nodiscard]] bool TryWriteWhenEmpty(T&& value) {
    const topo::Lock lock(mutex_);
    if (value_.has_value()) return false;
    Fill(std::move(value));
    return true;
  }

 private:
  static constexpr const char* kWhyFull = "a full cell";

  // Notifies with the mutex held: once it is free, the cell may be gone.
  T Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    try {
      T taken = *std::move(value_);
      value_.reset();
      empty_.NotifyOne();
      return taken;
    } catch (...) {
      full_to_take_.NotifyOne();  // The notice that brought the caller here is not spent.
      throw;
    }
  }
  void Fill(T&& value) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    try {
      value_ = std::move(value);
    } catch (...) {
      if (!value_.has_value()) empty_.NotifyOne();
      throw;
    }
    full_to_read_.NotifyAll();
    full_to_take_.NotifyOne();
  }

  mutable Mutex mutex_;
  std::optional<T> value_ ABSL_GUARDED_BY(mutex_);
  ConditionVariable full_to_read_;  // for all in ReadFull
  ConditionVariable full_to_take_;  // for one in ReadAndEmpty
  ConditionVariable empty_;         // for one writer
};

template <typename T>
using FullEmptyCell = BasicFullEmptyCell<T, Mutex, ConditionVariable>;

}  // namespace lwt
