// Reports races on standard error: the first of them by name, and how many there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "dsm/home/races.h"
#include "dsm/layout/address_map.h"

namespace dsm {

// A resource; the map outlives it. Threads: any.
class RaceReport {
 public:
  explicit RaceReport(const AddressMap& map) : map_(map) {}
  void Report(std::span<const Race> races);
  std::uint64_t count() const { return count_.load(); }

 private:
  const AddressMap& map_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace dsm
