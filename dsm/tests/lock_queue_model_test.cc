// All states that requests, releases and losses of three ranks with two requests each lead to, and
// every step from each.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsm/lock/lock_queue.h"

namespace dsm {
namespace {

using Asker = LockQueue::Asker;

constexpr int kRanks = 3;
constexpr std::uint64_t kEach = 2;

// What the queue is compared with: all that has happened.
struct World {
  LockQueue queue;
  std::vector<std::uint64_t> asked = std::vector<std::uint64_t>(kRanks);
  std::set<int> lost;
  std::deque<Asker> living_in_order;  // who waits
  std::optional<Asker> holder;
  int left_by = LockQueue::kNobody;
};

std::set<std::string> seen;
long grants_of_inconsistent = 0;

// All that the queue's next answers depend on.
std::string KeyOf(const World& world) {
  std::string key;
  const auto add = [&](std::uint64_t number) { key += std::to_string(number) + ' '; };
  const auto add_asker = [&](const Asker& asker) {
    add(static_cast<std::uint64_t>(asker.rank));
    add(asker.number);
  };
  for (const std::uint64_t asked : world.asked) add(asked);
  key += '|';
  for (const int rank : world.lost) add(static_cast<std::uint64_t>(rank));
  key += '|';
  for (const Asker& asker : world.living_in_order) add_asker(asker);
  key += '|';
  if (world.holder) add_asker(*world.holder);
  key += '|' + std::to_string(world.left_by);
  return key;
}

void Check(World& world, const std::optional<LockQueue::Grant>& grant) {
  if (world.holder || world.living_in_order.empty()) {
    ASSERT_FALSE(grant.has_value()) << "it is held, or nobody waits";
    return;
  }
  ASSERT_TRUE(grant.has_value()) << "it is free, and somebody waits";
  ASSERT_EQ(grant->to, world.living_in_order.front()) << "another came first";
  ASSERT_EQ(grant->left_inconsistent_by, world.left_by);
  ASSERT_LT(grant->served_before, static_cast<std::uint64_t>(kRanks) * kEach);
  grants_of_inconsistent += world.left_by != LockQueue::kNobody;
  world.left_by = LockQueue::kNobody;
  world.holder = grant->to;
  world.living_in_order.pop_front();
}

void Explore(const World& world) {
  if (testing::Test::HasFatalFailure() || !seen.insert(KeyOf(world)).second) return;
  ASSERT_EQ(world.queue.holder(), world.holder);
  for (int rank = 0; rank < kRanks; ++rank) {
    const bool is_lost = world.lost.contains(rank);
    if (world.asked[static_cast<std::size_t>(rank)] < kEach) {
      World next = world;
      const Asker asker = {rank, next.asked[static_cast<std::size_t>(rank)]++};
      if (!is_lost) next.living_in_order.push_back(asker);
      Check(next, next.queue.Request(asker));
      Explore(next);
    }
    if (!is_lost) {
      World next = world;
      next.lost.insert(rank);
      std::erase_if(next.living_in_order, [&](const Asker& asker) { return asker.rank == rank; });
      if (next.holder && next.holder->rank == rank) {
        next.holder.reset();
        next.left_by = rank;
      }
      Check(next, next.queue.Lose(rank));
      Explore(next);
    }
  }
  if (world.holder) {
    World next = world;
    const Asker holder = *next.holder;
    next.holder.reset();
    Check(next, next.queue.Release(holder));
    Explore(next);
    // The holder says that its own changes are not all at home, or hands on what its grant said.
    next = world;
    next.holder.reset();
    next.left_by = (holder.rank + 1) % kRanks;
    Check(next, next.queue.Release(holder, next.left_by));
    Explore(next);
  }
  // Of a lock that is another's, as of a rank whose message was late.
  World next = world;
  ASSERT_FALSE(next.queue.Release({0, kEach + 1}).has_value());
  ASSERT_EQ(next.queue.holder(), world.holder);
}

TEST(LockQueueModel, ServesTheLivingInTheirOrderAndReportsInconsistencyOnce) {
  Explore(World());
  EXPECT_GT(seen.size(), 1'000u);
  EXPECT_GT(grants_of_inconsistent, 100);
}

}  // namespace
}  // namespace dsm
