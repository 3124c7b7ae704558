// The ranks that share one host, in their order, and the position of each among them.
//
// Pure. Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "llcl/region.h"

namespace llcl {

// A value.
class Neighbors {
 public:
  // All ranks of a job.
  static Neighbors All(int job_size) {
    std::vector<Rank> ranks;
    for (int rank = 0; rank < job_size; ++rank) ranks.push_back(Rank{rank});
    return Neighbors(std::move(ranks), job_size);
  }
  // Precondition: the ranks grow, and are of the job.
  Neighbors(std::vector<Rank> ranks, int job_size)
      : ranks_(std::move(ranks)), positions_(static_cast<std::size_t>(job_size), kNone) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      positions_[static_cast<std::size_t>(ToInt(ranks_[i]))] = static_cast<std::int32_t>(i);
    }
  }

  std::size_t size() const { return ranks_.size(); }
  Rank rank(std::size_t position) const { return ranks_[position]; }
  const std::vector<Rank>& ranks() const { return ranks_; }
  // Precondition, of both: the rank is of the job.
  bool Have(Rank rank) const { return positions_[static_cast<std::size_t>(ToInt(rank))] >= 0; }
  // Precondition: it is one of these.
  std::size_t PositionOf(Rank rank) const {
    return static_cast<std::size_t>(positions_[static_cast<std::size_t>(ToInt(rank))]);
  }

 private:
  static constexpr std::int32_t kNone = -1;
  std::vector<Rank> ranks_;              // by position
  std::vector<std::int32_t> positions_;  // by rank
};

}  // namespace llcl
