#include "llcl/mixed/conduit.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/conduit/neighbors.h"
#include "llcl/launch/agreement.h"
#include "llcl/mixed/device.h"
#include "llcl/tcp/conduit.h"

namespace llcl {
namespace {

class MixedConduit final : public Conduit {
 public:
  MixedConduit(std::vector<int> hosts, Neighbors neighbors, std::unique_ptr<Conduit> near,
               std::unique_ptr<Conduit> far)
      : hosts_(std::move(hosts)),
        neighbors_(std::move(neighbors)),
        near_(std::move(near)),
        far_(std::move(far)),
        device_(neighbors_, near_->device(), far_->device(), *far_->streams()) {}
  absl::Status Open() { return device_.Open(); }

  std::string_view name() const override { return "mixed"; }
  std::string remark() const override;
  Rank rank() const override { return near_->rank(); }
  int size() const override { return near_->size(); }
  int HostOf(Rank rank) const override { return hosts_[static_cast<std::size_t>(ToInt(rank))]; }
  std::span<Device* const> devices() const override { return {&device_pointer_, 1}; }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    return Adopted(near_->Register(memory));
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override {
    return Adopted(near_->Allocate(bytes));
  }
  absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                            std::uint64_t bytes) override {
    return Adopted(near_->RegisterShared(fd, offset, bytes));
  }
  // The network first: it uses the memory as long as it knows the region.
  void Deregister(const Registered& memory, Mapping mapping) override {
    far_->Deregister(memory, mapping);
    near_->Deregister(memory, mapping);
  }
  bool WithRegion(RegionId id, OnRegion f) override { return near_->WithRegion(id, f); }
  bool has_commands_for_owners() const override { return near_->has_commands_for_owners(); }
  bool IsForOwner(const Command& command) const override {
    return neighbors_.Have(command.peer) && near_->IsForOwner(command);
  }

  const RegionTable& own_regions() const override { return near_->own_regions(); }
  RegionTable* RegionsOf(Rank rank) const override { return To(rank).RegionsOf(rank); }
  const MappedRegions* MappedRegionsOf(Rank rank) const override {
    return To(rank).MappedRegionsOf(rank);
  }
  Channels* channels() override { return near_->channels(); }
  Streams* streams() override { return &device_; }
  Marks* marks() const override { return near_->marks(); }
  bool TryInPlace(const Command& command, Outcome& outcome) override {
    return neighbors_.Have(command.peer) && near_->TryInPlace(command, outcome);
  }

 private:
  const Conduit& To(Rank rank) const { return neighbors_.Have(rank) ? *near_ : *far_; }
  absl::StatusOr<Registered> Adopted(absl::StatusOr<Registered> registered) {
    if (!registered.ok()) return registered;
    const absl::Status adopted = far_->Adopt(*registered);
    if (adopted.ok()) return registered;
    near_->Deregister(*registered, Mapping::kEnds);
    return adopted;
  }

  const std::vector<int> hosts_;  // by rank
  const Neighbors neighbors_;
  const std::unique_ptr<Conduit> near_, far_;
  MixedDevice device_;
  Device* const device_pointer_ = &device_;  // for devices()
};

std::string MixedConduit::remark() const {
  const auto here = static_cast<int>(neighbors_.size());
  std::string text = absl::StrCat(here, " of ", size(), " ranks by ", std::string(near_->name()));
  if (const std::string remark = near_->remark(); here > 1) absl::StrAppend(&text, ", ", remark);
  return absl::StrCat(text, "; the others by ", std::string(far_->name()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conduit>> MakeMixedConduit(Launch& launch,
                                                          const MixedOptions& options) {
  std::vector<Rank> here;
  const int host = options.hosts[static_cast<std::size_t>(ToInt(launch.rank()))];
  for (std::size_t rank = 0; rank < options.hosts.size(); ++rank) {
    if (options.hosts[rank] == host) here.push_back(Rank{static_cast<std::int32_t>(rank)});
  }
  // The device watches both ways by one more.
  const TcpOptions beyond = {.node = options.node, .hosts = options.hosts};
  const std::uint64_t descriptors = TcpDescriptors(launch, beyond) + 1;
  auto near = MakeSmpConduit(launch, {.own_memory = options.own_memory,
                                      .ranks = here,
                                      .has_network = true,
                                      .other_descriptors = descriptors});
  if (!near.ok()) return near.status();
  auto far = MakeTcpConduit(launch, beyond);
  if (!far.ok()) return far.status();
  auto conduit = std::make_unique<MixedConduit>(
      options.hosts, Neighbors(std::move(here), launch.size()), *std::move(near), *std::move(far));
  if (absl::Status all = MeetOrRefuse(launch, conduit->Open()); !all.ok()) return all;
  return conduit;
}

}  // namespace llcl
