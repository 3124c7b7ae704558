// A rank of a space of 30 TiB of addresses, as large as the paper's ([Mid18] section 4): each test
// is run by all ranks of a job that llclrun started. An argument names the engine.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "dsm/space.h"
#include "dsm/tests/engine_named.h"

namespace dsm {
namespace {

constexpr std::uint64_t kPageBytes = 2 << 20, kSpaceBytes = std::uint64_t{30} << 40;
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of what is known about pages

std::unique_ptr<Space> space;
std::uint64_t bytes_before = 0;

// Private memory and tables of pages of this process; memory of the space is shared.
std::uint64_t PrivateBytes() {
  std::ifstream status("/proc/self/status");
  std::uint64_t kib = 0;
  for (std::string line; std::getline(status, line);) {
    for (const char* const name : {"RssAnon:", "VmPTE:"}) {
      if (line.starts_with(name)) kib += std::stoull(line.substr(line.find(':') + 1));
    }
  }
  return kib * 1024;
}

TEST(HugeSpace, BothEndsAreSharedAndWhatIsKnownOfPagesIsInProportionToThoseTouched) {
  const auto ranks = static_cast<std::uint64_t>(space->ranks());
  // All addresses that the space has, in a block of each rank's own.
  const std::uint64_t words = kSpaceBytes / sizeof(std::uint64_t);
  const auto memory = space->Allocate({{words}, sizeof(std::uint64_t)},
                                      BlockMapping{.divisions = {ranks}, .count = space->ranks()});
  ASSERT_TRUE(memory.ok()) << memory.status();
  ASSERT_EQ(memory->size(), kSpaceBytes);
  auto* const all = reinterpret_cast<std::uint64_t*>(memory->data());
  // Some pages at both ends, and in the middle of what each rank has.
  constexpr std::uint64_t kWordsOfPage = kPageBytes / sizeof(std::uint64_t);
  const std::uint64_t middle = words / 2 / ranks;
  const std::uint64_t each = words / ranks / kWordsOfPage * kWordsOfPage;
  const std::array<std::uint64_t, 4> places = {0, 2 * kWordsOfPage, words - 1,
                                               words - 1 - 3 * kWordsOfPage};
  if (space->rank() == 0) {
    for (const std::uint64_t place : places) all[place] = place + 1;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) all[rank * each + middle] = rank + 7;
  }
  ASSERT_EQ(space->Barrier(Consistency::kFlush), absl::OkStatus());
  for (const std::uint64_t place : places) EXPECT_EQ(all[place], place + 1);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(all[rank * each + middle], rank + 7);
  ASSERT_EQ(space->Barrier(Consistency::kFlush), absl::OkStatus());
  ASSERT_GT(bytes_before, 0u);
  const std::uint64_t bytes = PrivateBytes() - bytes_before;
  EXPECT_LT(bytes, kMostBytes);
  std::printf("of rank %d: %llu bytes\n", space->rank(), static_cast<unsigned long long>(bytes));
}

}  // namespace
}  // namespace dsm

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dsm::SpaceOptions options;
  options.bytes = dsm::kSpaceBytes;
  options.page_bytes = dsm::kPageBytes;
  if (argc > 1) options.engine = dsm::EngineNamed(argv[1]);
  dsm::bytes_before = dsm::PrivateBytes();
  auto space = dsm::Space::Join(options);
  if (!space.ok()) {
    std::fprintf(stderr, "%s\n", space.status().ToString().c_str());
    return 1;
  }
  dsm::space = *std::move(space);
  const int result = RUN_ALL_TESTS();
  dsm::space.reset();
  return result;
}
