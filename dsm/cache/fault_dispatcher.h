// Where a fault in a space goes: to the copies, or to what is at home.
//
// Threads: any, in signal handlers too.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/faults.h"
#include "dsm/home/home.h"
#include "dsm/layout/address_map.h"
#include "dsm/peers/waiter.h"

namespace dsm {

// A resource: the engine reports faults to it from Make to its end. Its parts outlive it.
class FaultDispatcher final : private FaultListener {
 public:
  // Errors: those of Engine::Listen.
  static absl::StatusOr<std::unique_ptr<FaultDispatcher>> Make(Engine& engine,
                                                               const AddressMap& map,
                                                               Copies& copies, HomePages& home,
                                                               Waiter waiter) {
    std::unique_ptr<FaultDispatcher> faults(new FaultDispatcher(map, copies, home, waiter));
    absl::StatusOr<std::unique_ptr<FaultWatch>> watch = engine.Listen(*faults);
    if (!watch.ok()) return watch.status();
    faults->watch_ = *std::move(watch);
    return faults;
  }

 private:
  FaultDispatcher(const AddressMap& map, Copies& copies, HomePages& home, Waiter waiter)
      : map_(map), copies_(copies), home_(home), waiter_(waiter) {}

  bool OnFault(std::uint64_t offset, bool writes) override {
    const PageNumber page = map_.page_size().PageAt(offset);
    const Access access = writes ? Access::kWrite : Access::kRead;
    const Allocation* const allocation = map_.AllocationAt(page);
    if (allocation == nullptr) return false;
    if (allocation->HomeOf(page) == map_.rank()) return home_.OnFault(page, access);
    copies_.OnFault(page, access);
    return true;
  }
  bool MaySwitch() const override { return waiter_.has_others(); }

  const AddressMap& map_;
  Copies& copies_;
  HomePages& home_;
  const Waiter waiter_;
  std::unique_ptr<FaultWatch> watch_;
};

}  // namespace dsm
