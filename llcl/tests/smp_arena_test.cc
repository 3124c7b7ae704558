#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "llcl/region/mapped_regions.h"
#include "llcl/smp/arena.h"
#include "llcl/smp/mapper.h"

namespace llcl {
namespace {

constexpr std::uint64_t kBytes = 3 << 20;  // Two have no room in the first chunk.

class SmpArenaTest : public testing::Test {
 protected:
  SmpArena::Taken Take(std::uint64_t bytes) {
    const auto taken = arena_.Take(bytes);
    EXPECT_TRUE(taken.ok()) << taken.status();
    return *taken;
  }
  static bool IsZero(const SmpArena::Taken& taken) {
    return std::all_of(taken.memory, taken.memory + taken.range.bytes(),
                       [](std::byte byte) { return byte == std::byte{0}; });
  }

  const std::unique_ptr<SmpDoor> door_ = *SmpDoor::Open("secret");
  // A thread's mark is seen once a barrier was passed.
  std::vector<std::uint64_t> set_, marked_;
  bool has_barriers_ = true;
  SmpArena arena_{*door_, [this] { return marked_; },
                  [this] {
                    if (has_barriers_) marked_ = set_;
                    return has_barriers_;
                  }};
};

TEST_F(SmpArenaTest, MemoryIsZerosInPagesOfItsOwnAndSoItIsAgain) {
  const SmpArena::Taken one = Take(1), two = Take(5000);
  EXPECT_EQ(one.range.bytes(), 4096u);
  EXPECT_EQ(two.range.begin, one.range.end);
  EXPECT_EQ(two.memory, one.memory + 4096);
  EXPECT_EQ(arena_.chunks(), 1u);
  for (std::uint64_t key = 1; key < 20; key += 2) {
    const SmpArena::Taken taken = Take(kBytes);
    EXPECT_TRUE(IsZero(taken));
    std::memset(taken.memory, 1, kBytes);
    arena_.Retire(taken.range, key);
    // As a thread does that saw the region before.
    std::memset(taken.memory, 2, 100);
  }
  EXPECT_EQ(arena_.chunks(), 1u);
}

TEST_F(SmpArenaTest, ARangeThatAThreadMayBeChangingIsNotGivenAgain) {
  const SmpArena::Taken old = Take(kBytes);
  constexpr std::uint64_t kKey = 73;
  set_ = {11, kKey};
  arena_.Retire(old.range, kKey);
  const SmpArena::Taken other = Take(kBytes);
  EXPECT_NE(other.range.begin, old.range.begin);
  EXPECT_EQ(arena_.chunks(), 2u);
  set_ = {75};
  arena_.Retire(other.range, 81);
  EXPECT_EQ(Take(kBytes).range, old.range);
}

TEST_F(SmpArenaTest, WithoutBarriersARangeIsGivenAgainOnlyLater) {
  const SmpArena::Taken old = Take(kBytes);
  has_barriers_ = false;
  arena_.Retire(old.range, 73);
  EXPECT_NE(Take(kBytes).range, old.range);
  has_barriers_ = true;
  EXPECT_EQ(Take(kBytes).range, old.range);
}

TEST_F(SmpArenaTest, ManyRegionsHaveFewChunksWhichOthersMapOnce) {
  std::vector<SmpArena::Taken> all;
  for (int i = 0; i < 1000; ++i) all.push_back(Take(1 << 20));
  EXPECT_LE(arena_.chunks(), 10u);
  std::memset(all.back().memory, 5, 8);
  const std::uint64_t chunk = MappedRegions::ChunkOf(all.back().range.begin);
  const auto fd =
      Fetch(door_->address(), "secret", SmpMapper::NumberOfChunk(chunk), std::chrono::seconds(5));
  ASSERT_TRUE(fd.ok()) << fd.status();
  const auto mapped = Mapped::Of(fd->get(), *SizeOf(fd->get()));
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  MappedRegions regions;
  regions.AddChunk(chunk, mapped->data());
  EXPECT_EQ(*regions.At({}, all.back().range.begin), std::byte{5});
}

TEST_F(SmpArenaTest, MoreThanThereIsIsRefusedAndOtherMemoryIsThere) {
  EXPECT_TRUE(absl::IsResourceExhausted(arena_.Take(~std::uint64_t{0}).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(arena_.Take(std::uint64_t{1} << 62).status()));
  EXPECT_TRUE(IsZero(Take(100)));
}

}  // namespace
}  // namespace llcl
