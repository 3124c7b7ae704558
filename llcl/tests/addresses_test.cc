#include "llcl/launch/addresses.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace llcl {
namespace {

using List = std::vector<std::string>;

InterfaceAddress Up(const char* interface, const char* address) {
  return {.interface = interface, .address = address, .is_up = true};
}
InterfaceAddress Loopback(const char* address) {
  return {.interface = "lo", .address = address, .is_up = true, .is_loopback = true};
}

const InterfaceAddress kLo4 = Loopback("127.0.0.1"), kLo6 = Loopback("::1");
const InterfaceAddress kDocker = Up("docker0", "172.17.0.1");

struct Row {
  const char* what;
  AddressFacts facts;
  List expected;
};

TEST(Addresses, AreChosenByTheRule) {
  const Row rows[] = {
      {"one card", {.interfaces = {kLo4, kLo6, Up("eth0", "10.9.0.1")}}, {"10.9.0.1"}},
      {"docker0 before the card",
       {.interfaces = {kLo4, kDocker, Up("eth0", "10.9.0.1")}},
       {"10.9.0.1", "172.17.0.1"}},
      {"bridges of IPv4 on a network of IPv6",
       {.interfaces = {kLo4, kDocker, Up("eth0", "fd00::1")}},
       {"fd00::1", "172.17.0.1"}},
      {"each kind of virtual interface is behind the cards",
       {.interfaces = {Up("br-0a1b", "10.0.0.1"), Up("virbr0", "10.0.0.2"),
                       Up("vethc0ffee", "10.0.0.3"), Up("cni0", "10.0.0.4"),
                       Up("flannel.1", "10.0.0.5"), Up("br0", "10.0.0.6"),
                       Up("enp1s0", "10.0.0.7")}},
       {"10.0.0.6", "10.0.0.7", "10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"}},
      {"the launch's address is in front, once",
       {.local = "10.9.0.1",
        .interfaces = {Up("eth1", "10.8.0.1"), Up("eth0", "10.9.0.1"), kDocker}},
       {"10.9.0.1", "10.8.0.1", "172.17.0.1"}},
      {"the launch's address is in front though it is a bridge's",
       {.local = "172.17.0.1", .interfaces = {Up("eth0", "10.9.0.1"), kDocker}},
       {"172.17.0.1", "10.9.0.1"}},
      {"the launch's address of a socket of both families",
       {.local = "::ffff:10.9.0.1", .interfaces = {Up("eth0", "10.9.0.1")}},
       {"10.9.0.1"}},
      {"the launch's address is no interface's", {.local = "10.9.0.1"}, {"10.9.0.1"}},
      {"a launch by the loopback shows nothing",
       {.local = "127.0.0.1", .interfaces = {kLo4, Up("eth0", "10.9.0.1")}},
       {"10.9.0.1"}},
      {"a launch by a link's address shows nothing",
       {.local = "fe80::1%eth0", .interfaces = {Up("eth0", "fd00::1")}},
       {"fd00::1"}},
      {"both families in turn, IPv4 first",
       {.interfaces = {Up("a", "10.0.0.1"), Up("b", "10.0.0.2"), Up("b", "10.0.0.3"),
                       Up("a", "fd00::1"), Up("b", "fd00::2")}},
       {"10.0.0.1", "fd00::1", "10.0.0.2", "fd00::2", "10.0.0.3"}},
      {"both families in turn, after the launch's",
       {.local = "10.0.0.1",
        .interfaces = {Up("a", "10.0.0.1"), Up("b", "10.0.0.2"), Up("a", "fd00::1")}},
       {"10.0.0.1", "fd00::1", "10.0.0.2"}},
      {"links' addresses are left out, self-given ones are last",
       {.interfaces = {Up("a", "169.254.3.4"), Up("a", "fe80::1%a"), kDocker, Up("b", "10.0.0.2")}},
       {"10.0.0.2", "169.254.3.4", "172.17.0.1"}},
      {"an interface that is down is left out",
       {.interfaces = {{.interface = "eth0", .address = "10.9.0.1"}, Up("eth1", "10.8.0.1")}},
       {"10.8.0.1"}},
      {"LLCL_ADDRESS is alone",
       {.chosen = "node7", .local = "10.9.0.1", .interfaces = {Up("eth0", "10.9.0.1")}},
       {"node7"}},
      {"LLCL_ADDRESS is alone on one machine, too",
       {.chosen = "10.9.0.1", .shares_network = true, .interfaces = {kLo4}},
       {"10.9.0.1"}},
      {"one machine",
       {.shares_network = true, .interfaces = {kLo4, kLo6, Up("eth0", "10.9.0.1")}},
       {"127.0.0.1"}},
      {"one machine without IPv4 on its loopback",
       {.shares_network = true, .interfaces = {kLo6, Up("eth0", "10.9.0.1")}},
       {"::1"}},
      {"one machine whose loopback is down",
       {.shares_network = true,
        .interfaces = {{.interface = "lo", .address = "127.0.0.1", .is_loopback = true},
                       Up("eth0", "10.9.0.1")}},
       {"10.9.0.1"}},
      {"one machine that does not tell its interfaces", {.shares_network = true}, {"127.0.0.1"}},
      {"several machines, and no interface", {.interfaces = {kLo4, kLo6}}, {}},
  };
  for (const Row& row : rows) EXPECT_EQ(ChooseAddresses(row.facts), row.expected) << row.what;
}

TEST(Addresses, AreNotMoreThanACallerHoldsConnectionsTo) {
  AddressFacts facts;
  for (int i = 0; i < 100; ++i) {
    facts.interfaces.push_back(Up("eth0", ("10.0.0." + std::to_string(i)).c_str()));
  }
  EXPECT_EQ(ChooseAddresses(facts).size(), kMostAddresses);
}

TEST(Addresses, OfTheLoopbackAreKnownInAllTheirSpellings) {
  for (const char* yes : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IsLoopback(yes)) << yes;
  }
  for (const char* no : {"", "10.0.0.1", "::", "fd00::1", "::ffff:10.0.0.1", "12.7.0.1"}) {
    EXPECT_FALSE(IsLoopback(no)) << no;
  }
}

}  // namespace
}  // namespace llcl
