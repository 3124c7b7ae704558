// The choice of a job's conduit: job.h, MakeConduit.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "llcl/job.h"
#include "llcl/launch/place.h"
#include "llcl/mixed/conduit.h"
#include "llcl/ofi/conduit.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"

namespace llcl {
namespace {

absl::Status Wrong(std::string_view variable, const std::string& value, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(variable), " is ", value, ": ", std::string(expected)));
}

// The number in a variable that is set; `otherwise` where it is not.
absl::StatusOr<int> NumberIn(const char* variable, const std::string& value, int otherwise) {
  int number = otherwise;
  if (value.empty() || (absl::SimpleAtoi(value, &number) && number > 0)) return number;
  return Wrong(variable, value, "a number from 1 on");
}

absl::StatusOr<OwnMemory> OwnMemoryOf(const ConduitChoice& choice) {
  if (choice.own_memory.empty()) return OwnMemory::kDirectly;
  if (choice.own_memory == "messages") return OwnMemory::kByMessages;
  return Wrong("LLCL_OWN_MEMORY", choice.own_memory, "messages, or not set");
}

// The host of each rank, by rank.
absl::StatusOr<std::vector<int>> GatherHosts(Launch& launch, const ConduitChoice& choice) {
  const auto most = NumberIn("LLCL_RANKS_PER_HOST", choice.ranks_per_host, 0);
  if (!most.ok()) return most.status();
  const auto places = GatherPlaces(launch);
  if (!places.ok()) return places.status();
  return HostsOf(*places, *most);
}

// The same on all ranks.
absl::StatusOr<std::string> ChooseConduit(Launch& launch, const ConduitChoice& choice,
                                          const std::vector<int>& hosts) {
  if (!choice.provider.empty()) return "ofi";
  const int last = *std::max_element(hosts.begin(), hosts.end());
  if (last == 0) return "smp";
  if (!choice.devices.empty()) return "ofi";
  const auto all = launch.Allgather(FindsRdma() ? "1" : "0");
  if (!all.ok()) return all.status();
  if (std::find(all->begin(), all->end(), "0") == all->end()) return "ofi";
  return last + 1 == launch.size() ? "tcp" : "mixed";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Conduit>> MakeConduit(Launch& launch) {
  ConduitChoice choice = FindConduitChoice();
  std::vector<int> hosts;
  if (choice.conduit.empty() || choice.conduit == "mixed") {
    auto gathered = GatherHosts(launch, choice);
    if (!gathered.ok()) return gathered.status();
    hosts = *std::move(gathered);
  }
  if (choice.conduit.empty()) {
    const absl::StatusOr<std::string> found = ChooseConduit(launch, choice, hosts);
    if (!found.ok()) return found.status();
    choice.conduit = *found;
  }
  const absl::StatusOr<OwnMemory> own_memory = OwnMemoryOf(choice);
  if (!own_memory.ok()) return own_memory.status();
  if (choice.conduit == "smp") return MakeSmpConduit(launch, {.own_memory = *own_memory});
  if (choice.conduit == "tcp") return MakeTcpConduit(launch, {.node = choice.address});
  if (choice.conduit == "mixed") {
    return MakeMixedConduit(
        launch, {.own_memory = *own_memory, .node = choice.address, .hosts = std::move(hosts)});
  }
  if (choice.conduit == "ofi") {
    const auto devices = NumberIn("LLCL_DEVICES", choice.devices, 1);
    if (!devices.ok()) return devices.status();
    return MakeOfiConduit(
        launch, {.provider = choice.provider, .node = choice.address, .devices = *devices});
  }
  return Wrong("LLCL_CONDUIT", choice.conduit, "smp, tcp, ofi or mixed");
}

}  // namespace llcl
