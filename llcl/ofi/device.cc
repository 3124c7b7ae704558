#include "llcl/ofi/device.h"

#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace llcl {
namespace {

// Failed operations are tried again after kPause, for some seconds in all, in which a
// provider makes a new connection many times over.
constexpr std::chrono::milliseconds kPause{5};
constexpr int kMostAttempts = 1'000;

// Did the other rank's provider, or this one's, refuse the operation?
bool IsRefusal(int error) {
  return error == FI_EACCES || error == FI_EPERM || error == FI_EKEYREJECTED ||
         error == FI_EINVAL || error == FI_EMSGSIZE || error == FI_ENOSYS || error == FI_EOPNOTSUPP;
}

bool IsTransfer(const Command& command) {
  return command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OfiDevice>> OfiDevice::Open(
    Launch& launch, const std::vector<Place>& places, OfiFabric& fabric, std::size_t number,
    OfiRegions& regions, const RegionTables& known, std::uint64_t token) {
  std::unique_ptr<OfiDevice> device(new OfiDevice(fabric, regions, known, launch.size()));
  auto operations = OfiOperations::Open(fabric, number, regions);
  if (!operations.ok()) return operations.status();
  device->operations_ = *std::move(operations);
  auto messages = OfiMessages::Open(fabric, number, regions, launch.rank(), launch.size(), token);
  if (!messages.ok()) return messages.status();
  device->messages_ = *std::move(messages);
  auto peers = OfiPeers::Meet(launch, places, fabric, regions.table(number));
  if (!peers.ok()) return peers.status();
  device->peers_ = *std::move(peers);
  if (const absl::Status opened = device->OpenNews(); !opened.ok()) return opened;
  return device;
}

OfiDevice::OfiDevice(OfiFabric& fabric, const OfiRegions& regions, const RegionTables& known,
                     int ranks)
    : fabric_(fabric),
      regions_(regions),
      known_(known),
      atomics_(fabric.messages()),
      waiting_(static_cast<std::size_t>(ranks)) {}

absl::Status OfiDevice::OpenNews() {
  if (fabric_.wait_descriptor() < 0) return absl::OkStatus();
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {fabric_.wait_descriptor(), peers_->descriptor()}) {
    epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    if (news_.get() < 0 || epoll_ctl(news_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return absl::ResourceExhaustedError(std::string("cannot wait for completions: ") +
                                          std::strerror(errno));
    }
  }
  return absl::OkStatus();
}

bool OfiDevice::Refuses(const Command& command) const {
  return command.kind == CommandKind::kAtomic && !atomics_.Has(command.type, command.op);
}

std::size_t OfiDevice::Post(std::span<const Command> commands) {
  const topo::Lock lock(fabric_.mutex());
  commands = commands.first(std::min(commands.size(), operations_->free()));
  // A command that is to follow another goes to the same peer, by the same endpoint.
  const auto follows = [&](const Command& next, const Command& command) {
    return next.peer == command.peer && IsTransfer(next) == IsTransfer(command) && next.bytes > 0 &&
           !Refuses(next);
  };
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    OfiOperation& operation = operations_->Take(command);
    if (Refuses(command)) {
      End(operation, Outcome::kRefused);
    } else if (command.bytes == 0 && command.kind != CommandKind::kLook) {
      End(operation, Outcome::kDone);
    } else {
      const bool goes_on = i + 1 < commands.size() && follows(commands[i + 1], command);
      Begin(operation, goes_on ? OfiBatch::kGoesOn : OfiBatch::kEnds);
    }
  }
  return commands.size();
}

void OfiDevice::Begin(OfiOperation& operation, OfiBatch batch) {
  auto& waiting = waiting_[static_cast<std::size_t>(ToInt(operation.command.peer))];
  if (waiting.empty() && TryBegin(operation, batch)) return;
  waiting.push_back(&operation);
  ++waiting_count_;
}

// False: there is no room now.
bool OfiDevice::TryBegin(OfiOperation& operation, OfiBatch batch) {
  const Command& command = operation.command;
  if (IsDown(command.peer)) {
    End(operation, Outcome::kPeerDown);
    return true;
  }
  // It may be late, and the caller's memory be gone.
  if (UsesLocalRegion(command) && !regions_.IsRegistered(command.local_id)) {
    End(operation, Outcome::kRefused);
    return true;
  }
  const bool is_message = command.kind == CommandKind::kMessage;
  const OfiPeerAddress& peer = peers_->address(command.peer);
  const std::int64_t begun = is_message ? messages_->TrySend(command.peer, peer.messages,
                                                             {command.local, command.bytes}, batch)
                                        : operations_->TryBegin(operation, peer, batch);
  if (begun == -FI_EAGAIN) return false;
  if (begun != 0) {
    OnFailure(operation, static_cast<int>(-begun));
  } else if (is_message) {
    End(operation, Outcome::kDone);
  }
  return true;
}

void OfiDevice::BeginWaiting() {
  if (waiting_count_ == 0) return;
  for (auto& waiting : waiting_) {
    // Out of the queue first: beginning it may queue it again.
    while (!waiting.empty()) {
      OfiOperation& next = *waiting.front();
      waiting.pop_front();
      --waiting_count_;
      if (TryBegin(next, OfiBatch::kEnds)) continue;
      waiting.push_front(&next);
      ++waiting_count_;
      break;
    }
  }
}

void OfiDevice::BeginLater() {
  if (later_.empty()) return;
  const Clock::time_point now = Clock::now();
  while (!later_.empty() && later_.front().due <= now) {
    OfiContext& context = *later_.front().what;
    later_.pop_front();
    if (context.what == OfiWhat::kOperation) {
      Begin(static_cast<OfiOperation&>(context), OfiBatch::kEnds);
      continue;
    }
    auto& message = static_cast<OfiMessages::Outgoing&>(context);
    const std::int64_t sent = messages_->TryResend(message, peers_->address(message.to).messages);
    if (sent != 0) OnFailure(message);
  }
}

std::size_t OfiDevice::Poll(std::span<Ended> ended) {
  const topo::Lock lock(fabric_.mutex());
  constexpr int kPollsPerLook = 256;
  if (peers_->has_ended() || ++polls_ % kPollsPerLook == 0) peers_->LookForEnds();
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

void OfiDevice::ReadCompletions() {
  std::array<fi_cq_msg_entry, 32> entries;
  // At most so many, so that the thread that holds the executor's lock returns.
  for (int rounds = 0; rounds < 8; ++rounds) {
    const ssize_t count = fi_cq_read(fabric_.completions(), entries.data(), entries.size());
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

void OfiDevice::OnCompletion(OfiContext& context, std::size_t bytes) {
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
    if (operations_->EndPiece(operation)) {
      End(operation, Outcome::kDone);
    } else {
      Begin(operation, OfiBatch::kEnds);
    }
    return;
  }
  operation.is_checking = false;
  const Command& command = operation.command;
  if (command.kind == CommandKind::kLook) {
    std::memcpy(command.local, static_cast<const void*>(&operation.entry), sizeof operation.entry);
    End(operation, Outcome::kDone);
  } else if (operation.entry.generation.load(std::memory_order_relaxed) != command.id.generation) {
    known_.of(command.peer).Forget(command.id);
    End(operation, Outcome::kRefused);
  } else if (command.kind == CommandKind::kAtomic) {
    // Perhaps it was done: it must not be done twice.
    End(operation, Outcome::kPeerDown);
  } else {
    DoLater(operation);
  }
}

// False: there is none.
bool OfiDevice::ReadError() {
  fi_cq_err_entry entry = {};
  if (fi_cq_readerr(fabric_.completions(), &entry, 0) != 1) return false;
  // ofi_rxm reports a refused atomic three times, twice without its operation.
  if (!operations_->Owns(entry.op_context) && !messages_->Owns(entry.op_context)) return true;
  auto& context = *static_cast<OfiContext*>(entry.op_context);
  if (!std::exchange(context.is_posted, false)) return true;
  if (context.what == OfiWhat::kReceive) {
    messages_->OnNotReceived(static_cast<OfiMessages::Incoming&>(context));
  } else if (context.what == OfiWhat::kSend) {
    OnFailure(static_cast<OfiMessages::Outgoing&>(context));
  } else {
    auto& operation = static_cast<OfiOperation&>(context);
    if (!operation.is_checking && IsTransfer(operation.command)) {
      peers_->OnBroken(operation.command.peer, operation.connection);
    }
    OnFailure(operation, entry.err);
  }
  return true;
}

void OfiDevice::OnFailure(OfiOperation& operation, int error) {
  if (!operation.is_checking && IsRefusal(error)) {
    // Perhaps it is gone: the next request asks the owner again.
    if (operation.command.kind != CommandKind::kMessage) {
      known_.of(operation.command.peer).Forget(operation.command.id);
    }
    End(operation, Outcome::kRefused);
  } else if (IsHopeless(++operation.attempts, operation.command.peer)) {
    End(operation, Outcome::kPeerDown);
  } else if (operation.is_checking || operation.command.kind == CommandKind::kMessage) {
    DoLater(operation);
  } else {
    operation.is_checking = true;
    Begin(operation, OfiBatch::kEnds);
  }
}

void OfiDevice::OnFailure(OfiMessages::Outgoing& message) {
  // As long as the other is there: what depends on it has no other way to go on.
  if (messages_->OnNotSent(message) % kMostAttempts == 0) peers_->OnSilence(message.to);
  if (IsDown(message.to)) {
    messages_->OnSent(message);
  } else {
    DoLater(message);
  }
}

bool OfiDevice::IsHopeless(int attempts, Rank peer) {
  if (attempts >= kMostAttempts) peers_->OnSilence(peer);
  return attempts >= kMostAttempts || IsDown(peer);
}

void OfiDevice::Receive(Inbox& inbox) {
  const topo::Lock lock(fabric_.mutex());
  messages_->Receive(inbox);
}

void OfiDevice::DoLater(OfiContext& what) { later_.push_back({Clock::now() + kPause, &what}); }

bool OfiDevice::TryArm() {
  const topo::Lock lock(fabric_.mutex());
  peers_->LookForEnds();
  if (!ended_.empty() || messages_->has_received() || peers_->has_ended()) return false;
  fid_t queue = &fabric_.completions()->fid;
  return fi_trywait(fabric_.fabric(), &queue, 1) == FI_SUCCESS;
}

}  // namespace llcl
