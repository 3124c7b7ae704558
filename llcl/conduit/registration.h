// Registered memory of this rank.
//
// Threads: any, at the same time; a Region by one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "llcl/conduit/conduit.h"
#include "llcl/conduit/executors.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

class Registration;

// A resource: registered memory. The program's memory outlives it; memory of Allocate
// goes with it.
class Region {
 public:
  Region() = default;
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept {
    std::swap(registration_, other.registration_);
    std::swap(local_, other.local_);
    std::swap(remote_, other.remote_);
    return *this;
  }
  // No operation on it may be in flight here; those of other ranks end with kRefused.
  // While operations are overdue, memory of Allocate stays until the endpoint goes.
  ~Region();

  const LocalRegion& local() const { return local_; }
  const RemoteRegion& remote() const { return remote_; }

 private:
  friend class Registration;
  Registration* registration_ = nullptr;
  LocalRegion local_;
  RemoteRegion remote_;
};

// A resource, that makes regions. `conduit` and `executors` outlive it, and it outlives its
// regions.
class Registration {
 public:
  Registration(Conduit& conduit, const Executors& executors)
      : conduit_(conduit), executors_(executors) {}
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  // endpoint.h describes them. InvalidArgument for no bytes.
  absl::StatusOr<Region> Register(std::span<std::byte> memory);
  absl::StatusOr<Region> Allocate(std::uint64_t bytes);
  absl::StatusOr<Region> RegisterShared(int fd, std::uint64_t offset, std::uint64_t bytes);

  // Calls f(memory) for a region of this rank, which is not deregistered meanwhile; f does not
  // wait. False: there is no region of exactly this description.
  using OnMemory = absl::FunctionRef<void(std::span<std::byte> memory)>;
  bool With(const RemoteRegion& region, OnMemory f);

 private:
  friend class Region;
  struct Registered {
    LocalRegion local;
    RemoteRegion remote;
    int users = 0;  // calls of With
  };
  absl::StatusOr<Region> RegionOf(const absl::StatusOr<Conduit::Registered>& registered);
  void Deregister(const Region& region);
  void Forget(RegionId id);

  Conduit& conduit_;
  const Executors& executors_;
  topo::Mutex mutex_;
  std::map<std::uint32_t, Registered> regions_ ABSL_GUARDED_BY(mutex_);  // by slot
};

}  // namespace llcl
