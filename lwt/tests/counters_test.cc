#include "lwt/counters.h"

#include <gtest/gtest.h>

#include <thread>

namespace lwt {
namespace {

TEST(PeriodicCounter, CountsOnAcrossPeriodsAndSaysWhenOneIsOver) {
  PeriodicCounter counter;
  int periods = 0;
  for (int i = 1; i <= 5'000; ++i) {
    if (counter.Add()) {
      counter.StartPeriod();
      ++periods;
    }
    ASSERT_EQ(counter.value(), i);
  }
  EXPECT_EQ(periods, 5'000 / PeriodicCounter::kPeriod);
}

TEST(PeriodicCounter, AReaderNeverSeesItGoBack) {
  PeriodicCounter counter;
  constexpr std::int64_t kAdds = 300'000;
  std::thread reader([&] {
    for (std::int64_t last = 0, value = 0; value < kAdds; last = value) {
      value = counter.value();
      ASSERT_GE(value, last);
      ASSERT_LE(value, kAdds);
    }
  });
  for (std::int64_t i = 0; i < kAdds; ++i) {
    if (counter.Add()) counter.StartPeriod();
  }
  reader.join();
  EXPECT_EQ(counter.value(), kAdds);
}

}  // namespace
}  // namespace lwt
