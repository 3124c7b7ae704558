// A runtime in a child of fork(2).
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <vector>

#include "taskrt/block.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"

namespace taskrt {
namespace {

TEST(ChildProcessDeathTest, AChildProcessHasNoRuntimeOfItsParents) {
  GTEST_FLAG_SET(death_test_style, "fast");  // by fork(2)
  constexpr unsigned kMostSeconds = 60;
  auto runtime = MakeRuntime({}, std::make_unique<RoundRobin>());
  std::vector<int> values(5, 1);
  const Handle handle = runtime->Register("values", TileOf(values));
  std::optional<Block<int>> own;
  own.emplace(*runtime, "own", 1, 1000);
  const auto wait = [&] {
    alarm(kMostSeconds);
    (void)runtime->Wait();
  };
  EXPECT_DEATH(wait(), "in a child of fork.2., of a pool that its parent made");
  const auto destroy = [&] {
    alarm(kMostSeconds);
    own.reset();
    runtime.reset();
    _exit(7);
  };
  EXPECT_EXIT(destroy(), testing::ExitedWithCode(7), "");
  runtime->Submit(kAdd, {{handle, Mode::kInOut}});
  EXPECT_TRUE(runtime->Wait().ok()) << "the parent's goes on";
}

}  // namespace
}  // namespace taskrt
