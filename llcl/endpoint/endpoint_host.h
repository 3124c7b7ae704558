// What an endpoint does in the steps of its executors: messages, losses, deadlines of collective
// operations, retries.
//
// Threads: any, all members, at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "llcl/completion.h"
#include "llcl/conduit/executors.h"
#include "llcl/endpoint/departures.h"
#include "llcl/endpoint/news.h"
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
  // Of the rank `mine`; `hosts`: a number of the host of each rank, by rank.
  EndpointHost(const EndpointParts& parts, Rank mine, const std::vector<int>& hosts)
      : parts_(parts),
        mine_(mine),
        size_(static_cast<int>(hosts.size())),
        news_(parts.executors, parts.departures, parts.messenger, parts.collectives, mine, hosts) {}
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

  // Tells the other ranks that this one leaves. Precondition: nothing is in flight.
  void Leave();
  // Everything in flight ends now, with kAborted, and nothing can be posted any more.
  void Abort();

 private:
  // The devices have met or lost ranks.
  void OnChange();
  void GiveUp();
  void OnLeft(Rank rank);
  bool OnFarewell(Rank about, std::span<const std::byte> message, bool is_passed);
  bool OnPassed(Internal kind, std::span<const std::byte> payload);

  const EndpointParts parts_;
  const Rank mine_;
  const int size_;
  News news_;
  std::atomic<unsigned> steps_{0};
};

}  // namespace llcl
