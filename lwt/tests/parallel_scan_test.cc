#include "lwt/parallel_scan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

class Scan : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Pool> pool_ = *Pool::Create({.workers = GetParam()});
};
INSTANTIATE_TEST_SUITE_P(Workers, Scan, testing::Values(1, 2, 4));

TEST_P(Scan, EachValueBecomesTheSumOfThoseBeforeIt) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {0u, 1u, 2u, 63u, 64u, 65u, 5000u}) {
    for (const std::int64_t grain : {1, 7, 64, 10'000}) {
      std::vector<std::int64_t> values(size), expected;
      std::int64_t sum = 0;
      for (std::int64_t& value : values) {
        value = static_cast<std::int64_t>(random() % 1000);
        expected.push_back(sum);
        sum += value;
      }
      const std::int64_t all = pool_->Run(
          [&] { return ParallelScan(std::span(values), grain, std::int64_t{0}, std::plus<>()); });
      ASSERT_EQ(all, sum);
      ASSERT_EQ(values, expected) << size << " values, grain " << grain;
    }
  }
}

// Joining strings does not commute: any other order of the pieces would show.
TEST_P(Scan, ValuesAreCombinedInTheirOrder) {
  std::vector<std::string> values;
  std::vector<std::string> expected;
  std::string all;
  for (int i = 0; i < 100; ++i) {
    values.push_back(std::to_string(i) + " ");
    expected.push_back(all);
    all += values.back();
  }
  const std::string result =
      pool_->Run([&] { return ParallelScan(std::span(values), 3, std::string(), std::plus<>()); });
  EXPECT_EQ(result, all);
  EXPECT_EQ(values, expected);
}

TEST_P(Scan, SumsOfFloatingPointAreTheSameToTheLastBitForAnyWorkers) {
  const auto scan = [](Pool& pool) {
    std::vector<double> values;
    for (int i = 1; i <= 10'000; ++i) values.push_back(1.0 / i);
    pool.Run([&] { return ParallelScan(std::span(values), 100, 0.0, std::plus<>()); });
    return values;
  };
  EXPECT_EQ(scan(*pool_), scan(**Pool::Create({.workers = 1})));
}

TEST_P(Scan, WhatCombiningThrowsIsThrown) {
  std::vector<int> values(1000, 1);
  EXPECT_THROW(pool_->Run([&] {
    return ParallelScan(std::span(values), 10, 0, [](int a, int b) {
      if (a == 5) throw std::runtime_error("five");
      return a + b;
    });
  }),
               std::runtime_error);
}

}  // namespace
}  // namespace lwt
