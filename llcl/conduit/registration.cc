#include "llcl/conduit/registration.h"

namespace llcl {
namespace {

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
  return region;
}

void Registration::Deregister(const Region& region) {
  conduit_.Deregister({region.local_, region.remote_}, executors_.overdue() > 0
                                                           ? Conduit::Mapping::kStays
                                                           : Conduit::Mapping::kEnds);
}

}  // namespace llcl
