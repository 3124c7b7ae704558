// llcl/region/marks.h's own code under interleavings: memory that goes from one region to the next
// while threads write to both.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "llcl/region/marks.h"
#include "tools/model/interleavings.h"

namespace llcl {
namespace {

// A region that a slot of the owner's has had, and one that it gets afterwards.
struct Region {
  std::uint32_t generation;
  std::uint64_t key;
  std::uint64_t bytes;  // that are written to it
};
constexpr Region kOld = {1, 71, 1}, kNext = {3, 73, 3};

// The owner's slot in its table and its memory, and threads of another rank.
struct Game {
  // As MappedRegions' users do.
  void Write(int thread, const Region& region) {
    auto& mark = marks.of(thread);
    if (!mark.TrySet(region.key)) return;
    if (interrupted) std::exchange(interrupted, nullptr)();
    if (generation.Load(std::memory_order_acquire) == region.generation) {
      memory.Store(region.bytes, std::memory_order_relaxed);
    }
    mark.Clear();
  }
  // As SmpArena does. The steps of the model are in one order, so they need no barrier.
  void GiveToTheNext() {
    generation.Store(kOld.generation + 1, std::memory_order_release);
    bool is_marked = false;
    marks.ForEach([&](std::uint64_t key) { is_marked = is_marked || key == kOld.key; });
    if (is_marked) return;
    memory.Store(0, std::memory_order_relaxed);
    generation.Store(kNext.generation, std::memory_order_release);
    was_given = true;
  }
  void CheckTheNext() {
    if (!was_given) return;
    model::Require(memory.Load(std::memory_order_relaxed) != kOld.bytes,
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
        return model::Program{{[=] { game->Write(1, kOld); }, [=] { game->Write(2, kOld); },
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
        return model::Program{{[=] { game->Write(1, kOld); },
                               [=] {
                                 game->GiveToTheNext();
                                 if (game->was_given) game->Write(2, kNext);
                               }},
                              [=] {
                                if (!game->was_given) return;
                                model::Require(
                                    game->memory.Load(std::memory_order_relaxed) == kNext.bytes,
                                    "the next region has what was written to it");
                              }};
      },
      3);
}

// A handler of signals that writes to another region leaves the mark of the write that it
// interrupts.
TEST(MarksModel, AWriteThatAHandlerInterruptsChangesNoOtherRegion) {
  ExpectHolds(
      [] {
        auto game = std::make_shared<Game>();
        game->interrupted = [&game = *game] { game.Write(1, {1, 91, kOld.bytes}); };
        return model::Program{{[=] { game->Write(1, kOld); },
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
                 game->memory.Store(kOld.bytes, std::memory_order_relaxed);
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
