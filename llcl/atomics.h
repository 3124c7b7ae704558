// Remote atomics: their types and operations, and the effect of each on a word.
//
// All atomics on a word are executed by one agent (the processor that owns the
// memory, or the provider there), because those of a network card and those of a
// processor are not atomic to each other.
//
// Threads: any.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "llcl/atomic_types.h"

namespace llcl {

// A word's value in eight bytes, which carry each type.
template <AtomicWord T>
std::uint64_t ToBits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <AtomicWord T>
T FromBits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Executes `op`, atomically to all others that are done by this function; returns the word's value
// before. `expected` is for kCompareSwap, which writes `operand` only over that; floats are
// compared by their bits. Overflow wraps. Preconditions: `word` is aligned to its
// size; Exists(type, op). Order: sequentially consistent.
std::uint64_t Apply(AtomicType type, AtomicOp op, void* word, std::uint64_t operand,
                    std::uint64_t expected);

namespace internal {
// The operations that processors do by a loop.
template <AtomicWord T>
std::uint64_t ApplyByLoop(AtomicOp op, void* word, std::uint64_t operand);
}  // namespace internal

// As Apply, where the compiler knows the type.
template <AtomicWord T>
std::uint64_t Apply(AtomicOp op, void* word, std::uint64_t operand, std::uint64_t expected) {
  // As bits: a comparison of floats takes 0 for -0 and never NaN for NaN.
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const std::atomic_ref<Bits> bits(*static_cast<Bits*>(word));
  if constexpr (std::integral<T>) {
    if (op == AtomicOp::kAdd) return bits.fetch_add(static_cast<Bits>(operand));
  }
  if (op == AtomicOp::kSwap) return bits.exchange(static_cast<Bits>(operand));
  if (op == AtomicOp::kCompareSwap) {
    auto old = static_cast<Bits>(expected);
    bits.compare_exchange_strong(old, static_cast<Bits>(operand));
    return old;
  }
  return internal::ApplyByLoop<T>(op, word, operand);
}

// to[i] = op(first[i], second[i]) for all words of the type, not atomically. Preconditions: as many
// bytes, a multiple of the type's; `to` is one of the operands, or overlaps none; Exists(type, op).
void Combine(AtomicType type, AtomicOp op, std::span<std::byte> to,
             std::span<const std::byte> first, std::span<const std::byte> second);

}  // namespace llcl
