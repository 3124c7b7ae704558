// Misuses of the C functions end the program with a sentence.
#include <gtest/gtest.h>

#include <atomic>
#include <ostream>

#include "lwt/myth.h"

namespace {

// Runs `f()` as a lightweight thread and waits for it.
template <typename F>
void OnAWorker(F f) {
  const myth_thread_t thread = myth_create(
      [](void* pointer) -> void* {
        (*static_cast<F*>(pointer))();
        return nullptr;
      },
      &f);
  myth_join(thread, nullptr);
}

class MythDeathTest : public testing::Test {
 protected:
  MythDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(MythDeathTest, AMisuseEndsWithASentence) {
  const auto nothing = [](void*) -> void* { return nullptr; };
  EXPECT_DEATH(OnAWorker([&] {
                 const myth_thread_t thread = myth_create(nothing, nullptr);
                 myth_join(thread, nullptr);
                 myth_join(thread, nullptr);
               }),
               "joined or detached once");
  EXPECT_DEATH(OnAWorker([&] {
                 const auto wait = [](void*) -> void* { return myth_sleep(50), nullptr; };
                 const myth_thread_t thread = myth_create(wait, nullptr);
                 myth_detach(thread);
                 myth_join(thread, nullptr);
               }),
               "joined or detached once");
  EXPECT_DEATH(myth_exit(nullptr), "myth_exit ends a lightweight thread");
  EXPECT_DEATH(myth_wsapi_runqueue_pop(),
               "myth_wsapi_runqueue_pop was called by an OS thread outside of pools");
  EXPECT_DEATH(OnAWorker([] { myth_wsapi_runqueue_push(nullptr); }), "was given no thread");
  EXPECT_DEATH(OnAWorker([] { myth_wsapi_runqueue_pass(0, nullptr); }), "was given no thread");
  EXPECT_DEATH(OnAWorker([] { (void)myth_wsapi_runqueue_take(-1, nullptr, nullptr); }),
               "a victim is a worker of the pool");
  EXPECT_DEATH(OnAWorker([] { (void)myth_wsapi_rand2(3, 3); }), "from min to max - 1");
  EXPECT_DEATH(OnAWorker([] {
                 int all[5000];
                 myth_wsapi_randarr(all, 5000);
               }),
               "as many different workers as there are");
}

TEST_F(MythDeathTest, AMutexThatIsLockedTwiceOrUnlockedByNobodyEndsWithASentence) {
  static myth_mutex_t mutex = MYTH_MUTEX_INITIALIZER;
  const auto twice = [] {
    myth_mutex_lock(&mutex);
    myth_mutex_lock(&mutex);
  };
  const auto unlocked = [] { myth_mutex_unlock(&mutex); };
  EXPECT_DEATH(OnAWorker(twice), "waits for the mutex at 0x[0-9a-f]+ that it holds itself");
  EXPECT_DEATH(twice(), "an OS thread outside of pools waits for a mutex that it holds itself");
  EXPECT_DEATH(OnAWorker(unlocked), "no thread held this mutex");
  EXPECT_DEATH(unlocked(), "no thread held this mutex");
}

std::atomic<bool> may_end;

void* Nothing(void*) { return nullptr; }
void* YieldUntilItMayEnd(void*) {
  while (!may_end) myth_yield();
  return nullptr;
}
void* Join(void* thread) {
  myth_join(static_cast<myth_thread_t>(thread), nullptr);
  return nullptr;
}

myth_thread_t Ended() { return myth_create(&Nothing, nullptr); }
myth_thread_t Running() { return myth_create(&YieldUntilItMayEnd, nullptr); }

// What a program does to one thread, on the only worker.
struct Twice {
  const char* name;
  void (*run)();
};
void PrintTo(const Twice& twice, std::ostream* to) { *to << twice.name; }

class MythTwiceDeathTest : public testing::TestWithParam<Twice> {
 protected:
  MythTwiceDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(MythTwiceDeathTest, AThreadThatIsJoinedOrDetachedTwiceEndsTheProgramWithASentence) {
  EXPECT_DEATH(
      {
        alarm(60);  // For what would hang.
        myth_globalattr_t attr;
        myth_globalattr_init(&attr);
        myth_globalattr_set_n_workers(&attr, 1);
        myth_init_ex(&attr);
        OnAWorker(GetParam().run);
      },
      "a thread is joined or detached once: this thread was before");
}

INSTANTIATE_TEST_SUITE_P(, MythTwiceDeathTest,
                         testing::ValuesIn(std::vector<Twice>{
                             {"ARunningOneIsDetachedTwice",
                              [] {
                                const myth_thread_t thread = Running();
                                myth_detach(thread);
                                myth_detach(thread);
                              }},
                             {"ARunningOneIsDetachedAndTryjoined",
                              [] {
                                const myth_thread_t thread = Running();
                                myth_detach(thread);
                                myth_tryjoin(thread, nullptr);
                              }},
                             {"OneThatHasEndedIsDetachedTwice",
                              [] {
                                const myth_thread_t thread = Ended();
                                myth_detach(thread);
                                myth_detach(thread);
                              }},
                             {"OneThatHasEndedIsDetachedAndJoined",
                              [] {
                                const myth_thread_t thread = Ended();
                                myth_detach(thread);
                                myth_join(thread, nullptr);
                              }},
                             {"OneThatEndsDetachedIsJoined",
                              [] {
                                const myth_thread_t thread = Running();
                                myth_detach(thread);
                                may_end = true;
                                myth_yield();
                                myth_join(thread, nullptr);
                              }},
                             {"OneThatEndsDetachedIsDetached",
                              [] {
                                const myth_thread_t thread = Running();
                                myth_detach(thread);
                                may_end = true;
                                myth_yield();
                                myth_detach(thread);
                              }},
                             {"OneIsJoinedAndDetached",
                              [] {
                                const myth_thread_t thread = Ended();
                                myth_join(thread, nullptr);
                                myth_detach(thread);
                              }},
                             {"OneIsJoinedAndTryjoined",
                              [] {
                                const myth_thread_t thread = Ended();
                                myth_join(thread, nullptr);
                                myth_tryjoin(thread, nullptr);
                              }},
                             {"OneIsJoinedByTwo",
                              [] {
                                const myth_thread_t thread = Running();
                                (void)myth_create(&Join, thread);
                                myth_join(thread, nullptr);
                              }},
                             {"OneThatIsBeingJoinedIsDetached",
                              [] {
                                const myth_thread_t thread = Running();
                                (void)myth_create(&Join, thread);
                                myth_detach(thread);
                              }},
                             {"OneThatEndsWhileItIsBeingJoinedIsJoined",
                              [] {
                                const myth_thread_t thread = Running();
                                const myth_thread_t joiner = myth_create(&Join, thread);
                                may_end = true;
                                myth_join(joiner, nullptr);
                                myth_join(thread, nullptr);
                              }},
                         }),
                         [](const testing::TestParamInfo<Twice>& info) { return info.param.name; });

}  // namespace
