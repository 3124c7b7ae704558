#include "llcl/endpoint/endpoint_host.h"

#include "llcl/accumulate/accumulates.h"
#include "llcl/aggregator/aggregators.h"
#include "llcl/collective/collectives.h"

namespace llcl {
namespace {

// Collective operations and large messages that are overdue are looked for once in so many steps.
constexpr unsigned kStepsPerLook = 256;

}  // namespace

void EndpointHost::OnMessage(Rank from, std::span<const std::byte> bytes) {
  parts_.messenger.OnMessage(from, bytes);
}

bool EndpointHost::OnAdvance() {
  if (parts_.departures.ReportNew()) GiveUp();
  // Not one atomic addition: how often exactly does not matter.
  const unsigned steps = steps_.load(std::memory_order_relaxed) + 1;
  steps_.store(steps, std::memory_order_relaxed);
  if (steps % kStepsPerLook == 0) GiveUp();
  bool advanced = parts_.collectives.Advance();
  advanced = parts_.aggregators.Advance() || advanced;
  return (!parts_.retries.empty() && parts_.retries.Run()) || advanced;
}

void EndpointHost::GiveUp() {
  parts_.collectives.GiveUp();
  parts_.aggregators.GiveUp();
  parts_.accumulates.GiveUp();
  parts_.messenger.GiveUp();
}

bool EndpointHost::IsPending() const {
  return !parts_.retries.empty() || !parts_.collectives.empty() || parts_.messenger.IsPending() ||
         parts_.aggregators.IsPending() || parts_.accumulates.IsPending() ||
         parts_.departures.IsPending();
}

bool EndpointHost::OnInternal(Rank from, Internal kind, std::span<const std::byte> payload) {
  switch (kind) {
    case Internal::kCollective:
      return parts_.collectives.OnMessage(from, payload);
    case Internal::kAggregator:
      return parts_.aggregators.OnMessage(from, payload);
    case Internal::kAccumulate:
      return parts_.accumulates.OnMessage(from, payload);
    case Internal::kFarewell:
      switch (parts_.collectives.OnFarewell(from, payload)) {
        case Collectives::Heard::kNonsense:
          return false;
        case Collectives::Heard::kPart:
          return true;
        case Collectives::Heard::kAll:
          if (!parts_.executors.delivers_last_messages()) {
            parts_.messenger.SendInternal(from, Internal::kFarewellHeard, {});
          }
          parts_.departures.OnFarewell(from);
          GiveUp();
          return true;
      }
      return false;
    case Internal::kFarewellHeard:
      parts_.departures.OnHeard(from);
      return true;
  }
  return false;
}

void EndpointHost::Leave(Rank mine, int size) {
  parts_.departures.StopReporting();
  const std::vector<std::vector<std::byte>> farewell = parts_.collectives.Farewell();
  for (int rank = 0; rank < size; ++rank) {
    const Rank to{rank};
    if (to == mine || parts_.executors.IsDown(to) || !parts_.executors.HasMet(to)) continue;
    if (!parts_.executors.delivers_last_messages()) parts_.departures.ExpectHearing(to);
    for (const std::vector<std::byte>& message : farewell) {
      parts_.messenger.SendInternal(to, Internal::kFarewell, message);
    }
  }
}

void EndpointHost::Abort() {
  parts_.requests.Abort();
  parts_.collectives.Abort();
  parts_.aggregators.Abort();
  parts_.accumulates.Abort();
  parts_.messenger.Abort();
  parts_.executors.Abort();
}

}  // namespace llcl
