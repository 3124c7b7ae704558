// A child of fork(2) has the pools of its parent without their workers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "lwt/lwt.h"
#include "lwt/tests/descriptors.h"

namespace lwt {
namespace {

using namespace std::chrono_literals;

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

// The system gives ids of the parent's OS threads to those that the child starts.
TEST(ChildProcess, TheParentsIsDestroyedAfterOneOfItsOwn) {
  std::unique_ptr<Pool> pool = *Pool::Create({.workers = 2});
  EXPECT_EQ(EndOfChild([&] {
              std::unique_ptr<Pool> own = *Pool::Create({.workers = 2});
              const int result = own->Run([] { return 7; });
              own.reset();
              pool.reset();
              return result;
            }),
            7);
}

TEST(ChildProcess, TheParentsIsDestroyedBesideOneOfItsOwn) {
  std::unique_ptr<Pool> pool = *Pool::Create({.workers = 2});
  EXPECT_EQ(EndOfChild([&] {
              const std::unique_ptr<Pool> own = *Pool::Create({.workers = 2});
              pool.reset();
              return own->Run([] { return 7; });
            }),
            7);
}

// A pool that waits for descriptors has an OS thread for that, too, and shares with its child what
// ends the thread.
TEST(ChildProcess, AParentWaitsForDescriptorsAfterTheChildHasDestroyedItsPool) {
  for (const IoBackend backend : {IoBackend::kEpoll, IoBackend::kAutomatic}) {
    std::unique_ptr<Pool> pool = *Pool::Create({.workers = 1, .io_backend = backend});
    const Pair pair = MakePipe();
    const auto talks = [&] {
      return pool->Run([&] {
        std::array<std::byte, 1> byte;
        IoResult got;
        Thread reader = Spawn([&] { got = Read(pair.reading.get(), byte, DeadlineAfter(20s)); });
        Write(pair.writing.get(), byte);
        reader.Join();
        return got.value;
      });
    };
    ASSERT_EQ(talks(), 1);
    EXPECT_EQ(EndOfChild([&] {
                const std::unique_ptr<Pool> own = *Pool::Create({.workers = 2});
                pool.reset();
                return own->Run([] { return 7; });
              }),
              7);
    EXPECT_EQ(talks(), 1);
  }
}

TEST(ChildProcess, ASimulatedPoolGoesOnThere) {
  const std::unique_ptr<Pool> pool =
      *Pool::Create({.workers = 2, .simulation = SimulationOptions{}});
  EXPECT_EQ(EndOfChild([&] { return pool->Run([] { return 5; }); }), 5);
}

}  // namespace
}  // namespace lwt
