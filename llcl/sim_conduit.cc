#include "llcl/sim_conduit.h"

#include <map>
#include <mutex>
#include <utility>

namespace llcl {
namespace {

class SimConduit final : public Conduit {
 public:
  SimConduit(SimFabric& fabric, Rank rank) : fabric_(fabric), rank_(rank) {}

  Rank rank() const override { return rank_; }
  int size() const override { return fabric_.ranks(); }
  Device& device() override { return fabric_.device(rank_); }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    const RemoteRegion remote = fabric_.Expose(rank_, memory.data(), memory.size());
    return Registered{{.start = memory.data(), .bytes = memory.size(), .id = remote.id}, remote};
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override {
    auto memory = std::make_unique<std::byte[]>(bytes);
    absl::StatusOr<Registered> registered = Register({memory.get(), bytes});
    const std::lock_guard lock(mutex_);
    allocated_[registered->local.id.slot] = std::move(memory);
    return registered;
  }
  void Deregister(const Registered& memory) override {
    fabric_.Unexpose(memory.remote);
    const std::lock_guard lock(mutex_);
    allocated_.erase(memory.local.id.slot);
  }
  bool IsRegistered(const LocalRegion& region) const override {
    return fabric_.IsExposed(rank_, region.id);
  }
  bool IsDown(Rank rank) const override { return fabric_.IsDown(rank); }

 private:
  SimFabric& fabric_;
  const Rank rank_;
  std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<std::byte[]>> allocated_;  // by slot, under mutex_
};

}  // namespace

std::unique_ptr<Conduit> MakeSimConduit(SimFabric& fabric, Rank rank) {
  return std::make_unique<SimConduit>(fabric, rank);
}

}  // namespace llcl
