#include "lwt/parallel_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

struct Item {
  std::uint64_t key;
  std::uint32_t place;  // Where it was, by which a sort that is not stable shows.
  friend bool operator==(const Item&, const Item&) = default;
};

class Sort : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Pool> pool_ = *Pool::Create({.workers = GetParam()});

  std::vector<Item> Items(std::size_t size, std::uint64_t most) {
    std::vector<Item> items;
    for (std::size_t i = 0; i < size; ++i) {
      items.push_back({most == 0 ? 0 : random_() % most, static_cast<std::uint32_t>(i)});
    }
    return items;
  }

  std::mt19937_64 random_{11};
};
INSTANTIATE_TEST_SUITE_P(Workers, Sort, testing::Values(1, 2, 4));

TEST_P(Sort, IsTheStableSortOfItsKeys) {
  for (const std::size_t size : {0u, 1u, 2u, 100u, 4095u, 8192u, 100'003u}) {
    for (const std::uint64_t most : {0ull, 2ull, 256ull, 70'000ull, ~0ull}) {
      std::vector<Item> items = Items(size, most), scratch(size), expected = items;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Item& a, const Item& b) { return a.key < b.key; });
      pool_->Run([&] {
        ParallelSort(std::span(items), std::span(scratch),
                     [](const Item& item) { return item.key; });
      });
      ASSERT_EQ(items, expected) << size << " items, keys below " << most;
    }
  }
}

TEST_P(Sort, KeysMayHaveAnyUnsignedType) {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> shorts;
  for (int i = 0; i < 20'000; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(random_()));
    shorts.push_back(static_cast<std::uint16_t>(random_()));
  }
  std::vector<std::uint8_t> byte_scratch(bytes.size() + 5);
  std::vector<std::uint16_t> short_scratch(shorts.size());
  pool_->Run([&] {
    ParallelSort(std::span(bytes), std::span(byte_scratch), [](std::uint8_t key) { return key; });
    ParallelSort(std::span(shorts), std::span(short_scratch),
                 [](std::uint16_t key) { return key; });
  });
  EXPECT_TRUE(std::is_sorted(bytes.begin(), bytes.end()));
  EXPECT_TRUE(std::is_sorted(shorts.begin(), shorts.end()));
}

TEST_P(Sort, WhatIsSortedStaysAsItIs) {
  std::vector<Item> items = Items(50'000, 1000), scratch(50'000);
  const auto sort = [&] {
    ParallelSort(std::span(items), std::span(scratch), [](const Item& item) { return item.key; });
  };
  pool_->Run(sort);
  const std::vector<Item> once = items;
  pool_->Run(sort);
  EXPECT_EQ(items, once);
}

TEST(SortOfSimulatedWorkers, IsTheSame) {
  SimulationOptions simulation;
  const auto pool = *Pool::Create({.workers = 64, .simulation = simulation});
  std::vector<std::uint32_t> keys;
  std::mt19937 random(3);
  for (int i = 0; i < 200'000; ++i) keys.push_back(random());
  std::vector<std::uint32_t> scratch(keys.size()), expected = keys;
  std::sort(expected.begin(), expected.end());
  pool->Run([&] {
    ParallelSort(std::span(keys), std::span(scratch), [](std::uint32_t key) { return key; });
  });
  EXPECT_EQ(keys, expected);
}

TEST(SortDeathTest, AScratchThatIsTooSmallIsABrokenContract) {
  std::vector<std::uint32_t> keys(10), scratch(9);
  EXPECT_DEATH((*Pool::Create({.workers = 1}))->Run([&] {
    ParallelSort(std::span(keys), std::span(scratch), [](std::uint32_t key) { return key; });
  }),
               "a scratch of as many values");
}

}  // namespace
}  // namespace lwt
