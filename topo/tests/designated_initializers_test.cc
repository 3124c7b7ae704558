// The public options by designated initializers, as a user's build with -Wall -Wextra
// -Werror compiles them: what is left out has a default, so no warning is due.
#include <gtest/gtest.h>

#include "topo/topo.h"

namespace topo {
namespace {

TEST(DesignatedInitializers, LeaveUnnamedFieldsAtTheirDefaults) {
  EXPECT_FALSE(PlanOptions{.oversubscribe = PlanOptions::Oversubscribe::kAllow}.core_kind);
  EXPECT_EQ(PlanOptions{.core_kind = 1}.oversubscribe, PlanOptions().oversubscribe);
  EXPECT_EQ(MemoryOptions{.pages = MemoryOptions::Pages::kSmall}.pages,
            MemoryOptions::Pages::kSmall);
}

}  // namespace
}  // namespace topo
