#include "lwt/myth.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <set>
#include <vector>

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

class MythTest : public testing::Test {
 protected:
  MythTest() {
    myth_globalattr_t attr;
    myth_globalattr_init(&attr);
    myth_globalattr_set_n_workers(&attr, 2);
    EXPECT_EQ(myth_init_ex(&attr), 0);
  }
  ~MythTest() override { myth_fini(); }
};

void* Double(void* value) { return reinterpret_cast<void*>(2 * reinterpret_cast<intptr_t>(value)); }

TEST_F(MythTest, JoinGivesWhatTheFunctionReturned) {
  void* result = nullptr;
  EXPECT_EQ(myth_join(myth_create(Double, reinterpret_cast<void*>(21)), &result), 0);
  EXPECT_EQ(result, reinterpret_cast<void*>(42));
}

TEST_F(MythTest, ExitEndsAThreadFromInsideItsCalls) {
  void* result = nullptr;
  const auto leave = [](void*) -> void* {
    [] { myth_exit(reinterpret_cast<void*>(7)); }();
    return nullptr;
  };
  myth_join(myth_create(leave, nullptr), &result);
  EXPECT_EQ(result, reinterpret_cast<void*>(7));
}

TEST_F(MythTest, MainIsNoWorkerAndThreadsAre) {
  EXPECT_FALSE(myth_is_myth_worker());
  EXPECT_EQ(myth_get_worker_num(), -1);
  EXPECT_EQ(myth_get_num_workers(), 2);
  OnAWorker([] {
    EXPECT_TRUE(myth_is_myth_worker());
    EXPECT_GE(myth_get_worker_num(), 0);
    EXPECT_TRUE(myth_equal(myth_self(), myth_self()));
  });
}

TEST_F(MythTest, AThreadThatIsNotScheduledRunsOnceItIsPassed) {
  OnAWorker([] {
    static int ran;
    ran = 0;
    const auto run = [](void*) -> void* {
      ++ran;
      return nullptr;
    };
    const myth_thread_t thread = myth_create_nosched(run, nullptr, nullptr);
    myth_yield();
    EXPECT_EQ(myth_tryjoin(thread, nullptr), EBUSY);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(myth_wsapi_runqueue_pass(myth_get_worker_num(), thread), 1);
    myth_join(thread, nullptr);
    EXPECT_EQ(ran, 1);
  });
}

TEST_F(MythTest, PeekShowsTheHintOfWhatWasPassedLast) {
  OnAWorker([] {
    // Nobody steals meanwhile.
    myth_wsapi_set_stealfunc([](int) -> myth_thread_t { return nullptr; });
    const int me = myth_get_worker_num();
    std::vector<myth_thread_t> threads;
    for (int hint : {5, 9}) {
      myth_thread_attr_t attr;
      myth_thread_attr_init(&attr);
      attr.custom_data = &hint;
      attr.custom_data_size = sizeof hint;
      threads.push_back(myth_create_nosched(Double, nullptr, &attr));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      myth_wsapi_runqueue_pass(me, threads[i]);
      int peeked = 0;
      std::size_t size = sizeof peeked;
      EXPECT_EQ(myth_wsapi_runqueue_peek(me, &peeked, &size), threads[i]);
      EXPECT_EQ(peeked, i == 0 ? 5 : 9);
      EXPECT_EQ(size, sizeof peeked);
    }
    const auto never = [](myth_thread_t, void*) { return 0; };
    EXPECT_EQ(myth_wsapi_runqueue_take(me, never, nullptr), nullptr);
    const myth_thread_t taken = myth_wsapi_runqueue_take(me, nullptr, nullptr);
    EXPECT_EQ(taken, threads[1]);
    myth_wsapi_runqueue_push(taken);
    EXPECT_EQ(myth_wsapi_runqueue_pop(), taken);
    myth_wsapi_runqueue_push(taken);
    for (const myth_thread_t thread : threads) myth_join(thread, nullptr);
    myth_wsapi_set_stealfunc(nullptr);
  });
}

TEST_F(MythTest, SetHintGivesTheOldOneBack) {
  OnAWorker([] {
    int first = 3, second = 4;
    void* data = &first;
    std::size_t size = sizeof first;
    myth_wsapi_set_hint(nullptr, &data, &size);
    EXPECT_EQ(size, 0u);
    data = &second;
    size = sizeof second;
    myth_wsapi_set_hint(nullptr, &data, &size);
    ASSERT_EQ(size, sizeof first);
    EXPECT_EQ(*static_cast<int*>(data), 3);
    EXPECT_EQ(*static_cast<int*>(myth_wsapi_get_hint_ptr(nullptr)), 4);
    EXPECT_EQ(myth_wsapi_get_hint_size(nullptr), sizeof(int));
  });
}

TEST_F(MythTest, RandarrGivesDifferentWorkers) {
  OnAWorker([] {
    for (int round = 0; round < 50; ++round) {
      int workers[2];
      myth_wsapi_randarr(workers, 2);
      EXPECT_EQ((std::set<int>{workers[0], workers[1]}), (std::set<int>{0, 1}));
      const int one = myth_wsapi_rand2(5, 8);
      EXPECT_TRUE(one >= 5 && one < 8);
    }
  });
}

TEST_F(MythTest, AChildThatIsNotFirstWaitsInTheQueue) {
  OnAWorker([] {
    myth_wsapi_set_stealfunc([](int) -> myth_thread_t { return nullptr; });
    static int ran;
    ran = 0;
    myth_thread_attr_t attr;
    myth_thread_attr_init(&attr);
    attr.child_first = 0;
    myth_thread_t thread;
    const auto run = [](void*) -> void* {
      ++ran;
      return nullptr;
    };
    ASSERT_EQ(myth_create_ex(&thread, &attr, run, nullptr), 0);
    EXPECT_EQ(ran, 0);
    myth_join(thread, nullptr);
    EXPECT_EQ(ran, 1);
    myth_wsapi_set_stealfunc(nullptr);
  });
}

void* DetachSelf(void* runs) {
  EXPECT_EQ(myth_detach(myth_self()), 0);
  ++*static_cast<std::atomic<int>*>(runs);
  return nullptr;
}

TEST(Myth, AThreadMayDetachItself) {
  std::atomic<int> runs{0};
  ASSERT_EQ(myth_init(), 0);
  for (int i = 0; i < 10; ++i) (void)myth_create(&DetachSelf, &runs);
  myth_fini();  // Waits for them.
  EXPECT_EQ(runs, 10);
}

void* AskWhileItEnds(void* ended) {
  myth_detach(myth_self());
  for (int i = 0; i < 100; ++i) {
    (void)myth_get_num_workers();
    myth_yield();
  }
  *static_cast<std::atomic<bool>*>(ended) = true;
  return nullptr;
}

TEST(Myth, FiniWaitsForAThreadThatAsksForTheWorkers) {
  std::atomic<bool> ended{false};
  ASSERT_EQ(myth_init(), 0);
  (void)myth_create(&AskWhileItEnds, &ended);
  myth_fini();
  EXPECT_TRUE(ended);
}

std::atomic<myth_thread_t> known{nullptr};

void* TellAndEnd(void*) {
  known = myth_self();
  for (int i = 0; i < 100; ++i) myth_yield();
  return &known;
}

void* JoinWhomIsKnown(void*) {
  while (known.load() == nullptr) myth_yield();
  void* result = nullptr;
  myth_join(known, &result);
  EXPECT_EQ(result, &known);
  return nullptr;
}

// Its creator never sees the handle that it gives away itself.
TEST(Myth, AThreadThatGotAnothersHandleMayJoinIt) {
  ASSERT_EQ(myth_init(), 0);
  for (int i = 0; i < 200; ++i) {
    known = nullptr;
    const myth_thread_t joiner = myth_create(&JoinWhomIsKnown, nullptr);
    (void)myth_create(&TellAndEnd, nullptr);
    ASSERT_EQ(myth_join(joiner, nullptr), 0);
  }
  myth_fini();
}

TEST_F(MythTest, NoThreadIsNeitherJoinedNorDetached) {
  EXPECT_EQ(myth_join(nullptr, nullptr), ESRCH);
  EXPECT_EQ(myth_tryjoin(nullptr, nullptr), ESRCH);
  EXPECT_EQ(myth_detach(nullptr), ESRCH);
}

TEST_F(MythTest, AnExceptionOfAThreadComesOutOfTheJoin) {
  const auto throw_bad_alloc = [](void*) -> void* { throw std::bad_alloc(); };
  EXPECT_THROW(myth_join(myth_create(throw_bad_alloc, nullptr), nullptr), std::bad_alloc);
  OnAWorker([&] {
    EXPECT_THROW(myth_join(myth_create(throw_bad_alloc, nullptr), nullptr), std::bad_alloc);
  });
}

TEST_F(MythTest, ATryjoinOfAThreadThatHasEndedJoinsIt) {
  OnAWorker([] {
    void* result = nullptr;
    const myth_thread_t thread = myth_create(Double, reinterpret_cast<void*>(21));
    while (myth_tryjoin(thread, &result) == EBUSY) myth_yield();
    EXPECT_EQ(result, reinterpret_cast<void*>(42));
  });
}

}  // namespace
