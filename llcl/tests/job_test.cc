#include "llcl/job.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace llcl {
namespace {

class Job : public testing::Test {
 protected:
  void SetUp() override { Choose(nullptr, nullptr); }
  void TearDown() override { Choose(nullptr, nullptr); }

  static void Choose(const char* conduit, const char* provider) {
    Set("LLCL_CONDUIT", conduit);
    Set("LLCL_PROVIDER", provider);
  }
  static void Set(const char* name, const char* value) {
    if (value == nullptr) {
      unsetenv(name);
    } else {
      setenv(name, value, 1);
    }
  }
};

TEST_F(Job, IsJoinedByALaunchOfTheProgramsOwn) {
  const auto job = JoinBy(MakeSingleton());
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->endpoint->size(), 1);
  EXPECT_EQ(job->launch->size(), 1);
  EXPECT_TRUE(absl::IsInvalidArgument(JoinBy(nullptr).status()));
}

TEST_F(Job, OfOneRankNeedsNoChoice) {
  const auto launch = MakeSingleton();
  const auto conduit = MakeConduit(*launch);
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  EXPECT_EQ((*conduit)->size(), 1);
}

TEST_F(Job, ObeysTheEnvironment) {
  const auto launch = MakeSingleton();
  for (const char* conduit : {"smp", "ofi"}) {
    Choose(conduit, "tcp;ofi_rxm");
    EXPECT_TRUE(MakeConduit(*launch).ok()) << conduit;
  }
}

TEST_F(Job, NamesAChoiceThatDoesNotExist) {
  const auto launch = MakeSingleton();
  Choose("pigeon", nullptr);
  const auto pigeon = MakeConduit(*launch);
  EXPECT_TRUE(absl::IsInvalidArgument(pigeon.status()));
  EXPECT_NE(pigeon.status().message().find("pigeon"), std::string_view::npos);
  Choose("ofi", "sockets");
  const auto sockets = MakeConduit(*launch);
  EXPECT_TRUE(absl::IsInvalidArgument(sockets.status()));
}

}  // namespace
}  // namespace llcl
