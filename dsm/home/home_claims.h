// How a page gets its home by first touch: the rank that touches it claims it, by a
// compare-and-swap of a word that all ranks find by the page's number. The rank that wins opens the
// page as memory at home; the others fetch it from there, as from any home.
//
// The words lie where the pages would be by Block, so a program whose ranks touch their blocks
// claims them without a message.
//
// Threads: any, all members; Claim in signal handlers too.
//
// Source: first touch is how operating systems place memory; ArgoDSM has it for pages of a
// distributed memory.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "dsm/engine/page_array.h"
#include "dsm/engine/space_memory.h"
#include "dsm/home/home.h"
#include "dsm/layout/address_map.h"
#include "dsm/layout/first_touch.h"
#include "dsm/peers/peers.h"
#include "dsm/threads/waiter.h"

namespace dsm {

// A resource; its parts outlive it.
class HomeClaims {
 public:
  // `touched`: of all pages of the space, as the map's.
  HomeClaims(const Peers& peers, const AddressMap& map, const SpaceMemory& memory, HomePages& home,
             PageArray<FirstTouchPage>& touched, Waiter waiter)
      : peers_(peers),
        map_(map),
        memory_(memory),
        home_(home),
        touched_(touched),
        waiter_(waiter) {}

  // The page's home. Where it has none this rank claims it, and may touch it when this returns.
  // kNoHome: the rank that has the word is gone, or did not answer. Precondition: allocated.
  int Claim(PageNumber page);
  // The same for all of them. Errors: Unavailable.
  absl::Status ClaimAll(PageRange pages);

  // Pages of an allocation by first touch have no home any more, and are zeros. No rank uses them,
  // nor has copies, until all have called this and met.
  void Forget(const Allocation& allocation);

 private:
  // The home after the claim; nothing where no answer came.
  std::optional<int> Ask(PageNumber page);

  const Peers& peers_;
  const AddressMap& map_;
  const SpaceMemory& memory_;
  HomePages& home_;
  PageArray<FirstTouchPage>& touched_;
  const Waiter waiter_;
};

}  // namespace dsm
