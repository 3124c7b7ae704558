#include "llcl/smp/conduit.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "llcl/executor/in_place.h"
#include "llcl/launch/secret.h"
#include "llcl/launch/siphash.h"
#include "llcl/shared_memory.h"
#include "llcl/smp/door.h"
#include "llcl/smp/mapper.h"
#include "llcl/smp/peer.h"

namespace llcl {
namespace {

// What is at a door: regions have the number of their id, the rest these.
constexpr std::uint64_t kBasics = ~std::uint64_t{0}, kDoorbell = kBasics - 1;
constexpr std::chrono::seconds kTimeToMeet{5};

absl::Status Failed(const char* what) {
  return absl::ResourceExhaustedError(std::string(what) + ": " + std::strerror(errno));
}

class SmpConduit final : public Conduit, public Device {
 public:
  SmpConduit(Rank rank, int size, std::string secret, std::unique_ptr<SmpDoor> door)
      : rank_(rank), secret_(std::move(secret)), door_(std::move(door)) {
    for (int i = 0; i < size; ++i) peers_.push_back(std::make_unique<SmpPeer>());
  }
  ~SmpConduit() override {
    door_.reset();  // First: nobody asks for what goes now.
    mapper_.reset();
  }

  absl::Status Begin(Launch& launch);

  Rank rank() const override { return rank_; }
  int losses() const override { return losses_.load(std::memory_order_acquire); }

  int size() const override { return static_cast<int>(peers_.size()); }
  std::span<Device* const> devices() const override { return {&self_, 1}; }

  absl::StatusOr<Registered> Register(std::span<std::byte> memory) override {
    const std::lock_guard lock(mutex_);
    const RegionId id = mine_->regions.Add();
    if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
    // Nobody else can get at it: no RemoteRegion.
    return Registered{{.start = memory.data(), .bytes = memory.size(), .id = id}, {}};
  }
  absl::StatusOr<Registered> Allocate(std::uint64_t bytes) override;
  absl::StatusOr<Registered> RegisterShared(int fd, std::uint64_t offset,
                                            std::uint64_t bytes) override;
  void Deregister(const Registered& memory, bool keeps) override;

  const RegionTable& own_regions() const override { return mine_->regions; }
  bool IsDown(Rank rank) const override { return Of(rank).is_down.load(std::memory_order_acquire); }

  RegionTable& RegionsOf(Rank rank) const override { return Of(rank).basics->regions; }

  bool TryInPlace(const Command& command, Outcome& outcome) override {
    SmpPeer& peer = Of(command.peer);
    const SmpPeer::View* const view = peer.views[command.id.slot].load(std::memory_order_acquire);
    if (view == nullptr || view->generation != command.id.generation) return false;
    outcome = Execute(peer, *view, command);
    return true;
  }

  // What is not mapped yet is posted: mapping takes its time.
  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  void Receive(Inbox& inbox) override;
  // That a lane has room again is not told.
  int wait_descriptor() const override { return HasWaiting() ? -1 : news_.get(); }
  bool TryArm() override;

 private:
  SmpPeer& Of(Rank rank) const { return *peers_[static_cast<std::size_t>(ToInt(rank))]; }
  static Outcome Execute(const SmpPeer& peer, const SmpPeer::View& view, const Command& command) {
    ExecuteInPlace(command, view.start + command.address);
    // Else what was read may be what is left of it. x86-64 keeps loads in their order, so that only
    // the compiler is to be told (and ThreadSanitizer knows no fence of threads).
#if defined(__x86_64__)
    std::atomic_signal_fence(std::memory_order_acquire);
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    return peer.basics->regions.Exists(command.id) ? Outcome::kDone : Outcome::kRefused;
  }
  absl::Status Meet(SmpPeer& peer, Rank rank, const std::string& address);
  absl::Status Watch(int fd, std::uint64_t what);
  void AskForRegionOf(const Command& command);
  void OnFound(SmpMapper::Found found);
  void TrySend(SmpPeer& peer);
  bool HasWaiting() const {
    return std::any_of(peers_.begin(), peers_.end(),
                       [](const auto& peer) { return !peer->waiting.empty(); });
  }
  void LookForNews();
  void Lose(SmpPeer& peer);

  std::uint64_t NewKey() { return SipHash(keys_, std::to_string(++keys_made_)); }

  Device* const self_ = this;
  const Rank rank_;
  const std::string secret_;
  std::unique_ptr<SmpDoor> door_;
  std::unique_ptr<SmpMapper> mapper_;
  std::vector<std::unique_ptr<SmpPeer>> peers_;
  OwnedFd memory_fd_, doorbell_;
  OwnedFd news_;  // an epoll: the doorbell and the ends of the other processes
  Mapped memory_;
  SmpBasics* mine_ = nullptr;
  std::atomic<int> losses_{0};

  struct Allocation {
    OwnedFd fd;
    Mapped memory;
    bool is_ours = false;  // not the program's
  };
  std::mutex mutex_;
  SipKey keys_ = {};                               // what keys are made of
  std::uint64_t keys_made_ = 0;                    // under mutex_
  std::map<std::uint32_t, Allocation> allocated_;  // by slot, under mutex_
  // Under the executor's lock.
  std::deque<Ended> ended_;
  std::vector<Mapped> mapped_;
  std::vector<std::unique_ptr<const SmpPeer::View>> views_;
  std::size_t next_lane_ = 0;
  int polls_ = 0;
};

absl::Status SmpConduit::Begin(Launch& launch) {
  const std::uint64_t bytes = SmpBasics::BytesFor(size());
  absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), bytes);
  if (!memory.ok()) return memory.status();
  const absl::StatusOr<std::string> random = RandomName(sizeof(SipKey) / 2);
  if (!random.ok()) return random.status();
  std::copy_n(random->begin(), keys_.size(), keys_.begin());
  memory_fd_ = *std::move(fd);
  memory_ = *std::move(memory);
  mine_ = reinterpret_cast<SmpBasics*>(memory_.data());
  doorbell_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (doorbell_.get() < 0 || news_.get() < 0) return Failed("cannot make a doorbell");
  if (const absl::Status watches = Watch(doorbell_.get(), kDoorbell); !watches.ok()) return watches;
  mapper_ = std::make_unique<SmpMapper>(secret_, doorbell_.get());
  door_->Offer(kBasics, memory_fd_.get());
  door_->Offer(kDoorbell, doorbell_.get());

  const auto all = launch.Allgather(door_->address());
  if (!all.ok()) return all.status();
  for (int rank = 0; rank < size(); ++rank) {
    const absl::Status met =
        Meet(Of(Rank{rank}), Rank{rank}, (*all)[static_cast<std::size_t>(rank)]);
    if (!met.ok()) return met;
  }
  // Nobody goes before all have what they need of it.
  return launch.Allgather("").status();
}

absl::Status SmpConduit::Meet(SmpPeer& peer, Rank rank, const std::string& address) {
  peer.address = address;
  pid_t process = 0;
  absl::StatusOr<OwnedFd> fd = Fetch(address, secret_, kBasics, kTimeToMeet, &process);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Mapped> memory = Mapped::Of(fd->get(), SmpBasics::BytesFor(size()));
  if (!memory.ok()) return memory.status();
  peer.memory = *std::move(memory);
  peer.basics = reinterpret_cast<SmpBasics*>(peer.memory.data());
  fd = Fetch(address, secret_, kDoorbell, kTimeToMeet);
  if (!fd.ok()) return fd.status();
  peer.doorbell = *std::move(fd);
  if (rank == rank_) return absl::OkStatus();
  peer.process = OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (peer.process.get() >= 0) {
    return Watch(peer.process.get(), static_cast<std::uint64_t>(ToInt(rank)));
  }
  if (errno != ESRCH) return Failed("cannot watch another rank");
  Lose(peer);
  return absl::OkStatus();
}

absl::Status SmpConduit::Watch(int fd, std::uint64_t what) {
  epoll_event event = {.events = EPOLLIN, .data = {.u64 = what}};
  if (epoll_ctl(news_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return Failed("cannot watch");
  return absl::OkStatus();
}

absl::StatusOr<Conduit::Registered> SmpConduit::Allocate(std::uint64_t bytes) {
  const absl::StatusOr<OwnedFd> fd = NewSharedMemory(bytes);
  if (!fd.ok()) return fd.status();
  absl::StatusOr<Registered> registered = RegisterShared(fd->get(), 0, bytes);
  if (!registered.ok()) return registered;
  const std::lock_guard lock(mutex_);
  allocated_[registered->local.id.slot].is_ours = true;
  return registered;
}

absl::StatusOr<Conduit::Registered> SmpConduit::RegisterShared(int fd, std::uint64_t offset,
                                                               std::uint64_t bytes) {
  OwnedFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (copy.get() < 0) return Failed("cannot keep shared memory open");
  absl::StatusOr<Mapped> memory = Mapped::Of(fd, EndOf(offset, bytes));
  if (!memory.ok()) return memory.status();
  const std::lock_guard lock(mutex_);
  const RegionId id = mine_->regions.Add();
  if (id.generation == 0) return absl::ResourceExhaustedError("too many regions");
  std::byte* const start = memory->data() + offset;
  RemoteRegion remote = {.owner = rank_,
                         .id = id,
                         .start = offset,
                         .bytes = bytes,
                         .misalignment = MisalignmentOf(start)};
  remote.keys.fill(NewKey());
  door_->Offer(SmpMapper::NumberOf(id), copy.get());
  allocated_.emplace(id.slot, Allocation{std::move(copy), *std::move(memory)});
  mine_->regions.Publish(remote);
  return Registered{{.start = start, .bytes = bytes, .id = id}, remote};
}

// Nothing of this network comes late: what is done is done in place.
void SmpConduit::Deregister(const Registered& memory, bool /*keeps*/) {
  const std::lock_guard lock(mutex_);
  door_->Withdraw(SmpMapper::NumberOf(memory.local.id));
  mine_->regions.Remove(memory.local.id);
  const auto found = allocated_.find(memory.local.id.slot);
  if (found == allocated_.end()) return;
  // Others keep it mapped; so that it takes no memory any more it becomes a hole.
  if (found->second.is_ours) {
    (void)fallocate(found->second.fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                    static_cast<off_t>(found->second.memory.bytes()));
  }
  allocated_.erase(found);
}

std::size_t SmpConduit::Post(std::span<const Command> commands) {
  for (const Command& command : commands) {
    if (command.kind == CommandKind::kMessage) {
      Of(command.peer).waiting.push_back(command);
      TrySend(Of(command.peer));
      continue;
    }
    Outcome outcome = Outcome::kRefused;
    if (!Of(command.peer).basics->regions.Exists(command.id) || TryInPlace(command, outcome)) {
      ended_.push_back({command.tag, outcome});
    } else {
      AskForRegionOf(command);
    }
  }
  return commands.size();
}

void SmpConduit::AskForRegionOf(const Command& command) {
  SmpPeer& peer = Of(command.peer);
  std::vector<Command>& unmapped = peer.unmapped[SmpMapper::NumberOf(command.id)];
  unmapped.push_back(command);
  if (unmapped.size() == 1) mapper_->Ask(command.peer, peer.address, command.id);
}

void SmpConduit::OnFound(SmpMapper::Found found) {
  SmpPeer& peer = Of(found.rank);
  const auto entry = peer.unmapped.find(SmpMapper::NumberOf(found.id));
  if (entry == peer.unmapped.end()) return;  // It was lost meanwhile.
  if (found.memory.ok()) {
    auto view = std::make_unique<SmpPeer::View>();
    view->generation = found.id.generation;
    view->start = found.memory->data();
    view->bytes = found.memory->bytes();
    mapped_.push_back(*std::move(found.memory));
    peer.views[found.id.slot].store(view.get(), std::memory_order_release);
    views_.push_back(std::move(view));
  } else if (!absl::IsNotFound(found.memory.status())) {
    // It does not answer, or there is no room here: as long as those who wait do.
    return mapper_->Ask(found.rank, peer.address, found.id);
  }
  for (const Command& command : entry->second) {
    // It may be late, and the memory of who asked be gone.
    Outcome outcome = Outcome::kRefused;
    if (peer.basics->regions.Exists(command.id) &&
        (!UsesLocalRegion(command) || mine_->regions.Exists(command.local_id))) {
      (void)TryInPlace(command, outcome);
    }
    ended_.push_back({command.tag, outcome});
  }
  peer.unmapped.erase(entry);
}

// Messages to a peer go in their order; those that its lane has no room for wait here,
// so that they hold up nobody else.
void SmpConduit::TrySend(SmpPeer& peer) {
  bool wrote = false;
  while (!peer.waiting.empty()) {
    const Command& next = peer.waiting.front();
    const bool is_down = peer.is_down.load(std::memory_order_relaxed);
    if (!is_down && !peer.basics->lane(rank_).Write({next.local, next.bytes})) break;
    ended_.push_back({next.tag, is_down ? Outcome::kPeerDown : Outcome::kDone});
    peer.waiting.pop_front();
    wrote = true;
  }
  if (wrote && peer.basics->sleep.MustWake()) {
    const std::uint64_t one = 1;
    (void)!write(peer.doorbell.get(), &one, sizeof one);
  }
}

std::size_t SmpConduit::Poll(std::span<Ended> ended) {
  constexpr int kPollsPerLook = 256;
  if (++polls_ % kPollsPerLook == 0) LookForNews();
  while (auto found = mapper_->TryTake()) OnFound(*std::move(found));
  for (const auto& peer : peers_) {
    if (!peer->waiting.empty()) TrySend(*peer);
  }
  std::size_t count = 0;
  while (count < ended.size() && !ended_.empty()) {
    ended[count++] = ended_.front();
    ended_.pop_front();
  }
  return count;
}

void SmpConduit::Receive(Inbox& inbox) {
  using Lane = SmpBasics::Lane;
  for (std::size_t looked = 0; looked < peers_.size(); ++looked) {
    if (next_lane_ == peers_.size()) next_lane_ = 0;
    const Rank from{static_cast<std::int32_t>(next_lane_)};
    while (!Of(from).is_mute) {
      // Another time, at the same lane.
      if (!inbox.has_room()) return;
      const Lane::Found found = mine_->lane(from).Read(
          kMostMessageBytes, [&](std::size_t bytes) { return inbox.Add(from, bytes); });
      if (found == Lane::Found::kNonsense) {
        Lose(Of(from));
        Of(from).is_mute = true;
      }
      if (found != Lane::Found::kMessage) break;
    }
    ++next_lane_;
  }
}

bool SmpConduit::TryArm() {
  LookForNews();
  if (!ended_.empty()) return false;
  mine_->sleep.StartSleep();
  for (int rank = 0; rank < size(); ++rank) {
    if (mine_->lane(Rank{rank}).empty() || Of(Rank{rank}).is_mute) continue;
    mine_->sleep.EndSleep();
    return false;
  }
  return true;
}

void SmpConduit::LookForNews() {
  epoll_event events[16];
  const int count = epoll_wait(news_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 == kDoorbell) {
      std::uint64_t rings = 0;
      (void)!read(doorbell_.get(), &rings, sizeof rings);
    } else {
      Lose(Of(Rank{static_cast<std::int32_t>(events[i].data.u64)}));
    }
  }
}

void SmpConduit::Lose(SmpPeer& peer) {
  if (peer.is_down.exchange(true, std::memory_order_acq_rel)) return;
  losses_.fetch_add(1, std::memory_order_release);
  for (const auto& [number, commands] : peer.unmapped) {
    for (const Command& command : commands) ended_.push_back({command.tag, Outcome::kPeerDown});
  }
  peer.unmapped.clear();
  if (peer.process.get() >= 0) {
    (void)epoll_ctl(news_.get(), EPOLL_CTL_DEL, peer.process.get(), nullptr);
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
