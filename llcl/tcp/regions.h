// The regions of a rank that others access by TCP: their memory, which only this process touches.
//
// Threads: any. A region is not deregistered while a thread uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "llcl/completion.h"
#include "llcl/conduit/conduit.h"
#include "llcl/executor/command.h"
#include "llcl/launch/siphash.h"
#include "llcl/region.h"
#include "llcl/region/region_table.h"
#include "llcl/shared_memory.h"
#include "topo/mutex.h"

namespace llcl {

// A resource.
class TcpRegions {
 public:
  // `seed`: keys are made from it; no other process knows it.
  TcpRegions(Rank owner, SipKey seed) : owner_(owner), seed_(seed), table_(new RegionTable) {}
  TcpRegions(const TcpRegions&) = delete;
  TcpRegions& operator=(const TcpRegions&) = delete;

  // As Conduit's.
  absl::StatusOr<Conduit::Registered> Register(std::span<std::byte> memory);
  absl::StatusOr<Conduit::Registered> RegisterShared(int fd, std::uint64_t offset,
                                                     std::uint64_t bytes);
  void Deregister(RegionId id, Conduit::Mapping mapping);
  // Others may use a region that another conduit has registered, by its description there.
  void Adopt(const Conduit::Registered& region);

  const RegionTable& table() const { return *table_; }

  // f(memory) for `bytes` from `address` on, of a region of this rank with that KeyOfDescription;
  // false if there is none, or it is smaller.
  bool Use(RegionId id, std::uint64_t key, std::uint64_t address, std::uint64_t bytes,
           absl::FunctionRef<void(std::byte*)> f);
  // Does the read, write or atomic on a region of this rank.
  Outcome Execute(const Command& command);

 private:
  struct Entry {
    std::span<std::byte> memory;
    std::uint64_t start = 0;  // the address of its first byte in commands
    Mapped mapped;            // none of an adopted region
    std::uint64_t key = 0;    // KeyOfDescription
  };
  absl::StatusOr<Conduit::Registered> Add(std::span<std::byte> memory, Mapped mapped);

  const Rank owner_;
  const SipKey seed_;
  const std::unique_ptr<RegionTable> table_;
  topo::Mutex mutex_;
  std::array<Entry, RegionTable::kSlots> entries_ ABSL_GUARDED_BY(mutex_);  // by slot
  std::vector<Mapped> kept_ ABSL_GUARDED_BY(mutex_);  // of regions that are gone
};

}  // namespace llcl
