// The version of a page: when it was changed last, and by which rank. Its home keeps it for the
// ranks that hold copies, so that at a flush barrier only those copies go that others have changed
// (the write notices of lazy release consistency, Keleher et al., USENIX Winter 1994, kept at the
// home).
//
// Epochs are the times between flush barriers; the flush that ends one has its number. A copy that
// was good when an epoch began, or was fetched in it, is stale at its end if another rank has
// changed the page in it. Changes of a later epoch may be seen already: then the copy goes, too.
//
// Epochs have 48 bits, ranks 16: a flush each microsecond ends after nine years.
//
// Pure; any thread may call.
#pragma once

#include <cstdint>

namespace dsm {

// A value of one word, so that a rank that reads it remotely sees all or nothing of a change. Zero:
// never changed.
class PageVersion {
 public:
  constexpr PageVersion() = default;
  constexpr explicit PageVersion(std::uint64_t bits) : bits_(bits) {}
  constexpr PageVersion(std::uint64_t epoch, int writer)
      : bits_(epoch << 16 | static_cast<std::uint16_t>(writer)) {}
  // By several ranks, or by an unknown one.
  static constexpr PageVersion ByMany(std::uint64_t epoch) { return PageVersion(epoch, kMany); }

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr std::uint64_t epoch() const { return bits_ >> 16; }

  // After one more change.
  constexpr PageVersion With(PageVersion change) const {
    if (change.epoch() != epoch()) return change.epoch() > epoch() ? change : *this;
    return change == *this ? *this : ByMany(epoch());
  }

  // Is the copy of `holder` stale at the end of the epoch? Epochs begin with 1.
  constexpr bool MakesStale(int holder, std::uint64_t at_end_of) const {
    return epoch() > at_end_of || (epoch() == at_end_of && *this != PageVersion(at_end_of, holder));
  }

  friend constexpr bool operator==(PageVersion, PageVersion) = default;

 private:
  static constexpr int kMany = -1;
  std::uint64_t bits_ = 0;
};

}  // namespace dsm
