#include "llcl/tcp/conduit.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "llcl/launch/random_name.h"
#include "llcl/launch/siphash.h"
#include "llcl/shared_memory.h"
#include "llcl/tcp/device.h"
#include "llcl/tcp/meeting.h"
#include "llcl/tcp/regions.h"

namespace llcl {
namespace {

class TcpConduit final : public Conduit {
 public:
  TcpConduit(const Launch& launch, SipKey seed, std::vector<OwnedFd> connections)
      : rank_(launch.rank()),
        size_(launch.size()),
        regions_(rank_, seed),
        device_(rank_, std::move(connections), regions_) {}

  absl::Status Open() { return device_.Open(); }

  std::string_view name() const override { return "tcp"; }
  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  std::span<Device* const> devices() const override { return {&device_pointer_, 1}; }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    return regions_.Register(memory);
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override {
    const absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes);
    if (!fd.ok()) return fd.status();
    return RegisterShared(fd->get(), 0, bytes);
  }
  absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                            std::uint64_t bytes) override {
    return regions_.RegisterShared(fd, offset, bytes);
  }
  void Deregister(const Registered& memory, Mapping mapping) override {
    regions_.Deregister(memory.local.id, mapping);
  }
  absl::Status Adopt(Registered& memory) override {
    regions_.Adopt(memory);
    return absl::OkStatus();
  }
  Streams* streams() override { return &device_; }
  const RegionTable& own_regions() const override { return regions_.table(); }

  bool TryInPlace(const Command& command, Outcome& outcome) override {
    if (command.peer != rank_) return false;
    outcome = regions_.Execute(command);
    return true;
  }

 private:
  const Rank rank_;
  const int size_;
  TcpRegions regions_;
  TcpDevice device_;
  Device* const device_pointer_ = &device_;  // for devices()
};

}  // namespace

// With the device's two epolls.
std::uint64_t TcpDescriptors(std::size_t connections) { return connections + 2; }

absl::StatusOr<std::unique_ptr<Conduit>> MakeTcpConduit(Launch& launch, const TcpOptions& options) {
  const absl::StatusOr<std::string> random = RandomName(sizeof(SipKey) / 2);
  if (!random.ok()) return random.status();
  SipKey seed = {};
  std::copy_n(random->begin(), seed.size(), seed.begin());
  const Neighbors here(options.here.empty() ? std::vector{launch.rank()} : options.here,
                       launch.size());
  auto connections = MeetByTcp(launch, options.node, here);
  if (!connections.ok()) return connections.status();
  auto conduit = std::make_unique<TcpConduit>(launch, seed, *std::move(connections));
  if (const absl::Status opened = conduit->Open(); !opened.ok()) return opened;
  return conduit;
}

}  // namespace llcl
