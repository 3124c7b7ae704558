#include "llcl/smp/device.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "llcl/process_limits.h"

namespace llcl {
namespace {

// In the epoll: a rank's position, or this.
constexpr std::uint64_t kDoorbell = ~std::uint64_t{0};
constexpr std::chrono::seconds kMostWithoutRoom{1};

bool HasWaitedForRoom(SmpPeer::Unmapped& region) {
  const auto now = std::chrono::steady_clock::now();
  if (!region.without_room) region.without_room = now;
  return now - *region.without_room >= kMostWithoutRoom;
}

absl::Status Failed(const char* what, const char* call) {
  return absl::ResourceExhaustedError(std::string(what) + ": " + WhyCallFailed(call, errno));
}

}  // namespace

absl::Status SmpDevice::Open() {
  doorbell_ = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (doorbell_.get() < 0) return Failed("cannot make a doorbell", "eventfd2");
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (news_.get() < 0) return Failed("cannot watch other ranks", "epoll_create1");
  mapper_ = std::make_unique<SmpMapper>(secret_, doorbell_.get());
  return WatchDescriptor(doorbell_.get(), kDoorbell);
}

absl::Status SmpDevice::Watch(Rank rank, OwnedFd end) {
  SmpPeer& peer = Of(rank);
  peer.end = std::move(end);
  if (peer.end.get() >= 0) {
    return WatchDescriptor(peer.end.get(), neighbors_.PositionOf(rank));
  }
  Lose(peer);
  return absl::OkStatus();
}

absl::Status SmpDevice::WatchDescriptor(int fd, std::uint64_t what) {
  epoll_event event = {.events = EPOLLIN, .data = {.u64 = what}};
  if (epoll_ctl(news_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return Failed("cannot watch other ranks", "epoll_ctl");
  return absl::OkStatus();
}

std::size_t SmpDevice::Post(std::span<const Command> commands) {
  for (const Command& command : commands) {
    if (command.kind == CommandKind::kMessage) {
      Of(command.peer).waiting.push_back(command);
      TrySend(Of(command.peer));
      continue;
    }
    Outcome outcome = Outcome::kRefused;
    if (!Of(command.peer).basics->regions.Exists(command.id) || TryHere(command, outcome)) {
      ended_.push_back({command.tag, outcome});
    } else if (MappedRegions::IsOwn(command.address)) {
      // Not for the owner (packing.h has those): the owner has ended.
      ended_.push_back({command.tag, Outcome::kPeerDown});
    } else {
      AskForMemoryOf(command);
    }
  }
  return commands.size();
}

bool SmpDevice::TryInPlace(const Command& command, Outcome& outcome, Marks::Mark& mark) {
  if (MappedRegions::IsOwn(command.address)) return TryByFile(command, outcome, mark);
  const SmpPeer& peer = Of(command.peer);
  std::byte* const memory = peer.mapped.At(command.id, command.address);
  if (memory == nullptr) return false;
  const bool reads = command.kind == CommandKind::kRead;
  if (!reads && !mark.TrySet(command.key)) return false;
  const bool is_there = peer.basics->regions.Exists(command.id);
  if (is_there) ExecuteInPlace(command, memory);
  if (!reads) mark.Clear();
  const RegionTable::Entry& entry = peer.basics->regions.entry(command.id.slot);
  const bool is_done = is_there && MappedRegions::StillHas(entry, command.id);
  outcome = is_done ? Outcome::kDone : Outcome::kRefused;
  return true;
}

std::vector<std::uint64_t> SmpDevice::Marked() const {
  std::vector<std::uint64_t> marked;
  for (const auto& peer : peers_) {
    // Of a process that has ended no thread changes anything, whatever its marks say.
    if (peer->basics == nullptr || peer->mapped.is_closed()) continue;
    peer->basics->marks.ForEach([&](std::uint64_t key) { marked.push_back(key); });
  }
  return marked;
}

bool SmpDevice::HaveBarriers() const {
  return std::all_of(peers_.begin(), peers_.end(), [](const auto& peer) {
    return peer->basics != nullptr && peer->basics->joins_barriers != 0;
  });
}

void SmpDevice::AskForMemoryOf(const Command& command) {
  SmpPeer& peer = Of(command.peer);
  const std::uint64_t chunk = MappedRegions::ChunkOf(command.address);
  const std::uint64_t number = chunk < MappedRegions::kChunks ? SmpMapper::NumberOfChunk(chunk)
                                                              : SmpMapper::NumberOf(command.id);
  std::vector<Command>& commands = peer.unmapped[number].commands;
  commands.push_back(command);
  if (commands.size() == 1) mapper_->Ask(command.peer, peer.address, number);
}

void SmpDevice::OnFound(SmpMapper::Found found) {
  SmpPeer& peer = Of(found.rank);
  const auto entry = peer.unmapped.find(found.number);
  if (entry == peer.unmapped.end()) return;  // It was lost meanwhile.
  const bool has_no_room = absl::IsResourceExhausted(found.memory.status());
  if (found.memory.ok()) {
    mapped_.push_back(*std::move(found.memory));
    // All that wait for it ask for the same memory.
    const Command& first = entry->second.commands.front();
    const std::uint64_t chunk = MappedRegions::ChunkOf(first.address);
    if (chunk < MappedRegions::kChunks) {
      peer.mapped.AddChunk(chunk, mapped_.back().data());
    } else {
      peer.mapped.Add(first.id, mapped_.back().data());
    }
  } else if (has_no_room ? !HasWaitedForRoom(entry->second)
                         : !absl::IsNotFound(found.memory.status())) {
    // An owner that does not answer is asked as long as operations wait.
    return mapper_->Ask(found.rank, peer.address, found.number);
  }
  for (const Command& command : entry->second.commands) {
    // It may be late, and the caller's memory be gone.
    Outcome outcome = has_no_room ? Outcome::kNoRoom : Outcome::kRefused;
    if (!has_no_room && (!UsesLocalRegion(command) || mine_.regions.Exists(command.local_id))) {
      (void)TryHere(command, outcome);
    }
    ended_.push_back({command.tag, outcome});
  }
  peer.unmapped.erase(entry);
}

// Messages to a peer go in their order; those that its lane has no room for wait here,
// so that they hold up no other peer's.
void SmpDevice::TrySend(SmpPeer& peer) {
  bool wrote = false;
  while (!peer.waiting.empty()) {
    const Command& next = peer.waiting.front();
    const bool is_down = peer.mapped.is_closed();
    if (!is_down && !peer.basics->lane(position_).Write({next.local, next.bytes})) break;
    ended_.push_back({next.tag, is_down ? Outcome::kPeerDown : Outcome::kDone});
    peer.waiting.pop_front();
    wrote = true;
  }
  if (wrote && peer.basics->sleep.MustWake()) {
    const std::uint64_t one = 1;
    (void)!write(peer.doorbell.get(), &one, sizeof one);
  }
}

std::size_t SmpDevice::Poll(std::span<Ended> ended) {
  constexpr int kPollsPerLook = 256;
  if (++polls_ % kPollsPerLook == 0) LookForNews();
  if (ended_processes_ > 0) LoseEnded();
  while (const auto rank = channels_.TakeNonsense()) Lose(Of(*rank));
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

void SmpDevice::Receive(Inbox& inbox) {
  using Lane = SmpBasics::Lane;
  for (std::size_t looked = 0; looked < peers_.size(); ++looked) {
    if (!inbox.has_room()) return;
    if (next_lane_ == peers_.size()) next_lane_ = 0;
    const std::size_t lane = next_lane_++;
    SmpPeer& from = *peers_[lane];
    while (!from.is_mute && inbox.has_room()) {
      const Lane::Found found = mine_.lane(lane).Read(kMostMessageBytes, [&](std::size_t bytes) {
        return inbox.Add(neighbors_.rank(lane), bytes);
      });
      if (found == Lane::Found::kNonsense) {
        Lose(from);
        from.is_mute = true;
      }
      if (found != Lane::Found::kMessage) break;
    }
  }
}

bool SmpDevice::TryArm() {
  LookForNews();
  if (!ended_.empty() || mapper_->has_found()) return false;
  mine_.sleep.StartSleep();
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (mine_.lane(i).empty() || peers_[i]->is_mute) continue;
    mine_.sleep.EndSleep();
    return false;
  }
  if (channels_.empty()) return true;
  mine_.sleep.EndSleep();
  return false;
}

bool SmpDevice::Disarm() {
  mine_.sleep.EndSleep();
  return true;
}

void SmpDevice::LookForNews() {
  epoll_event events[16];
  const int count = epoll_wait(news_.get(), events, 16, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.u64 == kDoorbell) {
      std::uint64_t rings = 0;
      (void)!read(doorbell_.get(), &rings, sizeof rings);
    } else {
      SmpPeer& peer = *peers_[events[i].data.u64];
      (void)epoll_ctl(news_.get(), EPOLL_CTL_DEL, peer.end.get(), nullptr);
      peer.has_ended = true;
      ++ended_processes_;
    }
  }
  LoseEnded();
}

void SmpDevice::LoseEnded() {
  for (std::size_t i = 0; i < peers_.size() && ended_processes_ > 0; ++i) {
    SmpPeer& peer = *peers_[i];
    if (!peer.has_ended || (!peer.is_mute && !mine_.lane(i).empty())) continue;
    if (!channels_.IsEmptyFrom(i)) continue;
    peer.has_ended = false;
    --ended_processes_;
    Lose(peer);
  }
}

void SmpDevice::Lose(SmpPeer& peer) {
  if (peer.mapped.is_closed()) return;
  peer.mapped.Close();
  losses_.fetch_add(1, std::memory_order_release);
  for (const auto& [number, unmapped] : peer.unmapped) {
    for (const Command& command : unmapped.commands) {
      ended_.push_back({command.tag, Outcome::kPeerDown});
    }
  }
  peer.unmapped.clear();
  for (const Command& command : peer.waiting) ended_.push_back({command.tag, Outcome::kPeerDown});
  peer.waiting.clear();
  if (peer.end.get() >= 0) {
    (void)epoll_ctl(news_.get(), EPOLL_CTL_DEL, peer.end.get(), nullptr);
  }
}

}  // namespace llcl
