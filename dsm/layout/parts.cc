#include "dsm/layout/parts.h"

#include "absl/strings/str_cat.h"

namespace dsm {

absl::StatusOr<std::vector<ByteRange>> BytesOfPart(const ArrayShape& array, const Bounds& part,
                                                   std::uint64_t gap) {
  const std::size_t dims = array.extents.dims();
  if (dims == 0 || dims > kMostDims || part.begin.dims() != dims || part.end.dims() != dims) {
    return absl::InvalidArgumentError(absl::StrCat("an array of ", dims,
                                                   " dimensions has no part of ", part.begin.dims(),
                                                   " and ", part.end.dims()));
  }
  for (std::size_t d = 0; d < dims; ++d) {
    if (part.begin[d] <= part.end[d] && part.end[d] <= array.extents[d]) continue;
    return absl::InvalidArgumentError(absl::StrCat("elements ", part.begin[d], " to ", part.end[d],
                                                   " of dimension ", d, " are not in [0, ",
                                                   array.extents[d], "]"));
  }
  std::vector<ByteRange> ranges;
  if (part.elements() == 0) return ranges;
  // The rows of the last dimension, one after the other.
  Extents at = part.begin;
  const std::uint64_t row = (part.end[dims - 1] - part.begin[dims - 1]) * array.element_bytes;
  while (true) {
    std::uint64_t element = 0;
    for (std::size_t d = 0; d < dims; ++d) element = element * array.extents[d] + at[d];
    const std::uint64_t first = element * array.element_bytes;
    if (!ranges.empty() && first <= ranges.back().last + gap) {
      ranges.back().last = first + row;
    } else {
      ranges.push_back({first, first + row});
    }
    // The next row, as a counter goes on.
    std::size_t d = dims - 1;
    while (d > 0 && ++at[d - 1] == part.end[d - 1]) {
      at[d - 1] = part.begin[d - 1];
      --d;
    }
    if (d == 0) return ranges;
  }
}

}  // namespace dsm
