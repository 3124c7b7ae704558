#include "llcl/endpoint/endpoint_host.h"

#include <optional>
#include <vector>

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
  if (parts_.departures.has_new()) OnChange();
  // Not one atomic addition: how often exactly does not matter.
  const unsigned steps = steps_.load(std::memory_order_relaxed) + 1;
  steps_.store(steps, std::memory_order_relaxed);
  if (steps % kStepsPerLook == 0) GiveUp();
  bool advanced = parts_.collectives.Advance();
  advanced = parts_.aggregators.Advance() || advanced;
  return (!parts_.retries.empty() && parts_.retries.Run()) || advanced;
}

[[gnu::cold]] void EndpointHost::OnChange() {
  std::vector<Rank> lost;
  if (!parts_.departures.Report(lost)) return;
  GiveUp();
  for (const Rank rank : news_.OnChange(lost)) OnLeft(rank);
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
    case Internal::kCollectiveNotice:
      return parts_.collectives.OnMessage(from, payload);
    case Internal::kAggregator:
      return parts_.aggregators.OnMessage(from, payload);
    case Internal::kAccumulate:
      return parts_.accumulates.OnMessage(from, payload);
    case Internal::kFarewell:
      return OnFarewell(from, payload, false);
    case Internal::kPassedFarewell:
    case Internal::kPassedLoss:
      return OnPassed(kind, payload);
    case Internal::kFarewellHeard:
      parts_.departures.OnHeard(from);
      return true;
  }
  return false;
}

// False: nonsense.
bool EndpointHost::OnFarewell(Rank about, std::span<const std::byte> message, bool is_passed) {
  const auto [heard, is_new] = parts_.collectives.OnFarewell(about, message);
  if (heard == Collectives::Heard::kNonsense) return false;
  if (is_new) news_.PassFarewell(about, message);
  if (heard == Collectives::Heard::kPart) return true;
  if (is_passed && (!is_new || !news_.HasLeft(about))) return true;
  if (!parts_.executors.delivers_last_messages()) {
    parts_.messenger.SendInternal(about, Internal::kFarewellHeard, {});
  }
  OnLeft(about);
  return true;
}

void EndpointHost::OnLeft(Rank rank) {
  parts_.departures.OnFarewell(rank);
  GiveUp();
}

// News of a third rank. False: nonsense.
bool EndpointHost::OnPassed(Internal kind, std::span<const std::byte> payload) {
  const std::optional<News::Heard> heard = news_.Hear(payload);
  if (!heard) return false;
  if (kind == Internal::kPassedFarewell) return OnFarewell(heard->about, heard->message, true);
  news_.OnLoss(heard->about);
  return true;
}

void EndpointHost::Leave() {
  parts_.departures.StopReporting();
  parts_.executors.StopMeeting();
  const std::vector<std::vector<std::byte>> farewell = parts_.collectives.Farewell();
  for (int rank = 0; rank < size_; ++rank) {
    const Rank to{rank};
    if (to == mine_ || parts_.executors.IsDown(to) || !parts_.executors.HasMet(to)) continue;
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
