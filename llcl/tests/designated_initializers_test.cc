// The public options by designated initializers, as a user's build with -Wall -Wextra
// -Werror compiles them: what is left out has a default, so no warning is due.
#include <gtest/gtest.h>

#include "llcl/endpoint.h"
#include "llcl/executor/executor.h"
#include "llcl/launch/rendezvous.h"
#include "llcl/messenger.h"
#include "llcl/ofi/conduit.h"
#include "llcl/sim/fabric.h"

namespace llcl {
namespace {

TEST(DesignatedInitializers, LeaveUnnamedFieldsAtTheirDefaults) {
  EXPECT_EQ(EndpointOptions{.credits = 2}.timeout, EndpointOptions().timeout);
  EXPECT_EQ(ExecutorOptions{.ring = 8}.tags, ExecutorOptions().tags);
  EXPECT_EQ(MessengerOptions{.credits = 2}.buffers, MessengerOptions().buffers);
  EXPECT_EQ(OfiOptions{.provider = "tcp"}.devices, OfiOptions().devices);
  EXPECT_EQ(RendezvousOptions{.address = "127.0.0.1:1"}.size, 1);
  EXPECT_EQ(SimOptions{.ranks = 3}.seed, SimOptions().seed);
}

}  // namespace
}  // namespace llcl
