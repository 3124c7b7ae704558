// Pages that come before they are touched.
//
// Threads: any, all members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/home/home.h"
#include "dsm/home/home_claims.h"
#include "dsm/layout/address_map.h"
#include "dsm/layout/distribution.h"

namespace dsm {

class Arrival;

// A value; its parts outlive it. The members are Space's of the same names, documented there.
class Preloader {
 public:
  struct Limits {
    std::uint64_t cache_bytes = 0;
    bool finds_races = false;
  };
  Preloader(const AddressMap& map, Copies& copies, HomePages& home, HomeClaims& claims,
            const Limits& limits)
      : map_(&map), copies_(&copies), home_(&home), claims_(&claims), limits_(limits) {}

  absl::Status Preload(std::span<const std::byte> memory, Access access) const;
  absl::Status PreloadArray(const void* array, const ArrayShape& shape, const Bounds& part,
                            Access access) const;
  absl::StatusOr<Arrival> StartPreload(std::span<const std::byte> memory, Access access) const;
  absl::Status MakeResident(std::span<const std::byte> memory, Access access) const;
  // Precondition: the memory is allocated.
  bool IsThere(std::span<const std::byte> memory) const;

 private:
  // The pages of the memory, each with a home. Errors: as AddressMap::PagesOf; Unavailable.
  absl::StatusOr<PageRange> Touch(std::span<const std::byte> memory) const;
  void Bring(PageRange pages, Access access) const;

  const AddressMap* map_;
  Copies* copies_;
  HomePages* home_;
  HomeClaims* claims_;
  Limits limits_;
};

// Memory whose pages are on their way. A value; the space outlives it.
class Arrival {
 public:
  Arrival(const Preloader& preloader, std::span<const std::byte> memory, Access access)
      : preloader_(preloader), memory_(memory), access_(access) {}

  // Is none of it on its way any more? A page that found no room when it was asked for comes when
  // it is touched.
  bool IsThere() const { return preloader_.IsThere(memory_); }
  // Returns when all of it is there, as after Space::Preload.
  absl::Status Wait() const { return preloader_.Preload(memory_, access_); }

 private:
  Preloader preloader_;
  std::span<const std::byte> memory_;
  Access access_;
};

}  // namespace dsm
