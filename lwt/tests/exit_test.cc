// A process that exits has the code that exit was given, whichever thread calls it and whichever
// pool a static destructor deletes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include "lwt/lwt.h"
#include "lwt/machine/sanitizer.h"

#if defined(LWT_ASAN)
// Exit leaves stacks, with all that they hold, where LeakSanitizer does not look: that of a thread
// which waits for a simulated worker, and in a child of fork those of its parent's threads.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
#endif

namespace lwt {
namespace {

constexpr int kCode = 3;

std::unique_ptr<Pool> Real() { return *Pool::Create({.workers = 2}); }
std::unique_ptr<Pool> Virtual() {
  return *Pool::Create({.workers = 2, .simulation = SimulationOptions{}});
}
[[noreturn]] void Exit() { std::exit(kCode); }

struct Exiting {
  const char* name;
  void (*run)();
};
void PrintTo(const Exiting& exiting, std::ostream* to) { *to << exiting.name; }

class ExitTest : public testing::TestWithParam<Exiting> {
 protected:
  ExitTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(ExitTest, KeepsItsCode) {
  EXPECT_EXIT(
      {
        alarm(60);  // For what would hang.
        GetParam().run();
      },
      testing::ExitedWithCode(kCode), "");
}

// Returns once a call of Run of `pool` goes on in another thread.
void StartARunThatGoesOn(Pool& pool) {
  static Event has_begun;
  std::thread([&] {
    pool.Run([] {
      Thread child = Spawn([] {
        has_begun.Set();
        while (true) Yield();
      });
      child.Join();
    });
  }).detach();
  has_begun.Wait();
}

INSTANTIATE_TEST_SUITE_P(
    Exit, ExitTest,
    testing::Values(Exiting{"InRunOfAStaticPool",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              pool->Run([] { Exit(); });
                            }},
                    Exiting{"InAThreadOfAStaticPool",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              pool->Run([] {
                                Thread child = Spawn([] {
                                  Yield();
                                  Exit();
                                });
                                child.Join();
                              });
                            }},
                    Exiting{"InADetachedThreadOfAStaticPool",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              pool->Run([] { Spawn([] { Exit(); }).Detach(); });
                              while (true) pause();
                            }},
                    Exiting{"InRunOfALocalPool",
                            [] {
                              const std::unique_ptr<Pool> pool = Real();
                              pool->Run([] { Exit(); });
                            }},
                    Exiting{"InRunOfAStaticSimulatedPool",
                            [] {
                              static const std::unique_ptr<Pool> pool = Virtual();
                              pool->Run([] { Exit(); });
                            }},
                    Exiting{"InAThreadOfOneOfTwoStaticPools",
                            [] {
                              static const std::unique_ptr<Pool> first = Real();
                              static const std::unique_ptr<Pool> second = Real();
                              first->Run([] { second->Run([] { Exit(); }); });
                            }},
                    Exiting{"WhileARunOfAStaticPoolGoesOnElsewhere",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              StartARunThatGoesOn(*pool);
                              Exit();
                            }},
                    Exiting{"ByAThreadThatHasNoPoolWhileARunOfAStaticOneGoesOn",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              StartARunThatGoesOn(*pool);
                              std::thread([] { Exit(); }).join();
                            }},
                    Exiting{"InAThreadOfAPoolThatHasRunManyTimesAsItWasMade",
                            [] {
                              static const std::unique_ptr<Pool> pool = [] {
                                std::unique_ptr<Pool> made = Real();
                                for (int i = 0; i < 100; ++i) made->Run([] {});
                                return made;
                              }();
                              pool->Run([] { Exit(); });
                            }},
                    Exiting{"WhereADestructorOfAStaticObjectUsesThePoolAgain",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              static const struct Last {
                                ~Last() {
                                  pool->Run([] { Spawn([] { Yield(); }).Join(); });
                                }
                              } last;
                              pool->Run([] { Exit(); });
                            }},
                    Exiting{"OfAStaticPoolWithoutARun",
                            [] {
                              static const std::unique_ptr<Pool> pool = Real();
                              pool->Run([] {});
                              Exit();
                            }}),
    [](const testing::TestParamInfo<Exiting>& info) { return std::string(info.param.name); });

#if !defined(LWT_TSAN)  // It starts no threads in a child of a process that has some.
TEST(ExitOfAChild, OfForkInAThreadOrWhileARunGoesOnKeepsItsCode) {
  static const std::unique_ptr<Pool> pool = Real();
  const auto exit_of_child = [] {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      Exit();
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(pool->Run(exit_of_child), kCode);
  Event has_begun, end;
  std::thread caller([&] {
    pool->Run([&] {
      has_begun.Set();
      end.Wait();
    });
  });
  has_begun.Wait();
  EXPECT_EQ(exit_of_child(), kCode);
  end.Set();
  caller.join();
}
#endif

}  // namespace
}  // namespace lwt
