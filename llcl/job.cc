#include "llcl/job.h"

#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/options.h"
#include "llcl/team.h"

namespace llcl {
namespace {

absl::StatusOr<Job> MakeJob(std::unique_ptr<Launch> launch, EndpointOptions options) {
  if (AsksForCounts()) options.prints_counts = true;
  absl::StatusOr<std::unique_ptr<Conduit>> conduit = MakeConduit(*launch);
  if (!conduit.ok()) return conduit.status();
  absl::StatusOr<std::unique_ptr<Endpoint>> endpoint =
      Endpoint::Make(*std::move(conduit), std::move(options));
  if (!endpoint.ok()) return endpoint.status();
  return Job{std::move(launch), *std::move(endpoint)};
}

// Any of the many small allocations may be the first that memory is too small for.
template <typename Make>
absl::StatusOr<Job> WithinMemory(Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("no memory to join (ulimit -v, or a container's limit)");
  }
}

}  // namespace

absl::StatusOr<Job> Join(EndpointOptions options) {
  if (const absl::Status good = Check(options); !good.ok()) return good;
  return WithinMemory([&]() -> absl::StatusOr<Job> {
    absl::StatusOr<std::unique_ptr<Launch>> launch = FindLaunch();
    if (!launch.ok()) return launch.status();
    return MakeJob(*std::move(launch), std::move(options));
  });
}

absl::StatusOr<Job> JoinBy(std::unique_ptr<Launch> launch, EndpointOptions options) {
  if (launch == nullptr) return absl::InvalidArgumentError("there is no launch to join by");
  if (const absl::Status good = Check(options); !good.ok()) return good;
  return WithinMemory([&] { return MakeJob(std::move(launch), std::move(options)); });
}

absl::StatusOr<std::vector<RemoteRegion>> Exchange(Endpoint& endpoint, const Region& mine) {
  const RemoteRegion own = mine.remote();
  std::vector<RemoteRegion> all(static_cast<std::size_t>(endpoint.size()));
  const Outcome outcome = PostAndWait(endpoint, [&](Completion then) {
    return endpoint.world().TryAllgather(std::as_bytes(std::span(&own, 1)),
                                         std::as_writable_bytes(std::span(all)), then);
  });
  if (outcome == Outcome::kDone) return all;
  return absl::UnavailableError("regions were not exchanged: " + std::string(ToString(outcome)));
}

}  // namespace llcl
