#include "llcl/smp/regions.h"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <utility>

#include "llcl/process_limits.h"
#include "llcl/smp/mapper.h"

namespace llcl {

std::uint64_t SmpRegions::NewKey() { return SipHash(seed_, std::to_string(++keys_made_)); }

absl::StatusOr<Conduit::Registered> SmpRegions::Register(std::span<std::byte> memory) {
  const topo::Lock lock(mutex_);
  const RegionId id = table_.Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  // No other rank can access it: no RemoteRegion.
  return Conduit::Registered{{.start = memory.data(), .bytes = memory.size(), .id = id}, {}};
}

absl::StatusOr<Conduit::Registered> SmpRegions::Allocate(std::uint64_t bytes) {
  const absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Conduit::Registered> registered = RegisterShared(fd->get(), 0, bytes);
  if (!registered.ok()) return registered;
  const topo::Lock lock(mutex_);
  shared_[registered->local.id.slot].is_allocated = true;
  return registered;
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
  RemoteRegion remote = {.owner = owner_,
                         .id = id,
                         .start = offset,
                         .bytes = bytes,
                         .misalignment = MisalignmentOf(start)};
  remote.keys.fill(NewKey());
  door_.Offer(SmpMapper::NumberOf(id), copy.get());
  shared_.emplace(id.slot, Shared{std::move(copy), *std::move(memory)});
  table_.Publish(remote);
  return Conduit::Registered{{.start = start, .bytes = bytes, .id = id}, remote};
}

void SmpRegions::Deregister(RegionId id) {
  const topo::Lock lock(mutex_);
  door_.Withdraw(SmpMapper::NumberOf(id));
  table_.Remove(id);
  const auto found = shared_.find(id.slot);
  if (found == shared_.end()) return;
  // Others keep it mapped; so that it takes no memory any more it becomes a hole.
  if (found->second.is_allocated) {
    (void)fallocate(found->second.fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                    static_cast<off_t>(found->second.memory.bytes()));
  }
  shared_.erase(found);
}

}  // namespace llcl
