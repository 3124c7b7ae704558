#include "llcl/endpoint/requests.h"

namespace llcl {
namespace {

// Requests on regions that were not used before, at a time: each has a place of its own.
constexpr Tag kMostLookups = 256;

Counted KindOf(const Command& command) {
  switch (command.kind) {
    case CommandKind::kRead:
      return Counted::kRead;
    case CommandKind::kWrite:
      return Counted::kWrite;
    default:
      return Counted::kAtomic;
  }
}

}  // namespace

Requests::Requests(Conduit& conduit, Executors& executors, const Departures& departures,
                   Retries& retries, Timeout timeout, Trace::Function trace,
                   OperationCounters* counters)
    : conduit_(conduit),
      executors_(executors),
      departures_(departures),
      retries_(retries),
      own_regions_(conduit.own_regions()),
      marks_(conduit.marks()),
      timeout_(timeout),
      trace_(std::move(trace)),
      counters_(counters) {
  for (int rank = 0; rank < conduit_.size(); ++rank) {
    regions_.push_back(conduit_.RegionsOf(Rank{rank}));
    mapped_.push_back(conduit_.MappedRegionsOf(Rank{rank}));
  }
  const bool maps_some = marks_ != nullptr;
  if (maps_some && !trace_.is_on() && counters_ == nullptr) {
    ranks_in_place_.store(static_cast<std::uint32_t>(mapped_.size()), std::memory_order_relaxed);
  }
  if (!conduit_.learns_regions()) return;
  lookups_ = std::make_unique<Lookups>(
      kMostLookups,
      [this](const Request& look) {
        return executors_.TryPost(look.command, look.then, look.most_ms, look.released);
      },
      [this](const Request& request) {
        Surely([this, request] { return PostKnown(request); }, request.then, request.released);
      },
      [this](const Request& request) { Refuse(request); },
      [this](Rank rank) -> RegionTable& {
        return *regions_[static_cast<std::size_t>(ToInt(rank))];
      });
}

Posted Requests::TryRead(const ReadParams& params) {
  if (params.bytes != sizeof(std::uint64_t)) return TryReadBytes(params);
  return TryReadBy(params, [](std::byte* here, std::byte* there) { ReadEight(here, there); });
}

Posted Requests::TryWrite(const WriteParams& params) {
  if (params.bytes != sizeof(std::uint64_t)) return TryWriteBytes(params);
  return TryWriteBy(params,
                    [](const std::byte* here, std::byte* there) { WriteEight(here, there); });
}

Posted Requests::TryReadBytes(const ReadParams& params) {
  return TryReadBy(
      params, [&](std::byte* here, std::byte* there) { ReadBytes(here, there, params.bytes); });
}

Posted Requests::TryWriteBytes(const WriteParams& params) {
  return TryWriteBy(params, [&](const std::byte* here, std::byte* there) {
    WriteBytes(here, there, params.bytes);
  });
}

Posted Requests::PostRead(const ReadParams& params) {
  Command command;
  command.kind = CommandKind::kRead;
  command.bytes = params.bytes;
  return TryPost(command, params.from, &params.to, params.then, params.timeout);
}

Posted Requests::PostWrite(const WriteParams& params) {
  Command command;
  command.kind = CommandKind::kWrite;
  command.bytes = params.bytes;
  return TryPost(command, params.to, &params.from, params.then, params.timeout);
}

Posted Requests::Completed(Completion then, Outcome outcome) {
  then.Complete(outcome);
  return Posted::kPosted;
}

Posted Requests::TryPost(Command& command, const RemoteAddress& there, const LocalAddress* here,
                         Completion then, Timeout timeout) {
  const Posted posted = PostOnce(command, there, here, then, timeout);
  if (counters_ != nullptr) [[unlikely]] {
    const bool has_bytes = command.kind != CommandKind::kAtomic;
    counters_->Count(KindOf(command), has_bytes ? command.bytes : 0, posted);
  }
  return posted;
}

Posted Requests::PostOnce(Command& command, const RemoteAddress& there, const LocalAddress* here,
                          Completion then, Timeout timeout) {
  const Posted prepared = Prepare(command, there, here);
  return prepared == Posted::kPosted ? Post(command, then, timeout) : prepared;
}

Posted Requests::CheckPeer(Rank rank) const {
  if (ToInt(rank) < 0 || ToInt(rank) >= static_cast<int>(regions_.size())) return Posted::kBadRange;
  return executors_.IsDown(rank) ? departures_.Refusal(rank) : Posted::kPosted;
}

// Addresses are checked here: providers were seen to take wrong keys and ranges in
// silence.
Posted Requests::Prepare(Command& command, const RemoteAddress& there, const LocalAddress* here) {
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
  const std::size_t device = executors_.DeviceFor(command);
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
  command.address = region.start + there.offset;
  if (const RegionTable* const known = regions_[peer]; known == nullptr) {
    command.key = KeyOfDescription(region, device);
  } else {
    command.key = region.keys[device];
    if (!known->Has(region, device)) [[unlikely]]
      command.unknown = &region;
  }
  return Posted::kPosted;
}

Posted Requests::Post(const Command& command, Completion then, Timeout timeout,
                      Completion released) {
  if (trace_.is_on()) [[unlikely]] {
    return PostTraced(command, then, timeout, released);
  }
  return PostUntraced(command, then, timeout, released);
}

Posted Requests::PostTraced(const Command& command, Completion then, Timeout timeout,
                            Completion released) {
  return trace_.AroundPost(command, then, [&](Completion traced) {
    return PostUntraced(command, traced, timeout, released);
  });
}

Posted Requests::PostUntraced(const Command& command, Completion then, Timeout timeout,
                              Completion released) {
  if (aborted_.load(std::memory_order_relaxed)) return Posted::kClosing;
  if (executors_.IsDown(command.peer)) return departures_.Refusal(command.peer);
  const auto most_ms = [&] { return InMs(timeout == Timeout::zero() ? timeout_ : timeout); };
  if (command.unknown != nullptr) [[unlikely]] {
    return PostUnknown({command, then, released, most_ms()});
  }
  Outcome outcome;
  if (command.kind != CommandKind::kMessage && conduit_.TryInPlace(command, outcome)) {
    End(then, outcome);
    return Posted::kPosted;
  }
  return executors_.TryPost(command, then, most_ms(), released);
}

Posted Requests::PostUnknown(const Request& request) {
  if (lookups_) return lookups_->TryBegin(request);
  Refuse(request);
  return Posted::kPosted;
}

Posted Requests::PostKnown(const Request& request) {
  if (aborted_.load(std::memory_order_relaxed)) return Posted::kClosing;
  if (executors_.IsDown(request.command.peer)) return departures_.Refusal(request.command.peer);
  return executors_.TryPost(request.command, request.then, request.most_ms, request.released);
}

void Requests::PostSurely(const Command& command, Completion then, Timeout timeout,
                          Completion released) {
  // A copy of the region, as it must outlive the caller's.
  const RemoteRegion region = command.unknown != nullptr ? *command.unknown : RemoteRegion();
  Surely(
      [=, this] {
        Command again = command;
        if (again.unknown != nullptr) again.unknown = &region;
        return Post(again, then, timeout, released);
      },
      then, released);
}

void Requests::Surely(std::function<Posted()> request, Completion then, Completion released) {
  const auto attempt = [=, this, request = std::move(request)] {
    const Posted posted = request();
    if (IsForNow(posted)) return false;
    if (posted != Posted::kPosted) {
      const Outcome why = OutcomeOf(posted);
      End(then, why);
      released.Complete(why);
    }
    return true;
  };
  if (!attempt()) retries_.Add(attempt);
}

}  // namespace llcl
