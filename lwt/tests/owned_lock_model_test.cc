// lwt/c/owned_lock.h under every interleaving of up to 5 preemptions (larger programs of fewer,
// down to 2).
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "lwt/c/owned_lock.h"
#include "lwt/tests/model_marks.h"

namespace lwt::c {
namespace {

template <template <typename> class AtomicT>
using LockOver = BasicOwnedLock<AtomicT, ModelMarks<AtomicT>>;
using ModelLock = LockOver<model::Atomic>;

constexpr Deadline kSoon{};

// A lock, and what the threads do that hold it: one alone.
template <template <typename> class AtomicT>
struct Room {
  explicit Room(typename LockOver<AtomicT>::Kind kind) : lock(kind) {}

  void Enter() {
    model::Require(inside++ == 0, "one thread is inside");
    model::Step();
  }
  void Leave() {
    --inside;
    ++entered;
    model::Require(lock.Unlock() == 0, "its holder may unlock it");
  }

  LockOver<AtomicT> lock;
  int inside = 0;
  int entered = 0;
};

// Each thread enters so many times.
template <template <typename> class AtomicT>
model::Program EnterAll(const std::vector<int>& rounds_of_threads) {
  auto room = std::make_shared<Room<AtomicT>>(LockOver<AtomicT>::kNormal);
  model::Program program;
  int entrances = 0;
  for (const int rounds : rounds_of_threads) {
    entrances += rounds;
    program.threads.push_back([=] {
      for (int round = 0; round < rounds; ++round) {
        model::Require(room->lock.Lock() == 0, "a lock has no errors");
        room->Enter();
        room->Leave();
      }
    });
  }
  program.check = [=] {
    model::Require(room->entered == entrances, "each thread gets in");
    model::Require(!room->lock.IsHeld(), "nobody holds it at the end");
    model::Require(room->lock.TryLock() == 0, "and it can be locked");
  };
  return program;
}

TEST(OwnedLockModel, AThreadIsInsideAloneAndAllGetThere) {
  ExpectHolds([] { return EnterAll<model::Atomic>({1, 1}); }, {.preemptions = 5});
  ExpectHolds([] { return EnterAll<model::Atomic>({2, 2}); }, {.preemptions = 3});
  ExpectHolds([] { return EnterAll<model::Atomic>({1, 1, 1}); }, {.preemptions = 3});
  ExpectHolds([] { return EnterAll<model::Atomic>({2, 1, 1}); }, {.preemptions = 2});
}

TEST(OwnedLockModel, ALockWhoseReadModifyWritesAreTornIsCaught) {
  ExpectCaught([] { return EnterAll<TornAtomic>({1, 1}); }, {.preemptions = 3});
}

// `timed` threads give up as soon as they wait; one waits as long as it takes.
TEST(OwnedLockModel, ThreadsThatGiveUpLeaveTheLockToTheOthers) {
  int given_up = 0, got = 0;
  const auto program = [&](int timed) {
    auto room = std::make_shared<Room<model::Atomic>>(ModelLock::kNormal);
    model::Program program;
    program.threads.push_back([=] {
      room->lock.Lock();
      room->Enter();
      room->Leave();
    });
    for (int i = 0; i < timed; ++i) {
      program.threads.push_back([=, &given_up, &got] {
        const int result = room->lock.Lock(kSoon);
        ++(result == 0 ? got : given_up);
        if (result == 0) {
          room->Enter();
          room->Leave();
        } else {
          model::Require(result == ETIMEDOUT, "it says that the deadline was there");
        }
      });
    }
    program.check = [=] { model::Require(room->lock.TryLock() == 0, "it is free at the end"); };
    return program;
  };
  ExpectHolds([&] { return program(1); }, {.preemptions = 5});
  ExpectHolds([&] { return program(2); }, {.preemptions = 3});
  EXPECT_GT(given_up, 0);
  EXPECT_GT(got, 0);
}

TEST(OwnedLockModel, AThreadThatWasWokenInVainIsHandedTheLock) {
  static int waits = 0;  // of the thread that waits, for one lock
  struct Marks : ModelMarks<model::Atomic> {
    struct Owner : ModelMarks<model::Atomic>::Owner {
      void BeginWait() {
        if (model::CurrentThread() == 0) {
          model::Require(++waits <= 2, "a thread waits twice at the most");
        }
      }
    };
  };
  using Lock = BasicOwnedLock<model::Atomic, Marks>;
  int seen_waits = 0;
  ExpectHolds(
      [&] {
        waits = 0;
        auto lock = std::make_shared<Lock>(Lock::kNormal);
        return model::Program{{[=] {
                                 lock->Lock();
                                 lock->Unlock();
                               },
                               [=] {
                                 for (int round = 0; round < 4; ++round) {
                                   lock->Lock();
                                   lock->Unlock();
                                 }
                               }},
                              [&] { seen_waits = std::max(seen_waits, waits); }};
      },
      {.preemptions = 4});
  EXPECT_EQ(seen_waits, 2);
}

// A word of a lock that records whether any thread held it.
bool was_held = false;
template <typename T>
class RecordedAtomic : public model::Atomic<T> {
 public:
  using model::Atomic<T>::Atomic;
  void Store(T value, std::memory_order order) {
    model::Atomic<T>::Store(value, order);
    Record(value);
  }
  bool CompareExchange(T& expected, T value, std::memory_order order) {
    const bool is_changed = model::Atomic<T>::CompareExchange(expected, value, order);
    if (is_changed) Record(value);
    return is_changed;
  }

 private:
  static void Record(T value) { was_held |= value / 4 != 0; }  // without the lock's two bits
};

// Also while the list of a free lock is in use, by a thread that gives up.
TEST(OwnedLockModel, ATryFailsOnlyWhereAnotherThreadHoldsIt) {
  int failed = 0;
  ExpectHolds(
      [&] {
        using Lock = LockOver<RecordedAtomic>;
        auto lock = std::make_shared<Lock>(Lock::kNormal);
        return model::Program{{[=, &failed] {
                                 lock->Lock();
                                 lock->Unlock();
                                 was_held = lock->IsHeld();
                                 const int tried = lock->TryLock();
                                 model::Require(tried == 0 || was_held, "nobody had it");
                                 failed += tried == EBUSY ? 1 : 0;
                               },
                               [=] {
                                 if (lock->Lock(kSoon) == 0) lock->Unlock();
                               }}};
      },
      {.preemptions = 4});
  EXPECT_GT(failed, 0);
}

TEST(OwnedLockModel, AThreadThatGotItByATryDoesNotForgetThoseWhoWait) {
  ExpectHolds(
      [] {
        auto room = std::make_shared<Room<model::Atomic>>(ModelLock::kNormal);
        const auto wait = [=] {
          room->lock.Lock();
          room->Enter();
          room->Leave();
        };
        return model::Program{{[=] {
                                 wait();
                                 if (room->lock.TryLock() == 0) {
                                   room->Enter();
                                   room->Leave();
                                 }
                               },
                               wait, wait}};
      },
      {.preemptions = 2});
}

TEST(OwnedLockModel, ARecursiveLockIsFreeAfterAsManyUnlocks) {
  const auto twice = [] {
    auto room = std::make_shared<Room<model::Atomic>>(ModelLock::kRecursive);
    const auto thread = [=] {
      model::Require(room->lock.Lock() == 0, "once");
      model::Require(room->lock.TryLock() == 0, "its holder may try it");
      model::Require(room->lock.Lock(kSoon) == 0, "and lock it again");
      room->Enter();
      model::Require(room->lock.Unlock() == 0 && room->lock.Unlock() == 0, "and unlock it");
      model::Step();
      room->Leave();
    };
    return model::Program{{thread, thread}, [=] {
                            model::Require(room->entered == 2, "both get in");
                            model::Require(room->lock.Unlock() == EPERM, "it is free at the end");
                          }};
  };
  ExpectHolds(twice, {.preemptions = 3});
}

TEST(OwnedLockModel, AnErrorcheckingLockTellsMistakesWhateverOthersDo) {
  const auto mistakes = [] {
    auto room = std::make_shared<Room<model::Atomic>>(ModelLock::kErrorcheck);
    const auto thread = [=] {
      model::Require(room->lock.Unlock() == EPERM, "it is not this thread's");
      model::Require(room->lock.RefusesUnlock(), "and says so");
      model::Require(room->lock.Lock() == 0, "a lock");
      room->Enter();
      model::Require(room->lock.Lock() == EDEADLK, "twice");
      model::Require(room->lock.Lock(kSoon) == EDEADLK, "also with a deadline");
      model::Require(room->lock.TryLock() == EBUSY, "or a try");
      model::Require(!room->lock.RefusesUnlock() && room->lock.IsHeld(), "it is this thread's now");
      room->Leave();
    };
    return model::Program{{thread, thread},
                          [=] { model::Require(room->entered == 2, "both get in"); }};
  };
  ExpectHolds(mistakes, {.preemptions = 2});
}

// As a semaphore of one, which pthreads leave undefined and programs do.
TEST(OwnedLockModel, ANormalLockMayBeUnlockedByAnotherThread) {
  const auto hand_on = [] {
    struct State {
      ModelLock lock{ModelLock::kNormal};
      model::Atomic<int> locked{0};
      bool got_it = false;
    };
    auto state = std::make_shared<State>();
    return model::Program{{[=] {
                             state->lock.Lock();
                             state->locked.Store(1, std::memory_order_release);
                             state->locked.WakeAll();
                             state->lock.Lock();
                             state->got_it = true;
                             state->lock.Unlock();
                           },
                           [=] {
                             state->locked.WaitWhile(0);
                             state->lock.Unlock();
                           }},
                          [=] {
                            model::Require(state->got_it, "the other goes on");
                            model::Require(!state->lock.IsHeld(), "it is free at the end");
                          }};
  };
  ExpectHolds(hand_on, {.preemptions = 5});
}

TEST(OwnedLockModel, ALockMayBeUnlockedForTheThreadThatItIsBeingHandedTo) {
  const auto hand_over = [] {
    struct State {
      ModelLock lock{ModelLock::kNormal};
      model::Atomic<int> locked{0}, other_has_it{0};
    };
    auto state = std::make_shared<State>();
    return model::Program{{[=] {
                             state->lock.Lock();
                             state->locked.Store(1, std::memory_order_release);
                             state->locked.WakeAll();
                             state->lock.Unlock();
                             if (state->lock.TryLock() == 0) state->lock.Unlock();
                             // The other one has it, and perhaps does not know it yet.
                             if (!state->lock.IsHeld()) state->other_has_it.WaitWhile(0);
                             state->lock.Unlock();
                           },
                           [=] {
                             state->locked.WaitWhile(0);
                             state->lock.Lock();
                             state->other_has_it.Store(1, std::memory_order_release);
                             state->other_has_it.WakeAll();
                           }},
                          [=] { model::Require(!state->lock.IsHeld(), "it is free at the end"); }};
  };
  ExpectHolds(hand_over, {.preemptions = 3});
}

bool lock_is_gone = false;  // of the running program

// An atomic in a lock that may be gone: all but a wake by its address is a fault then.
template <typename T>
class MortalAtomic : public model::Atomic<T> {
 public:
  using model::Atomic<T>::Atomic;
  T Load(std::memory_order order) const {
    const auto result = model::Atomic<T>::Load(order);
    CheckAlive();
    return result;
  }
  void Store(T value, std::memory_order order) {
    model::Atomic<T>::Store(value, order);
    CheckAlive();
  }
  T Exchange(T value, std::memory_order order) {
    const auto result = model::Atomic<T>::Exchange(value, order);
    CheckAlive();
    return result;
  }
  bool CompareExchange(T& expected, T value, std::memory_order order) {
    const auto result = model::Atomic<T>::CompareExchange(expected, value, order);
    CheckAlive();
    return result;
  }
  void WaitWhile(T old) const {
    model::Atomic<T>::WaitWhile(old);
    CheckAlive();
  }

 private:
  // Right after a step: no other thread has run between.
  static void CheckAlive() { model::Require(!lock_is_gone, "nobody uses a lock that is gone"); }
};

// The thread that finds itself the last user, with the lock held, unlocks and destroys it.
enum class Counts { kWithTheLock, kBefore };
model::Program DestroyByTheLast(int threads, Counts counts) {
  using Lock = LockOver<MortalAtomic>;
  struct State {
    Lock lock{Lock::kNormal};  // Its memory stays, so that a use of it is seen.
    int users = 0;
  };
  auto state = std::make_shared<State>();
  state->users = threads;
  lock_is_gone = false;
  model::Program program;
  for (int i = 0; i < threads; ++i) {
    program.threads.push_back([=] {
      bool is_last = counts == Counts::kBefore && --state->users == 0;
      // A thread that has given up leaves the lock awaited, by no other thread.
      if (state->lock.Lock(kSoon) != 0) state->lock.Lock();
      if (counts == Counts::kWithTheLock) is_last = --state->users == 0;
      state->lock.Unlock();
      if (is_last) lock_is_gone = true;
    });
  }
  return program;
}

TEST(OwnedLockModel, TheLastUserMayDestroyIt) {
  ExpectHolds([] { return DestroyByTheLast(2, Counts::kWithTheLock); }, {.preemptions = 4});
  ExpectHolds([] { return DestroyByTheLast(3, Counts::kWithTheLock); }, {.preemptions = 2});
}

TEST(OwnedLockModel, AUserThatDestroysItTooEarlyIsCaught) {
  ExpectCaught([] { return DestroyByTheLast(2, Counts::kBefore); }, {.preemptions = 3});
}

}  // namespace
}  // namespace lwt::c
