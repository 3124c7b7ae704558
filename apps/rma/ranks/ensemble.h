// All ranks of a job on one network, for collective operations.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apps/rma/problem/collective.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/team.h"

namespace rma {

// A resource. All ranks call its members, in the same order.
class Ensemble {
 public:
  struct Options {
    Network network = Network::kSmp;
    std::string provider = {};  // libfabric's
    std::uint64_t bytes = 8;    // of an operation, at most
  };
  // Errors: the conduit's.
  static absl::StatusOr<std::unique_ptr<Ensemble>> Open(llcl::Launch& launch,
                                                        const Options& options);

  Network network() const { return options_.network; }
  int ranks() const { return endpoint_->size(); }

  // Operations one after the other for about `each`, whose root goes from rank to rank. Returns the
  // mean of their times on this rank. Errors: Internal where an operation fails, or where a rank
  // gets wrong values.
  absl::StatusOr<double> MeasureNs(const CollectivePoint& point,
                                   std::chrono::steady_clock::duration each);

 private:
  explicit Ensemble(const Options& options) : options_(options) {}
  std::uint64_t Ranks() const { return static_cast<std::uint64_t>(ranks()); }
  void Fill(const CollectivePoint& point);
  absl::Status Check(const CollectivePoint& point) const;
  absl::Status Run(const CollectivePoint& point, std::uint64_t number);
  absl::Status Finish(const CollectivePoint& point, llcl::Posted posted, llcl::Flag& done);

  const Options options_;
  std::unique_ptr<llcl::Endpoint> endpoint_;
  // A block for each rank.
  std::vector<std::uint64_t> mine_, theirs_;
};

}  // namespace rma
