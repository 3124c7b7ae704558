#include "apps/rma/problem/pairs.h"

#include <cstddef>

namespace rma {

std::optional<int> PartnerOf(const std::vector<int>& hosts, Way way) {
  const auto last = static_cast<int>(hosts.size()) - 1;
  if (way == Way::kAny) return last;
  for (std::size_t rank = 1; rank < hosts.size(); ++rank) {
    if ((hosts[rank] == hosts[0]) == (way == Way::kInside)) return static_cast<int>(rank);
  }
  return std::nullopt;
}

}  // namespace rma
