// dsm/layout/first_touch.h's own code under interleavings: two ranks, and a word that they claim a
// page by.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>

#include "dsm/layout/first_touch.h"
#include "tools/model/interleavings.h"

namespace dsm {
namespace {

constexpr int kRanks = 2;

// As HomeClaims::Claim does it.
struct Game {
  int Claim(int rank, bool is_answered = true) {
    BasicFirstTouchPage<model::Atomic>& page = pages[static_cast<std::size_t>(rank)];
    while (page.home() == kNoHome) {
      if (!page.TryAsk()) {
        page.WaitWhileAsking([](auto sleep) { sleep(); });
        continue;
      }
      int before = 0;
      (void)word.CompareExchange(before, rank + 1, std::memory_order_acq_rel);
      if (!is_answered) {
        page.SetUnanswered();
        return kNoHome;
      }
      const int home = before == 0 ? rank : before - 1;
      if (home == rank) opened.FetchAdd(1, std::memory_order_acq_rel);
      page.SetHome(home);
    }
    return page.home();
  }
  void Touch(int rank) {
    const int home = Claim(rank);
    if (home == rank) {
      model::Require(opened.Load(std::memory_order_acquire) == 1, "a page that is here is open");
    } else {
      model::Require(pages[static_cast<std::size_t>(home)].MayBeAt(home),
                     "the home takes what others send");
    }
  }
  void CheckAll() {
    const int home = word.Load(std::memory_order_relaxed) - 1;
    for (const auto& page : pages) model::Require(page.home() == home, "all know one home");
    model::Require(opened.Load(std::memory_order_relaxed) == 1, "it was opened once");
  }

  std::array<BasicFirstTouchPage<model::Atomic>, kRanks> pages;
  model::Atomic<int> word{0}, opened{0};
};

void ExpectHolds(const std::function<model::Program()>& make) {
  const model::Outcome outcome = model::ExploreAll(make, {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(FirstTouchModel, RanksThatTouchAPageTogetherAgreeOnItsHome) {
  ExpectHolds([] {
    auto game = std::make_shared<Game>();
    const auto touch = [=](int rank) { return [=] { game->Touch(rank); }; };
    return model::Program{{touch(0), touch(1)}, [=] { game->CheckAll(); }};
  });
}

TEST(FirstTouchModel, ThreadsOfARankThatTouchAPageTogetherOpenItOnce) {
  ExpectHolds([] {
    auto game = std::make_shared<Game>();
    const auto touch = [=](int rank) { return [=] { game->Touch(rank); }; };
    return model::Program{{touch(0), touch(0), touch(1)}, [=] {
                            game->Touch(0);
                            game->CheckAll();
                          }};
  });
}

// The answer is lost, though the claim was made.
TEST(FirstTouchModel, AClaimThatWasNotAnsweredIsMadeAgain) {
  ExpectHolds([] {
    auto game = std::make_shared<Game>();
    return model::Program{
        {[=] { (void)game->Claim(0, false); }, [=] { game->Touch(0); }, [=] { game->Touch(1); }},
        [=] {
          game->Touch(0);
          game->CheckAll();
        }};
  });
}

}  // namespace
}  // namespace dsm
