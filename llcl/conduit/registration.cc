#include "llcl/conduit/registration.h"

#include <sched.h>

namespace llcl {
namespace {

bool AreSame(const RemoteRegion& a, const RemoteRegion& b) {
  return a.owner == b.owner && a.id == b.id && a.keys == b.keys && a.start == b.start &&
         a.bytes == b.bytes && a.misalignment == b.misalignment;
}

absl::Status NoBytes() { return absl::InvalidArgumentError("a region has at least one byte"); }

}  // namespace

Region::~Region() {
  if (registration_ != nullptr) registration_->Deregister(*this);
}

absl::StatusOr<Region> Registration::Register(std::span<std::byte> memory) {
  if (memory.empty()) return NoBytes();
  return RegionOf(conduit_.Register(memory));
}

absl::StatusOr<Region> Registration::Allocate(std::uint64_t bytes) {
  if (bytes == 0) return NoBytes();
  return RegionOf(conduit_.Allocate(bytes));
}

absl::StatusOr<Region> Registration::RegisterShared(int fd, std::uint64_t offset,
                                                    std::uint64_t bytes) {
  if (bytes == 0) return NoBytes();
  return RegionOf(conduit_.RegisterShared(fd, offset, bytes));
}

absl::StatusOr<Region> Registration::RegionOf(
    const absl::StatusOr<Conduit::Registered>& registered) {
  if (!registered.ok()) return registered.status();
  Region region;
  region.registration_ = this;
  region.local_ = registered->local;
  region.remote_ = registered->remote;
  const topo::Lock lock(mutex_);
  regions_[region.remote_.id.slot] = {region.local_, region.remote_};
  return region;
}

bool Registration::With(const RemoteRegion& region, OnMemory f) {
  std::map<std::uint32_t, Registered>::iterator found;
  {
    const topo::Lock lock(mutex_);
    found = regions_.find(region.id.slot);
    if (found == regions_.end() || !AreSame(found->second.remote, region)) return false;
    ++found->second.users;
  }
  f({found->second.local.start, static_cast<std::size_t>(found->second.local.bytes)});
  const topo::Lock lock(mutex_);
  --found->second.users;
  return true;
}

// After the calls of With that are under way.
void Registration::Forget(RegionId id) {
  while (true) {
    {
      const topo::Lock lock(mutex_);
      const auto found = regions_.find(id.slot);
      if (found == regions_.end()) return;
      if (found->second.users == 0) {
        regions_.erase(found);
        return;
      }
    }
    sched_yield();
  }
}

void Registration::Deregister(const Region& region) {
  Forget(region.remote_.id);
  conduit_.Deregister({region.local_, region.remote_}, executors_.overdue() > 0
                                                           ? Conduit::Mapping::kStays
                                                           : Conduit::Mapping::kEnds);
}

}  // namespace llcl
