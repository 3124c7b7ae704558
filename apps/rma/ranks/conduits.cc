#include "apps/rma/ranks/conduits.h"

#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "llcl/launch/place.h"
#include "llcl/ofi/conduit.h"
#include "llcl/smp/conduit.h"
#include "llcl/tcp/conduit.h"

namespace rma {

absl::StatusOr<std::vector<int>> MakeHosts(llcl::Launch& launch) {
  const auto places = llcl::GatherPlaces(launch);
  if (!places.ok()) return places.status();
  const std::string named = llcl::FindConduitChoice().ranks_per_host;
  int most = 0;
  if (!named.empty() && (!absl::SimpleAtoi(named, &most) || most < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("LLCL_RANKS_PER_HOST is ", named, ": a number from 1 on"));
  }
  std::vector<int> hosts = llcl::HostsOf(*places, most);
  if (named.empty() && hosts.back() == 0 && hosts.size() > 1) {
    most = (launch.size() + 1) / 2;
    setenv("LLCL_RANKS_PER_HOST", std::to_string(most).c_str(), 1);
    hosts = llcl::HostsOf(*places, most);
  }
  // llcl::MakeConduit makes this conduit then.
  setenv("LLCL_CONDUIT", "mixed", 1);
  return hosts;
}

absl::StatusOr<std::unique_ptr<llcl::Conduit>> OpenConduit(llcl::Launch& launch, Network network,
                                                           const std::string& provider) {
  const std::string node = llcl::FindConduitChoice().address;
  if (network == Network::kSmp) return llcl::MakeSmpConduit(launch);
  if (network == Network::kTcp) return llcl::MakeTcpConduit(launch, {.node = node});
  if (network == Network::kMixed) return llcl::MakeConduit(launch);
  return llcl::MakeOfiConduit(launch, {.provider = provider, .node = node});
}

}  // namespace rma
