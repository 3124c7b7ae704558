// Arrays in a space, with their types: what the paper writes
//
//   shared int a[NZ][NY][NX]::[P][1][1](0,P);
//
// is
//
//   auto a = dsm::MakeArray<int>(space, {NZ, NY, NX}, dsm::BlockMapping{{P, 1, 1}, 0, P});
//   (*a)(z, y, x) = 1;
//
// Elements lie in C's order, and an access is one multiplication and addition for each
// dimension and nothing else: where an element's home is plays no part in it.
//
// Threads: as the space's. Source: [Mid18] section 2.1, figure 2(b).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "absl/status/statusor.h"
#include "dsm/layout/distribution.h"
#include "dsm/space.h"

namespace dsm {

// A value: a view, as a pointer is; valid on all ranks as long as the space.
template <typename T>
requires std::is_trivially_copyable_v<T>
class Array {
 public:
  Array(Space& space, T* data, const Extents& extents)
      : space_(&space), data_(data), extents_(extents) {}

  const Extents& extents() const { return extents_; }
  std::uint64_t size() const {
    std::uint64_t count = 1;
    for (std::size_t d = 0; d < extents_.dims(); ++d) count *= extents_[d];
    return count;
  }
  T* data() const { return data_; }
  std::span<T> elements() const { return {data_, size()}; }

  // Precondition: as many indices as dimensions, each in its extent.
  template <std::convertible_to<std::uint64_t>... Index>
  T& operator()(Index... indices) const {
    std::uint64_t element = 0;
    std::size_t d = 0;
    ((element = element * extents_[d++] + static_cast<std::uint64_t>(indices)), ...);
    return data_[element];
  }

  // The elements that a rank owns, exactly, though pages that they share with others' may be
  // at home there.
  Bounds LocalBlock(int rank) const { return space_->DistributionOf(data_).LocalBlock(rank); }
  // Of the page that it lies in.
  int HomeOf(const T& element) const { return space_->HomeOf(&element); }

  // As Space::PreloadArray.
  absl::Status Preload(const Bounds& part, Access access = Access::kRead) const {
    return space_->PreloadArray(data_, {extents_, sizeof(T)}, part, access);
  }

 private:
  Space* space_;
  T* data_;
  Extents extents_;
};

// New, zeros. All ranks call it. Errors: those of Space::Allocate.
template <typename T>
absl::StatusOr<Array<T>> MakeArray(Space& space, const Extents& extents, const Mapping& mapping) {
  const auto memory = space.Allocate({extents, sizeof(T)}, mapping);
  if (!memory.ok()) return memory.status();
  return Array<T>(space, reinterpret_cast<T*>(memory->data()), extents);
}

}  // namespace dsm
