#include "apps/graph/ids.h"

#include <algorithm>

namespace graph {

std::optional<std::uint64_t> Ids::Find(std::uint64_t id, std::uint64_t vertices) const {
  if (has_table()) {
    const auto found = std::lower_bound(table_.begin(), table_.end(), id);
    if (found == table_.end() || *found != id) return std::nullopt;
    return static_cast<std::uint64_t>(found - table_.begin());
  }
  if (id < first_ || id - first_ >= vertices) return std::nullopt;
  return id - first_;
}

}  // namespace graph
