// Where a fault in a space goes: to the copies, or to what is at home.
//
// Threads: any, in signal handlers too.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/cache/page_source.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/faults.h"
#include "dsm/home/home.h"
#include "dsm/home/home_claims.h"
#include "dsm/layout/address_map.h"
#include "dsm/threads/never_waits.h"
#include "dsm/threads/waiter.h"

namespace dsm {

// A resource: the engine reports faults to it from Make to its end. Its parts outlive it.
class FaultDispatcher final : private FaultListener {
 public:
  // Errors: those of Engine::Listen.
  static absl::StatusOr<std::unique_ptr<FaultDispatcher>> Make(Engine& engine,
                                                               const AddressMap& map,
                                                               Copies& copies, HomePages& home,
                                                               HomeClaims& claims,
                                                               PageSource& source, Waiter waiter) {
    std::unique_ptr<FaultDispatcher> faults(
        new FaultDispatcher(map, copies, home, claims, source, waiter));
    absl::StatusOr<std::unique_ptr<FaultWatch>> watch = engine.Listen(*faults);
    if (!watch.ok()) return watch.status();
    faults->watch_ = *std::move(watch);
    return faults;
  }

 private:
  FaultDispatcher(const AddressMap& map, Copies& copies, HomePages& home, HomeClaims& claims,
                  PageSource& source, Waiter waiter)
      : map_(map),
        copies_(copies),
        home_(home),
        claims_(claims),
        source_(source),
        waiter_(waiter) {}

  bool OnFault(std::uint64_t offset, FaultKind kind) override {
    const Access access = kind == FaultKind::kWrite ? Access::kWrite : Access::kRead;
    const PageNumber page = map_.page_size().PageAt(offset);
    const Allocation* const allocation = map_.AllocationAt(page);
    if (allocation == nullptr) return false;
    const int home = allocation->HomeOf(page);
    // With a server even the fault of a page at home waits: for the server's thread, which may be
    // waiting for another page.
    if ((home != map_.rank() || never_waits::IsServing()) && never_waits::IsHere()) {
      never_waits::EndAt(map_.AddressOf(page) + offset % map_.page_size().bytes(), map_.rank(),
                         home);
    }
    if (home == map_.rank() && allocation->touched == nullptr) return home_.OnFault(page, access);
    if (home == map_.rank()) {
      home_.OnFaultOpened(page, access);
    } else if (home != kNoHome) {
      copies_.OnFault(page, access);
    } else if (claims_.Claim(page) == kNoHome) {
      source_.OnLost(PageRange::Only(page));
    }
    // With a home now, the access is done again.
    return true;
  }
  bool MaySwitch() const override { return waiter_.has_others(); }

  const AddressMap& map_;
  Copies& copies_;
  HomePages& home_;
  HomeClaims& claims_;
  PageSource& source_;
  const Waiter waiter_;
  std::unique_ptr<FaultWatch> watch_;
};

}  // namespace dsm
