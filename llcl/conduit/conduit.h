// A way to other ranks, on which an endpoint is built.
//
// Threads: any, all members; the device as in device.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/conduit/channels.h"
#include "llcl/conduit/streams.h"
#include "llcl/executor/device.h"
#include "llcl/region.h"
#include "llcl/region/mapped_regions.h"
#include "llcl/region/marks.h"
#include "llcl/region/region_table.h"

namespace llcl {

// A resource.
class Conduit {
 public:
  struct Registered {
    LocalRegion local;
    RemoteRegion remote;
  };

  virtual ~Conduit() = default;

  // As LLCL_CONDUIT names it.
  virtual std::string_view name() const = 0;
  // A remark for users on the way to other ranks, or nothing.
  virtual std::string remark() const { return ""; }
  virtual Rank rank() const = 0;
  virtual int size() const = 0;
  // A number of the rank's host: ranks with the same one share memory. The same on all ranks.
  virtual int HostOf(Rank rank) const { return ToInt(rank); }

  // One or more, at most kMostDevices, to be used at the same time: network cards, or
  // queues of one. Messages and atomics go by the first, so that messages keep to one
  // order of arrival and each word has one agent; reads and writes by any.
  virtual std::span<Device* const> devices() const = 0;
  Device& device() const { return *devices().front(); }

  // Registers the program's memory. Other ranks may use it, if there is a RemoteRegion.
  virtual absl::StatusOr<Registered> Register(std::span<std::byte> memory) = 0;
  // Allocates memory of the conduit's, zeros, until Deregister.
  virtual absl::StatusOr<Registered> Allocate(std::uint64_t bytes) = 0;
  // Registers the program's shared memory from `offset` on; mapped here until
  // Deregister. The file must not shrink.
  virtual absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                                    std::uint64_t bytes) = 0;
  // Other ranks may use memory that another conduit has registered by this conduit, too, until
  // Deregister: adds to the description. Errors: Unimplemented where it can adopt none.
  virtual absl::Status Adopt(Registered& /*memory*/) {
    return absl::UnimplementedError("this conduit adopts no regions");
  }
  // kStays: the network may still use the memory here; the conduit's own memory stays mapped as
  // long as the conduit lives.
  enum class Mapping : std::uint8_t { kEnds, kStays };
  virtual void Deregister(const Registered& memory, Mapping mapping) = 0;
  // Calls f(memory, address of its first byte in commands) for a region of this rank,
  // which is not deregistered meanwhile; false if there is none. f may wait, and calls nothing of
  // the conduit. For requests that come in messages, and the memory of those that go: packing.h.
  using OnRegion = absl::FunctionRef<void(std::span<std::byte> memory, std::uint64_t first)>;
  virtual bool can_pack() const { return false; }
  virtual bool WithRegion(RegionId /*id*/, OnRegion /*f*/) { return false; }

  // Does the owner of the command's region have to execute it, as no other rank can? Then the
  // command goes there in a message. has_commands_for_owners: may the conduit say so of any?
  virtual bool has_commands_for_owners() const { return false; }
  virtual bool IsForOwner(const Command& /*command*/) const { return false; }

  // The table of this rank's regions.
  virtual const RegionTable& own_regions() const = 0;
  // The known regions of a rank, perhaps this one: its table; or, where that cannot be read in
  // place, a table of the entries that commands of the kind kLook have read. Null: the owner
  // compares each command with its table, by KeyOfDescription.
  virtual RegionTable* RegionsOf(Rank /*rank*/) const { return nullptr; }
  virtual bool learns_regions() const { return false; }

  // The regions of a rank that are mapped here, on which requests do operations in place without
  // a command; null where the conduit maps no rank's. As long as the conduit lives.
  virtual const MappedRegions* MappedRegionsOf(Rank /*rank*/) const { return nullptr; }
  // The marks of this rank's threads, for changes of other ranks' regions in place; null as
  // MappedRegionsOf.
  virtual Marks* marks() const { return nullptr; }
  // To the ranks that share memory with this one; null where there are none.
  virtual Channels* channels() { return nullptr; }
  // To ranks by the first device; null where there are none.
  virtual Streams* streams() { return nullptr; }
  // Does the command, whose region RegionsOf has, at once, if that takes no longer than the
  // copying itself. False: the caller must post it. By any thread, without a lock.
  virtual bool TryInPlace(const Command& /*command*/, Outcome& /*outcome*/) { return false; }
};

}  // namespace llcl
