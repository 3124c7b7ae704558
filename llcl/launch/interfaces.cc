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

std::optional<Network> ParseNetwork(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(slash + 1);
  Network network = {.bytes = BytesOf(text.substr(0, slash))};
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), network.bits);
  if (network.bytes.empty() || error != std::errc() || end != digits.end() ||
      network.bits > 8 * network.bytes.size()) {
    return std::nullopt;
  }
  return network;
}

bool Contains(const Network& network, std::string_view address) {
  const std::string bytes = BytesOf(address);
  const std::size_t whole = network.bits / 8, rest = network.bits % 8;
  if (bytes.size() != network.bytes.size()) return false;
  if (bytes.compare(0, whole, network.bytes, 0, whole) != 0) return false;
  return rest == 0 ||
         static_cast<unsigned char>(bytes[whole] ^ network.bytes[whole]) >> (8 - rest) == 0;
}

std::vector<std::string> AddressesIn(const Network& network,
                                     const std::vector<InterfaceAddress>& interfaces) {
  std::vector<std::string> list;
  for (const InterfaceAddress& one : interfaces) {
    if (one.is_up && Contains(network, one.address)) list.push_back(one.address);
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
