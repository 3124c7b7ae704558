// The memory of a space and the core of a crashing process, by the kernel's flags of each mapping.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "dsm/space.h"

namespace dsm {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 26;

// For each mapping as large as the space: is the mapping kept out of cores ("dd", proc(5))?
std::vector<bool> KeptOutOfCores() {
  std::vector<bool> kept;
  std::ifstream maps("/proc/self/smaps");
  bool is_of_space = false;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      is_of_space = end - begin >= kBytes && line.find("/memfd:llcl") != std::string::npos;
    } else if (is_of_space && line.starts_with("VmFlags:")) {
      kept.push_back(line.find(" dd") != std::string::npos);
    }
  }
  return kept;
}

TEST(Dumps, BothViewsOfTheSpaceAreKeptOutOfCores) {
  const auto space = Space::Join({.bytes = kBytes});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(KeptOutOfCores(), (std::vector<bool>{true, true}));
}

TEST(Dumps, BothViewsAreInCoresWhereTheProgramAsksForThem) {
  const auto space = Space::Join({.bytes = kBytes, .dumps = true});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(KeptOutOfCores(), (std::vector<bool>{false, false}));
}

// An allocation splits the view; its parts stay out.
TEST(Dumps, MemoryThatIsAllocatedStaysOutOfCores) {
  const auto space = Space::Join({.bytes = kBytes, .engine = EngineKind::kSegv});
  ASSERT_TRUE(space.ok()) << space.status();
  const auto memory = (*space)->Allocate({{kBytes / 8}, 8}, OnRank{0});
  ASSERT_TRUE(memory.ok()) << memory.status();
  memory->front() = std::byte{1};
  for (const bool is_kept : KeptOutOfCores()) EXPECT_TRUE(is_kept);
}

}  // namespace
}  // namespace dsm
