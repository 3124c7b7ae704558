#include "llcl/launch/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include "llcl/launch/network.h"

namespace llcl {

std::vector<InterfaceAddress> FindInterfaces() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  std::vector<InterfaceAddress> all;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    char text[NI_MAXHOST];
    if (getnameinfo(one->ifa_addr, bytes, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    constexpr unsigned kUsable = IFF_UP | IFF_RUNNING;
    all.push_back({.interface = one->ifa_name,
                   .address = text,
                   .is_up = (one->ifa_flags & kUsable) == kUsable,
                   .is_loopback = (one->ifa_flags & IFF_LOOPBACK) != 0});
  }
  freeifaddrs(first);
  return all;
}

absl::StatusOr<std::vector<std::string>> FindAddresses(const Launch& launch,
                                                       const std::vector<Place>& places,
                                                       const std::string& chosen) {
  if (chosen.find('/') == std::string::npos) {
    return ChooseAddresses({.chosen = chosen,
                            .shares_network = ShareNetwork(places),
                            .local = launch.LocalAddress(),
                            .interfaces = FindInterfaces()});
  }
  const std::optional<Network> network = ParseNetwork(chosen);
  if (!network) {
    return absl::InvalidArgumentError(
        "LLCL_ADDRESS is " + chosen +
        ": a network is an address and a number of bits, as 10.1.0.0/16");
  }
  std::vector<std::string> addresses = AddressesIn(*network, FindInterfaces());
  if (!addresses.empty()) return addresses;
  return absl::UnavailableError("LLCL_ADDRESS is " + chosen +
                                ": no address of this machine is in this network");
}

}  // namespace llcl
