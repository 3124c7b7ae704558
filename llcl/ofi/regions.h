// The memory that a rank has registered with libfabric, and the table by which others
// find out that one of its regions is gone.
//
// A provider does not report why an operation failed: because the region is gone, or
// the connection. So after a failure the requesting rank reads the region's entry in this
// table, which is registered itself and stays; it also does so before it uses a region for
// the first time (lookups.h).
//
// Limit: a provider looks for a region once, when a transfer begins. libfabric's tcp goes on with a
// transfer under way when its region is deregistered. The memory of Allocate and RegisterShared is
// vacated then (Mapped::Vacate): a read brings the region's bytes, or zeros from a large region.
// The program's own memory (Register) is read and written until the transfer's end.
//
// Keys cannot be guessed where llcl chooses them and the provider takes 64 bits: a provider
// lets in every process that names the right one.
//
// Threads: any, all members. fi_close of a region waits for the fabric's mutex.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/launch/siphash.h"
#include "llcl/ofi/fabric.h"
#include "llcl/region/region_table.h"
#include "llcl/shared_memory.h"
#include "topo/mutex.h"

namespace llcl {

// Where a rank's table is, as others address it. A value.
struct OfiTableAddress {
  std::uint64_t key = 0;
  std::uint64_t start = 0;
};

// A resource. The fabrics, one for each device, outlive it.
class OfiRegions {
 public:
  enum class Use { kLocal, kByAll };

  // `owner`: this rank.
  static absl::StatusOr<std::unique_ptr<OfiRegions>> Open(std::vector<OfiFabric*> fabrics,
                                                          Rank owner);

  // Registers with all fabrics.
  absl::StatusOr<Conduit::Registered> Register(std::span<std::byte> memory, Use use);
  // Registers the part of `mapped` that begins at `offset`; Deregister unmaps it.
  absl::StatusOr<Conduit::Registered> Keep(Mapped mapped, std::uint64_t offset,
                                           std::uint64_t bytes);
  // `mapping`: as Conduit's.
  void Deregister(RegionId id, Conduit::Mapping mapping);
  bool IsRegistered(RegionId id) const { return table_->Exists(id); }
  const RegionTable& own() const { return *table_; }
  // As Conduit's.
  bool WithRegion(RegionId id, Conduit::OnRegion f);

  // As others address it through a device.
  OfiTableAddress table(std::size_t device) const {
    return {table_region_.keys[device], table_region_.start};
  }

 private:
  struct Entry {
    std::span<std::byte> memory;
    Mapped mapped;
    std::array<Opened<fid_mr>, kMostDevices> regions;  // the last: closed first
  };

  // A limit of addresses (ulimit -v) counts them, and the kernel their mappings.
  static constexpr std::size_t kMostVacated = 256;

  void Close(Entry& entry);
  std::uint64_t FirstAddressOf(std::span<std::byte> memory) const;

  OfiRegions(std::vector<OfiFabric*> fabrics, Rank owner, SipKey secret, Mapped memory)
      : fabrics_(std::move(fabrics)),
        secret_(secret),
        owner_(owner),
        table_memory_(std::move(memory)),
        table_(reinterpret_cast<RegionTable*>(table_memory_.data())) {}

  std::uint64_t KeyOf(RegionId id, std::size_t key_bytes) const;

  const std::vector<OfiFabric*> fabrics_;
  const SipKey secret_;
  const Rank owner_;
  const Mapped table_memory_;
  RegionTable* const table_;  // in table_memory_
  RemoteRegion table_region_;
  topo::Mutex mutex_;
  std::array<Entry, RegionTable::kSlots> entries_ ABSL_GUARDED_BY(mutex_);  // by slot
  std::vector<Mapped> kept_ ABSL_GUARDED_BY(mutex_);    // of regions that are gone
  std::deque<Mapped> vacated_ ABSL_GUARDED_BY(mutex_);  // addresses of the last that went
};

}  // namespace llcl
