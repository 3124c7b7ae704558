// The elements of accumulates: their types and operations, and the effect of an operation on an
// array.
//
// Threads: any.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "llcl/atomic_types.h"
#include "llcl/language.h"

namespace llcl {

// Integers of 16 bytes.
__extension__ typedef unsigned __int128 Unsigned128;

enum class ElementType : std::uint8_t {
  kI8,
  kU8,
  kI16,
  kU16,
  kI32,
  kU32,
  kI64,
  kU64,
  kU128,
  kFloat,
  kDouble,
  kComplexFloat,
  kComplexDouble,
};

template <typename T>
concept AccumulateElement = AtomicWord<T> || std::same_as<T, std::int8_t> ||
    std::same_as<T, std::uint8_t> || std::same_as<T, std::int16_t> ||
    std::same_as<T, std::uint16_t> || std::same_as<T, Unsigned128> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <AccumulateElement T>
constexpr ElementType ElementTypeOf() {
  if constexpr (std::same_as<T, std::int8_t>) return ElementType::kI8;
  if constexpr (std::same_as<T, std::uint8_t>) return ElementType::kU8;
  if constexpr (std::same_as<T, std::int16_t>) return ElementType::kI16;
  if constexpr (std::same_as<T, std::uint16_t>) return ElementType::kU16;
  if constexpr (std::same_as<T, std::int32_t>) return ElementType::kI32;
  if constexpr (std::same_as<T, std::uint32_t>) return ElementType::kU32;
  if constexpr (std::same_as<T, std::int64_t>) return ElementType::kI64;
  if constexpr (std::same_as<T, std::uint64_t>) return ElementType::kU64;
  if constexpr (std::same_as<T, Unsigned128>) return ElementType::kU128;
  if constexpr (std::same_as<T, float>) return ElementType::kFloat;
  if constexpr (std::same_as<T, double>) return ElementType::kDouble;
  if constexpr (std::same_as<T, std::complex<float>>) return ElementType::kComplexFloat;
  if constexpr (std::same_as<T, std::complex<double>>) return ElementType::kComplexDouble;
}

// Zero: there is no such type.
std::size_t BytesOf(ElementType type);
// Integers have all operations but kCompareSwap; reals have no bitwise ones, and complex numbers
// have kAdd, kProduct and kSwap.
bool CanAccumulate(ElementType type, AtomicOp op);

// to[i] = op(to[i], from[i]), each element atomically to other accumulates, and to atomics that
// this process does. False: `to` is not aligned to the element, or `from` is not of whole elements;
// nothing was done. Precondition: CanAccumulate(type, op).
[[nodiscard]] bool AccumulateElements(ElementType type, AtomicOp op, std::byte* to,
                                      std::span<const std::byte> from);

}  // namespace llcl
