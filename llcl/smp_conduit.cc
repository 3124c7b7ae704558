#include "llcl/smp_conduit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "llcl/in_place.h"
#include "llcl/smp_door.h"
#include "llcl/smp_regions.h"

namespace llcl {
namespace {

// The table's number at a door; regions have that of their id.
constexpr std::uint64_t kTable = ~std::uint64_t{0};
std::uint64_t NumberOf(RegionId id) {
  return static_cast<std::uint64_t>(id.generation) << 32 | id.slot;
}

absl::Status Failed(const char* what) {
  return absl::ResourceExhaustedError(std::string(what) + ": " + std::strerror(errno));
}

// A mapping. A resource.
class Mapped {
 public:
  Mapped() = default;
  static absl::StatusOr<Mapped> Of(int fd, std::uint64_t bytes) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) return Failed("cannot map shared memory");
    Mapped mapped;
    mapped.at_ = static_cast<std::byte*>(at);
    mapped.bytes_ = bytes;
    return mapped;
  }
  Mapped(Mapped&& other) noexcept { *this = std::move(other); }
  Mapped& operator=(Mapped&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapped() {
    if (at_ != nullptr) munmap(at_, bytes_);
  }
  std::byte* data() const { return at_; }

 private:
  std::byte* at_ = nullptr;
  std::uint64_t bytes_ = 0;
};

absl::StatusOr<OwnedFd> NewMemory(std::uint64_t bytes) {
  OwnedFd fd(memfd_create("llcl", MFD_CLOEXEC));
  if (fd.get() < 0) return Failed("cannot make shared memory");
  if (ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return Failed("cannot make shared memory so large");
  }
  return fd;
}

// What this rank knows of another.
struct Peer {
  std::string address;
  OwnedFd process;  // a pidfd; readable once it has ended
  Mapped table_memory;
  const SmpRegions* table = nullptr;
  std::atomic<bool> is_down{false};
  // Its regions as mapped here, by slot: published once, replaced under the conduit's
  // lock. A region that was replaced stays mapped, for who may still be in it.
  struct View {
    std::uint32_t generation = 0;
    std::byte* start = nullptr;
    std::uint64_t bytes = 0;
  };
  std::vector<std::atomic<const View*>> views{SmpRegions::kSlots};
};

class SmpConduit final : public Conduit, public Device {
 public:
  SmpConduit(Rank rank, int size, std::string secret, std::unique_ptr<SmpDoor> door)
      : rank_(rank), secret_(std::move(secret)), door_(std::move(door)) {
    for (int i = 0; i < size; ++i) peers_.push_back(std::make_unique<Peer>());
  }
  ~SmpConduit() override { door_.reset(); }  // First: nobody asks for what goes now.

  absl::Status Begin(Launch& launch);

  Rank rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  Device& device() override { return *this; }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    const std::lock_guard lock(mutex_);
    const RegionId id = table_->Add();
    if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
    // Nobody else can get at it: no RemoteRegion.
    return Registered{{.start = memory.data(), .bytes = memory.size(), .id = id}, {}};
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override;
  void Deregister(const Registered& memory) override;

  bool IsRegistered(const LocalRegion& region) const override { return table_->Exists(region.id); }
  bool IsDown(Rank rank) const override { return Of(rank).is_down.load(std::memory_order_relaxed); }

  bool TryInPlace(const Command& command, Outcome& outcome) override {
    if (command.id.slot >= SmpRegions::kSlots) {
      outcome = Outcome::kRefused;
      return true;
    }
    Peer& peer = Of(command.peer);
    const Peer::View* const view = peer.views[command.id.slot].load(std::memory_order_acquire);
    if (view == nullptr || view->generation != command.id.generation) return false;
    outcome = Execute(peer, *view, command);
    return true;
  }

  // What is not mapped yet is posted: mapping takes its time.
  std::size_t Post(std::span<const Command> commands) override {
    for (const Command& command : commands) {
      Outcome outcome = MapRegionOf(command);
      if (outcome == Outcome::kDone && !TryInPlace(command, outcome)) {
        outcome = Outcome::kRefused;
      }
      ended_.push_back({command.tag, outcome});
    }
    return commands.size();
  }
  std::size_t Poll(std::span<Ended> ended) override {
    LookAfterPeers();
    std::size_t count = 0;
    while (count < ended.size() && !ended_.empty()) {
      ended[count++] = ended_.front();
      ended_.pop_front();
    }
    return count;
  }

 private:
  Peer& Of(Rank rank) const { return *peers_[static_cast<std::size_t>(ToInt(rank))]; }
  Outcome Execute(const Peer& peer, const Peer::View& view, const Command& command) const {
    if (!peer.table->Exists(command.id)) return Outcome::kRefused;
    if (!Fits(command.address, command.bytes, view.bytes)) return Outcome::kRefused;
    ExecuteInPlace(command, view.start + command.address);
    return Outcome::kDone;
  }
  Outcome MapRegionOf(const Command& command);
  void LookAfterPeers();

  const Rank rank_;
  const std::string secret_;
  std::unique_ptr<SmpDoor> door_;
  std::vector<std::unique_ptr<Peer>> peers_;
  OwnedFd table_fd_;
  Mapped table_memory_;
  SmpRegions* table_ = nullptr;

  struct Allocation {
    OwnedFd fd;
    Mapped memory;
  };
  std::mutex mutex_;
  std::map<std::uint32_t, Allocation> allocated_;  // by slot, under mutex_
  // Under the executor's lock.
  std::deque<Ended> ended_;
  std::vector<Mapped> mapped_;
  std::vector<std::unique_ptr<const Peer::View>> views_;
  int polls_ = 0;
};

absl::Status SmpConduit::Begin(Launch& launch) {
  absl::StatusOr<OwnedFd> fd = NewMemory(sizeof(SmpRegions));
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), sizeof(SmpRegions));
  if (!memory.ok()) return memory.status();
  table_fd_ = *std::move(fd);
  table_memory_ = *std::move(memory);
  table_ = reinterpret_cast<SmpRegions*>(table_memory_.data());
  door_->Offer(kTable, table_fd_.get());

  const auto all = launch.Allgather(door_->address() + " " + std::to_string(getpid()));
  if (!all.ok()) return all.status();
  for (int rank = 0; rank < size(); ++rank) {
    const std::string& one = (*all)[static_cast<std::size_t>(rank)];
    Peer& peer = Of(Rank{rank});
    peer.address = one.substr(0, one.find(' '));
    const auto pid = std::stoi(one.substr(one.find(' ') + 1));
    peer.process = OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (peer.process.get() < 0 && errno != ESRCH) return Failed("cannot watch another rank");
    absl::StatusOr<OwnedFd> table = Fetch(peer.address, secret_, kTable);
    if (!table.ok()) return table.status();
    absl::StatusOr<Mapped> mapped = Mapped::Of(table->get(), sizeof(SmpRegions));
    if (!mapped.ok()) return mapped.status();
    peer.table_memory = *std::move(mapped);
    peer.table = reinterpret_cast<const SmpRegions*>(peer.table_memory.data());
  }
  // Nobody goes before all have what they need of it.
  return launch.Allgather("").status();
}

absl::StatusOr<Conduit::Registered> SmpConduit::Allocate(std::uint64_t bytes) {
  absl::StatusOr<OwnedFd> fd = NewMemory(bytes);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), bytes);
  if (!memory.ok()) return memory.status();
  const std::lock_guard lock(mutex_);
  const RegionId id = table_->Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  std::byte* const start = memory->data();
  door_->Offer(NumberOf(id), fd->get());
  allocated_.emplace(id.slot, Allocation{*std::move(fd), *std::move(memory)});
  return Registered{{.start = start, .bytes = bytes, .id = id},
                    {.owner = rank_, .id = id, .bytes = bytes}};
}

void SmpConduit::Deregister(const Registered& memory) {
  const std::lock_guard lock(mutex_);
  door_->Withdraw(NumberOf(memory.local.id));
  table_->Remove(memory.local.id);
  allocated_.erase(memory.local.id.slot);
}

Outcome SmpConduit::MapRegionOf(const Command& command) {
  Peer& peer = Of(command.peer);
  if (!peer.table->Exists(command.id)) return Outcome::kRefused;
  const Peer::View* const before = peer.views[command.id.slot].load(std::memory_order_relaxed);
  if (before != nullptr && before->generation == command.id.generation) return Outcome::kDone;
  absl::StatusOr<OwnedFd> fd = Fetch(peer.address, secret_, NumberOf(command.id));
  if (absl::IsNotFound(fd.status())) return Outcome::kRefused;
  if (!fd.ok()) return Outcome::kPeerDown;
  const off_t bytes = lseek(fd->get(), 0, SEEK_END);
  absl::StatusOr<Mapped> mapped = Mapped::Of(fd->get(), static_cast<std::uint64_t>(bytes));
  if (!mapped.ok()) return Outcome::kRefused;
  auto view = std::make_unique<Peer::View>();
  view->generation = command.id.generation;
  view->start = mapped->data();
  view->bytes = static_cast<std::uint64_t>(bytes);
  mapped_.push_back(*std::move(mapped));
  peer.views[command.id.slot].store(view.get(), std::memory_order_release);
  views_.push_back(std::move(view));
  return Outcome::kDone;
}

void SmpConduit::LookAfterPeers() {
  constexpr int kPollsPerLook = 256;
  if (++polls_ % kPollsPerLook != 0) return;
  for (const auto& peer : peers_) {
    if (peer->is_down.load(std::memory_order_relaxed)) continue;
    pollfd ended = {peer->process.get(), POLLIN, 0};
    if (peer->process.get() < 0 || poll(&ended, 1, 0) > 0) {
      peer->is_down.store(true, std::memory_order_relaxed);
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conduit>> MakeSmpConduit(Launch& launch) {
  // One secret for all: the first rank's.
  absl::StatusOr<std::string> random = RandomName(32);
  if (!random.ok()) return random.status();
  const auto secrets = launch.Allgather(ToInt(launch.rank()) == 0 ? *random : "");
  if (!secrets.ok()) return secrets.status();
  absl::StatusOr<std::unique_ptr<SmpDoor>> door = SmpDoor::Open(secrets->front());
  if (!door.ok()) return door.status();
  auto conduit = std::make_unique<SmpConduit>(launch.rank(), launch.size(), secrets->front(),
                                              *std::move(door));
  if (const absl::Status begun = conduit->Begin(launch); !begun.ok()) return begun;
  return conduit;
}

}  // namespace llcl
