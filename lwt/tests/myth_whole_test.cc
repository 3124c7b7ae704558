// MassiveThreads' functions beyond the paper's: attributes, kinds of locks, deadlines, keys,
// cancellation, and chapter 3's threads that a steal function returns.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "lwt/myth.h"

namespace {

// Of the worker that the thread is on now: a compiler keeps the address for all of a function.
[[gnu::noinline]] int Errno() {
  asm volatile("");
  return errno;
}

class MythWholeTest : public testing::Test {
 protected:
  MythWholeTest() {
    myth_globalattr_t attr;
    myth_globalattr_init(&attr);
    myth_globalattr_set_n_workers(&attr, 2);
    EXPECT_EQ(myth_init_ex(&attr), 0);
  }
  ~MythWholeTest() override { myth_fini(); }
};

// Runs `f()` as a lightweight thread and waits for it.
template <typename F>
void* OnAWorker(F f, myth_thread_attr_t* attr = nullptr) {
  myth_thread_t thread = nullptr;
  EXPECT_EQ(myth_create_ex(
                &thread, attr,
                [](void* pointer) -> void* {
                  (*static_cast<F*>(pointer))();
                  return pointer;
                },
                &f),
            0);
  void* result = nullptr;
  EXPECT_EQ(myth_join(thread, &result), 0);
  return result;
}

timespec In(long milliseconds) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += milliseconds * 1'000'000;
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

// Touches that much stack.
template <std::size_t kBytes>
[[gnu::noinline]] int Touch() {
  volatile char stack[kBytes];
  for (std::size_t i = 0; i < kBytes; i += 1024) stack[i] = 1;
  return stack[kBytes / 2 / 1024 * 1024];
}

TEST_F(MythWholeTest, AThreadThatAsksForMoreThanTheWorkersStacksHasIt) {
  myth_thread_attr_t attr;
  myth_thread_attr_init(&attr);
  std::size_t bytes = 0;
  EXPECT_EQ(myth_thread_attr_getstacksize(&attr, &bytes), 0);
  EXPECT_GE(bytes, 250u << 10);
  EXPECT_LT(bytes, 512u << 10);
  ASSERT_EQ(myth_thread_attr_setstacksize(&attr, 4 << 20), 0);
  for (int child_first : {0, 1, 1}) {
    attr.child_first = child_first;
    int touched = 0;
    std::size_t own = 0;
    OnAWorker(
        [&] {
          touched = Touch<(3 << 20)>();
          myth_thread_attr_t own_attr;
          EXPECT_EQ(myth_getattr_np(myth_self(), &own_attr), 0);
          own = own_attr.stacksize;
          EXPECT_GT(reinterpret_cast<std::uintptr_t>(&own),
                    reinterpret_cast<std::uintptr_t>(own_attr.stackaddr));
        },
        &attr);
    EXPECT_EQ(touched, 1);
    EXPECT_GE(own, 4u << 20);
  }
  EXPECT_EQ(myth_thread_attr_setstacksize(&attr, 0), EINVAL);
  EXPECT_EQ(myth_thread_attr_setstacksize(&attr, std::size_t{1} << 40), EINVAL);
  EXPECT_EQ(myth_thread_attr_setstack(&attr, &attr, 1 << 20), ENOTSUP);
  attr.stackaddr = &attr;
  myth_thread_t none = nullptr;
  EXPECT_EQ(myth_create_ex(
                &none, &attr, [](void* p) { return p; }, nullptr),
            ENOTSUP);
}

// Each of 50 threads is stolen by a C function out of what the program keeps, and not out of a
// queue.
TEST_F(MythWholeTest, AThreadThatAStealFunctionReturnsRunsExactlyOnce) {
  static constexpr int kThreads = 50;
  static std::atomic<myth_thread_t> kept[kThreads];
  static std::atomic<int> runs[kThreads];
  std::vector<myth_thread_t> threads;
  for (int i = 0; i < kThreads; ++i) {
    runs[i] = 0;
    const myth_thread_t made = myth_create_nosched(
        [](void* count) -> void* {
          ++*static_cast<std::atomic<int>*>(count);
          return count;
        },
        &runs[i], nullptr);
    ASSERT_NE(made, nullptr);
    threads.push_back(made);
  }
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(runs[i], 0);
  for (int i = 0; i < kThreads; ++i) kept[i] = threads[static_cast<std::size_t>(i)];
  myth_wsapi_set_stealfunc([](int) -> myth_thread_t {
    for (auto& thread : kept) {
      if (const myth_thread_t taken = thread.exchange(nullptr); taken != nullptr) return taken;
    }
    return nullptr;
  });
  OnAWorker([] {});  // Wakes a worker, should both sleep.
  for (int i = 0; i < kThreads; ++i) {
    void* result = nullptr;
    EXPECT_EQ(myth_join(threads[static_cast<std::size_t>(i)], &result), 0);
    EXPECT_EQ(result, &runs[i]);
    EXPECT_EQ(runs[i], 1);
  }
  myth_wsapi_set_stealfunc(nullptr);
}

TEST_F(MythWholeTest, ManyThreadsWriteTheirResultsWithStrides) {
  struct Item {
    long in = 0;
    void* out = nullptr;
    myth_thread_t id = nullptr;
  } items[20];
  for (long i = 0; i < 20; ++i) items[i].in = i;
  const auto square = [](void* in) -> void* {
    const long value = *static_cast<long*>(in);
    return reinterpret_cast<void*>(value * value);
  };
  EXPECT_EQ(myth_create_join_many_ex(&items[0].id, nullptr, square, &items[0].in, &items[0].out,
                                     sizeof(Item), 0, sizeof(Item), sizeof(Item), 20),
            0);
  for (long i = 0; i < 20; ++i) {
    EXPECT_EQ(items[i].out, reinterpret_cast<void*>(i * i));
    EXPECT_NE(items[i].id, nullptr);
  }
  myth_thread_attr_t detached;
  myth_thread_attr_init(&detached);
  detached.detachstate = MYTH_CREATE_DETACHED;
  EXPECT_EQ(myth_create_join_many_ex(nullptr, &detached, square, items, nullptr, 0, 0, sizeof(Item),
                                     0, 2),
            EINVAL);
}

TEST_F(MythWholeTest, AJoinWithADeadlineLeavesTheThreadToBeJoined) {
  static std::atomic<bool> may_end;
  may_end = false;
  const myth_thread_t thread = myth_create(
      [](void* p) -> void* {
        while (!may_end) myth_usleep(100);
        return p;
      },
      &may_end);
  const timespec soon = In(5), never = In(1'000'000), bad = {0, -1};
  EXPECT_EQ(myth_timedjoin(thread, nullptr, &soon), ETIMEDOUT);
  EXPECT_EQ(myth_timedjoin(thread, nullptr, &bad), EINVAL);
  may_end = true;
  void* result = nullptr;
  OnAWorker([&] { EXPECT_EQ(myth_timedjoin(thread, &result, &never), 0); });
  EXPECT_EQ(result, &may_end);
}

TEST_F(MythWholeTest, MutexesAreOfTheirKind) {
  myth_mutexattr_t attr;
  myth_mutexattr_init(&attr);
  EXPECT_EQ(myth_mutexattr_settype(&attr, MYTH_MUTEX_INVALID), EINVAL);
  EXPECT_EQ(myth_mutexattr_settype(&attr, MYTH_MUTEX_RECURSIVE), 0);
  myth_mutex_t recursive, checking;
  EXPECT_EQ(myth_mutex_init(&recursive, &attr), 0);
  EXPECT_EQ(myth_mutexattr_settype(&attr, MYTH_MUTEX_ERRORCHECK), 0);
  EXPECT_EQ(myth_mutex_init(&checking, &attr), 0);
  OnAWorker([&] {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(myth_mutex_lock(&recursive), 0);
    EXPECT_EQ(myth_mutex_lock(&checking), 0);
    EXPECT_EQ(myth_mutex_lock(&checking), EDEADLK);
    EXPECT_EQ(myth_mutex_trylock(&checking), EBUSY);
    OnAWorker([&] {
      const timespec soon = In(2), bad = {0, -1};
      EXPECT_EQ(myth_mutex_unlock(&recursive), EPERM);
      EXPECT_EQ(myth_mutex_trylock(&recursive), EBUSY);
      EXPECT_EQ(myth_mutex_timedlock(&recursive, &soon), ETIMEDOUT);
      EXPECT_EQ(myth_mutex_timedlock(&recursive, &bad), EINVAL);
      EXPECT_EQ(myth_mutex_destroy(&recursive), EBUSY);
    });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(myth_mutex_unlock(&recursive), 0);
    EXPECT_EQ(myth_mutex_unlock(&recursive), EPERM);
    EXPECT_EQ(myth_mutex_unlock(&checking), 0);
  });
  EXPECT_EQ(myth_mutex_destroy(&recursive), 0);
  EXPECT_EQ(myth_mutex_destroy(&checking), 0);
}

TEST_F(MythWholeTest, AReaderThatComesWaitsForAWriterOnlyWhereThatIsPreferred) {
  for (const int kind : {int{MYTH_RWLOCK_PREFER_READER}, int{MYTH_RWLOCK_PREFER_WRITER},
                         int{MYTH_RWLOCK_PREFER_WRITER_NONRECURSIVE}}) {
    myth_rwlockattr_t attr;
    myth_rwlockattr_init(&attr);
    ASSERT_EQ(myth_rwlockattr_setkind(&attr, kind), 0);
    myth_rwlock_t lock;
    ASSERT_EQ(myth_rwlock_init(&lock, &attr), 0);
    ASSERT_EQ(myth_rwlock_rdlock(&lock), 0);
    const myth_thread_t writer = myth_create(
        [](void* rwlock) -> void* {
          EXPECT_EQ(myth_rwlock_wrlock(static_cast<myth_rwlock_t*>(rwlock)), 0);
          EXPECT_EQ(myth_rwlock_wrlock(static_cast<myth_rwlock_t*>(rwlock)), EDEADLK);
          EXPECT_EQ(myth_rwlock_unlock(static_cast<myth_rwlock_t*>(rwlock)), 0);
          return nullptr;
        },
        &lock);  // It runs at once, until it waits: main goes on then.
    const bool prefers_writer = kind == MYTH_RWLOCK_PREFER_WRITER_NONRECURSIVE;
    EXPECT_EQ(myth_rwlock_tryrdlock(&lock), prefers_writer ? EBUSY : 0);
    if (!prefers_writer) {
      EXPECT_EQ(myth_rwlock_unlock(&lock), 0);
    }
    EXPECT_EQ(myth_rwlock_trywrlock(&lock), EBUSY);
    const timespec soon = In(2);
    EXPECT_EQ(myth_rwlock_timedwrlock(&lock, &soon), ETIMEDOUT);
    EXPECT_EQ(myth_rwlock_unlock(&lock), 0);
    EXPECT_EQ(myth_join(writer, nullptr), 0);
    EXPECT_EQ(myth_rwlock_unlock(&lock), EPERM);
    EXPECT_EQ(myth_rwlock_destroy(&lock), 0);
  }
}

TEST_F(MythWholeTest, ADeletedKeysValueIsNotThatOfTheNextKey) {
  myth_key_t first, second;
  ASSERT_EQ(myth_key_create(&first, nullptr), 0);
  ASSERT_EQ(myth_setspecific(first, &first), 0);
  EXPECT_EQ(myth_getspecific(first), &first);
  OnAWorker([&] { EXPECT_EQ(myth_getspecific(first), nullptr); });
  ASSERT_EQ(myth_key_delete(first), 0);
  EXPECT_EQ(myth_key_delete(first), EINVAL);
  EXPECT_EQ(myth_setspecific(first, &first), EINVAL);
  ASSERT_EQ(myth_key_create(&second, nullptr), 0);
  EXPECT_EQ(second, first);
  EXPECT_EQ(myth_getspecific(second), nullptr);
  EXPECT_EQ(myth_key_delete(second), 0);
}

TEST_F(MythWholeTest, ACancelledThreadEndsAtItsNextCancellationPoint) {
  static std::atomic<int> steps;
  steps = 0;
  const myth_thread_t computing = myth_create(
      [](void*) -> void* {
        int before = 0;
        EXPECT_EQ(myth_setcancelstate(MYTH_CANCEL_DISABLE, &before), 0);
        EXPECT_EQ(before, MYTH_CANCEL_ENABLE);
        ++steps;
        while (steps != 2) myth_yield();
        myth_testcancel();
        myth_usleep(1);
        ++steps;
        EXPECT_EQ(myth_setcancelstate(MYTH_CANCEL_ENABLE, nullptr), 0);
        myth_testcancel();
        ++steps;
        return nullptr;
      },
      nullptr);
  while (steps != 1) usleep(100);
  EXPECT_EQ(myth_cancel(computing), 0);
  ++steps;
  void* result = nullptr;
  EXPECT_EQ(myth_join(computing, &result), 0);
  EXPECT_EQ(result, MYTH_CANCELED);
  EXPECT_EQ(steps, 3);

  // Also where the thread has hardly begun: another worker may go on with its creator meanwhile.
  for (int i = 0; i < 300; ++i) {
    const myth_thread_t asleep =
        myth_create([](void*) -> void* { return myth_sleep(1'000'000), nullptr; }, nullptr);
    EXPECT_EQ(myth_cancel(asleep), 0);
    EXPECT_EQ(myth_join(asleep, &result), 0);
    EXPECT_EQ(result, MYTH_CANCELED);
  }
  EXPECT_EQ(myth_setcanceltype(MYTH_CANCEL_ASYNCHRONOUS, nullptr), ENOTSUP);
}

TEST_F(MythWholeTest, EachSignalLetsOneWaitOfAnUncondReturn) {
  static myth_uncond_t uncond;
  myth_uncond_init(&uncond);
  for (int i = 0; i < 3; ++i) myth_uncond_signal(&uncond);
  static std::atomic<int> waits;
  waits = 0;
  const myth_thread_t waiter = myth_create(
      [](void*) -> void* {
        for (int i = 0; i < 4; ++i) {
          myth_uncond_wait(&uncond);
          ++waits;
        }
        return nullptr;
      },
      nullptr);
  while (waits < 3) myth_usleep(100);
  myth_uncond_signal(&uncond);
  EXPECT_EQ(myth_join(waiter, nullptr), 0);
  EXPECT_EQ(waits, 4);
}

TEST_F(MythWholeTest, WhatIsDoneOnceIsDoneAgainWhereItsThreadEndedInIt) {
  static myth_once_t once = MYTH_ONCE_INIT;
  static int calls = 0;
  const auto run = [](void*) -> void* {
    myth_once(&once, [] {
      if (++calls == 1) myth_exit(&calls);
    });
    return nullptr;
  };
  void* results[3];
  for (void*& result : results) myth_join(myth_create(run, nullptr), &result);
  EXPECT_EQ(results[0], &calls);
  EXPECT_EQ(results[1], nullptr);
  EXPECT_EQ(calls, 2);
}

// More bytes than a socket holds, with one worker fewer than threads: the writer waits for the
// reader.
TEST_F(MythWholeTest, AThreadThatWaitsForASocketLeavesItsWorkerToOthers) {
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  constexpr std::size_t kBytes = 4 << 20;
  std::vector<char> sent(kBytes, 'x'), received(kBytes);
  OnAWorker([&] {
    struct Read {
      int socket;
      std::vector<char>* into;
    } argument = {sockets[1], &received};
    std::vector<myth_thread_t> idle;
    for (int i = 0; i < 4; ++i) {
      idle.push_back(myth_create(
          [](void* socket) -> void* {
            pollfd never = {*static_cast<int*>(socket), POLLPRI, 0};
            EXPECT_EQ(myth_poll(&never, 1, 20), 0);
            return nullptr;
          },
          &sockets[0]));
    }
    const myth_thread_t reader = myth_create(
        [](void* pointer) -> void* {
          const auto& [socket, into] = *static_cast<Read*>(pointer);
          return reinterpret_cast<void*>(
              myth_recv(socket, into->data(), into->size(), MSG_WAITALL));
        },
        &argument);
    EXPECT_EQ(myth_write(sockets[0], sent.data(), sent.size()), ssize_t{kBytes});
    void* got = nullptr;
    EXPECT_EQ(myth_join(reader, &got), 0);
    EXPECT_EQ(reinterpret_cast<std::size_t>(got), kBytes);
    for (const myth_thread_t thread : idle) myth_join(thread, nullptr);
    char byte;
    EXPECT_EQ(myth_recv(sockets[0], &byte, 1, MSG_DONTWAIT), -1);
    EXPECT_EQ(Errno(), EAGAIN);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(sockets[0], &readable);
    timeval short_time = {0, 1000};
    EXPECT_EQ(myth_select(sockets[0] + 1, &readable, nullptr, nullptr, &short_time), 0);
    EXPECT_EQ(myth_write(sockets[1], "y", 1), 1);
    FD_SET(sockets[0], &readable);
    EXPECT_EQ(myth_select(sockets[0] + 1, &readable, nullptr, nullptr, nullptr), 1);
    EXPECT_TRUE(FD_ISSET(sockets[0], &readable));
    EXPECT_EQ(myth_read(-1, &byte, 1), -1);
    EXPECT_EQ(Errno(), EBADF);
  });
  EXPECT_EQ(received, sent);
  for (const int socket : sockets) close(socket);
}

}  // namespace
