#include "llcl/tcp/regions.h"

#include <utility>

#include "llcl/executor/in_place.h"

namespace llcl {

absl::StatusOr<Conduit::Registered> TcpRegions::Add(std::span<std::byte> memory, Mapped mapped) {
  const topo::Lock lock(mutex_);
  const RegionId id = table_->Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  RemoteRegion remote = {.owner = owner_,
                         .id = id,
                         .start = 0,
                         .bytes = memory.size(),
                         .misalignment = MisalignmentOf(memory.data())};
  remote.keys.fill(SipHash(seed_, {reinterpret_cast<const char*>(&id), sizeof id}));
  entries_[id.slot] = {memory, remote.start, std::move(mapped), KeyOfDescription(remote, 0)};
  table_->Publish(remote);
  return Conduit::Registered{{.start = memory.data(), .bytes = memory.size(), .id = id}, remote};
}

void TcpRegions::Adopt(const Conduit::Registered& region) {
  const topo::Lock lock(mutex_);
  const RemoteRegion& remote = region.remote;
  entries_[remote.id.slot] = {{region.local.start, region.local.bytes},
                              remote.start,
                              Mapped(),
                              KeyOfDescription(remote, 0)};
  table_->Publish(remote);
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

void TcpRegions::Deregister(RegionId id, Conduit::Mapping mapping) {
  const topo::Lock lock(mutex_);
  table_->Remove(id);
  Entry gone = std::exchange(entries_[id.slot], Entry());
  if (mapping == Conduit::Mapping::kStays) kept_.push_back(std::move(gone.mapped));
}

bool TcpRegions::Use(RegionId id, std::uint64_t key, std::uint64_t address, std::uint64_t bytes,
                     absl::FunctionRef<void(std::byte*)> f) {
  const topo::Lock lock(mutex_);
  if (!table_->Exists(id)) return false;
  const Entry& entry = entries_[id.slot];
  const std::uint64_t offset = address - entry.start;  // Below the start: too large.
  if (entry.key != key || !Fits(offset, bytes, entry.memory.size())) return false;
  f(entry.memory.data() + offset);
  return true;
}

Outcome TcpRegions::Execute(const Command& command) {
  const auto execute = [&](std::byte* at) { ExecuteInPlace(command, at); };
  return Use(command.id, command.key, command.address, command.bytes, execute) ? Outcome::kDone
                                                                               : Outcome::kRefused;
}

}  // namespace llcl
