// Programs whose threads hold their workers in the kernel: a report names the workers, and where
// they wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lwt/lwt.h"

namespace lwt {
namespace {

using std::chrono_literals::operator""ms;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kStall =
    "lwt: a stall: these workers have run one thread for long without a suspension, and no thread "
    "makes progress.";

// Standard error of this process, and on to where it went before.
class StandardError {
 public:
  StandardError() : before_(dup(2)) {
    EXPECT_EQ(pipe(ends_), 0);
    EXPECT_EQ(dup2(ends_[1], 2), 2);
  }
  // Returns when `part` has been printed.
  void WaitFor(std::string_view part) {
    std::string printed;
    char byte = 0;
    while (printed.find(part) == std::string::npos && read(ends_[0], &byte, 1) == 1) {
      printed += byte;
      EXPECT_EQ(write(before_, &byte, 1), 1);
    }
  }

 private:
  const int before_;
  int ends_[2] = {};
};

class WorkerWatchTest : public testing::Test {
 protected:
  WorkerWatchTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Its guard is held over joins of threads that only workers run that wait for the guard.
int Table() {
  static const int table = [] {
    SleepFor(std::chrono::hours(1));
    return 7;
  }();
  return table;
}

TEST_F(WorkerWatchTest, AStaticVariableWhoseInitializerIsSuspendedIsReported) {
  EXPECT_EXIT(
      {
        alarm(60);
        StandardError printed;
        std::thread([&] {
          const auto pool = *Pool::Create({.workers = 2, .stall_report_after = 100ms});
          pool->Run([] {
            std::vector<Thread> threads;
            for (int i = 0; i < 8; ++i) {
              threads.push_back(Spawn([] { (void)Table(); }, {.name = "asks"}));
            }
            for (Thread& thread : threads) thread.Join();
          });
        }).detach();
        printed.WaitFor("waits for a moment\n");
        _exit(0);
      },
      testing::ExitedWithCode(0),
      AllOf(HasSubstr(kStall), HasSubstr("lwt::Once"),
            ContainsRegex("worker 0: asks \\(depth 1\\) waits in (futex|the kernel)"),
            ContainsRegex("worker 1: asks \\(depth 1\\) waits in (futex|the kernel)")));
}

TEST_F(WorkerWatchTest,
       ASemaphoreOfTheSystemThatAThreadHoldsWhileItIsSuspendedIsReportedAndGoesOn) {
  EXPECT_EXIT(
      {
        alarm(60);
        StandardError printed;
        Event reported;
        std::thread reader([&] {
          printed.WaitFor("holder (depth 1) waits for an event\n");
          reported.Set();
        });
        const auto pool = *Pool::Create({.workers = 2, .stall_report_after = 100ms});
        pool->Run([&] {
          std::binary_semaphore semaphore(1);
          Event is_held;
          // The other worker is free: to sleep, and to go on with the holder.
          Thread holder = Spawn(
              [&] {
                semaphore.acquire();
                is_held.Set();
                reported.Wait();
                semaphore.release();
              },
              {.name = "holder"});
          is_held.Wait();
          semaphore.acquire();
          semaphore.release();
          holder.Join();
        });
        reader.join();
        _exit(0);
      },
      testing::ExitedWithCode(0),
      AllOf(HasSubstr(kStall),
            ContainsRegex("worker [01]: Pool::Run \\(depth 0\\) waits in (futex|the kernel)")));
}

TEST_F(WorkerWatchTest, NothingIsReportedWhereAThreadComputesOrNobodyAsks) {
  for (const auto after : {20ms, 0ms}) {
    const auto pool = *Pool::Create({.workers = 2, .stall_report_after = after});
    testing::internal::CaptureStderr();
    pool->Run([&] {
      const auto is_over = [begin = Clock::now()] { return Clock::now() - begin > 200ms; };
      if (after == 0ms) {
        std::this_thread::sleep_for(200ms);
      } else {
        while (!is_over()) {
        }
      }
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  }
}

}  // namespace
}  // namespace lwt
