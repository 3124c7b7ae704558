#include "llcl/ofi/regions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "llcl/launch/random_name.h"

namespace llcl {
absl::StatusOr<std::unique_ptr<OfiRegions>> OfiRegions::Open(std::vector<OfiFabric*> fabrics,
                                                             Rank owner) {
  const absl::StatusOr<OwnedFd> fd = NewSharedMemory(sizeof(RegionTable));
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), sizeof(RegionTable));
  if (!memory.ok()) return memory.status();
  const absl::StatusOr<std::string> random = RandomName(sizeof(SipKey) / 2);
  if (!random.ok()) return random.status();
  SipKey secret;
  std::copy_n(random->begin(), secret.size(), secret.begin());
  std::unique_ptr<OfiRegions> regions(
      new OfiRegions(std::move(fabrics), owner, secret, *std::move(memory)));
  const absl::StatusOr<Conduit::Registered> table = regions->Register(
      {regions->table_memory_.data(), regions->table_memory_.bytes()}, Use::kByAll);
  if (!table.ok()) return table.status();
  regions->table_region_ = table->remote;
  return regions;
}

// Where keys are short: one that no other region of this rank has for a long time.
std::uint64_t OfiRegions::KeyOf(RegionId id, std::size_t key_bytes) const {
  if (key_bytes == 0 || key_bytes >= sizeof(std::uint64_t)) {
    return SipHash(secret_, {reinterpret_cast<const char*>(&id), sizeof id});
  }
  const std::uint64_t number =
      static_cast<std::uint64_t>(id.generation / 2) * RegionTable::kSlots + id.slot;
  return number & ((std::uint64_t{1} << 8 * key_bytes) - 1);
}

absl::StatusOr<Conduit::Registered> OfiRegions::Register(std::span<std::byte> memory, Use use) {
  const topo::Lock lock(mutex_);
  const RegionId id = table_->Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  std::uint64_t access = FI_READ | FI_WRITE | FI_SEND | FI_RECV;
  if (use == Use::kByAll) access |= FI_REMOTE_READ | FI_REMOTE_WRITE;
  Conduit::Registered registered;
  registered.local = {.start = memory.data(), .bytes = memory.size(), .id = id};
  Entry entry = {.memory = memory};
  for (std::size_t device = 0; device < fabrics_.size(); ++device) {
    OfiFabric& fabric = *fabrics_[device];
    absl::StatusOr<Opened<fid_mr>> region =
        fabric.Register(memory, access, KeyOf(id, fabric.info().domain_attr->mr_key_size));
    if (!region.ok()) {
      Close(entry);
      table_->Remove(id);
      return region.status();
    }
    registered.local.descriptors[device] = fi_mr_desc(region->get());
    registered.remote.keys[device] = fi_mr_key(region->get());
    entry.regions[device] = *std::move(region);
  }
  if (use == Use::kByAll) {
    registered.remote.owner = owner_;
    registered.remote.id = id;
    registered.remote.start = FirstAddressOf(memory);
    registered.remote.bytes = memory.size();
    registered.remote.misalignment = MisalignmentOf(memory.data());
    table_->Publish(registered.remote);
  }
  entries_[id.slot] = std::move(entry);
  return registered;
}

absl::StatusOr<Conduit::Registered> OfiRegions::Keep(Mapped mapped, std::uint64_t offset,
                                                     std::uint64_t bytes) {
  absl::StatusOr<Conduit::Registered> registered =
      Register({mapped.data() + offset, bytes}, Use::kByAll);
  if (!registered.ok()) return registered;
  const topo::Lock lock(mutex_);
  entries_[registered->local.id.slot].mapped = std::move(mapped);
  return registered;
}

std::uint64_t OfiRegions::FirstAddressOf(std::span<std::byte> memory) const {
  return fabrics_.front()->has_mode(FI_MR_VIRT_ADDR)
             ? reinterpret_cast<std::uintptr_t>(memory.data())
             : 0;
}

bool OfiRegions::WithRegion(RegionId id, Conduit::OnRegion f) {
  const topo::Lock lock(mutex_);
  if (!table_->Exists(id)) return false;
  f(entries_[id.slot].memory, FirstAddressOf(entries_[id.slot].memory));
  return true;
}

void OfiRegions::Deregister(RegionId id, Conduit::Mapping mapping) {
  const topo::Lock lock(mutex_);
  Entry gone = std::exchange(entries_[id.slot], Entry());
  // Before others can read that it is gone, and before its memory goes.
  Close(gone);
  table_->Remove(id);
  if (gone.mapped.data() == nullptr) return;
  if (mapping == Conduit::Mapping::kStays) {
    kept_.push_back(std::move(gone.mapped));
    return;
  }
  // libfabric's tcp goes on with a transfer under way: it would read or write whatever is mapped
  // here next. An answer whose bytes it cannot read it drops, and the connection goes on without.
  gone.mapped.Vacate();
  vacated_.push_back(std::move(gone.mapped));
  if (vacated_.size() > kMostVacated) vacated_.pop_front();
}

void OfiRegions::Close(Entry& entry) {
  for (std::size_t device = 0; device < fabrics_.size(); ++device) {
    const topo::Lock lock(fabrics_[device]->mutex());
    entry.regions[device] = Opened<fid_mr>();
  }
}

}  // namespace llcl
