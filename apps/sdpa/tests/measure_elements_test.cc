#include "apps/sdpa/measure/measure_elements.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "apps/sdpa/run/flags.h"
#include "apps/sdpa/run/resolve.h"

namespace sdpa {
namespace {

// Policies and placements are this machine's; in the guest (numa_guest_elements_test) those of four
// nodes.
TEST(MeasureElements, HasARowForEachMethodPolicyPlacementAndNumberOfThreads) {
  for (const std::string instance : {"control:n=8", "material:blocks=40"}) {
    Flags flags;
    flags.generate = instance;
    flags.mode = "elements";
    flags.method = "terms,formulas";
    flags.policy = "none,scatter,compact";
    flags.threads = "1,2";
    flags.placement = "first-touch,local,interleaved";
    auto resolved = Resolve(flags);
    ASSERT_TRUE(resolved.ok()) << resolved.status();
    resolved->elements.repetitions = 1;
    const auto rows = MeasureElements(resolved->problem, resolved->topology, resolved->elements,
                                      [](const std::string&) {});
    ASSERT_TRUE(rows.ok()) << rows.status();
    std::set<std::tuple<Method, topo::Policy, DataPlacement, int>> found;
    for (const ElementsTime& row : *rows) {
      found.insert({row.method, row.policy, row.placement, row.threads});
      EXPECT_LE(row.largest_error, 1e-10);
      EXPECT_GT(row.seconds, 0);
    }
    EXPECT_EQ(found.size(), 2 * 3 * resolved->mappings.size());
    EXPECT_EQ(rows->size(), found.size());
  }
}

}  // namespace
}  // namespace sdpa
