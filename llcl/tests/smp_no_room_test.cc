// A region for which a rank has no addresses: the operations on it end, and others go on.
#include <gtest/gtest.h>

#include <cstdint>

#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/smp/conduit.h"

namespace llcl {
namespace {

// Of 2^47 bytes of addresses, its owner's mapping takes more than a half, and leaves no
// room for the one by which others use it.
constexpr std::uint64_t kMoreThanHalf = std::uint64_t{5} << 44;

Outcome Write(Endpoint& endpoint, const Region& from, const Region& to) {
  Flag written;
  EXPECT_EQ(
      endpoint.TryWrite(
          {.from = {from.local()}, .to = {to.remote()}, .bytes = 8, .then = written.completion()}),
      Posted::kPosted);
  return endpoint.Wait(written);
}

TEST(SmpNoRoom, OperationsOnARegionThatCannotBeMappedEndAndOthersGoOn) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "addresses have another size here";
#endif
  const auto launch = MakeSingleton();
  auto conduit = MakeSmpConduit(*launch);
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  Endpoint endpoint(*std::move(conduit));
  const Region small = *endpoint.Allocate(8);
  const auto large = endpoint.Allocate(kMoreThanHalf);
  ASSERT_TRUE(large.ok()) << large.status();
  EXPECT_EQ(Write(endpoint, small, *large), Outcome::kNoRoom);
  EXPECT_EQ(Write(endpoint, small, small), Outcome::kDone);
  // Nor does it keep the answer.
  EXPECT_EQ(Write(endpoint, small, *large), Outcome::kNoRoom);
}

}  // namespace
}  // namespace llcl
