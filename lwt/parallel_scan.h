// Prefix sums of an array, in place and in parallel.
//
//   edges = lwt::ParallelScan(std::span(degrees), 4096, std::int64_t{0}, std::plus<>());
//   // degrees[i] is now where the edges of vertex i begin.
//
// Two passes over pieces of `grain` values: each piece's sum, then, once the sums are scanned,
// the values of each piece. The pieces depend on the array and the grain only:
// values are combined in the same order whichever workers run the pieces.
//
// Threads: from lightweight threads only. Errors: what `combine` throws is thrown,
// and the values are then neither old nor new.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lwt/contract.h"
#include "lwt/parallel.h"

namespace lwt {

// values[i] becomes combine(values[0], ..., values[i - 1]), values[0] `identity`; returns
// what all of them combine to. `combine` is associative, combine(identity, x) is x;
// it need not commute. `grain` >= 1.
template <typename T, typename Combine>
T ParallelScan(std::span<T> values, std::int64_t grain, const T& identity, const Combine& combine) {
  static_assert(!std::is_same_v<T, bool>, "a vector of bools has no bools that pieces could write");
  CheckContract(grain >= 1, "a grain is at least one index");
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t pieces = size / grain + (size % grain != 0 ? 1 : 0);
  const auto piece_of = [&](std::int64_t piece) {
    const std::int64_t begin = piece * grain;
    return values.subspan(static_cast<std::size_t>(begin),
                          static_cast<std::size_t>(std::min(grain, size - begin)));
  };
  const auto for_each_piece = [&](const auto& body) {
    ParallelFor(0, pieces, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t piece = begin; piece < end; ++piece) body(piece);
    });
  };
  std::vector<T> sums(static_cast<std::size_t>(pieces), identity);
  for_each_piece([&](std::int64_t piece) {
    T sum = identity;
    for (const T& value : piece_of(piece)) sum = combine(std::move(sum), value);
    sums[static_cast<std::size_t>(piece)] = std::move(sum);
  });
  T before = identity;
  for (T& sum : sums) sum = std::exchange(before, combine(before, sum));
  for_each_piece([&](std::int64_t piece) {
    T sum = std::move(sums[static_cast<std::size_t>(piece)]);
    for (T& value : piece_of(piece)) value = std::exchange(sum, combine(sum, value));
  });
  return before;
}

}  // namespace lwt
