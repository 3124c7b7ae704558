// When a page was changed last, and by whom: what its home tells those who hold copies of
// it, so that at a flush barrier only the copies go that others have changed (the write
// notices of lazy release consistency, Keleher et al., USENIX Winter 1994, kept at the home).
//
// Epochs are the times between flush barriers; the flush that ends one has its number. A
// copy that was good when an epoch began, or was fetched in it, is stale at its end if
// somebody else has changed the page in it. Changes of a later epoch may be seen already:
// then it goes, too.
//
// Epochs have 48 bits, ranks 16: a flush each microsecond ends after nine years.
//
// Pure; any thread may call.
#pragma once

#include <cstdint>

namespace dsm {

// A value of one word, so that who reads it from another rank sees all or nothing of a change.
// Zero: never changed.
class Stamp {
 public:
  constexpr Stamp() = default;
  constexpr explicit Stamp(std::uint64_t bits) : bits_(bits) {}
  constexpr Stamp(std::uint64_t epoch, int writer)
      : bits_(epoch << 16 | static_cast<std::uint16_t>(writer)) {}
  // More than one, or nobody knows who.
  static constexpr Stamp ByMany(std::uint64_t epoch) { return Stamp(epoch, kMany); }

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr std::uint64_t epoch() const { return bits_ >> 16; }

  // After one more change.
  constexpr Stamp With(Stamp change) const {
    if (change.epoch() != epoch()) return change.epoch() > epoch() ? change : *this;
    return change == *this ? *this : ByMany(epoch());
  }

  // Is the copy of `holder` stale at the end of the epoch? Epochs begin with 1.
  constexpr bool MakesStale(int holder, std::uint64_t at_end_of) const {
    return epoch() > at_end_of || (epoch() == at_end_of && *this != Stamp(at_end_of, holder));
  }

  friend constexpr bool operator==(Stamp, Stamp) = default;

 private:
  static constexpr int kMany = -1;
  std::uint64_t bits_ = 0;
};

}  // namespace dsm
