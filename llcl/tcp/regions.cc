#include "llcl/tcp/regions.h"

#include <cstring>
#include <utility>

namespace llcl {

absl::StatusOr<Conduit::Registered> TcpRegions::Add(std::span<std::byte> memory, Mapped mapped) {
  const topo::Lock lock(mutex_);
  const RegionId id = table_->Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  const std::uint64_t key = SipHash(seed_, {reinterpret_cast<const char*>(&id), sizeof id});
  RemoteRegion remote = {.owner = owner_,
                         .id = id,
                         .start = 0,
                         .bytes = memory.size(),
                         .misalignment = MisalignmentOf(memory.data())};
  remote.keys.fill(key);
  entries_[id.slot] = {memory, std::move(mapped), key};
  table_->Publish(remote);
  return Conduit::Registered{{.start = memory.data(), .bytes = memory.size(), .id = id}, remote};
}

absl::StatusOr<Conduit::Registered> TcpRegions::Register(std::span<std::byte> memory) {
  return Add(memory, Mapped());
}

absl::StatusOr<Conduit::Registered> TcpRegions::RegisterShared(int fd, std::uint64_t offset,
                                                               std::uint64_t bytes) {
  absl::StatusOr<Mapped> mapped = Mapped::Of(fd, EndOf(offset, bytes));
  if (!mapped.ok()) return mapped.status();
  const std::span<std::byte> memory(mapped->data() + offset, bytes);
  return Add(memory, *std::move(mapped));
}

void TcpRegions::Deregister(RegionId id, bool keeps) {
  const topo::Lock lock(mutex_);
  table_->Remove(id);
  Entry gone = std::exchange(entries_[id.slot], Entry());
  if (keeps) kept_.push_back(std::move(gone.mapped));
}

bool TcpRegions::WithRegion(RegionId id, Conduit::OnRegion f) {
  const topo::Lock lock(mutex_);
  if (!table_->Exists(id)) return false;
  f(entries_[id.slot].memory, 0);
  return true;
}

void TcpRegions::CopyEntry(std::uint32_t slot, std::span<std::byte> to) const {
  const RegionTable::Entry& entry = table_->entry(slot);
  RegionTable::Entry copy;
  RemoteRegion region = {.id = {slot, entry.generation.load(std::memory_order_acquire)},
                         .start = entry.start.load(std::memory_order_relaxed),
                         .bytes = entry.bytes.load(std::memory_order_relaxed),
                         .misalignment = static_cast<std::uint8_t>(
                             entry.misalignment.load(std::memory_order_relaxed))};
  for (std::size_t i = 0; i < kMostDevices; ++i) {
    region.keys[i] = entry.keys[i].load(std::memory_order_relaxed);
  }
  copy.Set(region);
  std::memcpy(to.data(), static_cast<const void*>(&copy), sizeof copy);
}

bool TcpRegions::Use(RegionId id, std::uint64_t key, std::uint64_t offset, std::uint64_t bytes,
                     absl::FunctionRef<void(std::byte*)> f) {
  const topo::Lock lock(mutex_);
  if (!table_->Exists(id)) return false;
  const Entry& entry = entries_[id.slot];
  if (entry.key != key || !Fits(offset, bytes, entry.memory.size())) return false;
  f(entry.memory.data() + offset);
  return true;
}

}  // namespace llcl
