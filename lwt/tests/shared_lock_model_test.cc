// lwt/c/shared_lock.h under every interleaving of up to 5 preemptions (larger programs of fewer,
// down to 2).
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <vector>

#include "lwt/c/shared_lock.h"
#include "lwt/tests/model_marks.h"

namespace lwt::c {
namespace {

template <template <typename> class AtomicT>
using LockOver = BasicSharedLock<AtomicT, ModelMarks<AtomicT>>;
using ModelLock = LockOver<model::Atomic>;

constexpr Deadline kSoon{};

enum class As { kReader, kWriter };
constexpr As kReader = As::kReader, kWriter = As::kWriter;

// A lock, and what the threads do that hold it: readers together, or one writer.
template <template <typename> class AtomicT = model::Atomic>
struct Room {
  explicit Room(typename LockOver<AtomicT>::Kind kind) : lock(kind) {}

  void Enter(As as) {
    ++(as == kReader ? readers : writers);
    model::Require(writers == 0 || (writers == 1 && readers == 0), "a writer is inside alone");
    model::Step();
    most_readers = std::max(most_readers, readers);
  }
  void Leave(As as) {
    --(as == kReader ? readers : writers);
    ++entered;
    model::Require(lock.Unlock() == 0, "a holder may unlock it");
  }

  LockOver<AtomicT> lock;
  int readers = 0, writers = 0;
  int entered = 0;
  int most_readers = 0;
};

template <template <typename> class AtomicT = model::Atomic>
model::Program EnterAll(typename LockOver<AtomicT>::Kind kind, const std::vector<As>& threads,
                        int* most_readers = nullptr) {
  auto room = std::make_shared<Room<AtomicT>>(kind);
  model::Program program;
  for (const As as : threads) {
    program.threads.push_back([=] {
      const int result = as == kReader ? room->lock.LockShared() : room->lock.LockExclusive();
      model::Require(result == 0, "a lock has no errors");
      room->Enter(as);
      room->Leave(as);
    });
  }
  program.check = [=, count = static_cast<int>(threads.size())] {
    model::Require(room->entered == count, "each thread gets in");
    model::Require(!room->lock.IsHeld(), "nobody holds it at the end");
    model::Require(room->lock.TryLockExclusive() == 0, "and it can be locked");
    if (most_readers != nullptr) *most_readers = std::max(*most_readers, room->most_readers);
  };
  return program;
}

constexpr ModelLock::Kind kKinds[] = {ModelLock::kPreferReader, ModelLock::kPreferWriter,
                                      ModelLock::kPreferWriterNonrecursive};

TEST(SharedLockModel, AWriterIsInsideAloneAndAllGetThere) {
  for (const ModelLock::Kind kind : kKinds) {
    ExpectHolds([=] { return EnterAll(kind, {kWriter, kWriter}); }, {.preemptions = 4});
    ExpectHolds([=] { return EnterAll(kind, {kReader, kWriter}); }, {.preemptions = 4});
    ExpectHolds([=] { return EnterAll(kind, {kReader, kWriter, kReader}); }, {.preemptions = 2});
    ExpectHolds([=] { return EnterAll(kind, {kReader, kWriter, kWriter}); }, {.preemptions = 2});
  }
}

TEST(SharedLockModel, ReadersAreInsideTogether) {
  for (const ModelLock::Kind kind : kKinds) {
    int most_readers = 0;
    ExpectHolds(
        [&] {
          return EnterAll(kind, {kReader, kReader}, &most_readers);
        },
        {.preemptions = 3});
    EXPECT_EQ(most_readers, 2);
  }
}

TEST(SharedLockModel, ALockWhoseReadModifyWritesAreTornIsCaught) {
  ExpectCaught(
      [] {
        return EnterAll<TornAtomic>(LockOver<TornAtomic>::kPreferReader, {kWriter, kWriter});
      },
      {.preemptions = 3});
}

// A reader reads again inside, while a writer comes.
std::function<model::Program()> ReadInsideOfARead(ModelLock::Kind kind) {
  return [=] {
    auto lock = std::make_shared<ModelLock>(kind);
    return model::Program{{[=] {
                             lock->LockShared();
                             lock->LockShared();
                             lock->Unlock();
                             lock->Unlock();
                           },
                           [=] {
                             lock->LockExclusive();
                             lock->Unlock();
                           }}};
  };
}

TEST(SharedLockModel, AReaderMayReadAgainUnlessWritersArePreferred) {
  ExpectHolds(ReadInsideOfARead(ModelLock::kPreferReader), {.preemptions = 4});
  ExpectHolds(ReadInsideOfARead(ModelLock::kPreferWriter), {.preemptions = 4});
  // It waits for the writer, and the writer for it.
  ExpectCaught(ReadInsideOfARead(ModelLock::kPreferWriterNonrecursive), {.preemptions = 4});
}

// One reads until the other has read, too; a writer comes between them and gives up.
TEST(SharedLockModel, ReadersThatWaitForAWriterAloneEnterWhenItGivesUp) {
  int given_up = 0;
  ExpectHolds(
      [&] {
        struct State {
          Room<> room{ModelLock::kPreferWriterNonrecursive};
          model::Atomic<int> other_has_read{0};
        };
        auto state = std::make_shared<State>();
        return model::Program{{[=] {
                                 state->room.lock.LockShared();
                                 state->room.Enter(kReader);
                                 state->other_has_read.WaitWhile(0);
                                 state->room.Leave(kReader);
                               },
                               [=, &given_up] {
                                 const int result = state->room.lock.LockExclusive(kSoon);
                                 if (result == 0) {
                                   state->room.Enter(kWriter);
                                   state->room.Leave(kWriter);
                                 } else {
                                   model::Require(result == ETIMEDOUT, "it says why");
                                   ++given_up;
                                 }
                               },
                               [=] {
                                 state->room.lock.LockShared();
                                 state->room.Enter(kReader);
                                 state->other_has_read.Store(1, std::memory_order_release);
                                 state->other_has_read.WakeAll();
                                 state->room.Leave(kReader);
                               }},
                              [=] { model::Require(!state->room.lock.IsHeld(), "all are out"); }};
      },
      {.preemptions = 3});
  EXPECT_GT(given_up, 0);
}

TEST(SharedLockModel, AReaderThatGivesUpIsNotCounted) {
  int given_up = 0;
  ExpectHolds(
      [&] {
        auto room = std::make_shared<Room<>>(ModelLock::kPreferReader);
        return model::Program{
            {[=] {
               room->lock.LockExclusive();
               room->Enter(kWriter);
               room->Leave(kWriter);
             },
             [=, &given_up] {
               if (room->lock.LockShared(kSoon) == ETIMEDOUT) {
                 ++given_up;
               } else {
                 room->Enter(kReader);
                 room->Leave(kReader);
               }
             }},
            [=] { model::Require(room->lock.TryLockExclusive() == 0, "it is free at the end"); }};
      },
      {.preemptions = 5});
  EXPECT_GT(given_up, 0);
}

TEST(SharedLockModel, MistakesAreToldWhateverOthersDo) {
  ExpectHolds(
      [] {
        auto room = std::make_shared<Room<>>(ModelLock::kPreferReader);
        return model::Program{
            {[=] {
               room->lock.LockExclusive();
               room->Enter(kWriter);
               model::Require(room->lock.LockExclusive() == EDEADLK, "the writer has it");
               model::Require(room->lock.LockShared() == EDEADLK, "and does not read it, too");
               model::Require(room->lock.TryLockShared() == EBUSY, "nor by a try");
               room->Leave(kWriter);
             },
             [=] { model::Require(room->lock.Unlock() == EPERM, "it is not this thread's"); }},
            [=] { model::Require(!room->lock.IsHeld(), "it is free at the end"); }};
      },
      {.preemptions = 4});
}

}  // namespace
}  // namespace lwt::c
