#include "lwt/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/task_group.h"

namespace lwt {
namespace {

class WithWorkers : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Pool> pool_ = *Pool::Create({.workers = GetParam()});
};
INSTANTIATE_TEST_SUITE_P(Workers, WithWorkers, testing::Values(1, 2, 4));

TEST_P(WithWorkers, ALoopVisitsEachIndexOnce) {
  for (const std::int64_t size : {0, 1, 7, 1000, 4099}) {
    for (const std::int64_t grain : {1, 10, 5000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(size));
      pool_->Run([&] {
        ParallelFor(0, size, grain, [&](std::int64_t begin, std::int64_t end) {
          EXPECT_LE(end - begin, grain);
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
      });
      for (const auto& count : visits) ASSERT_EQ(count, 1);
    }
  }
}

TEST_P(WithWorkers, AReductionIsTheSameToTheLastBitWhoeverRunsIt) {
  const auto sum = [](std::int64_t begin, std::int64_t end) {
    double total = 0;
    for (std::int64_t i = begin; i < end; ++i) total += 1.0 / static_cast<double>(i + 1);
    return total;
  };
  const auto reduce = [&] {
    return ParallelReduce(0, 100'000, 100, 0.0, sum, [](double a, double b) { return a + b; });
  };
  const double alone = (*Pool::Create({.workers = 1}))->Run(reduce);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(pool_->Run(reduce), alone);
}

TEST_P(WithWorkers, AnEmptyReductionIsTheIdentity) {
  EXPECT_EQ(pool_->Run([] {
    return ParallelReduce(
        5, 5, 10, 42, [](std::int64_t, std::int64_t) { return 7; },
        [](int a, int b) { return a + b; });
  }),
            42);
}

TEST_P(WithWorkers, AnExceptionOfAPieceIsThrown) {
  EXPECT_THROW(pool_->Run([] {
    ParallelFor(0, 1000, 1, [](std::int64_t begin, std::int64_t) {
      if (begin == 777) throw std::runtime_error("777");
    });
  }),
               std::runtime_error);
}

TEST_P(WithWorkers, AGroupRunsAllItsFunctionsAndCanBeUsedAgain) {
  pool_->Run([&] {
    TaskGroup group;
    for (int round = 1; round <= 3; ++round) {
      std::atomic<int> sum{0};
      for (int i = 1; i <= 100; ++i) group.Run([&sum, i] { sum += i; });
      group.Wait();
      EXPECT_EQ(sum, 5050);
    }
  });
}

TEST_P(WithWorkers, LargeFunctionsAreMovedAndDestroyedOnce) {
  const auto token = std::make_shared<int>(0);
  pool_->Run([&] {
    TaskGroup group;
    for (int i = 0; i < 10; ++i) {
      std::array<char, 200> large = {};
      group.Run([token, large] { EXPECT_EQ(large[0], 0); });
    }
    group.Wait();
  });
  EXPECT_EQ(token.use_count(), 1);
}

TEST_P(WithWorkers, AGroupWaitsForAllBeforeItThrows) {
  pool_->Run([&] {
    std::atomic<int> ended{0};
    TaskGroup group;
    for (int i = 0; i < 20; ++i) {
      group.Run([&ended, i] {
        if (i % 7 == 3) throw std::out_of_range("one of three");
        ++ended;
      });
    }
    EXPECT_THROW(group.Wait(), std::out_of_range);
    EXPECT_EQ(ended, 17);
    group.Wait();
  });
}

TEST_P(WithWorkers, AGroupThatIsGivenMoreThanItKeepsRunsThemFirst) {
  constexpr int kCalls = 3 * TaskGroup::kMostUnjoined + 5;
  pool_->Run([&] {
    std::atomic<int> begun{0};
    int most = 0;
    TaskGroup group;
    for (int i = 0; i < kCalls; ++i) {
      group.Run([&begun, i] {
        ++begun;
        if (i == 1) throw std::out_of_range("of those that Run has waited for");
      });
      most = std::max(most, i + 1 - begun);
    }
    EXPECT_LE(most, TaskGroup::kMostUnjoined);
    EXPECT_THROW(group.Wait(), std::out_of_range);
    EXPECT_EQ(begun, kCalls);
    group.Wait();
  });
}

TEST_P(WithWorkers, GroupsInsideGroupsCountATree) {
  struct Tree {
    static int Count(int depth) {
      if (depth == 0) return 1;
      std::array<int, 3> below = {};
      TaskGroup group;
      for (int& one : below) group.Run([&one, depth] { one = Count(depth - 1); });
      group.Wait();
      return std::accumulate(below.begin(), below.end(), 1);
    }
  };
  EXPECT_EQ(pool_->Run([] { return Tree::Count(7); }), 3280);
}

TEST_P(WithWorkers, AFunctionOfAGroupMayWaitForAThread) {
  pool_->Run([] {
    std::atomic<int> ran{0};
    TaskGroup group;
    for (int i = 0; i < 50; ++i) {
      group.Run([&] {
        Thread child = Spawn([&] {
          Yield();
          ++ran;
        });
        Yield();
        child.Join();
      });
    }
    group.Wait();
    EXPECT_EQ(ran, 50);
  });
}

TEST_P(WithWorkers, AForkedCallMayYieldOnBothSides) {
  const int sum = pool_->Run([] {
    struct Tree {
      static int Sum(int n) {
        if (n == 0) {
          Yield();
          return 1;
        }
        int left = 0, right = 0;
        ForkJoin(
            [&] {
              Yield();
              left = Sum(n - 1);
            },
            [&] { right = Sum(n - 1); });
        return left + right;
      }
    };
    return Tree::Sum(8);
  });
  EXPECT_EQ(sum, 256);
}

TEST_P(WithWorkers, AnExceptionOfTheFirstCallWinsAndTheSecondIsNotBegunIfItNeedNotBe) {
  pool_->Run([&] {
    bool second = false;
    EXPECT_THROW(ForkJoin([] { throw std::runtime_error("first"); }, [&] { second = true; }),
                 std::runtime_error);
    // With more workers a thief may have begun it.
    EXPECT_TRUE(!second || GetParam() > 1);
    EXPECT_THROW(ForkJoin([] {}, [] { throw std::out_of_range("second"); }), std::out_of_range);
  });
}

}  // namespace
}  // namespace lwt
