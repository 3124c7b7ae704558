// Atomic operations on one or two bytes, by compare-and-swap of the four bytes that they lie in:
// networks have none that are narrower.
//
// Threads: any.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "llcl/atomics.h"

namespace dsm {

template <typename T>
concept NarrowWord = std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t> ||
    std::same_as<T, std::int16_t> || std::same_as<T, std::uint16_t>;

// A value: where a narrow word lies in the four bytes around it.
template <NarrowWord T>
class NarrowPlace {
 public:
  // Precondition: `word` is aligned.
  explicit NarrowPlace(const T* word) : word_(reinterpret_cast<std::uintptr_t>(word)) {}

  std::uint32_t* whole() const { return reinterpret_cast<std::uint32_t*>(word_ & ~kMask); }
  T In(std::uint32_t whole) const { return static_cast<T>(whole >> shift()); }
  // The four bytes after op(word, operand), as llcl::Apply does it.
  std::uint32_t Apply(std::uint32_t whole, llcl::AtomicOp op, T operand, T expected) const {
    // With the word's own sign, so that kMin and kMax compare it; kAdd wraps as the word is cut
    // off.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    Wide word = In(whole);
    (void)llcl::Apply(llcl::TypeOf<Wide>(), op, &word, llcl::ToBits<Wide>(operand),
                      llcl::ToBits<Wide>(expected));
    const auto bits = static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<T>>(word));
    return (whole & ~(kBits << shift())) | bits << shift();
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  static constexpr std::uintptr_t kMask = 3;
  static constexpr std::uint32_t kBits = (std::uint32_t{1} << 8 * sizeof(T)) - 1;
  unsigned shift() const { return static_cast<unsigned>(word_ & kMask) * 8; }

  std::uintptr_t word_;
};

}  // namespace dsm
