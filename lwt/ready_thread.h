// The right to schedule one thread that can run.
//
// Creating a thread without scheduling it, popping and stealing return one. It must
// be pushed, put, returned from a steal function, or destroyed; so that no thread is
// run twice, it can only be moved. Destroying it drops the thread:
// its body is destroyed without having run and its joiner gets Dropped. A
// thread that has run already owns its stack and cannot be dropped: to drop it
// ends the program with its name.
//
// Threads: a value as any other. Source: [NNT13] section 3.2.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "lwt/contract.h"
#include "lwt/threads/descriptor.h"

namespace lwt {

// What joining a thread that was dropped throws.
class Dropped : public std::exception {
 public:
  const char* what() const noexcept override { return "the thread was dropped before it ran"; }
};

// A resource; empty if default-made or moved from.
class ReadyThread {
 public:
  ReadyThread() = default;
  ReadyThread(ReadyThread&& other) noexcept : thread_(std::exchange(other.thread_, nullptr)) {}
  ReadyThread& operator=(ReadyThread&& other) noexcept {
    std::swap(thread_, other.thread_);
    return *this;
  }
  ~ReadyThread() {
    if (thread_ != nullptr) Drop(*thread_);
  }

  explicit operator bool() const { return thread_ != nullptr; }

  // How many spawns it is from the thread of Pool::Run.
  // Precondition of this and of hint(): it has a thread.
  int depth() const {
    CheckContract(thread_ != nullptr, kEmpty);
    return static_cast<int>(thread_->depth);
  }

  // Its hint; T() if it has none or one of another size (victim.h: Peek).
  template <Hint T>
  T hint() const {
    CheckContract(thread_ != nullptr, kEmpty);
    T hint{};
    std::size_t bytes = 0;
    const std::size_t size = thread_->hint.bytes();
    if (size == sizeof(T) || (size <= 8 && HintClassOf(size) == HintClassOf(sizeof(T)))) {
      (void)thread_->hint.TryRead(std::as_writable_bytes(std::span(&hint, 1)), bytes);
    }
    return hint;
  }

 private:
  friend class ReadyThreads;
  explicit ReadyThread(Descriptor* thread) : thread_(thread) {}
  Descriptor* Release() { return std::exchange(thread_, nullptr); }
  static void Drop(Descriptor& thread);

  static constexpr const char* kEmpty =
      "a ReadyThread that is empty has neither a depth nor a hint";

  Descriptor* thread_ = nullptr;
};

}  // namespace lwt
