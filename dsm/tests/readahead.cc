// A rank of a space whose read faults bring the pages behind along: each test is run by all ranks
// of a job that llclrun started. Arguments: ENGINE [CACHE_PAGES].
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include "dsm/space.h"
#include "dsm/tests/engine_named.h"

namespace dsm {
namespace {

constexpr std::uint64_t kPage = 4096, kReadahead = 7;
std::unique_ptr<Space> space;

TEST(Readahead, APageThatIsReadBringsThoseBehindOfTheSameHome) {
  // Twenty pages on rank 0, and as many on the last rank behind them.
  const auto memory = space->Allocate(
      {{40 * kPage}, 1}, BlockMapping{.divisions = {2}, .first = 0, .count = space->ranks()});
  ASSERT_TRUE(memory.ok()) << memory.status();
  const std::span<const std::byte> all = *memory;
  const bool is_bounded = space->options().cache_bytes > 0;
  const auto page = [&](std::uint64_t number) { return all.subspan(number * kPage, kPage); };
  const auto touch = [&](std::uint64_t number) {
    const CopyCounts before = space->counts().copies;
    const std::byte first = *const_cast<const volatile std::byte*>(page(number).data());
    EXPECT_EQ(first, std::byte{0});
    CopyCounts after = space->counts().copies;
    after.faults -= before.faults;
    after.fetches -= before.fetches;
    after.read_ahead -= before.read_ahead;
    after.pages_fetched -= before.pages_fetched;
    return after;
  };
  ASSERT_TRUE(space->Barrier(Consistency::kFlush).ok());
  if (space->rank() == space->ranks() - 1 && space->ranks() > 1) {
    EXPECT_FALSE(space->IsResident(page(3)));
    CopyCounts counts = touch(3);
    EXPECT_EQ(counts.faults, 1u);
    EXPECT_EQ(counts.fetches, 1u);
    if (!is_bounded) {
      EXPECT_EQ(counts.read_ahead, kReadahead);
      EXPECT_EQ(counts.pages_fetched, kReadahead + 1);
      EXPECT_TRUE(space->IsResident(all.subspan(3 * kPage, (kReadahead + 1) * kPage)));
      EXPECT_EQ(touch(10).faults, 0u);
      counts = touch(18);
      EXPECT_EQ(counts.read_ahead, 1u) << "the home's last page";
      counts = touch(0);
      EXPECT_EQ(counts.read_ahead, 2u) << "up to the page that is here";
      // A page that is written comes alone.
      *const_cast<volatile std::byte*>(&(*memory)[12 * kPage]) = std::byte{0};
      EXPECT_FALSE(space->IsResident(page(13)));
    } else {
      EXPECT_LE(counts.pages_fetched, kReadahead + 1);
      for (std::uint64_t number = 0; number < 20; ++number) (void)touch(number);
    }
    EXPECT_TRUE(space->IsResident(page(20))) << "at home here";
  }
  EXPECT_TRUE(space->IsResident({}));
  std::byte elsewhere{};
  EXPECT_FALSE(space->IsResident({&elsewhere, 1}));
  ASSERT_TRUE(space->Barrier(Consistency::kFlush).ok());
}

}  // namespace
}  // namespace dsm

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  dsm::SpaceOptions options;
  options.readahead_pages = dsm::kReadahead;
  if (argc > 1) options.engine = dsm::EngineNamed(argv[1]);
  if (argc > 2) options.cache_bytes = std::strtoull(argv[2], nullptr, 10) * options.page_bytes;
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
