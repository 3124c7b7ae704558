// dsm/page.h's own code under interleavings: the mapping is a word that must never allow more
// than the state says.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "dsm/page.h"
#include "tools/model/interleavings.h"

namespace dsm {
namespace {

using Page = BasicPage<model::Atomic>;

// A page with its mapping, as copies.h uses it, and its bytes: a number at home and one here.
struct Game {
  enum Mapping : int { kNone, kReadable, kWritable };

  // Reads until the mapping lets it.
  int Read() {
    while (true) {
      if (mapping.Load(std::memory_order_acquire) != kNone) {
        return here.Load(std::memory_order_acquire);
      }
      Fault(false);
    }
  }
  void Write(int value) {
    while (true) {
      if (mapping.Load(std::memory_order_acquire) == kWritable) {
        here.Store(value, std::memory_order_release);
        return;
      }
      Fault(true);
    }
  }
  void Fault(bool writes) {
    switch (page.Begin(writes)) {
      case Turn::kFetch:
        model::Require(mapping.Load(std::memory_order_relaxed) == kNone, "absent is not mapped");
        fetches.FetchAdd(1, std::memory_order_relaxed);
        here.Store(home.Load(std::memory_order_acquire), std::memory_order_release);
        if (writes) twin.Store(here.Load(std::memory_order_relaxed), std::memory_order_release);
        mapping.Store(writes ? kWritable : kReadable, std::memory_order_release);
        page.Done(writes ? PageState::kDirty : PageState::kClean);
        break;
      case Turn::kArm:
        model::Require(mapping.Load(std::memory_order_relaxed) == kReadable, "clean is readable");
        twin.Store(here.Load(std::memory_order_relaxed), std::memory_order_release);
        mapping.Store(kWritable, std::memory_order_release);
        page.Done(PageState::kDirty);
        break;
      case Turn::kRetry:
        break;
    }
  }
  void SendChanges() {
    if (!page.TryLeave(PageState::kDirty)) return;
    mapping.Store(kReadable, std::memory_order_release);
    const int now = here.Load(std::memory_order_acquire);
    if (now != twin.Load(std::memory_order_acquire)) home.Store(now, std::memory_order_release);
    page.Done(PageState::kClean);
  }
  void Invalidate() {
    if (!page.TryLeave(PageState::kClean)) return;
    mapping.Store(kNone, std::memory_order_release);
    page.Done(PageState::kAbsent);
  }

  Page page;
  model::Atomic<int> mapping{kNone}, home{7}, here{0}, twin{0}, fetches{0};
};

void ExpectHolds(const std::function<model::Program()>& make, const model::Limits& limits = {}) {
  const model::Outcome outcome = model::ExploreAll(make, limits);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(PageModel, ThreeThreadsThatTouchAPageFetchItOnceAndSeeItWhole) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        const auto read = [=] { model::Require(game->Read() == 7, "what is at home"); };
        return model::Program{{read, read, read}, [=] {
                                model::Require(game->fetches.Load(std::memory_order_relaxed) == 1,
                                               "one fetch");
                              }};
      },
      {.preemptions = 3});
}

TEST(PageModel, AWriteIsNeverLostWhetherItComesBeforeOrAfterTheChangesAreSent) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{
            {[=] { (void)game->Read(); }, [=] { game->Write(8); }, [=] { game->SendChanges(); }},
            [=] {
              game->SendChanges();
              model::Require(game->home.Load(std::memory_order_relaxed) == 8,
                             "the write is at home");
            }};
      },
      {.preemptions = 3});
}

TEST(PageModel, AnInvalidatedPageIsFetchedAgain) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{{[=] { model::Require(game->Read() == 7, "old or new, whole"); },
                               [=] {
                                 game->Invalidate();
                                 model::Require(game->Read() == 7, "it came back");
                               }},
                              [=] {
                                const int mapping = game->mapping.Load(std::memory_order_relaxed);
                                const PageState state = game->page.state();
                                model::Require(
                                    (mapping == Game::kNone) == (state == PageState::kAbsent),
                                    "mapped as the state says");
                              }};
      },
      {.preemptions = 3});
}

}  // namespace
}  // namespace dsm
