#include "taskrt/ompc/translate/directives/constructs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace taskrt {
namespace {

TEST(Constructs, ThePageIsTheTables) {
  std::ifstream file("taskrt/ompc/constructs.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(page, ConstructsPage()) << "ompc --constructs writes it";
}

TEST(Constructs, EachIsThereOnce) {
  std::set<std::string_view> names;
  for (const Construct& each : Constructs())
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
}

TEST(Constructs, ACombinedOneIsItsPartsInOpenMpsOrder) {
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"parallel", "for"}, Words{"target", "teams", "distribute", "parallel", "for", "simd"},
        Words{"parallel", "masked", "taskloop", "simd"}, Words{"teams", "loop"},
        Words{"for", "simd"}, Words{"taskloop", "simd"}, Words{"parallel", "sections"}}) {
    EXPECT_EQ(PartsOf(words), words);
  }
  for (const Words& words :
       {Words{"for", "parallel"}, Words{"distribute", "for"}, Words{"simd", "for"},
        Words{"for", "sections"}, Words{"parallel", "taskloop"}, Words{"parallel", "no"}}) {
    EXPECT_TRUE(PartsOf(words).empty()) << words[0] << " " << words[1];
  }
}

}  // namespace
}  // namespace taskrt
