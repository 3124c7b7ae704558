#include "dsm/sms/memory_config.h"

#include <gtest/gtest.h>

#include <string>

namespace dsm {
namespace {

std::string ErrorOf(const std::string& text) {
  return std::string(ParseMemoryConfig(text, "cluster.mem").status().message());
}

TEST(MemoryConfig, PartsAreOfTheMemory) {
  const auto config = ParseMemoryConfig(R"(
# a node of the cluster
memory 16G
home   50%   # local pages
cache  4G
work   20%
)",
                                        "cluster.mem");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->memory, 16ull << 30);
  EXPECT_EQ(config->home, 8ull << 30);
  EXPECT_EQ(config->cache, 4ull << 30);
  EXPECT_EQ(config->work, (16ull << 30) / 5);
}

TEST(MemoryConfig, APartThatIsNotNamedIsNotBounded) {
  const auto config = ParseMemoryConfig("memory 1000\ncache 100%", "cluster.mem");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->home, 0u);
  EXPECT_EQ(config->cache, 1000u);
}

TEST(MemoryConfig, SaysWhichLineIsWrongAndWhatIsExpected) {
  EXPECT_EQ(ErrorOf("memory 1G\n\nhouse 3\n"),
            "cluster.mem:3: there is no 'house'; expected memory, home, cache or work");
  EXPECT_EQ(ErrorOf("memory 1G\nmemory 2G"), "cluster.mem:2: 'memory' for the second time");
  EXPECT_EQ(ErrorOf("cache 10%"), "cluster.mem:1: 'cache' before 'memory', of which it is a part");
  EXPECT_EQ(ErrorOf("memory"), "cluster.mem:1: expected 'memory' and one value");
  EXPECT_EQ(ErrorOf("memory 1G 2G"), "cluster.mem:1: expected 'memory' and one value");
  EXPECT_EQ(ErrorOf("memory 50%"), "cluster.mem:1: '50%' is no size; expected bytes, as 16G");
  for (const char* const value : {"x", "-1", "1GB", "101%", "0", "99999999999T", "1.5G", "%"}) {
    EXPECT_EQ(ErrorOf(std::string("memory 1G\nhome ") + value),
              std::string("cluster.mem:2: '") + value +
                  "' is no size; expected bytes, as 16G, or a part of the memory, as 30%");
  }
  EXPECT_EQ(ErrorOf("memory 1000\nhome 600\ncache 50%"),
            "cluster.mem:3: home, cache and work take 1100 bytes, but 'memory' is 1000");
  EXPECT_EQ(ErrorOf("# nothing\n"), "cluster.mem:1: expected 'memory' and a size");
}

}  // namespace
}  // namespace dsm
