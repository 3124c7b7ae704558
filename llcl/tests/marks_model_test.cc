// llcl/region/marks.h's own code under interleavings: memory that goes from one region to the next
// while threads write to both.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "llcl/region.h"
#include "llcl/region/marks.h"
#include "tools/model/interleavings.h"

namespace llcl {
namespace {

constexpr Rank kOwner{5};
constexpr RegionId kOld = {0, 1}, kNext = {0, 3};
constexpr std::uint64_t kOldBytes = 1, kNextBytes = 3;

// An owner's slot in its table and its memory, and threads of another rank.
struct Game {
  // As MappedRegions' users do.
  void Write(int thread, RegionId id, std::uint64_t bytes) {
    auto& mark = marks.of(thread);
    if (!mark.TrySet(kOwner, id)) return;
    if (interrupted) std::exchange(interrupted, nullptr)();
    if (generation.Load(std::memory_order_acquire) == id.generation) {
      memory.Store(bytes, std::memory_order_relaxed);
    }
    mark.Clear();
  }
  // As SmpArena does. The steps of the model are in one order, so they need no barrier.
  void GiveToTheNext() {
    generation.Store(kOld.generation + 1, std::memory_order_release);
    bool is_marked = false;
    marks.ForEach(kOwner, [&](RegionId id) { is_marked = is_marked || id == kOld; });
    if (is_marked) return;
    memory.Store(0, std::memory_order_relaxed);
    generation.Store(kNext.generation, std::memory_order_release);
    was_given = true;
  }
  void CheckTheNext() {
    if (!was_given) return;
    model::Require(memory.Load(std::memory_order_relaxed) != kOldBytes,
                   "no write to the old region changes the next");
  }

  BasicMarks<model::Atomic> marks;
  std::function<void()> interrupted;  // a handler, in the middle of the first write
  model::Atomic<std::uint32_t> generation{kOld.generation};
  model::Atomic<std::uint64_t> memory{0};
  bool was_given = false;
};

void ExpectHolds(const std::function<model::Program()>& make, int preemptions) {
  const model::Outcome outcome = model::ExploreAll(make, {.preemptions = preemptions});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(MarksModel, AWriteToARegionThatWentChangesNoOtherRegion) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{
            {[=] { game->Write(1, kOld, kOldBytes); }, [=] { game->Write(2, kOld, kOldBytes); },
             [=] {
               game->GiveToTheNext();
               game->CheckTheNext();
             }},
            [=] { game->CheckTheNext(); }};
      },
      2);
}

TEST(MarksModel, AWriteToTheNextRegionIsThere) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{{[=] { game->Write(1, kOld, kOldBytes); },
                               [=] {
                                 game->GiveToTheNext();
                                 if (game->was_given) game->Write(2, kNext, kNextBytes);
                               }},
                              [=] {
                                if (!game->was_given) return;
                                model::Require(
                                    game->memory.Load(std::memory_order_relaxed) == kNextBytes,
                                    "the next region has what was written to it");
                              }};
      },
      3);
}

// The same number at another owner.
TEST(MarksModel, AMarkIsOfOneOwnersRegion) {
  Game game;
  ASSERT_TRUE(game.marks.of(1).TrySet(Rank{6}, kOld));
  int found = 0;
  game.marks.ForEach(kOwner, [&](RegionId) { ++found; });
  EXPECT_EQ(found, 0);
  game.marks.ForEach(Rank{6}, [&](RegionId id) { found += id == kOld ? 1 : 0; });
  EXPECT_EQ(found, 1);
}

// A handler of signals that writes to another region leaves the mark of the write that it
// interrupts.
TEST(MarksModel, AWriteThatAHandlerInterruptsChangesNoOtherRegion) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        game->interrupted = [&game = *game] { game.Write(1, {1, 1}, kOldBytes); };
        return model::Program{{[=] { game->Write(1, kOld, kOldBytes); },
                               [=] {
                                 game->GiveToTheNext();
                                 game->CheckTheNext();
                               }},
                              [=] { game->CheckTheNext(); }};
      },
      3);
}

// The protocol is needed: without the marks the model finds the write that comes late.
TEST(MarksModel, WithoutMarksAWriteChangesTheNextRegion) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{
            {[=] {
               if (game->generation.Load(std::memory_order_acquire) == kOld.generation) {
                 game->memory.Store(kOldBytes, std::memory_order_relaxed);
               }
             },
             [=] { game->GiveToTheNext(); }},
            [=] { game->CheckTheNext(); }};
      },
      {.preemptions = 2});
  EXPECT_NE(outcome.failure, "");
}

}  // namespace
}  // namespace llcl
