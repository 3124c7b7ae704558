// Sorting by integer keys, in parallel: a stable radix sort from the least significant digit.
//
//   lwt::ParallelSort(std::span(edges), std::span(scratch), [](const Edge& e) { return e.from; });
//
// Each pass counts, in each of a few pieces a worker, how many values have each digit; scans these
// counts, which gives each piece the places of its values; and moves them. Digits in which no
// two keys differ are left out, so small keys cost no more than their bits.
// Equal keys keep their order, so the result does not depend on the workers.
//
// Threads: from lightweight threads only. `key_of` is called by several at once and must not throw.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lwt/contract.h"
#include "lwt/parallel.h"
#include "lwt/worker.h"

namespace lwt {

// Sorts by key_of(value), an unsigned integer. `scratch` has at least as many values and no part of
// `values`; what is in it afterwards is not said. T is assigned, as memory is: trivially copyable
// types are meant.
template <typename T, typename KeyOf>
void ParallelSort(std::span<T> values, std::span<T> scratch, const KeyOf& key_of) {
  using Key = std::remove_cvref_t<decltype(key_of(values[0]))>;
  static_assert(std::unsigned_integral<Key>, "a radix sort's keys are unsigned integers");
  constexpr int kDigitBits = 8;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  constexpr std::size_t kLeastPiece = 4096;  // Smaller ones pay more for counts than for values.
  CheckContract(scratch.size() >= values.size(),
                "ParallelSort needs a scratch of as many values as it sorts");
  const std::size_t size = values.size();
  if (size < 2) return;
  const auto most_pieces = static_cast<std::size_t>(Worker::Here("ParallelSort").workers()) * 4;
  const std::size_t pieces = std::clamp<std::size_t>(size / kLeastPiece, 1, most_pieces);
  const auto begin_of = [&](std::size_t piece) {
    return size / pieces * piece + std::min(piece, size % pieces);
  };
  const auto for_each_piece = [&](const auto& body) {
    ParallelFor(0, static_cast<std::int64_t>(pieces), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t piece = begin; piece < end; ++piece) body(static_cast<std::size_t>(piece));
    });
  };

  // The bits in which keys differ from the first one.
  const Key first_key = key_of(values[0]);
  std::vector<Key> differing(pieces);
  for_each_piece([&](std::size_t piece) {
    Key bits = 0;
    for (std::size_t i = begin_of(piece); i < begin_of(piece + 1); ++i) {
      bits = static_cast<Key>(bits | (key_of(values[i]) ^ first_key));
    }
    differing[piece] = bits;
  });
  Key all_differing = 0;
  for (const Key bits : differing) all_differing = static_cast<Key>(all_differing | bits);

  std::vector<std::array<std::size_t, kDigits>> counts(pieces);
  std::span<T> from = values, to = scratch.first(size);
  for (int shift = 0; shift < std::numeric_limits<Key>::digits; shift += kDigitBits) {
    if (static_cast<std::size_t>(all_differing >> shift) % kDigits == 0) continue;
    const auto digit_of = [&](const T& value) {
      return static_cast<std::size_t>(key_of(value) >> shift) % kDigits;
    };
    for_each_piece([&](std::size_t piece) {
      counts[piece].fill(0);
      for (std::size_t i = begin_of(piece); i < begin_of(piece + 1); ++i) {
        ++counts[piece][digit_of(from[i])];
      }
    });
    // From here on counts[p][d] is the place of piece p's next value with the digit d.
    std::size_t place = 0;
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      for (auto& count : counts) place += std::exchange(count[digit], place);
    }
    for_each_piece([&](std::size_t piece) {
      auto& places = counts[piece];
      for (std::size_t i = begin_of(piece); i < begin_of(piece + 1); ++i) {
        to[places[digit_of(from[i])]++] = from[i];
      }
    });
    std::swap(from, to);
  }
  if (from.data() == values.data()) return;
  for_each_piece([&](std::size_t piece) {
    std::copy(from.begin() + static_cast<std::ptrdiff_t>(begin_of(piece)),
              from.begin() + static_cast<std::ptrdiff_t>(begin_of(piece + 1)),
              values.begin() + static_cast<std::ptrdiff_t>(begin_of(piece)));
  });
}

}  // namespace lwt
