#include "llcl/region/lookups.h"

#include <algorithm>
#include <utility>

#include "llcl/system/clock.h"

namespace llcl {

Lookups::Lookups(Tag most, Post post, GoOn go_on, Refuse refuse, Table table)
    : post_(std::move(post)),
      go_on_(std::move(go_on)),
      refuse_(std::move(refuse)),
      table_(std::move(table)),
      free_(most),
      looking_(new Looking[most]) {
  for (Tag tag = 0; tag < most; ++tag) {
    looking_[tag].lookups = this;
    looking_[tag].tag = tag;
  }
}

Posted Lookups::TryBegin(const Request& request) {
  const RemoteRegion& claimed = *request.command.unknown;
  // There is no such place to look at.
  if (claimed.id.slot >= RegionTable::kSlots) return Posted::kBadRange;
  const Tag tag = free_.TryTake();
  if (tag == kNullTag) return Posted::kNoTag;
  Looking& looking = looking_[tag];
  looking.request = request;
  looking.request.command.unknown = nullptr;
  looking.claimed = claimed;
  looking.began_ms = NowMs();
  looking.events.Store(0, std::memory_order_relaxed);
  Command look;
  look.kind = CommandKind::kLook;
  look.device = request.command.device;
  look.peer = request.command.peer;
  look.id = claimed.id;
  look.local = reinterpret_cast<std::byte*>(&looking.found);
  look.bytes = sizeof looking.found;
  const Posted posted =
      post_({look, {&OnLooked, &looking}, {&OnReleased, &looking}, request.most_ms});
  if (posted != Posted::kPosted) free_.Free(tag);
  return posted;
}

void Lookups::OnLooked(void* data, Outcome outcome) {
  Looking& looking = *static_cast<Looking*>(data);
  Lookups& self = *looking.lookups;
  if (outcome == Outcome::kDone) {
    self.Judge(looking);
  } else {
    // The request itself was never posted: no device uses its memory.
    looking.request.then.Complete(outcome);
    looking.request.released.Complete(outcome);
  }
  self.CountEvent(looking);
}

void Lookups::OnReleased(void* data, Outcome /*outcome*/) {
  Looking& looking = *static_cast<Looking*>(data);
  looking.lookups->CountEvent(looking);
}

void Lookups::CountEvent(Looking& looking) {
  if (looking.events.FetchAdd(1, std::memory_order_acq_rel) == 1) free_.Free(looking.tag);
}

void Lookups::Judge(const Looking& looking) {
  Request request = looking.request;
  if (!looking.found.Is(looking.claimed, request.command.device)) {
    refuse_(request);
    return;
  }
  {
    const topo::Lock lock(learning_);
    RemoteRegion found = looking.claimed;
    for (std::size_t i = 0; i < kMostDevices; ++i) {
      found.keys[i] = looking.found.keys[i].load(std::memory_order_relaxed);
    }
    RegionTable& known = table_(request.command.peer);
    if (!known.Has(found, request.command.device)) known.Learn(found);
  }
  if (request.most_ms > 0) {
    const std::int64_t took = NowMs() - looking.began_ms;
    request.most_ms = static_cast<std::uint32_t>(std::max<std::int64_t>(request.most_ms - took, 1));
  }
  go_on_(request);
}

}  // namespace llcl
