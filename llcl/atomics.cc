#include "llcl/atomics.h"

#include <algorithm>
#include <atomic>

namespace llcl {
namespace {

template <typename T>
T Combine(AtomicOp op, T old, T operand) {
  switch (op) {
    case AtomicOp::kAdd:
      if constexpr (std::integral<T>) {
        using U = std::make_unsigned_t<T>;  // wraps
        return static_cast<T>(static_cast<U>(old) + static_cast<U>(operand));
      } else {
        return old + operand;
      }
    case AtomicOp::kMin:
      return std::min(old, operand);
    case AtomicOp::kMax:
      return std::max(old, operand);
    case AtomicOp::kAnd:
      if constexpr (std::integral<T>) return old & operand;
      break;
    case AtomicOp::kOr:
      if constexpr (std::integral<T>) return old | operand;
      break;
    case AtomicOp::kXor:
      if constexpr (std::integral<T>) return old ^ operand;
      break;
    case AtomicOp::kSwap:
    case AtomicOp::kCompareSwap:
      return operand;
  }
  return old;
}

template <AtomicWord T>
std::uint64_t ApplyTo(AtomicOp op, void* word, std::uint64_t operand, std::uint64_t expected) {
  // As bits: a comparison of floats takes 0 for -0 and never NaN for NaN.
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::atomic_ref<Bits> bits(*static_cast<Bits*>(word));
  Bits old = bits.load(std::memory_order_relaxed);
  if (op == AtomicOp::kCompareSwap) {
    old = static_cast<Bits>(expected);
    bits.compare_exchange_strong(old, static_cast<Bits>(operand));
    return old;
  }
  if (op == AtomicOp::kSwap) return bits.exchange(static_cast<Bits>(operand));
  if constexpr (std::integral<T>) {
    if (op == AtomicOp::kAdd) return bits.fetch_add(static_cast<Bits>(operand));
  }
  while (!bits.compare_exchange_weak(
      old, static_cast<Bits>(ToBits(Combine(op, FromBits<T>(old), FromBits<T>(operand)))))) {
  }
  return old;
}

}  // namespace

std::uint64_t Apply(AtomicType type, AtomicOp op, void* word, std::uint64_t operand,
                    std::uint64_t expected) {
  switch (type) {
    case AtomicType::kI32:
      return ApplyTo<std::int32_t>(op, word, operand, expected);
    case AtomicType::kU32:
      return ApplyTo<std::uint32_t>(op, word, operand, expected);
    case AtomicType::kI64:
      return ApplyTo<std::int64_t>(op, word, operand, expected);
    case AtomicType::kU64:
      return ApplyTo<std::uint64_t>(op, word, operand, expected);
    case AtomicType::kFloat:
      return ApplyTo<float>(op, word, operand, expected);
    case AtomicType::kDouble:
      return ApplyTo<double>(op, word, operand, expected);
  }
  return 0;
}

}  // namespace llcl
