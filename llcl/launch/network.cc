#include "llcl/launch/network.h"

#include <arpa/inet.h>
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

}  // namespace llcl
