#include "llcl/endpoint/endpoint_host.h"

#include <utility>

#include "llcl/collective/collectives.h"

namespace llcl {
namespace {

// Collective operations and large messages that are overdue are looked for once in so many steps.
constexpr unsigned kStepsPerLook = 256;

}  // namespace

EndpointHost::EndpointHost(const EndpointParts& parts, int size, std::function<void(Rank)> on_loss)
    : parts_(parts), losses_(parts.executors, size, std::move(on_loss)) {}

void EndpointHost::OnMessage(Rank from, std::span<const std::byte> bytes) {
  parts_.messenger.OnMessage(from, bytes);
}

bool EndpointHost::OnAdvance() {
  if (losses_.ReportNew()) GiveUp();
  // Not one atomic addition: how often exactly does not matter.
  const unsigned steps = steps_.load(std::memory_order_relaxed) + 1;
  steps_.store(steps, std::memory_order_relaxed);
  if (steps % kStepsPerLook == 0) GiveUp();
  return !parts_.retries.empty() && parts_.retries.Run();
}

void EndpointHost::GiveUp() {
  parts_.collectives.GiveUp();
  parts_.messenger.GiveUp();
}

bool EndpointHost::IsPending() const {
  return !parts_.retries.empty() || !parts_.collectives.empty() || parts_.messenger.IsPending();
}

void EndpointHost::Abort() {
  parts_.requests.Abort();
  parts_.collectives.Abort();
  parts_.messenger.Abort();
  parts_.executors.Abort();
}

}  // namespace llcl
