#include "taskrt/trace/device_clock.h"

#include <gtest/gtest.h>

namespace taskrt {
namespace {

// A device whose clock is 1000 behind lwt's.
constexpr std::int64_t kBehind = 1000;

TEST(DeviceClock, EachMomentThatIsKnownMoreExactlyMakesTheNextMoreExact) {
  DeviceClock clock;
  clock.Saw(100, {700, 1200});
  EXPECT_EQ(clock.SpanOf({200, 300}, 0, 5000).begin_ns, 800) << "the least that can be";
  clock.Saw(400, {1395, 1410});
  EXPECT_EQ(clock.SpanOf({500, 600}, 0, 5000).begin_ns, 500 + kBehind - 5);
  clock.Saw(700, {1500, 1900});
  EXPECT_EQ(clock.SpanOf({800, 900}, 0, 5000).begin_ns, 800 + kBehind - 5) << "no news";
}

TEST(DeviceClock, SpansThatFollowEachOtherOnTheDeviceDoSoHere) {
  DeviceClock clock;
  clock.Saw(0, {kBehind, kBehind + 50});
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    // It was asked for all at once, and seen late.
    const TimeSpan span = clock.SpanOf({i * 10, i * 10 + 9}, kBehind, kBehind + 20'000);
    EXPECT_GE(span.begin_ns, end);
    EXPECT_EQ(span.end_ns - span.begin_ns, 9);
    end = span.end_ns;
  }
}

TEST(DeviceClock, NothingBeginsBeforeItIsAskedForOrEndsAfterItIsSeenThoughTheClocksDriftApart) {
  for (const std::int64_t per_million : {-500, 500}) {
    DeviceClock clock;
    for (std::int64_t i = 0; i < 1000; ++i) {
      const std::int64_t host = 1'000'000 * i;
      const auto device = [&](std::int64_t ns) { return ns + ns / 1'000'000 * per_million; };
      clock.Saw(device(host), {host, host + 2000});
      const TimeSpan span =
          clock.SpanOf({device(host + 5000), device(host + 9000)}, host, host + 10'000);
      EXPECT_GE(span.begin_ns, host);
      EXPECT_LE(span.end_ns, host + 10'000);
      EXPECT_NEAR(static_cast<double>(span.begin_ns - host), 5000, 3000);
      EXPECT_EQ(span.end_ns - span.begin_ns, 4000);
    }
  }
}

TEST(DeviceClock, WhereTheDeviceSaysThatItTookLongerThanThereWasItTookAllOfIt) {
  DeviceClock clock;
  const TimeSpan span = clock.SpanOf({100, 900}, 5000, 5500);
  EXPECT_EQ(span.begin_ns, 5000);
  EXPECT_EQ(span.end_ns, 5500);
}

}  // namespace
}  // namespace taskrt
