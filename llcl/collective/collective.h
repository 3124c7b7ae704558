// A rank's part in a collective operation: its schedule, and the memory that the schedule works on.
//
// Threads: any; Put one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "llcl/collective/schedule.h"
#include "llcl/completion.h"
#include "llcl/region.h"

namespace llcl {

// to[i] = op(first[i], second[i]) for all elements; `to` is one of the operands, or overlaps none.
using CombineFunction = std::function<void(
    std::span<std::byte> to, std::span<const std::byte> first, std::span<const std::byte> second)>;

// A value.
struct Collective {
  std::shared_ptr<const Schedule> schedule = {};
  // The schedule's buffer, in up to two pieces: the memory that is sent, and the memory of the
  // result. `own`, if it is not empty, takes the place of the first piece, or of the second where
  // there is a first.
  std::array<std::span<std::byte>, 2> memory = {};
  std::vector<std::byte> own = {};
  std::shared_ptr<const std::vector<Rank>> members = {};  // by rank in the team
  CombineFunction combine = {};  // elements of `unit` bytes, where parts are combined
  std::size_t unit = 8;
  // Is `combine` the library's, which calls nothing else? Then a thread may call it that uses the
  // network.
  bool is_own_combine = false;
  // When all rounds are done: takes the result from `own`.
  std::function<void(std::span<const std::byte> own)> finish = {};
  Completion then;
  bool is_quick = false;  // quick.h

  Rank RankOf(int member) const { return (*members)[static_cast<std::size_t>(member)]; }
  // Bytes of the buffer, which lie in one piece.
  std::span<std::byte> At(std::size_t at, std::size_t bytes) const {
    if (bytes == 0) return {};
    const std::size_t first = memory[0].size();
    return at < first ? memory[0].subspan(at, bytes) : memory[1].subspan(at - first, bytes);
  }
  // As many bytes as whole units have.
  std::size_t Whole(std::size_t most) const { return most / unit * unit; }
  // Puts bytes of a part, from `at` of the part on, where they belong, or combines them.
  void Put(const Part& part, std::size_t at, std::span<const std::byte> payload) const;
};

// Parts of more bytes are long.
inline constexpr std::size_t kLongPart = 8 << 10;

// The rounds of an operation that are done before it gets an object. A value.
struct RoundsDone {
  std::size_t round = 0;       // before it all are done
  std::size_t sends = 0;       // of that round
  std::uint64_t receipts = 0;  // of that round: a bit for each
  bool is_all = false;
};

}  // namespace llcl
