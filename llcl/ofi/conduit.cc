#include "llcl/ofi/conduit.h"

#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "llcl/launch/place.h"
#include "llcl/ofi/atomics.h"
#include "llcl/ofi/fabric.h"
#include "llcl/ofi/messages.h"
#include "llcl/ofi/operations.h"
#include "llcl/ofi/peers.h"
#include "llcl/ofi/regions.h"
#include "llcl/owned_fd.h"
#include "llcl/shared_memory.h"

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

class OfiConduit final : public Conduit, public Device {
 public:
  OfiConduit(const Launch& launch, std::unique_ptr<OfiFabric> fabric)
      : rank_(launch.rank()),
        fabric_(std::move(fabric)),
        atomics_(fabric_->messages()),
        waiting_(static_cast<std::size_t>(launch.size())) {}
  ~OfiConduit() override { fabric_->CloseEndpoints(); }

  absl::Status Begin(Launch& launch, const std::vector<Place>& places);

  Rank rank() const override { return rank_; }
  int size() const override { return static_cast<int>(waiting_.size()); }
  Device& device() override { return *this; }
  int losses() const override { return peers_->losses(); }
  bool IsDown(Rank rank) const override { return peers_->IsDown(rank); }

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

  bool can_pack() const override { return true; }
  bool WithRegion(RegionId id, OnRegion f) override { return regions_->WithRegion(id, f); }

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  void Receive(Inbox& inbox) override {
    const std::lock_guard lock(fabric_->mutex());
    messages_->Receive(inbox);
  }
  // That the provider has room again is not told, nor that it is time to try again.
  int wait_descriptor() const override {
    return waiting_count_ > 0 || !later_.empty() ? -1 : news_.get();
  }
  bool TryArm() override;

 private:
  struct Later {
    Clock::time_point due;
    OfiContext* what;
  };

  bool Refuses(const Command& command) const;
  absl::Status OpenNews();

  void Begin(OfiOperation& operation, bool more_follows);
  bool TryBegin(OfiOperation& operation, bool more_follows);
  void BeginWaiting();
  void BeginLater();
  void ReadCompletions();
  void OnCompletion(OfiContext& context, std::size_t bytes);
  bool ReadError();
  void OnFailure(OfiOperation& operation, int error);
  void OnFailure(OfiMessages::Outgoing& message);
  // Its peer is gone, or it has failed so often that it may as well be.
  bool IsHopeless(int attempts, Rank peer);
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
  std::unique_ptr<OfiPeers> peers_;
  OwnedFd news_;  // an epoll: the completion queue and the ends of ranks; or none
  // Under the executor's lock.
  std::deque<Ended> ended_;
  std::deque<Later> later_;
  // What the provider has no room for, by rank, so that it holds up nobody else.
  std::vector<std::deque<OfiOperation*>> waiting_;
  std::size_t waiting_count_ = 0;  // of all ranks
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

  auto peers = OfiPeers::Meet(launch, places, *fabric_, regions_->table());
  if (!peers.ok()) return peers.status();
  peers_ = *std::move(peers);
  return OpenNews();
}

absl::Status OfiConduit::OpenNews() {
  if (fabric_->wait_descriptor() < 0) return absl::OkStatus();
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {fabric_->wait_descriptor(), peers_->descriptor()}) {
    epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    if (news_.get() < 0 || epoll_ctl(news_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return absl::ResourceExhaustedError(std::string("cannot wait for completions: ") +
                                          std::strerror(errno));
    }
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
  auto& waiting = waiting_[static_cast<std::size_t>(ToInt(operation.command.peer))];
  if (waiting.empty() && TryBegin(operation, more_follows)) return;
  waiting.push_back(&operation);
  ++waiting_count_;
}

// False: there is no room now.
bool OfiConduit::TryBegin(OfiOperation& operation, bool more_follows) {
  const Command& command = operation.command;
  if (IsDown(command.peer)) {
    End(operation, Outcome::kPeerDown);
    return true;
  }
  const bool is_message = command.kind == CommandKind::kMessage;
  const OfiPeerAddress& peer = peers_->address(command.peer);
  const std::int64_t begun = is_message
                                 ? messages_->TrySend(command.peer, peer.messages,
                                                      {command.local, command.bytes}, more_follows)
                                 : operations_->TryBegin(operation, peer, more_follows);
  if (begun == -FI_EAGAIN) return false;
  if (begun != 0) {
    OnFailure(operation, static_cast<int>(-begun));
  } else if (is_message) {
    End(operation, Outcome::kDone);
  }
  return true;
}

void OfiConduit::BeginWaiting() {
  if (waiting_count_ == 0) return;
  for (auto& waiting : waiting_) {
    // Out of the queue first: beginning it may queue it again.
    while (!waiting.empty()) {
      OfiOperation& next = *waiting.front();
      waiting.pop_front();
      --waiting_count_;
      if (TryBegin(next, false)) continue;
      waiting.push_front(&next);
      ++waiting_count_;
      break;
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
    const std::int64_t sent = messages_->TryResend(message, peers_->address(message.to).messages);
    if (sent != 0) OnFailure(message);
  }
}

std::size_t OfiConduit::Poll(std::span<Ended> ended) {
  const std::lock_guard lock(fabric_->mutex());
  constexpr int kPollsPerLook = 256;
  if (++polls_ % kPollsPerLook == 0) peers_->LookForEnds();
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
  if (!operation.is_checking && IsRefusal(error)) {
    End(operation, Outcome::kRefused);
  } else if (IsHopeless(++operation.attempts, operation.command.peer)) {
    End(operation, Outcome::kPeerDown);
  } else if (operation.is_checking || operation.command.kind == CommandKind::kMessage) {
    DoLater(operation);
  } else {
    operation.is_checking = true;
    Begin(operation, false);
  }
}

void OfiConduit::OnFailure(OfiMessages::Outgoing& message) {
  if (IsHopeless(++message.attempts, message.to)) {
    messages_->OnSent(message);
  } else {
    DoLater(message);
  }
}

bool OfiConduit::IsHopeless(int attempts, Rank peer) {
  if (attempts >= kMostAttempts) peers_->OnSilence(peer);
  return attempts >= kMostAttempts || IsDown(peer);
}

bool OfiConduit::TryArm() {
  const std::lock_guard lock(fabric_->mutex());
  peers_->LookForEnds();
  if (!ended_.empty() || messages_->has_received()) return false;
  fid_t queue = &fabric_->completions()->fid;
  return fi_trywait(fabric_->fabric(), &queue, 1) == FI_SUCCESS;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conduit>> MakeOfiConduit(Launch& launch, const OfiOptions& options) {
  const absl::StatusOr<std::vector<Place>> places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  const bool together = std::all_of(places->begin(), places->end(), [&](const Place& place) {
    return SharesNetwork(place, places->front());
  });
  absl::StatusOr<std::unique_ptr<OfiFabric>> fabric =
      OfiFabric::OpenFirst(options.provider, options.node, together);
  if (!fabric.ok()) return fabric.status();
  auto conduit = std::make_unique<OfiConduit>(launch, *std::move(fabric));
  if (const absl::Status begun = conduit->Begin(launch, *places); !begun.ok()) return begun;
  return conduit;
}

}  // namespace llcl
