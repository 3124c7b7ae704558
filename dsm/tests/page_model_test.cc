// dsm/page/page.h's own code under interleavings: the mapping is a word that must never allow more
// than the state says.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "dsm/page/page.h"
#include "tools/model/interleavings.h"

namespace dsm {
namespace {

using Page = BasicPage<model::Atomic>;

// A page with its mapping, as copies.h uses it, and its bytes: a number at home and one here.
// What is here and its mapping are one word, as a processor's access is one step: it is done
// or it faults.
struct Game {
  enum Mapping : int { kNone, kReadable, kWritable };
  static Mapping MappingOf(int word) { return static_cast<Mapping>(word % 4); }
  static int ValueOf(int word) { return word / 4; }

  // Reads until the mapping lets it.
  int Read() {
    while (true) {
      const int word = here.Load(std::memory_order_acquire);
      if (MappingOf(word) != kNone) return ValueOf(word);
      Fault(false);
    }
  }
  void Write(int value) {
    while (true) {
      int word = here.Load(std::memory_order_acquire);
      if (MappingOf(word) != kWritable) {
        Fault(true);
      } else if (here.CompareExchange(word, value * 4 + kWritable, std::memory_order_acq_rel)) {
        return;
      }
    }
  }
  void Map(Mapping mapping) {
    int word = here.Load(std::memory_order_acquire);
    while (!here.CompareExchange(word, ValueOf(word) * 4 + mapping, std::memory_order_acq_rel)) {
    }
  }
  void Fault(bool writes) {
    switch (page.Begin(writes ? Access::kWrite : Access::kRead)) {
      case FaultAction::kFetch: {
        model::Require(MappingOf(here.Load(std::memory_order_relaxed)) == kNone,
                       "absent is not mapped");
        fetches.FetchAdd(1, std::memory_order_relaxed);
        const int value = home.Load(std::memory_order_acquire);
        here.Store(value * 4 + kNone, std::memory_order_release);
        if (writes) twin.Store(value, std::memory_order_release);
        Map(writes ? kWritable : kReadable);
        page.Done(writes ? PageState::kDirty : PageState::kClean);
        break;
      }
      case FaultAction::kArm: {
        const int word = here.Load(std::memory_order_acquire);
        model::Require(MappingOf(word) != kWritable, "clean is not writable");
        twin.Store(ValueOf(word), std::memory_order_release);
        Map(kWritable);
        page.Done(PageState::kDirty);
        break;
      }
      case FaultAction::kAwait:
        TakeOver();
        break;
      case FaultAction::kMend:
        Mend();
        break;
    }
  }
  void Mend() {
    for (const PageState state : {PageState::kClean, PageState::kDirty}) {
      if (!page.TryMend(state)) continue;
      if (MappingOf(here.Load(std::memory_order_acquire)) == kNone) {
        Map(state == PageState::kDirty ? kWritable : kReadable);
      }
      return page.Done(state);
    }
  }
  // What was asked for is there: the thread that comes first takes it over.
  void TakeOver() {
    if (!page.TryTakeOver()) return;
    fetches.FetchAdd(1, std::memory_order_relaxed);
    here.Store(home.Load(std::memory_order_acquire) * 4 + kNone, std::memory_order_release);
    Map(kReadable);
    page.Done(PageState::kClean);
  }
  bool Send() {
    const int now = ValueOf(here.Load(std::memory_order_acquire));
    if (now == twin.Load(std::memory_order_acquire)) return false;
    home.Store(now, std::memory_order_release);
    twin.Store(now, std::memory_order_release);
    return true;
  }
  void SendChanges() {
    if (!page.TryLeaveWritten()) return;
    Map(kReadable);
    (void)Send();
    page.Done(PageState::kClean);
  }
  void Release() {
    if (!page.TryLeaveWritten()) return;
    if (Send()) {
      page.Done(PageState::kDirty);
      return;
    }
    Map(kReadable);
    (void)Send();
    page.Done(PageState::kClean);
  }
  void Drop() {
    if (!page.TryLeaveWritten()) return;
    Map(kNone);
    (void)Send();
    page.Done(PageState::kAbsent);
  }
  void Invalidate() {
    if (!page.TryLeave(PageState::kClean)) return;
    Map(kNone);
    page.Done(PageState::kAbsent);
  }

  Page page;
  model::Atomic<int> here{kNone}, home{7}, twin{0}, fetches{0};
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

TEST(PageModel, APendingPageIsTakenOverOnce) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{{[=] {
                                 if (game->page.TryMakePending()) game->TakeOver();
                               },
                               [=] {
                                 const int read = game->Read();
                                 model::Require(read == 7 || read == 8, "old or new, whole");
                               },
                               [=] { game->Write(8); }},
                              [=] {
                                game->SendChanges();
                                model::Require(game->home.Load(std::memory_order_relaxed) == 8,
                                               "the write is at home");
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

TEST(PageModel, AWriteIsNeverLostWhetherItComesBeforeOrAfterARelease) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        game->Write(6);
        return model::Program{
            {[=] { game->Write(8); }, [=] { game->Release(); }, [=] { (void)game->Read(); }}, [=] {
              game->Release();
              model::Require(game->home.Load(std::memory_order_relaxed) == 8,
                             "the write is at home");
              game->Release();
              model::Require(game->page.state() == PageState::kClean,
                             "it was not written since the last release");
            }};
      },
      {.preemptions = 3});
}

TEST(PageModel, AWriteIsNeverLostWhetherItComesBeforeOrAfterADrop) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{
            {[=] { game->Write(8); }, [=] { game->Drop(); }, [=] { game->Release(); }}, [=] {
              game->SendChanges();
              model::Require(game->home.Load(std::memory_order_relaxed) == 8,
                             "the write is at home");
            }};
      },
      {.preemptions = 3});
}

// One thread faults, another writes as soon as it can and sends: not before the fault is over.
TEST(PageModel, AWriteWhileAnotherThreadFaultsIsSent) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{{[=] { game->Fault(true); },
                               [=] {
                                 game->Write(8);
                                 (void)game->page.WaitUntilItLasts();
                                 game->SendChanges();
                                 model::Require(game->home.Load(std::memory_order_relaxed) == 8,
                                                "the write is at home");
                               }}};
      },
      {.preemptions = 3});
}

// As the system takes it, which swaps the page out.
TEST(PageModel, AMappingThatIsTakenComesBackAndNoWriteIsLost) {
  for (const bool drops : {false, true}) {
    ExpectHolds(
        [=] {
          auto game = std::make_shared<Game>();
          game->Write(6);
          return model::Program{{[=] { game->Map(Game::kNone); },
                                 [=] {
                                   game->Write(8);
                                   model::Require(game->Read() == 8, "what it wrote");
                                 },
                                 [=] { drops ? game->Drop() : game->Release(); }},
                                [=] {
                                  game->SendChanges();
                                  model::Require(game->home.Load(std::memory_order_relaxed) == 8,
                                                 "the write is at home");
                                }};
        },
        {.preemptions = 3});
  }
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
                                const int word = game->here.Load(std::memory_order_relaxed);
                                const PageState state = game->page.state();
                                model::Require((Game::MappingOf(word) == Game::kNone) ==
                                                   (state == PageState::kAbsent),
                                               "mapped as the state says");
                              }};
      },
      {.preemptions = 3});
}

}  // namespace
}  // namespace dsm
