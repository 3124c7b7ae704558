// The types and operations of remote atomics; atomics.h has their effects.
//
// Pure.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "llcl/language.h"

namespace llcl {

enum class AtomicType : std::uint8_t { kI32, kU32, kI64, kU64, kFloat, kDouble };
enum class AtomicOp : std::uint8_t {
  kAdd,
  kMin,
  kMax,
  kAnd,
  kOr,
  kXor,
  kSwap,
  kCompareSwap,
  kProduct,
};
inline constexpr AtomicOp kLastAtomicOp = AtomicOp::kProduct;

template <typename T>
concept AtomicWord = std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> || std::same_as<T, float> ||
    std::same_as<T, double>;

template <AtomicWord T>
constexpr AtomicType TypeOf() {
  if constexpr (std::same_as<T, std::int32_t>) return AtomicType::kI32;
  if constexpr (std::same_as<T, std::uint32_t>) return AtomicType::kU32;
  if constexpr (std::same_as<T, std::int64_t>) return AtomicType::kI64;
  if constexpr (std::same_as<T, std::uint64_t>) return AtomicType::kU64;
  if constexpr (std::same_as<T, float>) return AtomicType::kFloat;
  if constexpr (std::same_as<T, double>) return AtomicType::kDouble;
}

constexpr std::size_t BytesOf(AtomicType type) {
  return type == AtomicType::kI32 || type == AtomicType::kU32 || type == AtomicType::kFloat ? 4 : 8;
}

// Bitwise operations are for integers.
constexpr bool Exists(AtomicType type, AtomicOp op) {
  const bool bitwise = op == AtomicOp::kAnd || op == AtomicOp::kOr || op == AtomicOp::kXor;
  return !bitwise || (type != AtomicType::kFloat && type != AtomicType::kDouble);
}

}  // namespace llcl
