#include "llcl/smp/conduit.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llcl/conduit/neighbors.h"
#include "llcl/launch/agreement.h"
#include "llcl/launch/random_name.h"
#include "llcl/launch/siphash.h"
#include "llcl/process_limits.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/device.h"
#include "llcl/smp/door.h"
#include "llcl/smp/memory_barrier.h"
#include "llcl/smp/memory_file.h"
#include "llcl/smp/peer.h"
#include "llcl/smp/regions.h"

namespace llcl {
namespace {

// Besides the numbers of memory (SmpMapper), a door has these.
constexpr std::uint64_t kBasics = ~std::uint64_t{0}, kDoorbell = kBasics - 1, kEnd = kBasics - 2;
constexpr std::chrono::seconds kTimeToMeet{5};

// Readable once the process has ended; -1, with errno: the system does not tell.
OwnedFd WatchProcess(pid_t process) {
  return OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

class SmpConduit final : public Conduit {
 public:
  SmpConduit(Rank rank, int size, Neighbors neighbors, std::string secret,
             const SmpOptions& options)
      : rank_(rank),
        size_(size),
        neighbors_(std::move(neighbors)),
        secret_(std::move(secret)),
        own_memory_(options.own_memory),
        has_network_(options.has_network),
        other_descriptors_(options.other_descriptors) {}

  // Makes the door, and the memory and descriptors behind it. Then all ranks meet.
  absl::Status Prepare();
  const std::string& address() const { return door_->address(); }
  // `addresses`: of all ranks of the job, by rank.
  absl::Status Meet(const std::vector<std::string>& addresses);

  std::string_view name() const override { return "smp"; }
  std::string remark() const override;
  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  int HostOf(Rank /*rank*/) const override { return 0; }
  std::span<Device* const> devices() const override { return {&device_pointer_, 1}; }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    return regions_->Register(memory);
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override {
    return regions_->Allocate(bytes);
  }
  absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                            std::uint64_t bytes) override {
    return regions_->RegisterShared(fd, offset, bytes);
  }
  void Deregister(const Registered& memory, Mapping mapping) override {
    // Here a message that comes late finds the region gone.
    regions_->Deregister(memory.local.id, has_network_ ? mapping : Mapping::kEnds);
  }
  bool WithRegion(RegionId id, OnRegion f) override { return regions_->WithRegion(id, f); }
  bool has_commands_for_owners() const override { return true; }
  bool IsForOwner(const Command& command) const override { return device_->IsForOwner(command); }
  const RegionTable& own_regions() const override { return regions_->table(); }
  RegionTable* RegionsOf(Rank rank) const override { return &device_->Of(rank).basics->regions; }
  const MappedRegions* MappedRegionsOf(Rank rank) const override {
    return &device_->Of(rank).mapped;
  }
  Channels* channels() override { return &device_->channels(); }
  Marks* marks() const override { return &device_->Of(rank_).basics->marks; }
  bool TryInPlace(const Command& command, Outcome& outcome) override {
    return device_->TryInPlace(command, outcome);
  }

 private:
  absl::Status Meet(Rank rank, const std::string& address);
  absl::Status OfferEnd();
  absl::Status Watch(Rank rank, pid_t process);

  const Rank rank_;
  const int size_;  // of the job
  const Neighbors neighbors_;
  const std::string secret_;
  const OwnMemory own_memory_;
  const bool has_network_;
  const std::uint64_t other_descriptors_;
  OwnedFd memory_fd_;
  // A pipe whose writing end only this process has: the reading end, as others have it, ends with
  // this process. Only where the system refuses pidfd_open.
  OwnedFd end_, others_end_;
  Mapped memory_;  // SmpBasics
  std::optional<MemoryProofWords> proof_;
  std::optional<SmpDevice> device_;
  Device* device_pointer_ = nullptr;  // for devices()
  std::optional<SmpRegions> regions_;
  // The last: from its end on no peer asks for the members that are destroyed next.
  std::unique_ptr<SmpDoor> door_;
};

// Of the conduit, its executor among them: the door's two, this rank's memory, doorbell and epoll,
// the progress thread's doorbell, and for each rank a doorbell, the file of its own memory and a
// pidfd (or the end of a pipe, and this rank's own two ends); at a time two more on the way to
// another rank's memory, and one for a rank that asks here.
std::uint64_t DescriptorsFor(std::size_t ranks, bool has_pidfds) {
  return 6 + 3 * ranks + 3 + (has_pidfds ? 0 : 2);
}

absl::Status SmpConduit::Prepare() {
  const std::size_t ranks = neighbors_.size();
  const std::string purpose =
      absl::StrCat("a job of ", ranks, ranks == 1 ? " rank" : " ranks", " by shared memory");
  const bool has_pidfds = WatchProcess(getpid()).get() >= 0;
  const absl::Status room =
      CheckDescriptors(purpose, DescriptorsFor(ranks, has_pidfds) + other_descriptors_);
  if (!room.ok()) return room;
  absl::StatusOr<std::unique_ptr<SmpDoor>> door = SmpDoor::Open(secret_);
  if (!door.ok()) return door.status();
  door_ = *std::move(door);
  const std::uint64_t bytes = SmpBasics::BytesFor(ranks);
  absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes, "start fewer ranks");
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), bytes);
  if (!memory.ok()) return memory.status();
  const absl::StatusOr<std::string> random = RandomName(sizeof(SipKey));
  if (!random.ok()) return random.status();
  SipKey seed = {};
  std::copy_n(random->begin(), seed.size(), seed.begin());
  memory_fd_ = *std::move(fd);
  memory_ = *std::move(memory);
  auto& mine = *reinterpret_cast<SmpBasics*>(memory_.data());
  device_.emplace(rank_, neighbors_, mine, secret_);
  device_pointer_ = &*device_;
  if (const absl::Status opened = device_->Open(); !opened.ok()) return opened;
  std::uint64_t proof = 0;
  std::memcpy(&proof, random->data() + seed.size(), sizeof proof);
  proof_.emplace(ranks, proof);
  mine.own_memory = proof_->proof();
  mine.joins_barriers = JoinMemoryBarriers() ? 1 : 0;
  regions_.emplace(rank_, mine.regions, *door_, seed, *device_);
  door_->Offer(kBasics, memory_fd_.get());
  door_->Offer(kDoorbell, device_->doorbell());
  return has_pidfds ? absl::OkStatus() : OfferEnd();
}

absl::Status SmpConduit::OfferEnd() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError("cannot make a pipe: " + WhyCallFailed("pipe2", errno));
  }
  others_end_ = OwnedFd(ends[0]);
  end_ = OwnedFd(ends[1]);
  door_->Offer(kEnd, others_end_.get());
  return absl::OkStatus();
}

absl::Status SmpConduit::Watch(Rank rank, pid_t process) {
  OwnedFd end = WatchProcess(process);
  if (end.get() < 0 && errno != ESRCH) {
    const int error = errno;
    absl::StatusOr<OwnedFd> pipe = Fetch(device_->Of(rank).address, secret_, kEnd, kTimeToMeet);
    if (absl::IsNotFound(pipe.status())) {
      return absl::ResourceExhaustedError("cannot watch its process: " +
                                          WhyCallFailed("pidfd_open", error));
    }
    if (!pipe.ok()) return pipe.status();
    end = *std::move(pipe);
  }
  return device_->Watch(rank, std::move(end));
}

absl::Status SmpConduit::Meet(const std::vector<std::string>& addresses) {
  for (const Rank rank : neighbors_.ranks()) {
    const absl::Status met = Meet(rank, addresses[static_cast<std::size_t>(ToInt(rank))]);
    if (met.ok()) continue;
    return absl::Status(met.code(),
                        absl::StrCat("rank ", ToInt(rank), " cannot be met: ", met.message()));
  }
  return absl::OkStatus();
}

absl::Status SmpConduit::Meet(Rank rank, const std::string& address) {
  SmpPeer& peer = device_->Of(rank);
  peer.address = address;
  pid_t process = 0;
  absl::StatusOr<OwnedFd> fd = Fetch(address, secret_, kBasics, kTimeToMeet, &process);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), SmpBasics::BytesFor(neighbors_.size()));
  if (!memory.ok()) return memory.status();
  memory->KeepOutOfCores();
  peer.memory = *std::move(memory);
  peer.basics = reinterpret_cast<SmpBasics*>(peer.memory.data());
  peer.mapped.Open(peer.basics->regions);
  if (own_memory_ == OwnMemory::kDirectly) {
    peer.memory_file =
        OpenMemoryFile(process, peer.basics->own_memory, neighbors_.PositionOf(rank_));
  }
  fd = Fetch(address, secret_, kDoorbell, kTimeToMeet);
  if (!fd.ok()) return fd.status();
  peer.doorbell = *std::move(fd);
  if (rank == rank_) return absl::OkStatus();
  device_->channels().Open(rank, peer);
  return Watch(rank, process);
}

std::string SmpConduit::remark() const {
  std::size_t direct = 0;
  const std::size_t others = neighbors_.size() - 1;
  for (const Rank rank : neighbors_.ranks()) {
    if (rank != rank_ && device_->Of(rank).memory_file.get() >= 0) ++direct;
  }
  if (direct == others) return "own memory directly";
  if (direct == 0) return "own memory by messages";
  return absl::StrCat("own memory of ", direct, " of ", others,
                      " ranks directly, else by messages");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conduit>> MakeSmpConduit(Launch& launch, const SmpOptions& options) {
  Neighbors neighbors = options.ranks.empty() ? Neighbors::All(launch.size())
                                              : Neighbors(options.ranks, launch.size());
  // One secret for all of a host: its first rank's.
  const Rank first = neighbors.rank(0);
  const auto secrets = AllgatherOrRefuse(
      launch, launch.rank() == first ? RandomName(32) : absl::StatusOr<std::string>(""));
  if (!secrets.ok()) return secrets.status();
  auto conduit =
      std::make_unique<SmpConduit>(launch.rank(), launch.size(), std::move(neighbors),
                                   (*secrets)[static_cast<std::size_t>(ToInt(first))], options);
  const absl::Status prepared = conduit->Prepare();
  const auto addresses = AllgatherOrRefuse(
      launch, prepared.ok() ? absl::StatusOr<std::string>(conduit->address()) : prepared);
  if (!addresses.ok()) return addresses.status();
  const absl::Status met = conduit->Meet(*addresses);
  // A rank that does not answer does not come to the meeting either.
  if (absl::IsUnavailable(met)) return met;
  // No rank goes before all have what they need of it.
  if (const absl::Status all = MeetOrRefuse(launch, met); !all.ok()) return all;
  return conduit;
}

}  // namespace llcl
