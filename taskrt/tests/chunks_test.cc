// Each iteration is in one chunk, whatever the schedule.
#include "taskrt/ompc/team/chunks.h"

#include <gtest/gtest.h>

#include <vector>

#include "taskrt/ompc/tasks/icvs.h"

namespace taskrt {
namespace {

TEST(Chunks, AStaticScheduleHasEachIterationOnce) {
  for (long count = 0; count <= 40; ++count) {
    for (int members = 1; members <= 9; ++members) {
      std::vector<int> blocks(static_cast<std::size_t>(count)), chunks(blocks.size());
      long longest = 0, shortest = count;
      for (int member = 0; member < members; ++member) {
        const Chunk block = BlockOfMember(count, member, members);
        for (long i = block.first; i < block.last; ++i) ++blocks[static_cast<std::size_t>(i)];
        longest = std::max(longest, block.last - block.first);
        shortest = std::min(shortest, block.last - block.first);
        for (long turn = 0;; ++turn) {
          const Chunk chunk = ChunkOfTurn(count, 3, turn, member, members);
          if (chunk.empty()) break;
          for (long i = chunk.first; i < chunk.last; ++i) ++chunks[static_cast<std::size_t>(i)];
        }
      }
      EXPECT_EQ(blocks, std::vector<int>(blocks.size(), 1)) << count << " by " << members;
      EXPECT_EQ(chunks, blocks);
      EXPECT_LE(longest - shortest, 1);
    }
  }
}

TEST(Chunks, AGuidedScheduleHasChunksThatShrink) {
  long left = 1000, before = 1000;
  while (left > 0) {
    const long size = GuidedSize(left, 7, 4);
    EXPECT_LE(size, before);
    EXPECT_TRUE(size >= 7 || size == left);
    left -= size;
    before = size;
  }
  EXPECT_EQ(left, 0);
}

TEST(Chunks, TheEnvironmentsValuesAreThoseOfOpenMp) {
  EXPECT_EQ(ParseNumThreads(" 4,3 , 2"), (std::vector<int>{4, 3, 2}));
  for (const char* const wrong : {"", "0", "4,", "x", "-1"})
    EXPECT_FALSE(ParseNumThreads(wrong)) << wrong;
  EXPECT_EQ(ParseSchedule("Guided, 4")->kind, 3);
  EXPECT_EQ(ParseSchedule("nonmonotonic:dynamic,8")->chunk, 8);
  EXPECT_EQ(ParseSchedule("static")->chunk, 0);
  for (const char* const wrong : {"", "no", "static,0", "static,1,2"})
    EXPECT_FALSE(ParseSchedule(wrong)) << wrong;
  EXPECT_EQ(ParseStackSize("2000"), 2000u * 1024);
  EXPECT_EQ(ParseStackSize("3 M"), 3u << 20);
  EXPECT_EQ(ParseStackSize("20000b"), 20000u);
  EXPECT_FALSE(ParseStackSize("M"));
  EXPECT_EQ(ParseWaitPolicy("ACTIVE"), true);
  EXPECT_EQ(ParseWaitPolicy("passive "), false);
  EXPECT_FALSE(ParseWaitPolicy("some"));
  EXPECT_EQ(ParseBool("TRUE"), true);
  EXPECT_EQ(ParseBool("no"), false);
  EXPECT_FALSE(ParseBool("2"));
}

}  // namespace
}  // namespace taskrt
