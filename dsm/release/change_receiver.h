// What other ranks send to the homes of pages: changes, and which copies they have fetched.
//
// Threads: any, all members. They are called by handlers of messages, and never wait for one.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "dsm/home/home.h"
#include "dsm/layout/address_map.h"
#include "dsm/release/change_packer.h"

namespace dsm {

// A value; its parts outlive it. Each member returns false for a message that makes no sense: its
// sender is wrong, and gets no acknowledgment.
class ChangeReceiver {
 public:
  ChangeReceiver(const AddressMap& map, HomePages& home) : map_(map), home_(home) {}

  // kChanges, kLockedChanges.
  [[nodiscard]] bool TryApply(int from, ChangeOrder order, std::span<const std::byte> message) {
    return UnpackChanges(
        message, [&](std::uint64_t epoch, std::uint64_t number, std::span<const std::byte> diff) {
          const PageNumber page(number);
          return map_.AreAtHome(PageRange::Only(page)) &&
                 home_.Apply(
                     {.page = page, .from = from, .epoch = epoch, .order = order, .diff = diff});
        });
  }
  // kHeld.
  [[nodiscard]] bool TryAddHeld(std::span<const std::byte> message) {
    for (; message.size() >= sizeof(PageRange); message = message.subspan(sizeof(PageRange))) {
      PageRange range;
      std::memcpy(static_cast<void*>(&range), message.data(), sizeof range);
      if (!map_.AreAtHome(range)) return false;
      home_.AddHeld(range);
    }
    return message.empty();
  }

 private:
  const AddressMap& map_;
  HomePages& home_;
};

}  // namespace dsm
