// What lwt's functions were not made for: each ends with a sentence that names what
// was done, where and when it is done. None hangs, and none ends by a signal that
// says nothing.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {

inline std::unique_ptr<Pool> Real(int workers = 2) { return *Pool::Create({.workers = workers}); }
inline std::unique_ptr<Pool> Virtual(int workers = 2) {
  return *Pool::Create({.workers = workers, .simulation = SimulationOptions{}});
}

struct Misuse {
  const char* name;
  void (*run)();
  std::vector<std::string> says;  // all of these
};
inline void PrintTo(const Misuse& misuse, std::ostream* to) { *to << misuse.name; }

class MisuseDeathTest : public testing::TestWithParam<Misuse> {
 protected:
  MisuseDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(MisuseDeathTest, EndsWithASentenceThatNamesIt) {
  std::vector<testing::Matcher<const std::string&>> parts;
  for (const std::string& part : GetParam().says) parts.push_back(testing::HasSubstr(part));
  EXPECT_EXIT(
      {
        alarm(60);  // For what would hang.
        GetParam().run();
      },
      testing::KilledBySignal(SIGABRT), testing::AllOfArray(parts));
}

inline std::string NameOf(const testing::TestParamInfo<Misuse>& info) { return info.param.name; }

}  // namespace lwt
