#include "apps/stream/arrays/arrays.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stream {
namespace {

// On a machine with two nodes this is the paper's program; with one it is the
// same code with one array.
class ArraysTest : public testing::TestWithParam<Where> {
 protected:
  const topo::Topology machine_ = *topo::ThisMachine();
};

// The parts of one array, as pieces of memory in order.
std::vector<std::pair<const double*, std::int64_t>> Pieces(const Arrays& arrays,
                                                           double* Part::*array) {
  std::vector<std::pair<const double*, std::int64_t>> pieces;
  for (const Part& part : arrays.parts()) pieces.emplace_back(part.*array, part.size);
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

void ExpectPartsCoverOnce(const Arrays& arrays, std::int64_t elements, int nodes) {
  for (double* Part::*array : {&Part::a, &Part::b, &Part::c}) {
    std::int64_t total = 0;
    int gaps = 0;
    const auto pieces = Pieces(arrays, array);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      total += pieces[i].second;
      if (i == 0) continue;
      const double* end = pieces[i - 1].first + pieces[i - 1].second;
      ASSERT_LE(end, pieces[i].first) << "parts overlap";
      if (end != pieces[i].first) ++gaps;
    }
    EXPECT_EQ(total, elements);
    EXPECT_LT(gaps, nodes) << "parts of one node's array leave elements out";
  }
}

TEST_P(ArraysTest, PartsCoverEveryElementExactlyOnce) {
  for (const topo::Policy policy : {topo::Policy::kNone, topo::Policy::kScatter,
                                    topo::Policy::kCompact, topo::Policy::kCompactPlus}) {
    for (int threads = 1; threads <= machine_.allowed_pus(); threads *= 2) {
      const topo::Mapping mapping = *topo::Plan(machine_, policy, threads);
      for (const std::int64_t elements : {8, 1000, 4099}) {
        const auto arrays = Arrays::Allocate(machine_, mapping, elements, {.where = GetParam()});
        ASSERT_TRUE(arrays.ok()) << arrays.status();
        ExpectPartsCoverOnce(*arrays, elements, static_cast<int>(mapping.nodes().size()));
      }
    }
  }
}

TEST_P(ArraysTest, FillGivesEveryElementStreamsFirstValue) {
  const topo::Mapping mapping = *topo::Plan(machine_, topo::Policy::kScatter, 1);
  const auto arrays = Arrays::Allocate(machine_, mapping, 5000,
                                       {.where = GetParam(), .sink = ArraysOptions::Sink::kAlso});
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  auto team = StartTeam(Runtime::kStd, machine_, mapping);
  ASSERT_TRUE(team.ok()) << team.status();
  arrays->Fill(**team);
  const Part& part = arrays->parts()[0];
  EXPECT_TRUE(std::all_of(part.a, part.a + part.size, [](double x) { return x == 2; }));
  EXPECT_TRUE(std::all_of(part.b, part.b + part.size, [](double x) { return x == 2; }));
  EXPECT_TRUE(std::all_of(part.c, part.c + part.size, [](double x) { return x == 0; }));
}

TEST_P(ArraysTest, PagesAreWhereTheyWereAskedToBe) {
  const topo::Mapping mapping =
      *topo::Plan(machine_, topo::Policy::kScatter, machine_.allowed_pus());
  const auto arrays = Arrays::Allocate(machine_, mapping, 1 << 20, {.where = GetParam()});
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  auto team = StartTeam(Runtime::kStd, machine_, mapping);
  ASSERT_TRUE(team.ok()) << team.status();
  arrays->Fill(**team);
  topo::Verifier verifier(machine_, mapping);
  (*team)->Run([&](const topo::Slot& slot) { verifier.ObserveThisThread(slot); });
  arrays->AddTo(verifier, "");
  const topo::VerifyReport report = verifier.Finish();
  EXPECT_TRUE(report.ok()) << report.ToString();
  EXPECT_GE(report.memory.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, ArraysTest,
                         testing::Values(Where::kLocal, Where::kFirstTouch, Where::kSerial,
                                         Where::kInterleave),
                         [](const auto& info) {
                           std::string name(ToString(info.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST(ArraysOfThePaperTest, SixtyFourThreadsOfFourNodesCoverEveryElementOnce) {
  const topo::Topology paper = *topo::FromSynthetic("pack:4 [numa] core:8 pu:2(indexes=core:pack)");
  for (const topo::Policy policy :
       {topo::Policy::kScatter, topo::Policy::kCompact, topo::Policy::kCompactPlus}) {
    const topo::Mapping mapping = *topo::Plan(paper, policy, 64);
    const auto arrays = Arrays::Allocate(paper, mapping, 100'003, {.where = Where::kFirstTouch});
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    ExpectPartsCoverOnce(*arrays, 100'003, 1);
  }
}

TEST(ArraysElsewhereTest, NodesOfAnotherMachineAreRefused) {
  const topo::Topology paper = *topo::FromSynthetic("pack:4 [numa] core:8 pu:2(indexes=core:pack)");
  const topo::Mapping mapping = *topo::Plan(paper, topo::Policy::kScatter, 4);
  for (const Where where : {Where::kLocal, Where::kInterleave}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(
        Arrays::Allocate(paper, mapping, 1000, {.where = where}).status()));
  }
}

}  // namespace
}  // namespace stream
