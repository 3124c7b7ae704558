// Random programs of lightweight threads whose results do not depend on the
// schedule, and what each must result in.
//
// A program is a tree: a body is a list of operations, and an operation may have
// bodies of its own, which it runs as threads, forked calls, under a lock, ...
// Every body has a value, which is computed of its operations' values in their
// order; what threads do to shared counters adds up. So `Expect` knows the result
// without running a thread, and whatever legal order a scheduler chooses must
// lead there. No program deadlocks: a thread that holds a mutex waits only for threads
// that use mutexes of higher numbers.
//
// A program is a function of its seed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lwt::random_program {

inline constexpr int kMutexes = 6;

enum class Kind {
  kCompute,      // `n` nanoseconds
  kTouch,        // `n` pages of shared memory
  kYield,        // `n` times
  kSleep,        // `n` microseconds
  kStack,        // keeps `n` bytes of the stack over a suspension
  kThreads,      // a thread a body; joined in some order, the last body runs meanwhile here
  kDetached,     // a detached thread a body; awaited by what `n` says
  kForkJoin,     // two bodies
  kTaskGroup,    // a forked call a body
  kReduce,       // over `n` indices with the grain `m`
  kLocked,       // one body under mutex `n`
  kLockedBoth,   // one body under mutexes `n` and `m`
  kTurns,        // `n` threads take `m` turns each by condition variables
  kPipeline,     // `n` stages hand on `m` items through channels of `k`
  kMarket,       // `n` threads send `m` items each through a channel of `k` to others
  kCells,        // `n` writers and readers of a full/empty cell, `m` values each
  kBarrier,      // `n` threads, `m` rounds
  kEvent,        // `n` threads wait for one body
  kJoinCounter,  // `n` threads decrement in each of `m` rounds
  kRethrow,      // throws again after one body ran in the handler
  kNestedRun,    // Pool::Run of one body inside of the pool, or of another
  kSetPolicy,    // replaces the pool's policy
  kReport,       // asks the pool for its blocked threads and its counters
  kOutside,      // an OS thread outside of the pool takes part (real workers only)
  kPipe,         // `n` bytes through a pipe of the system (real workers only)
};
inline constexpr int kKinds = static_cast<int>(Kind::kPipe) + 1;

struct Op;
// A value.
struct Body {
  std::uint64_t seed = 0;
  bool throws = false;  // at its end, with its value
  std::vector<Op> ops;
};
struct Op {
  Kind kind = Kind::kCompute;
  int n = 0, m = 0, k = 0;
  std::uint64_t seed = 0;  // of what does not change the value: the flavor, orders, costs
  std::vector<Body> bodies = {};
};

// A value: what a program results in.
struct Result {
  std::uint64_t value = 0;
  std::array<std::int64_t, kMutexes> counters = {};
  friend bool operator==(const Result&, const Result&) = default;
};

// Vigna's SplitMix64: the generator of all that is random here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();
  // Uniform in [least, most].
  int Between(int least, int most);
  bool OneIn(int n) { return Between(1, n) == 1; }

 private:
  std::uint64_t state_;
};

// The value after `value` and then `next`.
std::uint64_t Mix(std::uint64_t value, std::uint64_t next);

// A value.
struct Limits {
  int threads = 60;      // that a program starts, about
  bool outside = false;  // kOutside and kPipe too
};
Body Generate(std::uint64_t seed, const Limits& limits);

Result Expect(const Body& program);

// A line an operation, indented by depth: to see what a seed stands for.
std::string ToText(const Body& program);

}  // namespace lwt::random_program
