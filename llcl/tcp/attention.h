// Chooses the direct one of several connections: a polling thread receives from the direct
// connection in each poll, and asks the system for a list of the others that have bytes. The
// connection that has brought bytes several times in a row is the direct one. Receiving takes one
// system call, a list two; and the system itself takes longer for an arrival at a connection on a
// list.
//
// Pure. Threads: one at a time.
#pragma once

#include <algorithm>
#include <optional>

#include "llcl/region.h"

namespace llcl {

// A value.
class TcpAttention {
 public:
  static constexpr int kWarm = 8;   // arrivals in a row that make a connection the direct one
  static constexpr int kCold = 64;  // arrivals at others that end it
  static constexpr int kBusy = 64;  // polls without an arrival, after which it is idle
  static constexpr int kBetween =
      16;  // polls from a look at the others to the next while it is busy

  // The rank whose connection is looked at in each poll; none: all are looked at by the list.
  std::optional<Rank> direct() const { return direct_; }

  // Bytes have come from `rank`. True: direct() has changed, to this rank or to none.
  bool OnCame(Rank rank) {
    row_ = last_ == rank ? std::min(row_ + 1, kWarm) : 1;
    last_ = rank;
    if (direct_ == rank) {
      polls_ = others_ = 0;
      return false;
    }
    if (row_ >= kWarm) return Set(rank);
    return direct_ && ++others_ >= kCold && Set(std::nullopt);
  }
  // Its connection has ended. True: it was the direct one.
  bool OnEnd(Rank rank) { return direct_ == rank && Set(std::nullopt); }

  // Once in each poll. True: it looks at the others, too.
  [[nodiscard]] bool LooksAtOthers() {
    if (polls_ <= kBusy) ++polls_;
    const bool is_idle = polls_ > kBusy;
    if (direct_ && !is_idle && ++since_others_ < kBetween) return false;
    since_others_ = 0;
    return true;
  }

 private:
  bool Set(std::optional<Rank> rank) {
    direct_ = rank;
    polls_ = others_ = 0;
    return true;
  }

  std::optional<Rank> direct_, last_;
  int row_ = 0;           // the last arrivals, of one rank, up to kWarm
  int others_ = 0;        // arrivals since the last one of the direct rank
  int polls_ = 0;         // since then, up to kBusy + 1
  int since_others_ = 0;  // polls since the last look at the others
};

}  // namespace llcl
