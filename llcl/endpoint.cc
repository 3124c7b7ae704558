#include "llcl/endpoint.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "llcl/collective/collectives.h"
#include "llcl/conduit.h"
#include "llcl/executor/packing.h"
#include "llcl/executor/thread_number.h"
#include "llcl/ofi/signals.h"
#include "llcl/options.h"
#include "llcl/team.h"

namespace llcl {
namespace {

// Transfers from so many bytes on take the devices by turns: one thread may so have the
// bandwidth of all. Shorter ones keep to the thread's own device.
constexpr std::uint64_t kLongTransfer = 64 * 1024;

// Requests on regions that were not used before, at a time: each has a place of its own.
constexpr Tag kMostLookups = 256;

std::uint32_t InMs(Timeout timeout) {
  constexpr std::int64_t kMost = 1 << 30;  // Some days: for ever.
  return timeout.count() >= kMost
             ? 0
             : static_cast<std::uint32_t>(std::max<std::int64_t>(timeout.count(), 1));
}

}  // namespace

Region::~Region() {
  if (endpoint_ == nullptr) return;
  endpoint_->conduit_->Deregister({local_, remote_}, endpoint_->overdue() > 0);
}

// A write and what follows it.
struct Endpoint::Chain {
  Endpoint& endpoint;
  Command second;
  Completion after_write, after_both;
  Timeout timeout;
  Completion released;         // of the second
  RemoteRegion second_region;  // what the second's is said to be

  static void OnWritten(void* self, Outcome outcome) {
    const std::unique_ptr<Chain> chain(static_cast<Chain*>(self));
    chain->after_write.Tell(outcome);
    if (outcome == Outcome::kDone) {
      if (chain->second.unknown != nullptr) chain->second.unknown = &chain->second_region;
      chain->endpoint.PostSurely(chain->second, chain->after_both, chain->timeout, chain->released);
    } else {
      chain->after_both.Tell(outcome);
      chain->released.Tell(outcome);
    }
  }
};

// An operation whose end is to be seen.
struct Endpoint::Traced {
  const std::function<void(const TraceEvent&)>& trace;
  TraceEvent event;
  std::chrono::steady_clock::time_point start;
  Completion then;

  static void OnEnd(void* self, Outcome outcome) {
    const std::unique_ptr<Traced> traced(static_cast<Traced*>(self));
    traced->event.what = TraceEvent::What::kEnded;
    traced->event.outcome = outcome;
    traced->event.duration = std::chrono::steady_clock::now() - traced->start;
    traced->trace(traced->event);
    traced->then.Tell(outcome);
  }
};

absl::StatusOr<std::unique_ptr<Endpoint>> Endpoint::Make(std::unique_ptr<Conduit> conduit,
                                                         EndpointOptions options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  return std::make_unique<Endpoint>(std::move(conduit), std::move(options));
}

Endpoint::Endpoint(std::unique_ptr<Conduit> conduit, EndpointOptions options)
    : conduit_((CheckOrDie(Check(options)), std::move(conduit))),
      devices_(conduit_->devices().begin(), conduit_->devices().end()),
      own_regions_(conduit_->own_regions()),
      options_(std::move(options)),
      loss_told_(new std::atomic<bool>[static_cast<std::size_t>(size())]()) {
  // Also where this came with a library that was opened when signals were taken already.
  (void)GiveBackSignals();
  for (int rank = 0; rank < size(); ++rank) {
    regions_.push_back(&conduit_->RegionsOf(Rank{rank}));
  }
  if (conduit_->learns_regions()) {
    lookups_ = std::make_unique<Lookups>(
        kMostLookups,
        [this](const Request& look) {
          return executors_[look.command.device]->TryPost(look.command, look.then, look.most_ms,
                                                          look.released);
        },
        [this](const Request& request) {
          Surely([this, request] { return PostKnown(request); }, request.then, request.released);
        },
        [this](Rank rank) -> RegionTable& {
          return *regions_[static_cast<std::size_t>(ToInt(rank))];
        });
  }
  MessengerOptions messages;
  messages.handlers = options_.handlers;
  messages.credits = options_.credits;
  messages.internal = [this](Rank from, std::span<const std::byte> payload) {
    collectives_->OnMessage(from, payload);
  };
  messenger_ = std::make_unique<Messenger>(
      size(), std::move(messages),
      [this](const Command& command, Completion then, Completion released) {
        return PostNow(command, then, {}, released);
      },
      retries_);
  collectives_ = std::make_unique<Collectives>(
      Messenger::kMostPayload,
      [this](Rank to, std::span<const std::byte> message) {
        messenger_->SendInternal(to, message);
      },
      [this](Rank rank) { return IsDown(rank); }, InMs(options_.timeout));
  std::vector<Rank> all;
  for (int rank = 0; rank < size(); ++rank) all.push_back(Rank{rank});
  world_.reset(new Team(*collectives_, 0, rank(), std::move(all)));
  if (options_.packs && conduit_->can_pack()) {
    packing_ = std::make_unique<PackingDevice>(*conduit_, options_.executor.tags);
  }
  std::vector<Device*> devices = devices_;
  if (packing_) devices = {packing_.get()};
  for (Device* const device : devices) {
    executors_.push_back(
        std::make_unique<Executor>(*device, options_.executor, static_cast<Host*>(this)));
  }
  for (const auto& executor : executors_) executor->Start();
}

Endpoint::~Endpoint() {
  Drain();
  for (const auto& executor : executors_) executor->Close();
}

Rank Endpoint::rank() const { return conduit_->rank(); }
int Endpoint::size() const { return conduit_->size(); }

absl::StatusOr<Region> Endpoint::Register(std::span<std::byte> memory) {
  if (memory.empty()) return absl::InvalidArgumentError("a region has at least one byte");
  return RegionOf(conduit_->Register(memory));
}
absl::StatusOr<Region> Endpoint::Allocate(std::uint64_t bytes) {
  if (bytes == 0) return absl::InvalidArgumentError("a region has at least one byte");
  return RegionOf(conduit_->Allocate(bytes));
}

absl::StatusOr<Region> Endpoint::RegisterShared(int fd, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return absl::InvalidArgumentError("a region has at least one byte");
  return RegionOf(conduit_->RegisterShared(fd, offset, bytes));
}

absl::StatusOr<Region> Endpoint::RegionOf(const absl::StatusOr<Conduit::Registered>& registered) {
  if (!registered.ok()) return registered.status();
  Region region;
  region.endpoint_ = this;
  region.local_ = registered->local;
  region.remote_ = registered->remote;
  return region;
}

std::size_t Endpoint::DeviceFor(const Command& command) {
  const std::size_t devices = executors_.size();
  const bool is_transfer =
      command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite;
  if (devices == 1 || !is_transfer) return 0;
  if (command.bytes >= kLongTransfer) {
    return turn_.fetch_add(1, std::memory_order_relaxed) % devices;
  }
  return ThreadNumber() % devices;
}

// Addresses are checked here: providers were seen to take wrong keys and ranges in
// silence.
Posted Endpoint::Prepare(Command& command, const RemoteAddress& there, const LocalAddress* here) {
  const RemoteRegion& region = there.region;
  // As unsigned: none is below zero.
  const auto peer = static_cast<std::uint32_t>(ToInt(region.owner));
  if (peer >= regions_.size() || region.id.generation == 0) return Posted::kBadRange;
  if (!Fits(there.offset, command.bytes, region.bytes)) return Posted::kBadRange;
  if (command.kind == CommandKind::kAtomic &&
      ((there.offset + region.misalignment) % command.bytes != 0 ||
       !Exists(command.type, command.op))) {
    return Posted::kBadRange;
  }
  const std::size_t device = devices_.size() == 1 ? 0 : DeviceFor(command);
  command.device = static_cast<std::uint8_t>(device);
  if (here != nullptr) {
    if (!Fits(here->offset, command.bytes, here->region.bytes)) return Posted::kBadRange;
    if (!own_regions_.Exists(here->region.id)) return Posted::kBadRange;
    command.local = here->data();
    command.local_id = here->region.id;
    command.descriptor = here->region.descriptors[device];
  }
  command.peer = region.owner;
  command.id = region.id;
  command.key = region.keys[device];
  command.address = region.start + there.offset;
  if (!regions_[peer]->Has(region, device)) [[unlikely]]
    command.unknown = &region;
  return Posted::kPosted;
}

Posted Endpoint::PostNow(const Command& command, Completion then, Timeout timeout,
                         Completion released) {
  if (options_.trace) [[unlikely]] {
    return PostTraced(command, then, timeout, released);
  }
  return PostUntraced(command, then, timeout, released);
}

Posted Endpoint::PostTraced(const Command& command, Completion then, Timeout timeout,
                            Completion released) {
  TraceEvent event = {.what = TraceEvent::What::kPosted,
                      .kind = command.kind,
                      .peer = command.peer,
                      .bytes = command.bytes};
  options_.trace(event);
  auto traced = std::unique_ptr<Traced>(
      new Traced{options_.trace, event, std::chrono::steady_clock::now(), then});
  event.posted = PostUntraced(command, Completion(&Traced::OnEnd, traced.get()), timeout, released);
  if (event.posted == Posted::kPosted) {
    (void)traced.release();  // Its end deletes it, or has.
  } else {
    event.what = TraceEvent::What::kRefused;
    options_.trace(event);
  }
  return event.posted;
}

Posted Endpoint::PostUntraced(const Command& command, Completion then, Timeout timeout,
                              Completion released) {
  if (aborted_.load(std::memory_order_relaxed)) return Posted::kClosing;
  if (IsDown(command.peer)) return Posted::kPeerDown;
  const auto most_ms = [&] {
    return InMs(timeout == Timeout::zero() ? options_.timeout : timeout);
  };
  if (command.unknown != nullptr) [[unlikely]] {
    return PostUnknown({command, then, released, most_ms()});
  }
  Outcome outcome;
  if (command.kind != CommandKind::kMessage && conduit_->TryInPlace(command, outcome)) {
    then.Tell(outcome);
    return Posted::kPosted;
  }
  return executors_[command.device]->TryPost(command, then, most_ms(), released);
}

Posted Endpoint::PostUnknown(const Request& request) {
  if (lookups_) return lookups_->TryBegin(request);
  // There is no such region in the owner's own table.
  request.then.Tell(Outcome::kRefused);
  request.released.Tell(Outcome::kRefused);
  return Posted::kPosted;
}

Posted Endpoint::PostKnown(const Request& request) {
  if (aborted_.load(std::memory_order_relaxed)) return Posted::kClosing;
  if (IsDown(request.command.peer)) return Posted::kPeerDown;
  return executors_[request.command.device]->TryPost(request.command, request.then, request.most_ms,
                                                     request.released);
}

Posted Endpoint::TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                         Completion then, Timeout timeout) {
  const Posted prepared = Prepare(command, there, here);
  return prepared == Posted::kPosted ? PostNow(command, then, timeout) : prepared;
}

Posted Endpoint::TryRead(const ReadParams& params) {
  Command command;
  command.kind = CommandKind::kRead;
  command.bytes = params.bytes;
  return TryPost(command, params.from, &params.to, params.then, params.timeout);
}

Posted Endpoint::TryWrite(const WriteParams& params) {
  Command command;
  command.kind = CommandKind::kWrite;
  command.bytes = params.bytes;
  return TryPost(command, params.to, &params.from, params.then, params.timeout);
}

Posted Endpoint::TrySend(const SendParams& params) {
  if (ToInt(params.to) < 0 || ToInt(params.to) >= size()) return Posted::kBadRange;
  // Its credits do not come back.
  if (IsDown(params.to)) return Posted::kPeerDown;
  return messenger_->TrySend(params.to, params.handler, params.payload, params.then);
}

Posted Endpoint::TryWriteThen(const WriteParams& write, Command& second, const RemoteAddress& there,
                              Completion then, Timeout timeout) {
  const Posted prepared = Prepare(second, there, nullptr);
  return prepared == Posted::kPosted ? PostChain(write, second, then, timeout, {}) : prepared;
}

Posted Endpoint::TryWriteThenSend(const WriteParams& write, const SendParams& signal) {
  if (ToInt(signal.to) < 0 || ToInt(signal.to) >= size()) return Posted::kBadRange;
  if (IsDown(signal.to)) return Posted::kPeerDown;
  Messenger::Prepared message;
  const Posted prepared =
      messenger_->TryPrepare(signal.to, signal.handler, signal.payload, signal.then, message);
  if (prepared != Posted::kPosted) return prepared;
  const Posted posted = PostChain(write, message.command, message.then, {}, message.released);
  if (posted != Posted::kPosted) messenger_->Withdraw(message);
  return posted;
}

Posted Endpoint::PostChain(const WriteParams& write, const Command& second, Completion then,
                           Timeout timeout, Completion released) {
  Command first;
  first.kind = CommandKind::kWrite;
  first.bytes = write.bytes;
  const Posted prepared = Prepare(first, write.to, &write.from);
  if (prepared != Posted::kPosted) return prepared;
  auto chain =
      std::unique_ptr<Chain>(new Chain{*this, second, write.then, then, timeout, released, {}});
  if (second.unknown != nullptr) chain->second_region = *second.unknown;
  const Posted posted = PostNow(first, Completion(&Chain::OnWritten, chain.get()), write.timeout);
  if (posted == Posted::kPosted) (void)chain.release();  // Its completion deletes it.
  return posted;
}

void Endpoint::PostSurely(const Command& command, Completion then, Timeout timeout,
                          Completion released) {
  // A copy of the region, as it must outlive the caller's.
  const RemoteRegion region = command.unknown != nullptr ? *command.unknown : RemoteRegion();
  Surely(
      [=, this] {
        Command again = command;
        if (again.unknown != nullptr) again.unknown = &region;
        return PostNow(again, then, timeout, released);
      },
      then, released);
}

void Endpoint::Surely(std::function<Posted()> request, Completion then, Completion released) {
  const auto attempt = [=, request = std::move(request)] {
    const Posted posted = request();
    if (posted == Posted::kFull || posted == Posted::kNoTag) return false;
    if (posted != Posted::kPosted) {
      const Outcome why = posted == Posted::kPeerDown   ? Outcome::kPeerDown
                          : posted == Posted::kBadRange ? Outcome::kRefused
                                                        : Outcome::kAborted;
      then.Tell(why);
      released.Tell(why);
    }
    return true;
  };
  if (!attempt()) retries_.Add(attempt);
}

void Endpoint::OnMessage(Rank from, std::span<const std::byte> bytes) {
  messenger_->OnMessage(from, bytes);
}

}  // namespace llcl