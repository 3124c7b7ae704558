// A child of fork(2) has the pools of its parent without their workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/descriptors.h"

namespace lwt {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr unsigned kMostSeconds = 60;

// How f ends in a child of this process: its exit code, or minus a signal. `printed`: on its
// standard error.
template <typename F>
int EndOfChild(F f, std::string* printed = nullptr) {
  Pair errors = MakePipe();
  const pid_t child = fork();
  if (child == 0) {
    alarm(kMostSeconds);
    if (printed != nullptr) dup2(errors.writing.get(), STDERR_FILENO);
    _exit(f());
  }
  errors.writing.Close();
  char text[512];
  for (ssize_t bytes; (bytes = read(errors.reading.get(), text, sizeof text)) > 0;) {
    if (printed != nullptr) printed->append(text, static_cast<std::size_t>(bytes));
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
      "was made in a child of fork.2., of a pool that its parent made");
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

// The thread goes on alone in the child.
constexpr const char* kForkedByAThread =
    "a child of fork(2) that a pool's thread forked must call exec or _exit";

TEST(ChildProcess, OfAThreadEndsWithASentenceWhereItWaits) {
  const std::unique_ptr<Pool> pool = *Pool::Create({.workers = 2});
  const auto waits = [] {
    Event never;
    never.Wait();
    return 0;
  };
  std::string printed;
  EXPECT_EQ(pool->Run([&] { return EndOfChild(waits, &printed); }), -SIGABRT);
  EXPECT_THAT(printed, HasSubstr(kForkedByAThread));
}

TEST(ChildProcess, OfAThreadEndsWithASentenceWhereItStartsManyThreads) {
  const auto starts_many = [] {
    std::vector<Thread> threads;
    for (int i = 0; i < 1000; ++i) threads.push_back(Spawn([] {}));
    for (Thread& thread : threads) thread.Join();
    return 0;
  };
  for (int round = 0; round < 20; ++round) {
    const std::unique_ptr<Pool> pool = *Pool::Create({.workers = 3});
    std::string printed;
    EXPECT_EQ(pool->Run([&] { return EndOfChild(starts_many, &printed); }), -SIGABRT);
    EXPECT_THAT(printed, HasSubstr(kForkedByAThread));
  }
}

TEST(ChildProcess, OfAThreadMayEndAndBecomeAnotherProgram) {
  const std::unique_ptr<Pool> pool = *Pool::Create({.workers = 2});
  const auto ends = [] { return 7; };
  EXPECT_EQ(pool->Run([&] { return EndOfChild(ends); }), 7);
  const auto becomes_another = [] { return execl("/bin/sh", "sh", "-c", "exit 5", nullptr); };
  EXPECT_EQ(pool->Run([&] { return EndOfChild(becomes_another); }), 5);
}

TEST(ChildProcess, ASimulatedPoolGoesOnThere) {
  const std::unique_ptr<Pool> pool =
      *Pool::Create({.workers = 2, .simulation = SimulationOptions{}});
  EXPECT_EQ(EndOfChild([&] { return pool->Run([] { return 5; }); }), 5);
}

}  // namespace
}  // namespace lwt
