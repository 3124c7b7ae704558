#include "llcl/launch/network.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace llcl {
namespace {

TEST(Network, HasAddressesOrNot) {
  for (const auto& [address, network] : {std::pair{"10.1.2.3", "10.1.0.0/16"},
                                         {"10.1.2.3", "10.1.2.3/32"},
                                         {"10.1.2.3", "10.1.2.0/29"},
                                         {"10.1.2.3", "0.0.0.0/0"},
                                         {"fd00:1::5", "fd00:1::/32"},
                                         {"fd00:1::5", "fd00::/12"}}) {
    ASSERT_TRUE(ParseNetwork(network)) << network;
    EXPECT_TRUE(Contains(*ParseNetwork(network), address)) << address << " " << network;
  }
  for (const auto& [address, network] : {std::pair{"10.2.2.3", "10.1.0.0/16"},
                                         {"10.1.2.9", "10.1.2.0/29"},
                                         {"10.1.2.3", "fd00::/0"},
                                         {"fd10::1", "fd00::/12"},
                                         {"fd00::1", "10.0.0.0/0"},
                                         {"10.1.2", "10.1.2.0/8"}}) {
    ASSERT_TRUE(ParseNetwork(network)) << network;
    EXPECT_FALSE(Contains(*ParseNetwork(network), address)) << address << " " << network;
  }
  for (const char* const wrong : {"10.1.2.0/33", "10.1.2.0/", "10.1.2.0", "10.1/16", "/8",
                                  "10.1.2.0/-1", "10.1.2.0/8x", "fd00::/129", "nonsense/8"}) {
    EXPECT_FALSE(ParseNetwork(wrong)) << wrong;
  }
}

TEST(Network, GivesTheAddressesThatAreUp) {
  EXPECT_EQ(AddressesIn(*ParseNetwork("10.9.0.0/24"),
                        {{.interface = "eth0", .address = "10.8.0.1", .is_up = true},
                         {.interface = "eth1", .address = "10.9.0.1", .is_up = true},
                         {.interface = "eth2", .address = "10.9.0.2"}}),
            std::vector<std::string>{"10.9.0.1"});
}

}  // namespace
}  // namespace llcl
