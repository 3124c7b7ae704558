#include "llcl/endpoint.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "llcl/collective/collectives.h"
#include "llcl/conduit/packing.h"
#include "llcl/executor/counts_line.h"
#include "llcl/ofi/signals.h"
#include "llcl/options.h"
#include "llcl/system/option_range.h"
#include "llcl/team.h"

namespace llcl {
namespace {

constexpr std::chrono::seconds kTimeToLeave{1};

// Null where no operations travel in messages.
std::unique_ptr<PackingDevice> PackingOf(Conduit& conduit, const EndpointOptions& options) {
  const Tag first = options.executor.tags;
  if (options.packs && conduit.can_pack()) {
    return std::make_unique<PackingDevice>(conduit, first, Packed::kSmall);
  }
  if (!conduit.has_commands_for_owners()) return nullptr;
  return std::make_unique<PackingDevice>(conduit, first, Packed::kForOwners);
}

std::vector<Rank> AllRanks(int size) {
  std::vector<Rank> all;
  for (int rank = 0; rank < size; ++rank) all.push_back(Rank{rank});
  return all;
}

std::vector<int> HostsOf(const Conduit& conduit) {
  std::vector<int> hosts;
  for (int rank = 0; rank < conduit.size(); ++rank) hosts.push_back(conduit.HostOf(Rank{rank}));
  return hosts;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Endpoint>> Endpoint::Make(std::unique_ptr<Conduit> conduit,
                                                         EndpointOptions options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  try {
    return std::make_unique<Endpoint>(std::move(conduit), std::move(options));
  } catch (const std::system_error& error) {
    const bool lacks_threads = error.code().value() == EAGAIN;
    return absl::ResourceExhaustedError(
        std::string("no progress thread: ") + error.what() +
        (lacks_threads ? " (ulimit -u, ulimit -v, or a container's pids.max)" : ""));
  }
}

Endpoint::Endpoint(std::unique_ptr<Conduit> conduit, EndpointOptions options)
    : conduit_((CheckOrDie(Check(options)), std::move(conduit))),
      counters_(options.prints_counts ? std::make_unique<OperationCounters>() : nullptr),
      executors_(*conduit_, options.executor, PackingOf(*conduit_, options)),
      departures_(executors_, size(), options.on_loss, options.on_leave),
      requests_(*conduit_, executors_, departures_, retries_, options.timeout, options.trace,
                counters_.get()),
      registration_(*conduit_, executors_),
      bulk_(executors_, departures_, requests_, registration_),
      messenger_(std::make_unique<Messenger>(
          size(), MessagesOf(options),
          [this](const Command& command, Completion then, Completion released) {
            return requests_.Post(command, then, {}, released);
          },
          retries_)),
      timeout_(options.timeout),
      accumulates_(size(), *messenger_, registration_, bulk_),
      carrier_(*conduit_, executors_, registration_, bulk_, *messenger_),
      collectives_(std::make_unique<Collectives>(carrier_, InMs(options.timeout), counters_.get())),
      world_(new Team(*collectives_, 0, rank(), AllRanks(size()))),
      aggregators_(*messenger_, InMs(options.timeout)),
      host_({executors_, departures_, requests_, *messenger_, *collectives_, aggregators_,
             accumulates_, retries_, counters_.get()},
            rank(), HostsOf(*conduit_)),
      waits_(executors_, host_, options.executor) {
  // Also where this came with a library that was opened when signals were taken already.
  (void)GiveBackSignals();
  if (Streams* const streams = conduit_->streams()) streams->SetTaker(collectives_.get());
  // Last: from here on handlers run.
  executors_.Start(host_);
}

Endpoint::~Endpoint() {
  waits_.Drain();
  // The farewell is no operation of the program's.
  const std::string line = counters_ ? LineOfCounts() : "";
  host_.Leave();
  // A rank that is stopped may never take it.
  if (!waits_.TryDrain(kTimeToLeave)) host_.Abort();
  executors_.Close();
  // By one call, so that the lines of ranks do not mix.
  if (!line.empty()) (void)!write(STDERR_FILENO, line.data(), line.size());
}

std::string Endpoint::LineOfCounts() const {
  const auto lived = std::chrono::steady_clock::now() - began_;
  const ExecutorCounts executed = counts();
  std::string conduit(conduit_->name());
  if (const std::string remark = conduit_->remark(); !remark.empty()) {
    conduit += " (" + remark + ")";
  }
  return CountsLine(
      {.rank = ToInt(rank()),
       .size = size(),
       .conduit = conduit,
       .lived_ms = std::chrono::duration_cast<std::chrono::milliseconds>(lived).count(),
       .accepted = counters_->accepted(),
       .refused = counters_->refused(),
       .failed = counters_->failed(),
       .sleeps = executed.sleeps,
       .wakings = executed.wakings});
}

MessengerOptions Endpoint::MessagesOf(const EndpointOptions& options) {
  MessengerOptions messages;
  messages.handlers = options.handlers;
  messages.credits = options.credits;
  messages.bulk = options.large_bytes > 0 ? &bulk_ : nullptr;
  messages.large_bytes = options.large_bytes;
  messages.large_ms = InMs(options.timeout);
  messages.counters = counters_.get();
  messages.internal = [this](Rank from, Internal kind, std::span<const std::byte> payload) {
    return host_.OnInternal(from, kind, payload);
  };
  return messages;
}

}  // namespace llcl
