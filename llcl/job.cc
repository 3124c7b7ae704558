#include "llcl/job.h"

#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "llcl/blocking.h"
#include "llcl/launch/place.h"
#include "llcl/ofi/conduit.h"
#include "llcl/options.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"
#include "llcl/team.h"

namespace llcl {
namespace {

absl::StatusOr<std::string> ChooseConduit(Launch& launch, const ConduitChoice& choice) {
  const absl::StatusOr<std::vector<Place>> places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  if (!choice.provider.empty()) return "ofi";
  if (AreTogether(*places)) return "smp";
  if (!choice.devices.empty()) return "ofi";
  const auto all = launch.Allgather(FindsRdma() ? "1" : "0");
  if (!all.ok()) return all.status();
  return std::find(all->begin(), all->end(), "0") == all->end() ? "ofi" : "tcp";
}

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

absl::StatusOr<std::unique_ptr<Conduit>> MakeConduit(Launch& launch) {
  ConduitChoice choice = FindConduitChoice();
  if (choice.conduit.empty()) {
    const absl::StatusOr<std::string> found = ChooseConduit(launch, choice);
    if (!found.ok()) return found.status();
    choice.conduit = *found;
  }
  if (choice.conduit == "smp") {
    if (choice.own_memory.empty()) return MakeSmpConduit(launch);
    if (choice.own_memory == "messages") return MakeSmpConduit(launch, OwnMemory::kByMessages);
    return absl::InvalidArgumentError("LLCL_OWN_MEMORY is " + choice.own_memory +
                                      ": it is messages, or not set");
  }
  if (choice.conduit == "ofi") {
    int devices = 1;
    if (!choice.devices.empty() && !absl::SimpleAtoi(choice.devices, &devices)) {
      return absl::InvalidArgumentError("LLCL_DEVICES is " + choice.devices + ", not a number");
    }
    return MakeOfiConduit(
        launch, {.provider = choice.provider, .node = choice.address, .devices = devices});
  }
  if (choice.conduit == "tcp") return MakeTcpConduit(launch, {.node = choice.address});
  return absl::InvalidArgumentError("LLCL_CONDUIT is " + choice.conduit +
                                    ", but there are only smp, tcp and ofi");
}

}  // namespace llcl
