#include "dsm/report/element_name.h"

#include "absl/strings/str_cat.h"

namespace dsm {

std::string NameOfElement(const AddressMap& map, std::uint64_t offset) {
  const Allocation& allocation = *map.AllocationAt(map.page_size().PageAt(offset));
  const std::byte* const array = map.AddressOf(allocation.first_page);
  const Extents& extents = allocation.shape.extents;
  std::uint64_t element = (offset - map.OffsetOf(array)) / allocation.shape.element_bytes;
  std::string indices;
  for (std::size_t d = extents.dims(); d-- > 0;) {
    // Behind the end of the array its last page goes on.
    const std::uint64_t index = d == 0 ? element : element % extents[d];
    indices = absl::StrCat("[", index, "]", indices);
    element /= extents[d];
  }
  return absl::StrCat(indices, " of the array at 0x",
                      absl::Hex(reinterpret_cast<std::uintptr_t>(array)));
}

}  // namespace dsm
