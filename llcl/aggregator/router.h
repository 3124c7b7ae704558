// The way of a record to its rank in a team: directly, or, in a team of many ranks, by one rank
// between them, so that a rank has buffers for some 2 sqrt(ranks) others.
//
//   rank r is at row r / width, column r mod width; a record goes along the row of its sender to
//   the column of its destination, and then along that column
//
// Source: Maley et al., Conveyors for Streaming Many-To-Many Communication, 2019; YGM's routes NR.
//
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "llcl/language.h"

namespace llcl {

enum class Routes : std::uint8_t {
  kAuto,    // kGrid in a team of more than 64 ranks
  kDirect,  // from each rank to each
  kGrid,
};

// A value.
class Router {
 public:
  static constexpr int kMostDirect = 64;

  // Preconditions: size >= 1.
  Router(int size, Routes routes) : size_(size), width_(size) {
    if (routes == Routes::kDirect || (routes == Routes::kAuto && size <= kMostDirect)) return;
    width_ = 1;
    while (width_ < size / width_ + (size % width_ != 0 ? 1 : 0)) ++width_;
  }

  // The most hops of a record: 1 or 2.
  int hops() const { return width_ == size_ ? 1 : 2; }
  // The rank to which `from` sends a record for `to`; `to` itself at last.
  int Next(int from, int to) const {
    if (AreNeighbors(from, to)) return to;
    const int turn = RowOf(from) * width_ + ColumnOf(to);
    // The last row may be short: from there a record goes along its column first.
    return turn < size_ ? turn : RowOf(to) * width_ + ColumnOf(from);
  }
  // Does one rank ever send to the other? Each does to itself.
  bool AreNeighbors(int a, int b) const {
    return hops() == 1 || RowOf(a) == RowOf(b) || ColumnOf(a) == ColumnOf(b);
  }
  // The ranks to which `rank` sends, itself too, in their order.
  std::vector<int> NeighborsOf(int rank) const {
    std::vector<int> neighbors;
    for (int other = 0; other < size_; ++other) {
      if (AreNeighbors(rank, other)) neighbors.push_back(other);
    }
    return neighbors;
  }

 private:
  int RowOf(int rank) const { return rank / width_; }
  int ColumnOf(int rank) const { return rank % width_; }

  int size_, width_;
};

}  // namespace llcl
