// Runs a random program (random_program.h) on a pool.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "lwt/lwt.h"
#include "lwt/tests/random_program.h"

namespace lwt::random_program {

// A hint that peeks must copy whole.
struct WideHint {
  std::uint64_t words[5];
  static WideHint Of(std::uint64_t seed);
  bool IsWhole() const;
};

// One of lwt's policies or of this test's own, which move threads about, decline
// them, and look at hints.
AnyPolicy RandomPolicy(Random& random, int workers);

// How often a policy has seen a hint in parts.
std::int64_t TornHints();

// What a body throws.
struct Thrown {
  std::uint64_t value;
};

// A resource. The state that all bodies of one program share.
class Execution {
 public:
  // `other`: another pool that threads may go to; null: none.
  explicit Execution(Pool& pool, Pool* other = nullptr) : pool_(pool), other_(other) {}

  // From outside of the pool. What operations found wrong: failure().
  Result Run(const Body& program);

  // A literal; null if all was as it has to be.
  const char* failure() const { return failure_.load(); }

 private:
  std::uint64_t ValueOrThrow(const Body& body);
  std::uint64_t Value(const Body& body);
  std::uint64_t Perform(const Op& op);
  std::uint64_t Threads(const Op& op);
  std::uint64_t Detached(const Op& op);
  std::uint64_t Fork(const Op& op);
  std::uint64_t Group(const Op& op);
  std::uint64_t Locked(const Op& op);
  std::uint64_t LockedBoth(const Op& op);
  std::uint64_t Inside(const Op& op, int mutex);
  std::uint64_t Rethrow(const Op& op);
  std::uint64_t Happen(const Op& op);
  void KeepStack(const Op& op);
  void Sleep(const Op& op);
  void Report();
  std::uint64_t Turns(const Op& op);
  std::uint64_t Pipeline(const Op& op);
  std::uint64_t Market(const Op& op);
  std::uint64_t Cells(const Op& op);
  std::uint64_t Rounds(const Op& op);
  std::uint64_t Decrements(const Op& op);
  std::uint64_t Outside(const Op& op);
  std::uint64_t Pipe(const Op& op);
  // A thread that is started, and begins, in one of all the ways.
  Thread Start(Random& random, std::function<void()> f);
  void Require(bool holds, const char* what);

  Pool& pool_;
  Pool* const other_;
  std::atomic<const char*> failure_{nullptr};
  Mutex mutexes_[kMutexes];
  std::int64_t counters_[kMutexes] = {};  // each under its mutex
  int inside_[kMutexes] = {};             // each under its mutex
};

}  // namespace lwt::random_program
