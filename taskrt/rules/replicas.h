// The places where a block's newest value is: one rule that every copy follows. A read where the
// value is not brings it there; a write leaves it where it was written only. So nothing is copied
// that is there already, and nothing is copied back before somebody asks for it.
//
//              Arrived(p)             Written(p)
//   {a, ...} ------------> {a, ..., p}   ...  ------> {p}        Dropped(p): {a, p} -> {a}
//
// The set is never empty. Beyond the paper's flag, which names one place, it is a set: a panel that
// several devices read stays valid in all of them and on the host.
//
// Threads: one; who has several keeps it under its block's lock.
//
// Source: [WLBS20] section 3.3.
#pragma once

#include <bit>
#include <cstdint>

#include "taskrt/access.h"
#include "taskrt/place.h"

namespace taskrt {

// From where a device takes a block that it lacks.
enum class SourceRule {
  kHostFirst,  // the host if it is there, else a device; as the paper's
  kNearest,    // a device if one has it: what the host would send again stays off its link
};

// A value.
class Replicas {
 public:
  // A block whose only value is here.
  explicit Replicas(Place place = kHost) : valid_(Bit(place)), writer_(place) {}

  bool IsAt(Place place) const { return (valid_ & Bit(place)) != 0; }
  bool IsOnlyAt(Place place) const { return valid_ == Bit(place); }
  int count() const { return std::popcount(valid_); }

  // Must it be brought here before a task that does this?
  bool MustCome(Place place, Mode mode) const { return Reads(mode) && !IsAt(place); }

  // The place to copy it from. Precondition: it is not at `to`.
  Place SourceFor(Place to, SourceRule rule) const {
    const bool from_host = IsAt(kHost) && (rule == SourceRule::kHostFirst || IsOnlyAt(kHost));
    if (from_host) return kHost;
    // Home, from who has written it: all who write send then, each what is its own.
    if (to == kHost && IsAt(writer_)) return writer_;
    // The next device, around: not all of them ask the same one.
    const std::uint64_t devices = valid_ & ~Bit(kHost);
    const std::uint64_t above = devices & ~(Bit(to) | (Bit(to) - 1));
    return std::countr_zero(above != 0 ? above : devices);
  }

  void Arrived(Place place) { valid_ |= Bit(place); }
  void Written(Place place) {
    valid_ = Bit(place);
    writer_ = place;
  }
  // Precondition: it is elsewhere, too.
  void Dropped(Place place) { valid_ &= ~Bit(place); }

 private:
  static constexpr std::uint64_t Bit(Place place) { return std::uint64_t{1} << place; }

  std::uint64_t valid_;
  Place writer_;  // who was the last; its value may have been dropped
};

}  // namespace taskrt
