// What is the shared memory conduit's own.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/smp/conduit.h"

namespace llcl {
namespace {

std::uint64_t SharedKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "RssShmem:" && status >> kilobytes) return kilobytes;
  }
  ADD_FAILURE() << "the system does not say";
  return 0;
}

TEST(SmpConduit, ARegionThatIsGoneTakesNoMemoryThoughOthersHaveItMapped) {
  constexpr std::uint64_t kBytes = 16 << 20;
  const auto launch = MakeSingleton();
  auto conduit = MakeSmpConduit(*launch);
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  Endpoint endpoint(*std::move(conduit));
  const std::uint64_t before = SharedKilobytes();
  for (int i = 0; i < 10; ++i) {
    const Region region = *endpoint.Allocate(kBytes);
    // As another rank does: by a mapping of its own.
    Flag written;
    ASSERT_EQ(endpoint.TryWrite({.from = {region.local()},
                                 .to = {region.remote()},
                                 .bytes = kBytes,
                                 .then = written.completion()}),
              Posted::kPosted);
    ASSERT_EQ(endpoint.Wait(written), Outcome::kDone);
  }
  EXPECT_LT(SharedKilobytes(), before + 2 * (kBytes >> 10));
}

}  // namespace
}  // namespace llcl
