#include "topo/apart.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace topo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Apart, TheStatusComesBackFromAnotherProcess) {
  int calls = 0;
  const pid_t here = getpid();
  const auto call = [&](const absl::Status& status) {
    return CallApart(
        [&] {
          ++calls;
          return getpid() == here ? absl::InternalError("the same process") : status;
        },
        seconds(60));
  };
  EXPECT_EQ(call(absl::OkStatus()), absl::OkStatus());
  EXPECT_EQ(call(absl::NotFoundError("x.xml: no such file")),
            absl::NotFoundError("x.xml: no such file"));
  EXPECT_EQ(call(absl::InternalError(std::string(1 << 20, 'x'))).message().size(), 4000u);
  EXPECT_EQ(calls, 0);
}

TEST(Apart, AProcessThatEndsItselfIsAborted) {
  const auto call = [](auto end) {
    return CallApart(
        [&] {
          end();
          return absl::OkStatus();
        },
        seconds(60));
  };
  EXPECT_TRUE(absl::IsAborted(call([] { std::abort(); })));
  EXPECT_TRUE(absl::IsAborted(call([] { _exit(0); })));
  EXPECT_TRUE(absl::IsAborted(call([] { raise(SIGSEGV); })));
}

// A program's handler of faults is its own.
TEST(Apart, HandlersOfThisProcessDoNotRunThere) {
  struct sigaction before;
  struct sigaction handler = {};
  handler.sa_handler = [](int) { _exit(0); };
  ASSERT_EQ(sigaction(SIGABRT, &handler, &before), 0);
  EXPECT_TRUE(absl::IsAborted(CallApart([]() -> absl::Status { std::abort(); }, seconds(60))));
  ASSERT_EQ(sigaction(SIGABRT, &before, nullptr), 0);
}

TEST(Apart, AProcessThatTakesTooLongIsEnded) {
  EXPECT_TRUE(absl::IsDeadlineExceeded(CallApart(
      [] {
        std::this_thread::sleep_for(std::chrono::hours(1));
        return absl::OkStatus();
      },
      milliseconds(20))));
}

TEST(Apart, AProgramThatIgnoresItsChildrenGetsTheStatusToo) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(CallApart([] { return absl::OutOfRangeError("far"); }, seconds(60)),
            absl::OutOfRangeError("far"));
  signal(SIGCHLD, before);
}

}  // namespace
}  // namespace topo
