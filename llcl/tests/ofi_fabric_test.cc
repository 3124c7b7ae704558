#include <gtest/gtest.h>

#include "llcl/launch/launch.h"
#include "llcl/ofi/conduit.h"
#include "llcl/ofi/fabric.h"

namespace llcl {
namespace {

TEST(OfiFabric, RefusesProvidersThatLackWhatIsNeeded) {
  for (const char* provider : {"sockets", "net", "udp", "udp;ofi_rxd"}) {
    const auto fabric = OfiFabric::Open(provider, "");
    EXPECT_TRUE(absl::IsInvalidArgument(fabric.status())) << fabric.status();
  }
}

TEST(OfiFabric, NamesAProviderThatIsNotThere) {
  const auto fabric = OfiFabric::Open("no_such", "");
  ASSERT_TRUE(absl::IsUnavailable(fabric.status()));
  EXPECT_NE(fabric.status().message().find("no_such"), std::string_view::npos);
}

TEST(OfiFabric, OverTcpHasSomethingToSleepOnAndAnEndpointForEach) {
  auto fabric = OfiFabric::Open("tcp;ofi_rxm", "127.0.0.1");
  ASSERT_TRUE(fabric.ok()) << fabric.status();
  EXPECT_GE((*fabric)->wait_descriptor(), 0);
  EXPECT_NE((*fabric)->messages(), (*fabric)->transfers());
}

TEST(OfiConduit, OfOneRankIsMadeWithoutALauncher) {
  const auto launch = MakeSingleton();
  const auto conduit = MakeOfiConduit(*launch, {.provider = "tcp;ofi_rxm"});
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  EXPECT_EQ((*conduit)->size(), 1);
}

}  // namespace
}  // namespace llcl
