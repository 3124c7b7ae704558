#include "llcl/launch/addresses.h"

#include <algorithm>
#include <array>
#include <utility>

namespace llcl {
namespace {

bool IsV6(std::string_view address) { return address.find(':') != std::string_view::npos; }

// An address of fe80::/10 means nothing without the name of a link, and names of links differ
// between machines.
bool NeedsLink(std::string_view address) {
  constexpr std::array<std::string_view, 4> kBegins = {"fe8", "fe9", "fea", "feb"};
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](std::string_view begin) { return address.starts_with(begin); });
}

// Bridges and pairs that container engines, hypervisors and Kubernetes' networks make.
bool IsVirtual(std::string_view interface) {
  constexpr std::array<std::string_view, 13> kBegins = {
      "docker", "br-",   "virbr", "veth",  "cni",     "flannel", "cali",
      "podman", "lxcbr", "lxdbr", "vmnet", "vboxnet", "kube-"};
  return std::any_of(kBegins.begin(), kBegins.end(),
                     [&](std::string_view begin) { return interface.starts_with(begin); });
}

// A machine without a DHCP server takes an address of 169.254.0.0/16.
bool IsSelfGiven(std::string_view address) { return address.starts_with("169.254."); }

// A socket of both families writes 10.0.0.1 as ::ffff:10.0.0.1.
std::string_view WithoutMapping(std::string_view address) {
  constexpr std::string_view kMapped = "::ffff:";
  const bool is_mapped =
      address.starts_with(kMapped) && address.find('.') != std::string_view::npos;
  return is_mapped ? address.substr(kMapped.size()) : address;
}

void AddOnce(std::vector<std::string>& list, std::string_view address) {
  if (std::find(list.begin(), list.end(), address) == list.end()) list.emplace_back(address);
}

// Address families by turns, so a caller without IPv6 (or IPv4) soon tries an address of the other
// family; IPv4 first, or the family that the list does not end with.
void AddInTurn(std::vector<std::string>& list, const std::vector<std::string>& addresses) {
  std::array<std::vector<std::string>, 2> families;
  for (const std::string& address : addresses) families[IsV6(address) ? 1 : 0].push_back(address);
  const std::size_t first = list.empty() || IsV6(list.back()) ? 0 : 1;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (const std::size_t family : {first, 1 - first}) {
      if (i < families[family].size()) AddOnce(list, families[family][i]);
    }
  }
}

std::vector<std::string> LoopbackOf(const std::vector<InterfaceAddress>& interfaces) {
  for (const char* const loopback : {"127.0.0.1", "::1"}) {
    const bool is_there =
        std::any_of(interfaces.begin(), interfaces.end(), [&](const InterfaceAddress& one) {
          return one.is_up && one.is_loopback && one.address == loopback;
        });
    if (is_there) return {loopback};
  }
  return {};
}

}  // namespace

bool IsLoopback(std::string_view address) {
  const std::string_view plain = WithoutMapping(address);
  return plain.starts_with("127.") || plain == "::1";
}

std::vector<std::string> ChooseAddresses(const AddressFacts& facts) {
  if (!facts.chosen.empty()) return {facts.chosen};
  if (facts.shares_network) {
    std::vector<std::string> loopback = LoopbackOf(facts.interfaces);
    if (!loopback.empty()) return loopback;
  }
  std::vector<std::string> list, cards, last;
  const std::string_view local = WithoutMapping(facts.local);
  if (!local.empty() && !IsLoopback(local) && !NeedsLink(local)) list.emplace_back(local);
  for (const InterfaceAddress& one : facts.interfaces) {
    if (!one.is_up || one.is_loopback || IsLoopback(one.address) || NeedsLink(one.address)) {
      continue;
    }
    const bool is_last = IsVirtual(one.interface) || IsSelfGiven(one.address);
    (is_last ? last : cards).push_back(one.address);
  }
  AddInTurn(list, cards);
  AddInTurn(list, last);
  // Where the interfaces cannot be read, a loopback is there all the same, almost everywhere.
  if (list.empty() && facts.shares_network) return {"127.0.0.1"};
  if (list.size() > kMostAddresses) list.resize(kMostAddresses);
  return list;
}

}  // namespace llcl
