// Counts that are killed after any step go on from their files, by either mode that writes them.
#include "apps/simpath/frontier/count_checkpoint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/problem/problem.h"
#include "apps/simpath/tests/graphs.h"
#include "apps/simpath/tests/modes.h"

namespace simpath {
namespace {

constexpr std::chrono::seconds kAlways{0};

Problem GridWithWeights() {
  Problem problem = *MakeProblem(Grid(4), 0, 24);
  for (std::size_t i = 0; i < problem.edges.size(); ++i) {
    problem.weights.push_back(Count(i % 3 == 0 ? ~std::uint64_t{0} : i));
  }
  return problem;
}

absl::StatusOr<Count> CountBy(const TestedMode& mode, const Problem& problem,
                              const program::CheckpointOptions& options,
                              const std::function<void(const Done&)>& progress = {}) {
  auto checkpoint = CountCheckpoint::Open(options, problem, {&problem, 1});
  if (!checkpoint.ok()) return checkpoint.status();
  return mode.count(problem, {.progress = progress, .checkpoint = &*checkpoint});
}

// Copies of the file after each step of a count.
std::vector<std::string> KilledAfterEachStep(const TestedMode& mode, const Problem& problem) {
  const std::string file = absl::StrCat(::testing::TempDir(), "/", mode.name);
  std::filesystem::remove(file);
  std::vector<std::string> copies;
  const auto copy = [&] {
    if (!std::filesystem::exists(file)) return;
    copies.push_back(absl::StrCat(file, ".", copies.size()));
    std::filesystem::copy_file(file, copies.back(),
                               std::filesystem::copy_options::overwrite_existing);
  };
  const auto count =
      CountBy(mode, problem, {.file = file, .every = kAlways}, [&](const Done&) { copy(); });
  EXPECT_TRUE(count.ok()) << count.status();
  copy();
  return copies;
}

bool WritesCheckpoints(const TestedMode& mode) { return !mode.name.starts_with("eba"); }

TEST(CountCheckpoint, GoesOnAfterAnyStepByEitherMode) {
  const Problem problem = GridWithWeights();
  const std::string expected = CountByTrying(problem).ToString();
  for (const TestedMode& writer : AllModes()) {
    if (!WritesCheckpoints(writer)) continue;
    const std::vector<std::string> copies = KilledAfterEachStep(writer, problem);
    ASSERT_EQ(copies.size(), MakePlan(problem).stages.size());
    for (const TestedMode& reader : AllModes()) {
      if (!WritesCheckpoints(reader)) continue;
      for (std::size_t i = 0; i < copies.size(); ++i) {
        std::size_t steps = 0;
        const auto count = CountBy(reader, problem, {.file = copies[i], .resume = true},
                                   [&](const Done&) { ++steps; });
        ASSERT_TRUE(count.ok()) << count.status();
        EXPECT_EQ(count->ToString(), expected) << writer.name << ", then " << reader.name;
        EXPECT_EQ(steps, copies.size() - i - 1) << "what was done is not done again";
      }
    }
  }
}

TEST(CountCheckpoint, KnowsTheCountsOfFinishedProblems) {
  const std::string file = ::testing::TempDir() + "/several";
  const Problem problem = GridWithWeights();
  auto checkpoint =
      *CountCheckpoint::Open({.file = file, .every = kAlways}, problem, {&problem, 1});
  EXPECT_FALSE(checkpoint.NextFinished());
  checkpoint.Finish(Count(~std::uint64_t{0}) * 10);
  checkpoint.Finish(0);
  ASSERT_TRUE(checkpoint.Write({.steps = 3, .paths = 7}, [](const auto&) {}).ok());

  auto resumed = *CountCheckpoint::Open({.file = file, .resume = true}, problem, {&problem, 1});
  EXPECT_EQ(resumed.NextFinished(), Count(~std::uint64_t{0}) * 10);
  EXPECT_EQ(resumed.NextFinished(), Count(0));
  EXPECT_EQ(resumed.NextFinished(), std::nullopt);
  const auto position = resumed.TakePosition();
  ASSERT_TRUE(position);
  EXPECT_EQ(position->steps, 3u);
  EXPECT_EQ(position->paths, Count(7));
  EXPECT_FALSE(resumed.TakePosition()) << "it is of one problem only";
}

TEST(CountCheckpoint, OfAnotherGraphOrderOrWeightIsRefused) {
  const std::string file = ::testing::TempDir() + "/other";
  const Problem problem = GridWithWeights();
  auto checkpoint = *CountCheckpoint::Open({.file = file}, problem, {&problem, 1});
  ASSERT_TRUE(checkpoint.Write({}, [](const auto&) {}).ok());
  const auto refused = [&](const Problem& other) {
    return absl::IsFailedPrecondition(
        CountCheckpoint::Open({.file = file, .resume = true}, other, {&other, 1}).status());
  };
  EXPECT_FALSE(refused(problem));
  Problem other = problem;
  std::swap(other.edges[3], other.edges[4]);
  EXPECT_TRUE(refused(other)) << "another order";
  other = problem;
  other.target = 23;
  EXPECT_TRUE(refused(other)) << "another end";
  other = problem;
  other.weights[2] += 1;
  EXPECT_TRUE(refused(other)) << "another weight";
  other = problem;
  other.edges.pop_back();
  other.weights.pop_back();
  EXPECT_TRUE(refused(other)) << "an edge less";
}

// What is contracted to an edge of the part is not in the part.
TEST(CountCheckpoint, OfAnotherGraphWithTheSamePartsIsRefused) {
  const std::string file = ::testing::TempDir() + "/whole";
  const Problem part = GridWithWeights();
  Problem whole = part;
  whole.edges.push_back({0, 24});
  auto checkpoint = *CountCheckpoint::Open({.file = file}, whole, {&part, 1});
  ASSERT_TRUE(checkpoint.Write({}, [](const auto&) {}).ok());
  const program::CheckpointOptions resume = {.file = file, .resume = true};
  EXPECT_TRUE(CountCheckpoint::Open(resume, whole, {&part, 1}).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(CountCheckpoint::Open(resume, part, {&part, 1}).status()));
}

// Whole files of another count than the one that the check has seen.
TEST(CountCheckpoint, WhoseStatesHaveChangedIsFound) {
  const std::string file = ::testing::TempDir() + "/changed";
  const Problem problem = GridWithWeights();
  for (const TestedMode& mode : AllModes()) {
    if (!WritesCheckpoints(mode)) continue;
    const std::vector<std::string> copies = KilledAfterEachStep(mode, problem);
    auto half = *CountCheckpoint::Open({.file = copies[copies.size() / 2], .resume = true}, problem,
                                       {&problem, 1});
    CountCheckpoint::Position position = *half.TakePosition();
    std::vector<std::vector<std::uint64_t>> states(position.states);
    for (std::vector<std::uint64_t>& state : states) {
      state.resize(position.mate_words + position.count_words);
      ASSERT_TRUE(half.ReadState(state).ok());
    }
    ASSERT_GT(states.size(), 2u);
    const auto status_of = [&](const std::vector<std::vector<std::uint64_t>>& written,
                               Check check) {
      auto checkpoint = *CountCheckpoint::Open({.file = file}, problem, {&problem, 1});
      position.states = written.size();
      EXPECT_TRUE(checkpoint
                      .Write(position,
                             [&](const auto& add) {
                               for (const auto& state : written) add(std::span(state));
                             })
                      .ok());
      auto resumed = *CountCheckpoint::Open({.file = file, .resume = true}, problem, {&problem, 1});
      return mode.count(problem, {.checkpoint = &resumed, .check = check}).status();
    };
    EXPECT_TRUE(status_of(states, Check::kOn).ok());
    auto changed = states;
    changed[1].back() ^= 1;
    EXPECT_TRUE(absl::IsInternal(status_of(changed, Check::kOn))) << "a bit of a count";
    EXPECT_TRUE(status_of(changed, Check::kOff).ok()) << "which nobody looks at";
    changed = states;
    changed.pop_back();
    EXPECT_TRUE(absl::IsInternal(status_of(changed, Check::kOn))) << "a state is lost";
    changed = states;
    std::swap(changed[0][position.mate_words], changed[1][position.mate_words]);
    ASSERT_NE(changed, states);
    EXPECT_TRUE(absl::IsInternal(status_of(changed, Check::kOn))) << "two have changed counts";
    position.paths += 1;
    EXPECT_TRUE(absl::IsInternal(status_of(states, Check::kOn))) << "a path more has ended";
  }
}

// Whole files that no count has written.
TEST(CountCheckpoint, OfStepsOrWordsThatThePlanHasNotIsRefused) {
  const std::string file = ::testing::TempDir() + "/steps";
  const Problem problem = GridWithWeights();
  const Plan plan = MakePlan(problem);
  ASSERT_GT(plan.stages[1].last - plan.stages[1].first, 1u);
  const auto resumed = [&](const TestedMode& mode, const CountCheckpoint::Position& position) {
    auto checkpoint = *CountCheckpoint::Open({.file = file}, problem, {&problem, 1});
    EXPECT_TRUE(checkpoint.Write(position, [](const auto&) {}).ok());
    return CountBy(mode, problem, {.file = file, .resume = true}).status();
  };
  for (const TestedMode& mode : AllModes()) {
    if (!WritesCheckpoints(mode)) continue;
    EXPECT_TRUE(resumed(mode, {.steps = plan.steps.size(),
                               .mate_words = 1,
                               .count_words = 1,
                               .check = {.is_on = true}})
                    .ok());
    EXPECT_TRUE(absl::IsFailedPrecondition(
        resumed(mode, {.steps = plan.steps.size(), .mate_words = 1, .count_words = 1})))
        << "it was not checked";
    for (const CountCheckpoint::Position& wrong : std::vector<CountCheckpoint::Position>{
             {.steps = plan.steps.size() + 1, .mate_words = 1, .count_words = 1},
             {.steps = plan.stages[1].first + 1, .mate_words = 1, .count_words = 1},
             {.steps = plan.steps.size(), .mate_words = 2, .count_words = 1},
             {.steps = plan.steps.size(), .mate_words = 1, .count_words = 0},
             {.steps = plan.steps.size(), .mate_words = 1, .count_words = 1, .states = 1},
             // 2 words each, 2^64 in all.
             {.steps = plan.steps.size(),
             .mate_words = 1,
             .count_words = 1,
             .states = std::size_t{1} << 63}}) {
      EXPECT_TRUE(absl::IsDataLoss(resumed(mode, wrong)))
          << mode.name << ": step " << wrong.steps << ", " << wrong.mate_words << " and "
          << wrong.count_words << " words, " << wrong.states << " states";
    }
  }
}

}  // namespace
}  // namespace simpath
