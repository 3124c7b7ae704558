#include "llcl/sim/fabric.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "llcl/executor/in_place.h"
#include "llcl/system/option_range.h"

namespace llcl {

class SimFabric::SimDevice final : public Device {
 public:
  SimDevice(SimFabric& fabric, Rank rank)
      : fabric_(fabric),
        rank_(rank),
        has_left_(new std::atomic<bool>[static_cast<std::size_t>(fabric.ranks())]()) {}
  std::size_t Post(std::span<const Command> commands) override {
    return fabric_.Post(rank_, commands);
  }
  std::size_t Poll(std::span<Ended> ended) override { return fabric_.Poll(rank_, ended); }
  void Receive(Inbox& inbox) override { fabric_.Receive(rank_, inbox); }
  bool IsDown(Rank rank) const override {
    return has_left_[static_cast<std::size_t>(ToInt(rank))].load(std::memory_order_acquire) ||
           fabric_.IsDown(rank);
  }
  int losses() const override { return fabric_.losses(); }
  void OnLeft(Rank rank) override {
    has_left_[static_cast<std::size_t>(ToInt(rank))].store(true, std::memory_order_release);
  }
  Left Release() override { return LeftOf(wait_descriptor() < 0, 0); }
  int wait_descriptor() const override { return fabric_.wait_descriptor(rank_); }
  bool TryArm() override { return fabric_.TryArm(rank_); }

 private:
  SimFabric& fabric_;
  const Rank rank_;
  const std::unique_ptr<std::atomic<bool>[]> has_left_;  // by rank, as this one has heard
};

absl::StatusOr<std::unique_ptr<SimFabric>> SimFabric::Make(const SimOptions& options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  return std::make_unique<SimFabric>(options);
}

SimFabric::SimFabric(const SimOptions& options)
    : options_((CheckOrDie(Check(options)), options)),
      tables_(options.ranks),
      random_(options.seed * 0x9E3779B97F4A7C15u | 1) {
  for (int rank = 0; rank < options.ranks; ++rank) {
    ranks_.emplace_back().device = std::make_unique<SimDevice>(*this, Rank{rank});
  }
}

SimFabric::~SimFabric() = default;

Device& SimFabric::device(Rank rank) {
  const topo::Lock lock(mutex_);
  return *of(rank).device;
}

RemoteRegion SimFabric::Expose(Rank rank, std::byte* start, std::uint64_t bytes) {
  const topo::Lock lock(mutex_);
  RegionTable& table = tables_.of(rank);
  RemoteRegion region = {.owner = rank, .id = table.Add(), .bytes = bytes};
  if (region.id.generation == 0) return region;
  // Each region has another key.
  region.keys.fill((std::uint64_t{region.id.generation} << 32 | region.id.slot) *
                   0x9E3779B97F4A7C15u);
  region.misalignment = MisalignmentOf(start);
  std::vector<Memory>& regions = of(rank).regions;
  if (regions.size() <= region.id.slot) regions.resize(region.id.slot + 1);
  regions[region.id.slot] = {start, bytes};
  table.Publish(region);
  return region;
}

void SimFabric::Unexpose(const RemoteRegion& region) {
  const topo::Lock lock(mutex_);
  if (!tables_.of(region.owner).Exists(region.id)) return;
  tables_.of(region.owner).Remove(region.id);
  of(region.owner).regions[region.id.slot] = {};
}

bool SimFabric::IsExposed(Rank rank, RegionId id) const { return tables_.of(rank).Exists(id); }

bool SimFabric::WithRegion(Rank rank, RegionId id,
                           absl::FunctionRef<void(std::span<std::byte>, std::uint64_t)> f) {
  const topo::Lock lock(mutex_);
  if (!IsExposed(rank, id)) return false;
  const Memory& memory = of(rank).regions[id.slot];
  f({memory.start, memory.bytes}, 0);
  return true;
}

void SimFabric::Kill(Rank rank) {
  const topo::Lock lock(mutex_);
  OneRank& lost = of(rank);
  lost.is_down = true;
  lost.noticed_ns = now_ns_ + options_.detection_ns;
  has_losses_.store(true, std::memory_order_relaxed);
  std::vector<Event> others;
  for (; !events_.empty(); events_.pop()) {
    if (events_.top().from == rank) {
      lost.ended.push_back({events_.top().command.tag, Outcome::kAborted});
    } else {
      others.push_back(events_.top());
    }
  }
  for (const Event& event : others) events_.push(event);
}

bool SimFabric::IsDown(Rank rank) const {
  const topo::Lock lock(mutex_);
  return IsNoticed(of(rank));
}

int SimFabric::losses() const {
  if (!has_losses_.load(std::memory_order_relaxed)) return 0;
  const topo::Lock lock(mutex_);
  int losses = 0;
  for (const OneRank& rank : ranks_) losses += IsNoticed(rank);
  return losses;
}

double SimFabric::now_ns() const {
  const topo::Lock lock(mutex_);
  return now_ns_;
}

double SimFabric::Draw(double nanoseconds) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const double unit = static_cast<double>(random_ >> 11) * 0x1p-53;
  return nanoseconds * (1 + options_.jitter * (2 * unit - 1));
}

std::size_t SimFabric::Post(Rank from, std::span<const Command> commands) {
  const topo::Lock lock(mutex_);
  OneRank& mine = of(from);
  if (mine.is_down) {
    for (const Command& command : commands) mine.ended.push_back({command.tag, Outcome::kAborted});
    return commands.size();
  }
  const std::size_t taken = std::min(commands.size(), options_.most_posted - mine.posted);
  for (const Command& command : commands.first(taken)) {
    const bool is_near = from != command.peer && HostOf(from) == HostOf(command.peer);
    const double lasts = (is_near ? options_.host_latency_ns : options_.latency_ns) +
                         static_cast<double>(command.bytes) / options_.bytes_per_ns;
    Event event = {now_ns_ + Draw(lasts), events_made_++, from, command};
    if (command.kind == CommandKind::kMessage) {
      event.bytes.assign(command.local, command.local + command.bytes);
    }
    events_.push(std::move(event));
  }
  mine.posted += taken;
  return taken;
}

std::size_t SimFabric::Poll(Rank rank, std::span<Ended> ended) {
  const topo::Lock lock(mutex_);
  OneRank& mine = of(rank);
  if (!mine.is_down && mine.ended.empty() && mine.messages.empty() && !events_.empty()) {
    Event event = events_.top();
    events_.pop();
    now_ns_ = std::max(now_ns_, event.at_ns);
    OneRank& poster = of(event.from);
    const bool is_lost = of(event.command.peer).is_down;
    if (is_lost && !event.waits_for_nothing) {
      // The answer does not come; that is noticed later.
      event.waits_for_nothing = true;
      event.at_ns = std::max(now_ns_, of(event.command.peer).noticed_ns);
      events_.push(event);
      return 0;
    }
    --poster.posted;
    poster.ended.push_back({event.command.tag, is_lost ? Outcome::kPeerDown : Execute(event)});
  }
  std::size_t count = 0;
  while (count < ended.size() && !mine.ended.empty()) {
    ended[count++] = mine.ended.front();
    mine.ended.pop_front();
  }
  return count;
}

void SimFabric::Receive(Rank rank, Inbox& inbox) {
  const topo::Lock lock(mutex_);
  OneRank& mine = of(rank);
  for (; !mine.messages.empty() && inbox.has_room(); mine.messages.pop_front()) {
    const auto& [from, bytes] = mine.messages.front();
    std::copy(bytes.begin(), bytes.end(), inbox.Add(from, bytes.size()).begin());
  }
}

// None while it has posted something: time goes on when it polls.
int SimFabric::wait_descriptor(Rank rank) {
  const topo::Lock lock(mutex_);
  OneRank& mine = of(rank);
  if (mine.posted > 0 || mine.is_down) return -1;
  if (mine.news.get() < 0) mine.news = OwnedFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return mine.news.get();
}

bool SimFabric::TryArm(Rank rank) {
  const topo::Lock lock(mutex_);
  OneRank& mine = of(rank);
  std::uint64_t rings = 0;
  (void)!read(mine.news.get(), &rings, sizeof rings);
  return mine.ended.empty() && mine.messages.empty();
}

Outcome SimFabric::Execute(const Event& event) {
  const Command& command = event.command;
  if (command.kind == CommandKind::kMessage) {
    of(command.peer).messages.emplace_back(event.from, event.bytes);
    const std::uint64_t one = 1;
    const int news = of(command.peer).news.get();
    if (news >= 0) (void)!write(news, &one, sizeof one);
    return Outcome::kDone;
  }
  if (!IsExposed(command.peer, command.id)) return Outcome::kRefused;
  const Memory& memory = of(command.peer).regions[command.id.slot];
  if (!Fits(command.address, command.bytes, memory.bytes)) return Outcome::kRefused;
  // It may be late, and the caller's memory be gone.
  if (UsesLocalRegion(command) && !IsExposed(event.from, command.local_id)) {
    return Outcome::kRefused;
  }
  ExecuteInPlace(command, memory.start + command.address);
  return Outcome::kDone;
}

}  // namespace llcl
