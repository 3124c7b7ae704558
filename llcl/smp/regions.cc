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
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory.data()));
  return Add({.memory = memory, .start = MappedRegions::kStartOfOwn + address});
}

absl::StatusOr<Conduit::Registered> SmpRegions::Allocate(std::uint64_t bytes) {
  const topo::Lock lock(mutex_);
  absl::StatusOr<SmpArena::Taken> taken = arena_.Take(bytes);
  if (!taken.ok()) return taken.status();
  const topo::AddressRange range = taken->range;
  absl::StatusOr<Conduit::Registered> added =
      Add({.memory = {taken->memory, bytes}, .start = range.begin, .range = range});
  if (!added.ok()) arena_.Retire(range, 0);
  return added;
}

absl::StatusOr<Conduit::Registered> SmpRegions::RegisterShared(int fd, std::uint64_t offset,
                                                               std::uint64_t bytes) {
  OwnedFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) {
    return absl::ResourceExhaustedError("cannot keep shared memory open: " +
                                        WhyCallFailed("fcntl", errno));
  }
  absl::StatusOr<Mapped> mapped = Mapped::Of(fd, EndOf(offset, bytes));
  if (!mapped.ok()) return mapped.status();
  const std::span<std::byte> memory(mapped->data() + offset, bytes);
  const topo::Lock lock(mutex_);
  return Add({.memory = memory,
              .start = MappedRegions::kStartOfShared + offset,
              .fd = std::move(copy),
              .mapped = *std::move(mapped)});
}

absl::StatusOr<Conduit::Registered> SmpRegions::Add(Entry entry) {
  const RegionId id = table_.Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  RemoteRegion remote = {.owner = owner_,
                         .id = id,
                         .start = entry.start,
                         .bytes = entry.memory.size(),
                         .misalignment = MisalignmentOf(entry.memory.data())};
  entry.key = SipHash(seed_, std::to_string(++keys_made_)) | 1;
  remote.keys.fill(entry.key);
  const LocalRegion local = {.start = entry.memory.data(), .bytes = entry.memory.size(), .id = id};
  if (entry.fd.get() >= 0) door_.Offer(SmpMapper::NumberOf(id), entry.fd.get());
  entries_.insert_or_assign(id.slot, std::move(entry));
  table_.Publish(remote);
  return Conduit::Registered{local, remote};
}

void SmpRegions::Deregister(RegionId id, Conduit::Mapping mapping) {
  bool may_have_writers = false;
  std::uint64_t key = 0;
  {
    const topo::Lock lock(mutex_);
    table_.Remove(id);
    // Before another region gets the slot.
    may_have_writers = table_.TakeWrites(id.slot);
    const auto found = entries_.find(id.slot);
    Entry& entry = found->second;
    key = entry.key;
    if (entry.fd.get() >= 0) door_.Withdraw(SmpMapper::NumberOf(id));
    if (mapping == Conduit::Mapping::kStays) {
      kept_.push_back(std::move(entry.mapped));
    } else if (entry.range.bytes() > 0) {
      arena_.Retire(entry.range, key);
    }
    entries_.erase(found);
  }
  // The program uses own memory for something else now.
  if (may_have_writers) device_.AwaitWriters(key);
}

bool SmpRegions::WithRegion(RegionId id, Conduit::OnRegion f) {
  const topo::Lock lock(mutex_);
  if (!table_.Exists(id)) return false;
  const Entry& entry = entries_.find(id.slot)->second;
  f(entry.memory, entry.start);
  return true;
}

}  // namespace llcl
