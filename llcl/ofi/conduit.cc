#include "llcl/ofi/conduit.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llcl/launch/interfaces.h"
#include "llcl/launch/place.h"
#include "llcl/launch/random_name.h"
#include "llcl/ofi/device.h"
#include "llcl/ofi/fabric.h"
#include "llcl/ofi/regions.h"
#include "llcl/owned_fd.h"
#include "llcl/shared_memory.h"

namespace llcl {
namespace {

class OfiConduit final : public Conduit {
 public:
  explicit OfiConduit(const Launch& launch)
      : rank_(launch.rank()), size_(launch.size()), known_(launch.size()) {}
  ~OfiConduit() override {
    for (std::size_t i = 0; i < fabrics_.size(); ++i) {
      fabrics_[i]->CloseEndpoints(i < devices_.size() && devices_[i]->is_reading());
    }
  }

  absl::Status Begin(Launch& launch, const OfiOptions& options);

  std::string_view name() const override { return "ofi"; }
  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  std::span<Device* const> devices() const override { return as_devices_; }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    return regions_->Register(memory, OfiRegions::Use::kByAll);
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override {
    const absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes);
    if (!fd.ok()) return fd.status();
    return RegisterShared(fd->get(), 0, bytes);
  }
  absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                            std::uint64_t bytes) override {
    absl::StatusOr<Mapped> mapped = Mapped::Of(fd, EndOf(offset, bytes));
    if (!mapped.ok()) return mapped.status();
    return regions_->Keep(*std::move(mapped), offset, bytes);
  }
  void Deregister(const Registered& memory, Mapping mapping) override {
    regions_->Deregister(memory.local.id, mapping);
  }
  const RegionTable& own_regions() const override { return regions_->own(); }

  RegionTable* RegionsOf(Rank rank) const override { return &known_.of(rank); }
  bool learns_regions() const override { return true; }

  bool can_pack() const override { return true; }
  bool WithRegion(RegionId id, OnRegion f) override { return regions_->WithRegion(id, f); }

 private:
  const Rank rank_;
  const int size_;
  const RegionTables known_;  // of the others, and of this one as the others see it
  // In the order in which they use each other.
  std::vector<std::unique_ptr<OfiFabric>> fabrics_;
  std::unique_ptr<OfiRegions> regions_;
  std::vector<std::unique_ptr<OfiDevice>> devices_;
  std::vector<Device*> as_devices_;
};

// A number that cannot be guessed: the first rank's.
absl::StatusOr<std::uint64_t> AgreeOnToken(Launch& launch) {
  const absl::StatusOr<std::string> random = RandomName(sizeof(std::uint64_t));
  if (!random.ok()) return random.status();
  const auto all = launch.Allgather(*random);
  if (!all.ok()) return all.status();
  return std::strtoull(all->front().c_str(), nullptr, 16);
}

absl::Status OfiConduit::Begin(Launch& launch, const OfiOptions& options) {
  if (options.devices < 1 || static_cast<std::size_t>(options.devices) > kMostDevices) {
    return absl::InvalidArgumentError("there are 1 to " + std::to_string(kMostDevices) +
                                      " devices, not " + std::to_string(options.devices));
  }
  const absl::StatusOr<std::vector<Place>> places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  // libfabric binds one address: the first is the launch's own, by which the others reach this
  // rank.
  const bool is_network = options.node.find('/') != std::string::npos;
  const auto addresses = FindAddresses(launch, *places, is_network ? options.node : "");
  if (!addresses.ok()) return addresses.status();
  const std::string found = addresses->empty() ? "" : addresses->front();
  const std::string node = is_network ? found : options.node;
  const absl::StatusOr<std::uint64_t> token = AgreeOnToken(launch);
  if (!token.ok()) return token.status();
  const auto counts = launch.Allgather(std::to_string(options.devices));
  if (!counts.ok()) return counts.status();
  for (const std::string& count : *counts) {
    if (count == counts->front()) continue;
    return absl::FailedPreconditionError(
        "the ranks do not all ask for as many devices: " + counts->front() + " and " + count);
  }

  std::vector<OfiFabric*> fabrics;
  for (int number = 0; number < options.devices; ++number) {
    const std::string& provider = fabrics_.empty() ? options.provider : fabrics_[0]->provider();
    auto fabric = OfiFabric::OpenFirst(provider, node, found, number);
    if (!fabric.ok()) return fabric.status();
    fabrics_.push_back(*std::move(fabric));
    fabrics.push_back(fabrics_.back().get());
  }
  auto regions = OfiRegions::Open(fabrics, rank_);
  if (!regions.ok()) return regions.status();
  regions_ = *std::move(regions);
  for (std::size_t number = 0; number < fabrics.size(); ++number) {
    auto device =
        OfiDevice::Open(launch, *places, *fabrics[number], number, *regions_, known_, *token);
    if (!device.ok()) return device.status();
    devices_.push_back(*std::move(device));
    as_devices_.push_back(devices_.back().get());
  }
  return absl::OkStatus();
}

}  // namespace

bool FindsRdma() {
  const auto& all = OfiFabric::kWithRdma;
  return std::any_of(all.begin(), all.end(), OfiFabric::Finds);
}

absl::StatusOr<std::unique_ptr<Conduit>> MakeOfiConduit(Launch& launch, const OfiOptions& options) {
  auto conduit = std::make_unique<OfiConduit>(launch);
  if (const absl::Status begun = conduit->Begin(launch, options); !begun.ok()) return begun;
  return conduit;
}

}  // namespace llcl
