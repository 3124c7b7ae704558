#include "llcl/launch/interfaces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "llcl/launch/launch.h"

namespace llcl {
namespace {

TEST(Interfaces, ANetworkThatThisMachineIsNotInIsNamed) {
  const auto launch = MakeSingleton();
  const auto found = FindAddresses(*launch, {}, "192.0.2.0/24");  // Nobody's: RFC 5737.
  EXPECT_EQ(found.status().message(),
            "LLCL_ADDRESS is 192.0.2.0/24: no address of this machine is in this network");
  EXPECT_TRUE(absl::IsInvalidArgument(FindAddresses(*launch, {}, "10.1/16").status()));
  EXPECT_EQ(*FindAddresses(*launch, {}, "127.0.0.0/8"), std::vector<std::string>{"127.0.0.1"});
}

}  // namespace
}  // namespace llcl
