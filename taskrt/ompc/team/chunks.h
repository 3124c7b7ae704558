// Which iterations of a loop a member of a region runs next, by OpenMP's schedules.
//
// Pure. Source: OpenMP 5.1, section 2.11.4 (worksharing loops), table 2.5.
#pragma once

#include <algorithm>

namespace taskrt {

// A value: the iterations from `first` to before `last`.
struct Chunk {
  long first = 0, last = 0;
  bool empty() const { return first >= last; }
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

// schedule(static): one chunk each, of sizes that differ by one at the most.
constexpr Chunk BlockOfMember(long count, int member, int members) {
  const long each = count / members, more = count % members;
  const long first = each * member + std::min<long>(member, more);
  return {first, first + each + (member < more ? 1 : 0)};
}

// schedule(static, chunk): the `turn`-th of a member, in turns.
constexpr Chunk ChunkOfTurn(long count, long chunk, long turn, int member, int members) {
  const long number = turn * members + member;
  if (number > count / chunk) return {count, count};
  const long first = number * chunk;
  return {std::min(first, count), std::min(count - first, chunk) + first};
}

// schedule(guided, least): of the `left` iterations so many are the next chunk.
constexpr long GuidedSize(long left, long least, int members) {
  return std::min(left, std::max(least, (left + members - 1) / members));
}

}  // namespace taskrt
