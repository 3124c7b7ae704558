#include "llcl/sim/conduit.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "llcl/shared_memory.h"
#include "topo/mutex.h"

namespace llcl {
namespace {

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Zeros = std::unique_ptr<std::byte, Free>;

class SimConduit final : public Conduit {
 public:
  SimConduit(SimFabric& fabric, Rank rank)
      : fabric_(fabric), rank_(rank), device_(&fabric.device(rank)) {}

  std::string_view name() const override { return "sim"; }
  Rank rank() const override { return rank_; }
  int size() const override { return fabric_.ranks(); }
  int HostOf(Rank rank) const override { return fabric_.HostOf(rank); }
  std::span<Device* const> devices() const override { return {&device_, 1}; }

  RegionTable* RegionsOf(Rank rank) const override { return &fabric_.RegionsOf(rank); }
  bool can_pack() const override { return true; }
  bool WithRegion(RegionId id, OnRegion f) override { return fabric_.WithRegion(rank_, id, f); }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    const RemoteRegion remote = fabric_.Expose(rank_, memory.data(), memory.size());
    if (remote.id.generation == 0) return absl::ResourceExhaustedError("too many regions");
    return Registered{{.start = memory.data(), .bytes = memory.size(), .id = remote.id}, remote};
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override {
    // Much of it may never be touched, and then takes no memory.
    Zeros memory(static_cast<std::byte*>(std::calloc(bytes, 1)));
    if (!memory) return absl::ResourceExhaustedError("no memory for a region");
    absl::StatusOr<Registered> registered = Register({memory.get(), bytes});
    if (!registered.ok()) return registered;
    const topo::Lock lock(mutex_);
    allocated_[registered->local.id.slot] = std::move(memory);
    return registered;
  }
  absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                            std::uint64_t bytes) override {
    absl::StatusOr<Mapped> memory = Mapped::Of(fd, EndOf(offset, bytes));
    if (!memory.ok()) return memory.status();
    absl::StatusOr<Registered> registered = Register({memory->data() + offset, bytes});
    if (!registered.ok()) return registered;
    const topo::Lock lock(mutex_);
    mapped_[registered->local.id.slot] = *std::move(memory);
    return registered;
  }
  // Nothing of this network comes late: it looks for regions when it moves bytes.
  void Deregister(const Registered& memory, Mapping /*mapping*/) override {
    fabric_.Unexpose(memory.remote);
    const topo::Lock lock(mutex_);
    allocated_.erase(memory.local.id.slot);
    mapped_.erase(memory.local.id.slot);
  }
  const RegionTable& own_regions() const override { return fabric_.RegionsOf(rank_); }

 private:
  SimFabric& fabric_;
  const Rank rank_;
  Device* const device_;
  topo::Mutex mutex_;
  // By slot.
  std::map<std::uint32_t, Zeros> allocated_ ABSL_GUARDED_BY(mutex_);
  std::map<std::uint32_t, Mapped> mapped_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Conduit> MakeSimConduit(SimFabric& fabric, Rank rank) {
  return std::make_unique<SimConduit>(fabric, rank);
}

}  // namespace llcl
