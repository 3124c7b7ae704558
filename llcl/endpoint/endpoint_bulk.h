// The memory and the reads of an endpoint, for its large messages.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "llcl/completion.h"
#include "llcl/conduit/executors.h"
#include "llcl/conduit/registration.h"
#include "llcl/endpoint/departures.h"
#include "llcl/endpoint/requests.h"
#include "llcl/messenger/bulk.h"
#include "llcl/region.h"

namespace llcl {

// A resource. Its parts outlive it.
class EndpointBulk final : public Bulk {
 public:
  EndpointBulk(Executors& executors, const Departures& departures, Requests& requests,
               Registration& registration)
      : executors_(executors),
        departures_(departures),
        requests_(requests),
        registration_(registration) {}

  absl::StatusOr<Region> Allocate(std::uint64_t bytes) override {
    return registration_.Allocate(bytes);
  }
  void Read(const RemoteAddress& from, const LocalAddress& to, std::uint64_t bytes,
            Completion then) override;
  Presence PresenceOf(Rank rank) const override { return departures_.PresenceOf(rank); }
  std::uint64_t overdue() const override { return executors_.overdue(); }

 private:
  Executors& executors_;
  const Departures& departures_;
  Requests& requests_;
  Registration& registration_;
};

}  // namespace llcl
