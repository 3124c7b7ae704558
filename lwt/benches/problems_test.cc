// What the benches compute, where it can be known by other means.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "lwt/workloads/leaf.h"
#include "lwt/workloads/sgemm.h"
#include "lwt/workloads/uts.h"

namespace {

std::string Sha1OfText(std::string_view text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  std::string hex;
  for (const std::uint8_t byte : uts::Sha1(bytes)) {
    for (const int digit : {byte >> 4, byte & 15}) hex += "0123456789abcdef"[digit];
  }
  return hex;
}

TEST(Sha1Test, DigestsAreThoseOfTheStandard) {
  EXPECT_EQ(Sha1OfText("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Sha1OfText(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(Sha1OfText("The quick brown fox jumps over the lazy dog"),
            "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12");
}

long NodesBelow(const uts::Node& node, int& deepest) {
  deepest = std::max(deepest, node.depth);
  long count = 1;
  const int children = uts::ChildrenOf(node);
  for (int i = 0; i < children; ++i) count += NodesBelow(uts::ChildOf(node, i), deepest);
  return count;
}

TEST(UtsTest, T1HasTheNodesAndTheDepthThatItsAuthorsPublished) {
  int deepest = 0;
  EXPECT_EQ(NodesBelow(uts::RootOfT1(), deepest), uts::kNodesOfT1);
  EXPECT_EQ(deepest, 10);
}

// 32 x 32 blocks in matrices with longer rows, whole numbers.
struct Blocks {
  static constexpr int kLd = 48;
  std::vector<float> a = std::vector<float>(32 * kLd), b = a, c = a;
  Blocks() {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<float>(i % 7) - 3;
      b[i] = static_cast<float>(i % 5) - 2;
      c[i] = static_cast<float>(i % 3);
    }
  }
  std::vector<float> Expected(sgemm::Into into) const {
    std::vector<float> expected = c;
    for (int i = 0; i < 32; ++i) {
      for (int j = 0; j < 32; ++j) {
        float sum = into == sgemm::Into::kSum ? c[i * kLd + j] : 0;
        for (int p = 0; p < 32; ++p) sum += a[i * kLd + p] * b[p * kLd + j];
        expected[i * kLd + j] = sum;
      }
    }
    return expected;
  }
};

TEST(LeafTest, EachLeafSetsOrAddsAndLeavesWhatIsBesideIt) {
  for (const sgemm::LeafCode leaf : {&sgemm::PlainLeaf, sgemm::BestLeaf().code}) {
    for (const sgemm::Into into : {sgemm::Into::kEmpty, sgemm::Into::kSum}) {
      Blocks blocks;
      const std::vector<float> expected = blocks.Expected(into);
      leaf(blocks.a.data(), blocks.b.data(), blocks.c.data(), Blocks::kLd, into);
      EXPECT_EQ(blocks.c, expected);
    }
  }
}

TEST(SgemmTest, TheLongestExtentIsHalvedRowsFirst) {
  using sgemm::Axis;
  EXPECT_EQ(sgemm::AxisToHalve(768, 768, 768), Axis::kRows);
  EXPECT_EQ(sgemm::AxisToHalve(384, 768, 768), Axis::kColumns);
  EXPECT_EQ(sgemm::AxisToHalve(384, 384, 768), Axis::kInner);
  EXPECT_EQ(sgemm::AxisToHalve(32, 32, 32), Axis::kNone);
}

TEST(SgemmTest, HalvesAreWholeLeaves) {
  EXPECT_EQ(sgemm::FirstHalf(768), 384);
  EXPECT_EQ(sgemm::FirstHalf(96), 32);
  EXPECT_EQ(sgemm::FirstHalf(64), 32);
}

}  // namespace
