// The public options by designated initializers, as a user's build with -Wall -Wextra
// -Werror compiles them: what is left out has a default, so no warning is due.
#include <gtest/gtest.h>

#include "dsm/cache/copies.h"
#include "dsm/sms/memory_config.h"
#include "dsm/space.h"

namespace dsm {
namespace {

TEST(DesignatedInitializers, LeaveUnnamedFieldsAtTheirDefaults) {
  EXPECT_EQ(SpaceOptions{.bytes = 4096}.page_bytes, SpaceOptions().page_bytes);
  EXPECT_EQ(CopyOptions{.most_pages = PageCount(2)}.waiter, nullptr);
  EXPECT_EQ(MemoryConfig{.memory = 1}.work, 0u);
}

}  // namespace
}  // namespace dsm
