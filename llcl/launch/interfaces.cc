#include "llcl/launch/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>

#include <charconv>
#include <system_error>

namespace llcl {
namespace {

// An address in digits as bytes; empty: it is none.
std::string BytesOf(std::string_view address) {
  const std::string text(address);
  std::string bytes(sizeof(in6_addr), '\0');
  if (address.find(':') != std::string_view::npos)
    return inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1 ? bytes : "";
  bytes.resize(sizeof(in_addr));
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ? bytes : "";
}

}  // namespace

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

bool IsInNetwork(std::string_view address, std::string_view network) {
  const std::size_t slash = std::min(network.find('/'), network.size());
  const std::string_view digits = network.substr(std::min(slash + 1, network.size()));
  const std::string of = BytesOf(network.substr(0, slash)), bytes = BytesOf(address);
  std::size_t bits = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), bits);
  if (of.empty() || of.size() != bytes.size() || error != std::errc() || end != digits.end() ||
      bits > 8 * of.size()) {
    return false;
  }
  const std::size_t whole = bits / 8;
  if (bytes.compare(0, whole, of, 0, whole) != 0) return false;
  const auto differing = static_cast<unsigned char>(bits % 8 == 0 ? 0 : bytes[whole] ^ of[whole]);
  return differing >> (8 - bits % 8) == 0;
}

std::vector<std::string> AddressesIn(std::string_view network,
                                     const std::vector<InterfaceAddress>& interfaces) {
  std::vector<std::string> list;
  for (const InterfaceAddress& one : interfaces) {
    if (one.is_up && IsInNetwork(one.address, network)) list.push_back(one.address);
  }
  if (list.size() > kMostAddresses) list.resize(kMostAddresses);
  return list;
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
  std::vector<std::string> addresses = AddressesIn(chosen, FindInterfaces());
  if (!addresses.empty()) return addresses;
  return absl::UnavailableError("LLCL_ADDRESS is " + chosen +
                                ": no address of this machine is in this network");
}

}  // namespace llcl
