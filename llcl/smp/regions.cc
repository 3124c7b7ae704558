#include "llcl/smp/regions.h"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <utility>

#include "llcl/process_limits.h"
#include "llcl/region/mapped_regions.h"
#include "llcl/smp/mapper.h"

namespace llcl {

absl::StatusOr<Conduit::Registered> SmpRegions::Register(std::span<std::byte> memory) {
  const topo::Lock lock(mutex_);
  const RegionId id = table_.Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  // No other rank can access it: no RemoteRegion.
  return Conduit::Registered{{.start = memory.data(), .bytes = memory.size(), .id = id}, {}};
}

absl::StatusOr<Conduit::Registered> SmpRegions::Allocate(std::uint64_t bytes) {
  const topo::Lock lock(mutex_);
  absl::StatusOr<SmpArena::Taken> taken = arena_.Take(bytes);
  if (!taken.ok()) return taken.status();
  const RegionId id = table_.Add();
  if (id.generation == 0) {
    arena_.Retire(taken->range, id);
    return absl::ResourceExhaustedError("too many regions");
  }
  allocated_.emplace(id.slot, taken->range);
  return Publish(id, taken->memory, taken->range.begin, bytes);
}

absl::StatusOr<Conduit::Registered> SmpRegions::RegisterShared(int fd, std::uint64_t offset,
                                                               std::uint64_t bytes) {
  OwnedFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) {
    return absl::ResourceExhaustedError("cannot keep shared memory open: " +
                                        WhyCallFailed("fcntl", errno));
  }
  absl::StatusOr<Mapped> memory = Mapped::Of(fd, EndOf(offset, bytes));
  if (!memory.ok()) return memory.status();
  const topo::Lock lock(mutex_);
  const RegionId id = table_.Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  std::byte* const start = memory->data() + offset;
  door_.Offer(SmpMapper::NumberOf(id), copy.get());
  shared_.emplace(id.slot, Shared{std::move(copy), *std::move(memory)});
  return Publish(id, start, MappedRegions::kStartOfShared + offset, bytes);
}

Conduit::Registered SmpRegions::Publish(RegionId id, std::byte* memory, std::uint64_t start,
                                        std::uint64_t bytes) {
  RemoteRegion remote = {.owner = owner_,
                         .id = id,
                         .start = start,
                         .bytes = bytes,
                         .misalignment = MisalignmentOf(memory)};
  remote.keys.fill(SipHash(seed_, std::to_string(++keys_made_)));
  table_.Publish(remote);
  return {{.start = memory, .bytes = bytes, .id = id}, remote};
}

void SmpRegions::Deregister(RegionId id) {
  const topo::Lock lock(mutex_);
  door_.Withdraw(SmpMapper::NumberOf(id));
  table_.Remove(id);
  // Others keep it mapped.
  shared_.erase(id.slot);
  if (const auto found = allocated_.find(id.slot); found != allocated_.end()) {
    arena_.Retire(found->second, id);
    allocated_.erase(found);
  }
}

}  // namespace llcl
