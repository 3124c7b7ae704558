// The pages that cost most, of those that something happened to on this rank.
//
// Threads: any. Slow: each page of the space is looked at.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dsm/layout/address_map.h"
#include "dsm/page/heat.h"

namespace dsm {

// A value: a page, and what happened to it on this rank.
struct HotPage {
  std::byte* at = nullptr;
  int home = 0;
  PageHeat heat;
};

// As Space's members of similar names: those with the most of the count, which is zero for others,
// and `most` of them.
std::vector<HotPage> HottestPages(const AddressMap& map, const Heat& heat,
                                  std::uint32_t PageHeat::*count, std::size_t most);
// As a table with a line for each.
std::string DescribePages(const AddressMap& map, std::span<const HotPage> pages);

}  // namespace dsm
