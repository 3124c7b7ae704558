// The order of locks: a thread that leaves it ends the program, whether or not there is a deadlock
// this time. As the library's own locks are of this class, all of its tests look for inversions.
#include "dsm/threads/lock_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <type_traits>

#include "dsm/home/home.h"
#include "dsm/release/change_sender.h"

namespace dsm {
namespace {

template <LockLevel kOuter, LockLevel kInner>
void TakeBoth() {
  OrderedMutex<kOuter> outer;
  OrderedMutex<kInner> inner;
  const topo::Lock outer_lock(outer);
  const topo::Lock inner_lock(inner);
}

TEST(LockOrder, DownwardsIsFree) {
  TakeBoth<LockLevel::kSending, LockLevel::kLocks>();
  TakeBoth<LockLevel::kSending, LockLevel::kHome>();
  TakeBoth<LockLevel::kRaces, LockLevel::kHome>();
  TakeBoth<LockLevel::kLocks, LockLevel::kThreads>();
}

TEST(LockOrder, LocksThatAreTakenOneAfterTheOtherHaveNoOrder) {
  OrderedMutex<LockLevel::kHome> home;
  OrderedMutex<LockLevel::kSending> sending;
  for (int i = 0; i < 2; ++i) {
    { const topo::Lock lock(home); }
    { const topo::Lock lock(sending); }
  }
  lock_order::RequireNone("waits for pages");
}

TEST(LockOrder, IsOfEachThreadForItself) {
  OrderedMutex<LockLevel::kHome> home;
  OrderedMutex<LockLevel::kSending> sending;
  const topo::Lock lock(home);
  std::thread([&] { const topo::Lock other(sending); }).join();
}

TEST(LockOrderDeath, UpwardsEndsTheProgramThoughNoOtherThreadWaits) {
  EXPECT_DEATH((TakeBoth<LockLevel::kHome, LockLevel::kSending>()),
               "a thread that holds kHome takes kSending");
  EXPECT_DEATH((TakeBoth<LockLevel::kLocks, LockLevel::kSending>()),
               "a thread that holds kLocks takes kSending");
  EXPECT_DEATH((TakeBoth<LockLevel::kHome, LockLevel::kRaces>()),
               "a thread that holds kHome takes kRaces");
}

TEST(LockOrderDeath, TwoOfALevelEndTheProgram) {
  EXPECT_DEATH((TakeBoth<LockLevel::kHome, LockLevel::kHome>()),
               "a thread that holds kHome takes kHome");
}

TEST(LockOrderDeath, WaitingForPagesWithALockEndsTheProgram) {
  OrderedMutex<LockLevel::kSending> sending;
  EXPECT_DEATH(
      {
        const topo::Lock lock(sending);
        lock_order::RequireNone("waits for pages");
      },
      "a thread that holds kSending waits for pages");
}

TEST(LockOrder, TheSendersMutexIsInIt) {
  static_assert(std::is_same_v<ChangeSender::Mutex, OrderedMutex<LockLevel::kSending>>);
}

}  // namespace
}  // namespace dsm
