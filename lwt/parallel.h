// Loops and reductions over index ranges, by halves.
//
//   lwt::ParallelFor(0, n, 1024, [&](std::int64_t begin, std::int64_t end) { ... });
//   double sum = lwt::ParallelReduce(0, n, 1024, 0.0,
//       [&](std::int64_t begin, std::int64_t end) { return SumOf(begin, end); },
//       [](double a, double b) { return a + b; });
//
// A range is halved until a piece has at most `grain` indices; the halves are
// forked calls. The tree depends on the range and the grain only: a reduction
// combines in the same order whichever workers run the pieces, so that its result
// is the same to the last bit.
//
// Threads: from lightweight threads only. Errors: what a piece throws is thrown;
// pieces that have not begun may then be left out.
#pragma once

#include <cstdint>
#include <utility>

#include "lwt/contract.h"
#include "lwt/fork_join.h"

namespace lwt {

// For ranges that are not empty, but may have more indices than an index can count.
inline std::uint64_t CountOf(std::int64_t begin, std::int64_t end) {
  return static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
}
inline bool IsOnePiece(std::int64_t begin, std::int64_t end, std::int64_t grain) {
  return CountOf(begin, end) <= static_cast<std::uint64_t>(grain);
}
inline std::int64_t MiddleOf(std::int64_t begin, std::int64_t end) {
  return begin + static_cast<std::int64_t>(CountOf(begin, end) / 2);
}

// `grain` >= 1.
template <typename Body>
void ParallelFor(std::int64_t begin, std::int64_t end, std::int64_t grain, const Body& body) {
  CheckContract(grain >= 1, "a grain is at least one index");
  if (begin >= end) return;
  if (IsOnePiece(begin, end, grain)) return body(begin, end);
  const std::int64_t middle = MiddleOf(begin, end);
  ForkJoin([&] { ParallelFor(begin, middle, grain, body); },
           [&] { ParallelFor(middle, end, grain, body); });
}

// combine(identity, x) must be x; `T` is copied.
template <typename T, typename Body, typename Combine>
T ParallelReduce(std::int64_t begin, std::int64_t end, std::int64_t grain, const T& identity,
                 const Body& body, const Combine& combine) {
  CheckContract(grain >= 1, "a grain is at least one index");
  if (begin >= end) return identity;
  if (IsOnePiece(begin, end, grain)) return body(begin, end);
  const std::int64_t middle = MiddleOf(begin, end);
  T left = identity, right = identity;
  ForkJoin([&] { left = ParallelReduce(begin, middle, grain, identity, body, combine); },
           [&] { right = ParallelReduce(middle, end, grain, identity, body, combine); });
  return combine(std::move(left), std::move(right));
}

}  // namespace lwt
