// The result of an atomic operation on two values.
//
// Pure.
#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <type_traits>

#include "llcl/atomic_types.h"

namespace llcl {

// Sums and products of integers wrap. Operations that the type does not have return `old`.
template <typename T>
T ResultOf(AtomicOp op, T old, T operand) {
  constexpr bool kIsInteger = std::numeric_limits<T>::is_integer;
  switch (op) {
    case AtomicOp::kAdd:
      if constexpr (std::signed_integral<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(old) + static_cast<U>(operand));
      } else {
        return static_cast<T>(old + operand);
      }
    case AtomicOp::kProduct:
      if constexpr (std::integral<T>) {
        // Not of a narrow type, which would be multiplied as an int.
        using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
        return static_cast<T>(static_cast<U>(old) * static_cast<U>(operand));
      } else {
        return old * operand;
      }
    case AtomicOp::kMin:
      if constexpr (std::totally_ordered<T>) return std::min(old, operand);
      break;
    case AtomicOp::kMax:
      if constexpr (std::totally_ordered<T>) return std::max(old, operand);
      break;
    case AtomicOp::kAnd:
      if constexpr (kIsInteger) return static_cast<T>(old & operand);
      break;
    case AtomicOp::kOr:
      if constexpr (kIsInteger) return static_cast<T>(old | operand);
      break;
    case AtomicOp::kXor:
      if constexpr (kIsInteger) return static_cast<T>(old ^ operand);
      break;
    case AtomicOp::kSwap:
    case AtomicOp::kCompareSwap:
      return operand;
  }
  return old;
}

}  // namespace llcl
