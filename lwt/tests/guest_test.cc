// OS threads of the program's own as workers of a pool.
#include "lwt/guest.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "lwt/event.h"
#include "lwt/machine/sanitizer.h"
#include "lwt/pool.h"
#include "lwt/spawn.h"

namespace lwt {
namespace {

std::unique_ptr<Pool> PoolOfGuests(int workers) {
  auto pool = Pool::Create({.workers = workers, .has_guests = true});
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

TEST(Guest, ParkRunsThreadsUntilUnpark) {
  const auto pool = PoolOfGuests(1);
  Guest guest(*pool, 0);
  const auto here = std::this_thread::get_id();
  int runs = 0;
  for (int i = 0; i < 3; ++i) {
    bool is_done = false;
    guest.Post([&] {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_EQ(WorkerIndex(), 0);
      const int before = runs;
      Spawn([&] { ++runs; }).Join();
      EXPECT_EQ(runs, before + 1);
      is_done = true;
      Guest::Unpark(*pool, 0);
    });
    EXPECT_EQ(runs, i);  // Nothing runs before.
    while (!is_done) guest.Park();
  }
  EXPECT_EQ(WorkerIndex(), -1);
  EXPECT_EQ(runs, 3);
}

TEST(Guest, AnUnparkThatComesBeforeEndsTheNextPark) {
  const auto pool = PoolOfGuests(1);
  Guest guest(*pool, 0);
  Guest::Unpark(*pool, 0);
  Guest::Unpark(*pool, 0);
  guest.Park();
}

TEST(Guest, LeavesParkThoughThreadsAreReady) {
  const auto pool = PoolOfGuests(1);
  Guest guest(*pool, 0);
  int runs = 0;
  for (int i = 0; i < 3; ++i) {
    guest.Post([&] {
      ++runs;
      Guest::Unpark(*pool, 0);
    });
  }
  guest.Park();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(guest.worker().queued(), 2);
  while (runs < 3) guest.Park();
}

TEST(Guest, RunOneRunsAThreadUntilItWaits) {
  const auto pool = PoolOfGuests(1);
  Guest guest(*pool, 0);
  EXPECT_FALSE(guest.RunOne());
  Event event;
  int steps = 0;
  guest.Post([&] {
    ++steps;
    event.Wait();
    ++steps;
  });
  guest.Post([&] { steps += 10; });
  EXPECT_TRUE(guest.RunOne());
  EXPECT_EQ(steps, 10);
  Guest::Unpark(*pool, 0);  // RunOne may have left one.
  guest.Park();
  EXPECT_TRUE(guest.RunOne());
  guest.Park();
  EXPECT_EQ(steps, 11);
  event.Set();
  EXPECT_TRUE(guest.RunOne());
  EXPECT_EQ(steps, 12);
}

// Each member posts threads that count, and meets the others when its own have ended; others steal.
TEST(Guest, ATeamRunsItsThreadsWhileItsMembersWait) {
  constexpr int kMembers = 3, kRounds = 50, kThreads = 40;
  const auto pool = PoolOfGuests(kMembers);
  std::atomic<int> runs{0}, arrived{0};
  const auto member = [&](int number) {
    Guest guest(*pool, number);
    const auto here = std::this_thread::get_id();
    for (int round = 0; round < kRounds; ++round) {
      std::atomic<int> left{kThreads};
      for (int i = 0; i < kThreads; ++i) {
        guest.Post([&, number] {
          runs.fetch_add(1);
          Spawn([] { Yield(); }).Join();
          Post([&, number] {
            if (left.fetch_sub(1) == 1) Guest::Unpark(*pool, number);
          });
        });
      }
      while (left.load() > 0) guest.Park();
      EXPECT_EQ(std::this_thread::get_id(), here);
      if (arrived.fetch_add(1) + 1 == (round + 1) * kMembers) Guest::UnparkAll(*pool);
      while (arrived.load() < (round + 1) * kMembers) guest.Park();
      EXPECT_GE(runs.load(), (round + 1) * kMembers * kThreads);
    }
  };
  std::vector<std::thread> members;
  for (int i = 1; i < kMembers; ++i) members.emplace_back(member, i);
  member(0);
  for (std::thread& other : members) other.join();
  EXPECT_EQ(runs.load(), kMembers * kRounds * kThreads);
}

TEST(Guest, IsAGuestOfTwoPools) {
  const auto outer = PoolOfGuests(1);
  const auto inner = PoolOfGuests(1);
  int runs = 0;
  Guest guest(*outer, 0);
  guest.Post([&] {
    ++runs;
    Guest::Unpark(*outer, 0);
  });
  {
    Guest visitor(*inner, 0);
    visitor.Post([&] {
      runs += 10;
      Guest::Unpark(*inner, 0);
    });
    while (runs < 10) visitor.Park();
  }
  while (runs < 11) guest.Park();
}

TEST(Guest, HandsItsRoleToAnotherOsThread) {
  const auto pool = PoolOfGuests(1);
  bool has_run = false;
  {
    Guest guest(*pool, 0);
    guest.Post([&] {
      has_run = true;
      Guest::Unpark(*pool, 0);
    });
  }
  std::thread([&] {
    Guest guest(*pool, 0);
    while (!has_run) guest.Park();
  }).join();
}

TEST(Guest, AnExceptionOfItsOwnOutlivesPark) {
  const auto pool = PoolOfGuests(1);
  Guest guest(*pool, 0);
  try {
    throw 7;
  } catch (int caught) {
    bool is_done = false;
    guest.Post([&] {
      try {
        throw 8;
      } catch (int) {
      }
      is_done = true;
      Guest::Unpark(*pool, 0);
    });
    while (!is_done) guest.Park();
    EXPECT_EQ(caught, 7);
    EXPECT_NE(std::current_exception(), nullptr);
  }
}

TEST(Guest, OptionsThatDoNotFitAreRefused) {
  PoolOptions options;
  options.has_guests = true;
  options.simulation = SimulationOptions();
  EXPECT_EQ(Pool::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
  options.simulation.reset();
  options.placement = topo::Policy::kCompact;
  EXPECT_EQ(Pool::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(GuestDeathTest, EndsTheProgramWhereItIsMisused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto pool = PoolOfGuests(2);
  Guest guest(*pool, 0);
  EXPECT_DEATH(Guest(*pool, 0), "one guest at a time");
  EXPECT_DEATH(Guest(*pool, 2), "numbers from 0");
  const auto other = Pool::Create({.workers = 1});
  EXPECT_DEATH(Guest(**other, 0), "has_guests");
  EXPECT_DEATH(
      {
        guest.Post([&] { guest.Park(); });
        guest.Park();
      },
      "not by threads that it runs");
}

}  // namespace
}  // namespace lwt
