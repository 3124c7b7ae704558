// What must be known of the decided edges: for each vertex of the frontier, where the path that
// ends in it has its other end. Pure.
//
// Source and target enter as ends of paths from outside. A path between source and target is
// complete when two paths from outside meet.
//
// Source: as plan.h; the mate array.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace simpath {

// What a slot holds.
enum Mate : std::uint64_t {
  kUntouched = 0,  // no edge of the vertex is taken; also of a slot without a vertex
  kInner = 1,      // two are taken, or none can be
  kOutside = 2,    // the path comes from outside: its other end is final
  kFirstSlot = 3,  // 3 + i: the other end is in slot i
};

// A value: mates in words of 64 bits, none of which has all bits set. A mate lies in one word, at a
// bit of all.
template <int words>
struct Mates {
  std::array<std::uint64_t, words> word = {};

  std::uint64_t Get(unsigned bit, std::uint64_t mask) const {
    if constexpr (words == 1) {
      return word[0] >> bit & mask;
    } else if constexpr (words == 2) {
      return (bit < 64 ? word[0] : word[1]) >> (bit & 63) & mask;
    } else {
      return word[bit / 64] >> (bit & 63) & mask;
    }
  }
  // Changes the mate at that bit by exclusive or.
  void Flip(unsigned bit, std::uint64_t change) {
    const std::uint64_t moved = change << (bit & 63);
    if constexpr (words == 1) {
      word[0] ^= moved;
    } else if constexpr (words == 2) {
      word[0] ^= bit < 64 ? moved : 0;
      word[1] ^= bit < 64 ? 0 : moved;
    } else {
      word[bit / 64] ^= moved;
    }
  }

  void Clear(unsigned bit, std::uint64_t mask) { word[bit / 64] &= ~(mask << (bit & 63)); }
  void Set(unsigned bit, std::uint64_t mask, std::uint64_t mate) {
    Clear(bit, mask);
    Flip(bit, mate);
  }
  bool IsZero() const {
    std::uint64_t any = 0;
    for (const std::uint64_t each : word) any |= each;
    return any == 0;
  }

  friend Mates operator&(Mates a, const Mates& b) {
    for (std::size_t i = 0; i < words; ++i) a.word[i] &= b.word[i];
    return a;
  }
  friend Mates operator^(Mates a, const Mates& b) {
    for (std::size_t i = 0; i < words; ++i) a.word[i] ^= b.word[i];
    return a;
  }
  friend bool operator==(const Mates&, const Mates&) = default;
};

// Whether slots keep the role of an end: beginning or end of a directed path.
enum class Roles : std::uint8_t { kNone, kKept };

// A value: the bit of each slot's mate. With roles, the bit above the mate marks the beginning of a
// path.
class Layout {
 public:
  // A mate is at most kFirstSlot + slots - 1, and each but kUntouched and kInner is in one slot
  // only, kOutside in two, so no word is full.
  explicit Layout(int slots, Roles roles = Roles::kNone)
      : slots_(slots),
        mate_width_(std::bit_width(static_cast<unsigned>(slots) + kFirstSlot - 1)),
        width_(mate_width_ + (roles == Roles::kKept ? 1 : 0)),
        bits_(kFirstSlot, 0) {
    for (int slot = 0; slot < slots; ++slot) {
      bits_.push_back(static_cast<unsigned>(slot / per_word() * 64 + slot % per_word() * width_));
    }
  }

  int slots() const { return slots_; }
  int words() const { return slots_ == 0 ? 1 : (slots_ - 1) / per_word() + 1; }
  unsigned bit(int slot) const { return bits_[kFirstSlot + static_cast<std::size_t>(slot)]; }
  // By a vertex's mate: where the mate of that one lies; 0 where it is no vertex.
  const unsigned* bits() const { return bits_.data(); }
  std::uint64_t mask() const { return (std::uint64_t{1} << mate_width_) - 1; }  // of a mate
  std::uint64_t role() const { return std::uint64_t{1} << mate_width_; }        // if they are kept
  std::uint64_t slot_mask() const { return (std::uint64_t{1} << width_) - 1; }
  unsigned width() const { return static_cast<unsigned>(width_); }  // bits of a slot

 private:
  int per_word() const { return 64 / width_; }

  int slots_;
  int mate_width_, width_;
  std::vector<unsigned> bits_;  // by mate
};

// A value: the bit of a vertex's mate, given the mate value of that vertex; any bit for other
// values. The layout outlives the value.
template <int words>
class Places {
 public:
  explicit Places(const Layout& layout) : bits_(layout.bits()) {}
  unsigned bit(std::uint64_t mate) const { return bits_[mate]; }

 private:
  const unsigned* bits_;
};
// For one or two words the bit is computed, because vector registers hold several states.
template <>
class Places<2> {
 public:
  explicit Places(const Layout& layout) : width_(layout.width()), per_word_(64 / layout.width()) {}
  unsigned bit(std::uint64_t mate) const {
    const std::uint32_t slot = static_cast<std::uint32_t>(mate) - std::uint32_t{kFirstSlot};
    const std::uint32_t in_word = slot >= per_word_ ? slot - per_word_ : slot;
    return (in_word * width_ & 63) | (slot >= per_word_ ? 64 : 0);
  }

 private:
  std::uint32_t width_, per_word_;
};
template <>
class Places<1> {
 public:
  explicit Places(const Layout& layout) : width_(layout.width()) {}
  unsigned bit(std::uint64_t mate) const {
    return (static_cast<std::uint32_t>(mate) - static_cast<std::uint32_t>(kFirstSlot)) * width_ &
           63;
  }

 private:
  std::uint32_t width_;
};

// Calls body.operator()<words>() with words enough for mates of that layout. Unimplemented where
// there are none.
template <typename Result, typename Body>
absl::StatusOr<Result> WithWords(const Layout& layout, const Body& body) {
  switch (layout.words()) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
    case 4:
      return body.template operator()<4>();
    case 5:
    case 6:
    case 7:
    case 8:
      return body.template operator()<8>();
    default:
      return absl::UnimplementedError(
          absl::StrCat("the frontier has ", layout.slots(),
                       " vertices, more than a state has room for: another "
                       "order of the edges may need fewer (--order=best)"));
  }
}

}  // namespace simpath
