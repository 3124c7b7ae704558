// What an endpoint does in the steps of its executors: messages, losses, deadlines of collective
// operations, retries.
//
// Threads: any, all members, at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "llcl/completion.h"
#include "llcl/conduit/executors.h"
#include "llcl/endpoint/departures.h"
#include "llcl/endpoint/requests.h"
#include "llcl/executor/host.h"
#include "llcl/executor/operation_counters.h"
#include "llcl/messenger.h"
#include "llcl/messenger/retries.h"
#include "llcl/region.h"

namespace llcl {

class Accumulates;
class Aggregators;
class Collectives;

// The parts of an endpoint that its steps reach. A value.
struct EndpointParts {
  Executors& executors;
  Departures& departures;
  Requests& requests;
  Messenger& messenger;
  Collectives& collectives;
  Aggregators& aggregators;
  Accumulates& accumulates;
  Retries& retries;
  OperationCounters* counters;  // or null
};

// A resource. Its parts outlive it.
class EndpointHost final : public Host {
 public:
  explicit EndpointHost(const EndpointParts& parts) : parts_(parts) {}
  EndpointHost(const EndpointHost&) = delete;
  EndpointHost& operator=(const EndpointHost&) = delete;

  void OnMessage(Rank from, std::span<const std::byte> bytes) override;
  bool OnAdvance() override;
  bool IsPending() const override;
  Presence PresenceOf(Rank rank) const override { return parts_.departures.PresenceOf(rank); }
  void OnFailure(Outcome outcome) override {
    if (parts_.counters != nullptr) parts_.counters->CountEnd(outcome);
  }
  // An internal message. False: nonsense.
  bool OnInternal(Rank from, Internal kind, std::span<const std::byte> payload);

  // Tells each rank of `size` that the rank `mine` leaves. Precondition: nothing is in flight.
  void Leave(Rank mine, int size);
  // Everything in flight ends now, with kAborted, and nothing can be posted any more.
  void Abort();

 private:
  void GiveUp();

  const EndpointParts parts_;
  std::atomic<unsigned> steps_{0};
};

}  // namespace llcl
