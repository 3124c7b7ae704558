#include "llcl/ofi_conduit.h"

#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "llcl/ofi_atomics.h"
#include "llcl/ofi_fabric.h"
#include "llcl/ofi_messages.h"
#include "llcl/ofi_operations.h"
#include "llcl/ofi_regions.h"
#include "llcl/place.h"
#include "llcl/smp_door.h"
#include "llcl/smp_memory.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

// What failed is tried again so often and so many times: some seconds, in which a
// provider makes a new connection many times over.
constexpr std::chrono::milliseconds kPause{5};
constexpr int kMostAttempts = 1'000;

// Did the other rank's provider, or ours, say that it may not be?
bool IsRefusal(int error) {
  return error == FI_EACCES || error == FI_EPERM || error == FI_EKEYREJECTED ||
         error == FI_EINVAL || error == FI_EMSGSIZE || error == FI_ENOSYS || error == FI_EOPNOTSUPP;
}

// What this rank knows of another.
struct Peer {
  OfiPeerAddress address;
  OwnedFd process;  // a pidfd; readable once it has ended
  std::atomic<bool> is_down{false};
  // What the provider has no room for: held here, so that it holds up nobody else.
  std::deque<OfiOperation*> waiting;
};

class OfiConduit final : public Conduit, public Device {
 public:
  OfiConduit(Rank rank, int size, std::unique_ptr<OfiFabric> fabric)
      : rank_(rank), fabric_(std::move(fabric)), atomics_(fabric_->messages()) {
    for (int i = 0; i < size; ++i) peers_.push_back(std::make_unique<Peer>());
  }
  ~OfiConduit() override { fabric_->CloseEndpoints(); }

  absl::Status Begin(Launch& launch, const std::vector<Place>& places);

  Rank rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  Device& device() override { return *this; }
  int losses() const override { return losses_.load(std::memory_order_acquire); }
  bool IsDown(Rank rank) const override { return Of(rank).is_down.load(std::memory_order_acquire); }

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
    const absl::StatusOr<std::uint64_t> size = SizeOf(fd);
    if (!size.ok()) return size.status();
    if (!Fits(offset, bytes, *size)) {
      return absl::OutOfRangeError("the shared memory is smaller than the region");
    }
    absl::StatusOr<Mapped> mapped = Mapped::Of(fd, offset + bytes);
    if (!mapped.ok()) return mapped.status();
    return regions_->Keep(*std::move(mapped), offset, bytes);
  }
  void Deregister(const Registered& memory) override { regions_->Deregister(memory.local.id); }
  bool IsRegistered(const LocalRegion& region) const override {
    return regions_->IsRegistered(region.id);
  }

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  void Receive(Inbox& inbox) override {
    const std::lock_guard lock(fabric_->mutex());
    messages_->Receive(inbox);
  }
  // That the provider has room again is not told, nor that it is time to try again.
  int wait_descriptor() const override {
    return waiting_ > 0 || !later_.empty() ? -1 : news_.get();
  }
  bool TryArm() override;

 private:
  struct Later {
    Clock::time_point due;
    OfiContext* what;
  };

  Peer& Of(Rank rank) const { return *peers_[static_cast<std::size_t>(ToInt(rank))]; }
  bool Refuses(const Command& command) const;
  absl::Status Watch(int fd, std::uint64_t what);
  void LookForNews();
  void Lose(Peer& peer);

  void Begin(OfiOperation& operation, bool more_follows);
  bool TryBegin(OfiOperation& operation, bool more_follows);
  void BeginWaiting();
  void BeginLater();
  void ReadCompletions();
  void OnCompletion(OfiContext& context, std::size_t bytes);
  bool ReadError();
  void OnFailure(OfiOperation& operation, int error);
  void OnFailure(OfiMessages::Outgoing& message);
  // Has it failed too often? Then its peer is gone.
  bool IsHopeless(int attempts, Peer& peer);
  void DoLater(OfiContext& what) { later_.push_back({Clock::now() + kPause, &what}); }
  void End(OfiOperation& operation, Outcome outcome) {
    ended_.push_back({operation.command.tag, outcome});
    operations_->Free(operation);
  }

  const Rank rank_;
  const std::unique_ptr<OfiFabric> fabric_;
  const OfiAtomics atomics_;
  std::unique_ptr<OfiRegions> regions_;
  std::unique_ptr<OfiOperations> operations_;
  std::unique_ptr<OfiMessages> messages_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::atomic<int> losses_{0};
  OwnedFd news_;  // an epoll: the completion queue and the ends of processes; or none
  OwnedFd ends_;  // an epoll: the ends of processes
  // Under the executor's lock.
  std::deque<Ended> ended_;
  std::deque<Later> later_;
  std::size_t waiting_ = 0;  // in all peers
  int polls_ = 0;
};

absl::Status OfiConduit::Begin(Launch& launch, const std::vector<Place>& places) {
  auto regions = OfiRegions::Open(*fabric_, rank_);
  if (!regions.ok()) return regions.status();
  regions_ = *std::move(regions);
  auto operations = OfiOperations::Open(*fabric_, *regions_);
  if (!operations.ok()) return operations.status();
  operations_ = *std::move(operations);
  auto messages = OfiMessages::Open(*fabric_, *regions_, rank_, size());
  if (!messages.ok()) return messages.status();
  messages_ = *std::move(messages);

  ends_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (fabric_->wait_descriptor() >= 0) news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (ends_.get() < 0 || (fabric_->wait_descriptor() >= 0 && news_.get() < 0)) {
    return absl::ResourceExhaustedError(std::string("cannot make an epoll: ") +
                                        std::strerror(errno));
  }
  for (const int fd : {fabric_->wait_descriptor(), ends_.get()}) {
    epoll_event event = {.events = EPOLLIN, .data = {.u64 = 0}};
    if (news_.get() >= 0 && epoll_ctl(news_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return absl::ResourceExhaustedError(std::string("cannot watch: ") + std::strerror(errno));
    }
  }

  // A launcher carries one text of each rank at a time; these are few.
  const auto providers = launch.Allgather(fabric_->provider());
  if (!providers.ok()) return providers.status();
  for (const std::string& provider : *providers) {
    if (provider == fabric_->provider()) continue;
    return absl::FailedPreconditionError(
        "the ranks do not all find the same provider: " + fabric_->provider() + " and " + provider);
  }
  const auto messages_name = fabric_->NameOf(fabric_->messages());
  if (!messages_name.ok()) return messages_name.status();
  const auto transfers_name = fabric_->NameOf(fabric_->transfers());
  if (!transfers_name.ok()) return transfers_name.status();
  const auto messages_names = launch.Allgather(*messages_name);
  if (!messages_names.ok()) return messages_names.status();
  const auto transfers_names = launch.Allgather(*transfers_name);
  if (!transfers_names.ok()) return transfers_names.status();
  const OfiTableAddress& table = regions_->table();
  const auto tables = launch.Allgather({reinterpret_cast<const char*>(&table), sizeof table});
  if (!tables.ok()) return tables.status();

  for (std::size_t i = 0; i < peers_.size(); ++i) {
    Peer& peer = *peers_[i];
    const auto to_messages = fabric_->AddressOf((*messages_names)[i]);
    if (!to_messages.ok()) return to_messages.status();
    peer.address.messages = peer.address.transfers = *to_messages;
    if ((*transfers_names)[i] != (*messages_names)[i]) {
      const auto to_transfers = fabric_->AddressOf((*transfers_names)[i]);
      if (!to_transfers.ok()) return to_transfers.status();
      peer.address.transfers = *to_transfers;
    }
    if ((*tables)[i].size() != sizeof peer.address.table) {
      return absl::UnavailableError("a rank does not say where its table is");
    }
    std::memcpy(&peer.address.table, (*tables)[i].data(), sizeof peer.address.table);
    const auto rank = static_cast<std::size_t>(ToInt(rank_));
    if (i == rank || !SharesProcesses(places[i], places[rank])) continue;
    peer.process = OwnedFd(static_cast<int>(syscall(SYS_pidfd_open, places[i].process, 0)));
    if (peer.process.get() < 0) {
      if (errno == ESRCH) Lose(peer);
      continue;  // Else it is like a rank of another machine.
    }
    if (const absl::Status watches = Watch(peer.process.get(), i); !watches.ok()) return watches;
  }
  // Nobody goes before all have what they need of it.
  return launch.Allgather("").status();
}

absl::Status OfiConduit::Watch(int fd, std::uint64_t what) {
  epoll_event event = {.events = EPOLLIN, .data = {.u64 = what}};
  if (epoll_ctl(ends_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return absl::ResourceExhaustedError(std::string("cannot watch a rank: ") +
                                        std::strerror(errno));
  }
  return absl::OkStatus();
}

bool OfiConduit::Refuses(const Command& command) const {
  if (command.kind == CommandKind::kAtomic) return !atomics_.Has(command.type, command.op);
  return command.bytes > fabric_->info().ep_attr->max_msg_size;
}

std::size_t OfiConduit::Post(std::span<const Command> commands) {
  const std::lock_guard lock(fabric_->mutex());
  commands = commands.first(std::min(commands.size(), operations_->free()));
  // What is told to follow must follow: to the same peer, by the same endpoint.
  const auto follows = [&](const Command& next, const Command& command) {
    const auto is_transfer = [](const Command& one) {
      return one.kind == CommandKind::kRead || one.kind == CommandKind::kWrite;
    };
    return next.peer == command.peer && is_transfer(next) == is_transfer(command) &&
           next.bytes > 0 && !Refuses(next);
  };
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    OfiOperation& operation = operations_->Take(command);
    if (Refuses(command)) {
      End(operation, Outcome::kRefused);
    } else if (command.bytes == 0) {
      End(operation, Outcome::kDone);
    } else {
      Begin(operation, i + 1 < commands.size() && follows(commands[i + 1], command));
    }
  }
  return commands.size();
}

void OfiConduit::Begin(OfiOperation& operation, bool more_follows) {
  Peer& peer = Of(operation.command.peer);
  if (peer.waiting.empty() && TryBegin(operation, more_follows)) return;
  peer.waiting.push_back(&operation);
  ++waiting_;
}

// False: there is no room now.
bool OfiConduit::TryBegin(OfiOperation& operation, bool more_follows) {
  const Command& command = operation.command;
  Peer& peer = Of(command.peer);
  if (peer.is_down.load(std::memory_order_relaxed)) {
    End(operation, Outcome::kPeerDown);
    return true;
  }
  const bool is_message = command.kind == CommandKind::kMessage;
  const std::int64_t begun = is_message
                                 ? messages_->TrySend(command.peer, peer.address.messages,
                                                      {command.local, command.bytes}, more_follows)
                                 : operations_->TryBegin(operation, peer.address, more_follows);
  if (begun == -FI_EAGAIN) return false;
  if (begun != 0) {
    OnFailure(operation, static_cast<int>(-begun));
  } else if (is_message) {
    End(operation, Outcome::kDone);
  }
  return true;
}

void OfiConduit::BeginWaiting() {
  if (waiting_ == 0) return;
  for (const auto& peer : peers_) {
    while (!peer->waiting.empty() && TryBegin(*peer->waiting.front(), false)) {
      peer->waiting.pop_front();
      --waiting_;
    }
  }
}

void OfiConduit::BeginLater() {
  if (later_.empty()) return;
  const Clock::time_point now = Clock::now();
  while (!later_.empty() && later_.front().due <= now) {
    OfiContext& context = *later_.front().what;
    later_.pop_front();
    if (context.what == OfiWhat::kOperation) {
      Begin(static_cast<OfiOperation&>(context), false);
      continue;
    }
    auto& message = static_cast<OfiMessages::Outgoing&>(context);
    const std::int64_t sent = messages_->TryResend(message, Of(message.to).address.messages);
    if (sent != 0) OnFailure(message);
  }
}

std::size_t OfiConduit::Poll(std::span<Ended> ended) {
  const std::lock_guard lock(fabric_->mutex());
  constexpr int kPollsPerLook = 256;
  if (++polls_ % kPollsPerLook == 0) LookForNews();
  ReadCompletions();
  BeginWaiting();
  BeginLater();
  messages_->PostBuffers();
  std::size_t count = 0;
  while (count < ended.size() && !ended_.empty()) {
    ended[count++] = ended_.front();
    ended_.pop_front();
  }
  return count;
}

void OfiConduit::ReadCompletions() {
  std::array<fi_cq_msg_entry, 32> entries;
  // As many as this, so that who holds the executor's lock comes back.
  for (int rounds = 0; rounds < 8; ++rounds) {
    const ssize_t count = fi_cq_read(fabric_->completions(), entries.data(), entries.size());
    if (count == -FI_EAVAIL) {
      if (!ReadError()) return;
      continue;
    }
    for (ssize_t i = 0; i < count; ++i) {
      const fi_cq_msg_entry& entry = entries[static_cast<std::size_t>(i)];
      if (entry.op_context == nullptr) continue;
      OnCompletion(*static_cast<OfiContext*>(entry.op_context), entry.len);
    }
    if (count < static_cast<ssize_t>(entries.size())) return;
  }
}

void OfiConduit::OnCompletion(OfiContext& context, std::size_t bytes) {
  context.is_posted = false;
  if (context.what == OfiWhat::kReceive) {
    messages_->OnReceived(static_cast<OfiMessages::Incoming&>(context), bytes);
    return;
  }
  if (context.what == OfiWhat::kSend) {
    messages_->OnSent(static_cast<OfiMessages::Outgoing&>(context));
    return;
  }
  auto& operation = static_cast<OfiOperation&>(context);
  if (!operation.is_checking) {
    End(operation, Outcome::kDone);
    return;
  }
  operation.is_checking = false;
  if (operation.generation != operation.command.id.generation) {
    End(operation, Outcome::kRefused);
  } else if (operation.command.kind == CommandKind::kAtomic) {
    // Perhaps it was done: it must not be done twice.
    End(operation, Outcome::kPeerDown);
  } else {
    DoLater(operation);
  }
}

// False: there is none.
bool OfiConduit::ReadError() {
  fi_cq_err_entry entry = {};
  if (fi_cq_readerr(fabric_->completions(), &entry, 0) != 1) return false;
  // ofi_rxm reports a refused atomic three times, twice for nobody.
  if (!operations_->Owns(entry.op_context) && !messages_->Owns(entry.op_context)) return true;
  auto& context = *static_cast<OfiContext*>(entry.op_context);
  if (!std::exchange(context.is_posted, false)) return true;
  if (context.what == OfiWhat::kReceive) {
    messages_->OnNotReceived(static_cast<OfiMessages::Incoming&>(context));
  } else if (context.what == OfiWhat::kSend) {
    OnFailure(static_cast<OfiMessages::Outgoing&>(context));
  } else {
    OnFailure(static_cast<OfiOperation&>(context), entry.err);
  }
  return true;
}

void OfiConduit::OnFailure(OfiOperation& operation, int error) {
  Peer& peer = Of(operation.command.peer);
  if (!operation.is_checking && IsRefusal(error)) {
    End(operation, Outcome::kRefused);
  } else if (IsHopeless(++operation.attempts, peer)) {
    End(operation, Outcome::kPeerDown);
  } else if (operation.is_checking || operation.command.kind == CommandKind::kMessage) {
    DoLater(operation);
  } else {
    operation.is_checking = true;
    Begin(operation, false);
  }
}

void OfiConduit::OnFailure(OfiMessages::Outgoing& message) {
  if (IsHopeless(++message.attempts, Of(message.to))) {
    messages_->OnSent(message);
  } else {
    DoLater(message);
  }
}

bool OfiConduit::IsHopeless(int attempts, Peer& peer) {
  if (attempts >= kMostAttempts && peer.process.get() < 0) Lose(peer);
  return attempts >= kMostAttempts || peer.is_down.load(std::memory_order_relaxed);
}

bool OfiConduit::TryArm() {
  const std::lock_guard lock(fabric_->mutex());
  LookForNews();
  if (!ended_.empty() || messages_->has_received()) return false;
  fid_t queue = &fabric_->completions()->fid;
  return fi_trywait(fabric_->fabric(), &queue, 1) == FI_SUCCESS;
}

void OfiConduit::LookForNews() {
  std::array<epoll_event, 16> events;
  const int count = epoll_wait(ends_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    Lose(Of(Rank{static_cast<std::int32_t>(events[static_cast<std::size_t>(i)].data.u64)}));
  }
}

void OfiConduit::Lose(Peer& peer) {
  if (peer.is_down.exchange(true, std::memory_order_acq_rel)) return;
  losses_.fetch_add(1, std::memory_order_release);
  if (peer.process.get() >= 0) {
    (void)epoll_ctl(ends_.get(), EPOLL_CTL_DEL, peer.process.get(), nullptr);
  }
}

// The first of those that there are.
absl::StatusOr<std::unique_ptr<OfiFabric>> OpenFabric(const OfiOptions& options, bool together) {
  std::vector<std::string> providers = {"verbs;ofi_rxm", "cxi", "efa", "tcp;ofi_rxm"};
  if (!options.provider.empty()) providers = {options.provider};
  absl::Status failure;
  for (const std::string& provider : providers) {
    std::string node = options.node;
    // Else tcp binds to an interface of its choice.
    if (node.empty() && together && provider.starts_with("tcp")) node = "127.0.0.1";
    auto fabric = OfiFabric::Open(provider, node);
    if (fabric.ok()) return fabric;
    failure = fabric.status();
  }
  return failure;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conduit>> MakeOfiConduit(Launch& launch, const OfiOptions& options) {
  const absl::StatusOr<std::vector<Place>> places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  const bool together = std::all_of(places->begin(), places->end(), [&](const Place& place) {
    return SharesNetwork(place, places->front());
  });
  absl::StatusOr<std::unique_ptr<OfiFabric>> fabric = OpenFabric(options, together);
  if (!fabric.ok()) return fabric.status();
  auto conduit = std::make_unique<OfiConduit>(launch.rank(), launch.size(), *std::move(fabric));
  if (const absl::Status begun = conduit->Begin(launch, *places); !begun.ok()) return begun;
  return conduit;
}

}  // namespace llcl
