#include "llcl/endpoint.h"

#include <sched.h>

#include <utility>

#include "llcl/conduit.h"

namespace llcl {

Region::~Region() {
  if (endpoint_ != nullptr) endpoint_->conduit_->Deregister({local_, remote_});
}

Endpoint::Endpoint(std::unique_ptr<Conduit> conduit, const ExecutorOptions& options)
    : conduit_(std::move(conduit)),
      executor_(std::make_unique<Executor>(conduit_->device(), options)) {}

Endpoint::~Endpoint() { executor_->Close(); }

Rank Endpoint::rank() const { return conduit_->rank(); }
int Endpoint::size() const { return conduit_->size(); }

absl::StatusOr<Region> Endpoint::Register(std::span<std::byte> memory) {
  return RegionOf(conduit_->Register(memory));
}
absl::StatusOr<Region> Endpoint::Allocate(std::uint64_t bytes) {
  if (bytes == 0) return absl::InvalidArgumentError("a region has at least one byte");
  return RegionOf(conduit_->Allocate(bytes));
}

absl::StatusOr<Region> Endpoint::RegionOf(const absl::StatusOr<Conduit::Registered>& registered) {
  if (!registered.ok()) return registered.status();
  Region region;
  region.endpoint_ = this;
  region.local_ = registered->local;
  region.remote_ = registered->remote;
  return region;
}

Posted Endpoint::TryRead(const ReadParams& params) {
  Command command;
  command.kind = CommandKind::kRead;
  command.bytes = params.bytes;
  return TryPost(command, params.from, &params.to, params.then);
}

Posted Endpoint::TryWrite(const WriteParams& params) {
  Command command;
  command.kind = CommandKind::kWrite;
  command.bytes = params.bytes;
  return TryPost(command, params.to, &params.from, params.then);
}

// Addresses are checked here: providers were seen to take wrong keys and ranges in
// silence.
Posted Endpoint::TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                         Completion then) {
  const RemoteRegion& region = there.region;
  const auto peer = ToInt(region.owner);
  if (peer < 0 || peer >= size() || region.id.generation == 0) return Posted::kBadRange;
  if (!Fits(there.offset, command.bytes, region.bytes)) return Posted::kBadRange;
  if (command.kind == CommandKind::kAtomic &&
      (there.offset % command.bytes != 0 || !Exists(command.type, command.op))) {
    return Posted::kBadRange;
  }
  if (here != nullptr) {
    if (!Fits(here->offset, command.bytes, here->region.bytes)) return Posted::kBadRange;
    if (!conduit_->IsRegistered(here->region)) return Posted::kBadRange;
    command.local = here->data();
    command.descriptor = here->region.descriptor;
  }
  if (conduit_->IsDown(region.owner)) return Posted::kPeerDown;
  command.peer = region.owner;
  command.id = region.id;
  command.key = region.key;
  command.address = region.start + there.offset;
  Outcome outcome;
  if (conduit_->TryInPlace(command, outcome)) {
    then.Tell(outcome);
    return Posted::kPosted;
  }
  return executor_->TryPost(command, then);
}

template <typename Done>
void Endpoint::WaitUntil(Done done) {
  for (int idle = 0; !done();) {
    if (executor_->TryAdvance()) {
      idle = 0;
    } else if (idle < 50) {
      ++idle;
      topo::Pause();
    } else {
      sched_yield();
    }
  }
}

Outcome Endpoint::Wait(const Flag& flag) {
  WaitUntil([&] { return flag.done(); });
  return flag.outcome();
}

void Endpoint::Wait(const Counter& counter, std::uint64_t expected) {
  WaitUntil([&] { return counter.done(expected); });
}

}  // namespace llcl
