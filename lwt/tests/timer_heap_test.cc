#include "lwt/wait/timer_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace lwt {
namespace {

TEST(TimerHeap, IsEmptyAtFirst) { EXPECT_EQ(TimerHeap().earliest(), nullptr); }

TEST(TimerHeap, ARemovedTimerIsInNoHeap) {
  TimerHeap heap;
  TimerLink link;
  heap.Add(link);
  EXPECT_TRUE(link.in_heap);
  heap.Remove(link);
  EXPECT_FALSE(link.in_heap);
  EXPECT_EQ(heap.earliest(), nullptr);
}

// Against a sorted set, with adds and removes of any link in any order.
TEST(TimerHeap, TheEarliestIsTheOneThatASortedSetHas) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<TimerLink> links(64);
    TimerHeap heap;
    std::multiset<std::int64_t> expected;
    for (int step = 0; step < 2'000; ++step) {
      TimerLink& link = links[random() % links.size()];
      if (link.in_heap) {
        expected.erase(expected.find(link.deadline_ns));
        heap.Remove(link);
      } else {
        link.deadline_ns = random() % 40;
        expected.insert(link.deadline_ns);
        heap.Add(link);
      }
      if (random() % 4 == 0 && !expected.empty()) {
        expected.erase(expected.begin());
        heap.Remove(*heap.earliest());
      }
      ASSERT_EQ(heap.earliest() == nullptr, expected.empty());
      if (!expected.empty()) {
        ASSERT_EQ(heap.earliest()->deadline_ns, *expected.begin());
      }
    }
  }
}

}  // namespace
}  // namespace lwt
