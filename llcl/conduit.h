// A way to other ranks: what an endpoint is made of.
//
// Threads: any, all members; the device as device.h says.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "llcl/device.h"
#include "llcl/region.h"

namespace llcl {

// A resource.
class Conduit {
 public:
  struct Registered {
    LocalRegion local;
    RemoteRegion remote;
  };

  virtual ~Conduit() = default;

  virtual Rank rank() const = 0;
  virtual int size() const = 0;
  virtual Device& device() = 0;

  // The program's memory.
  virtual absl::StatusOr<Registered> Register(std::span<std::byte> memory) = 0;
  // Memory of the conduit's, zeros, until Deregister.
  virtual absl::StatusOr<Registered> Allocate(std::uint64_t bytes) = 0;
  // What lies at `offset` in shared memory of the program's; mapped here until
  // Deregister. The file is not to shrink.
  virtual absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                                    std::uint64_t bytes) = 0;
  virtual void Deregister(const Registered& memory) = 0;
  // Is it registered still? Cheap: asked for each operation.
  virtual bool IsRegistered(const LocalRegion& region) const = 0;

  // Does the command here and now, if that takes no longer than the copying itself.
  // False: it is to be posted. By any thread, without a lock.
  virtual bool TryInPlace(const Command& /*command*/, Outcome& /*outcome*/) { return false; }
};

}  // namespace llcl
