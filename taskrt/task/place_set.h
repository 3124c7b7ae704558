// The places that can run a kernel.
//
// Threads: one. A value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "taskrt/place.h"

namespace taskrt {

class PlaceSet {
 public:
  // In ascending order.
  void Add(Place place) {
    places_[count_++] = place;
    bits_ |= std::uint64_t{1} << place;
  }
  bool Has(Place place) const {
    return place >= 0 && place < kMostPlaces && (bits_ >> place & 1) != 0;
  }
  bool is_empty() const { return count_ == 0; }
  operator std::span<const Place>() const { return std::span(places_).first(count_); }

 private:
  std::array<Place, kMostPlaces> places_;
  std::size_t count_ = 0;
  std::uint64_t bits_ = 0;
};

}  // namespace taskrt
