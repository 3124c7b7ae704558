// A child of fork(2) has the pools of its parent without their workers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "lwt/lwt.h"

namespace lwt {
namespace {

constexpr unsigned kMostSeconds = 60;

// How f ends in a child of this process: its exit code, or minus a signal.
template <typename F>
int EndOfChild(F f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kMostSeconds);
    _exit(f());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(ChildProcess, RunOfAParentsPoolEndsItWithASentence) {
  GTEST_FLAG_SET(death_test_style, "fast");
  const std::unique_ptr<Pool> pool = *Pool::Create({.workers = 2});
  EXPECT_DEATH(
      {
        alarm(kMostSeconds);
        pool->Run([] {});
      },
      "Pool::Run was called in a child of fork.2., of a pool that its parent made");
  EXPECT_EQ(pool->Run([] { return 3; }), 3) << "the parent's works";
}

TEST(ChildProcess, APoolOfItsOwnWorksAndTheParentsIsDestroyed) {
  std::unique_ptr<Pool> pool = *Pool::Create({.workers = 2});
  // A thread that waits in the parent is not there.
  Event end;
  pool->Run([&] { Spawn([&] { end.Wait(); }).Detach(); });
  EXPECT_EQ(EndOfChild([&] {
              pool.reset();
              const auto own = Pool::Create({.workers = 2});
              return own.ok() ? (*own)->Run([] { return 7; }) : 1;
            }),
            7);
  pool->Run([&] { end.Set(); });
}

TEST(ChildProcess, ASimulatedPoolGoesOnThere) {
  const std::unique_ptr<Pool> pool =
      *Pool::Create({.workers = 2, .simulation = SimulationOptions{}});
  EXPECT_EQ(EndOfChild([&] { return pool->Run([] { return 5; }); }), 5);
}

}  // namespace
}  // namespace lwt
