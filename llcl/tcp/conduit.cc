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
  TcpConduit(const Launch& launch, SipKey seed, TcpMet met)
      : rank_(launch.rank()),
        size_(launch.size()),
        regions_(rank_, seed),
        device_(rank_, std::move(met.connections), regions_, std::move(met.connector)) {}

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

std::vector<int> HostsOf(const Launch& launch, const TcpOptions& options) {
  std::vector<int> hosts = options.hosts;
  for (int rank = 0; options.hosts.empty() && rank < launch.size(); ++rank) hosts.push_back(rank);
  return hosts;
}

}  // namespace

std::uint64_t TcpDescriptors(const Launch& launch, const TcpOptions& options) {
  constexpr std::size_t kEpolls = 2;
  const std::vector<int> hosts = HostsOf(launch, options);
  return FirstToMeet(launch.rank(), hosts).size() + kEpolls + DescriptorsOfCalls(hosts);
}

absl::StatusOr<std::unique_ptr<Conduit>> MakeTcpConduit(Launch& launch, const TcpOptions& options) {
  const absl::StatusOr<std::string> random = RandomName(sizeof(SipKey) / 2);
  if (!random.ok()) return random.status();
  SipKey seed = {};
  std::copy_n(random->begin(), seed.size(), seed.begin());
  auto met = MeetByTcp(launch, options.node, HostsOf(launch, options));
  if (!met.ok()) return met.status();
  auto conduit = std::make_unique<TcpConduit>(launch, seed, *std::move(met));
  if (const absl::Status opened = conduit->Open(); !opened.ok()) return opened;
  return conduit;
}

}  // namespace llcl
