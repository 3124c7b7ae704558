// What listing 1 promises, on a simulated network, where nothing ends before it is asked to.
#include "llcl/listings.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace {

using namespace llcl::listings;

// Listing 1, member by member.
static_assert(std::is_integral_v<process_id_t>);
static_assert(std::is_same_v<decltype(remote_address::offset), size_t>);
static_assert(std::is_same_v<decltype(local_address::offset), size_t>);
static_assert(std::is_same_v<decltype(callback::f), void (*)(void*)>);
static_assert(std::is_same_v<decltype(callback::d), void*>);
static_assert(std::is_same_v<decltype(read_params::src_proc), process_id_t>);
static_assert(std::is_same_v<decltype(read_params::src_raddr), remote_address>);
static_assert(std::is_same_v<decltype(read_params::dest_laddr), local_address>);
static_assert(std::is_same_v<decltype(read_params::size_in_bytes), size_t>);
static_assert(std::is_same_v<decltype(read_params::on_complete), callback>);
static_assert(std::is_same_v<decltype(&try_read_async), bool (*)(const read_params&)>);

void Count(void* count) { ++*static_cast<int*>(count); }

// Two ranks in this process; no thread makes progress.
class Listings : public testing::Test {
 protected:
  static llcl::EndpointOptions Quiet() {
    llcl::EndpointOptions options;
    options.executor.has_thread = false;
    return options;
  }
  static llcl::Region Allocated(llcl::Endpoint& endpoint) {
    auto region = endpoint.Allocate(64);
    EXPECT_TRUE(region.ok()) << region.status();
    return *std::move(region);
  }
  read_params Read(size_t bytes = 8) {
    return {.src_proc = 1,
            .src_raddr = {.offset = 8, .region = there_.remote()},
            .dest_laddr = {.offset = 16, .region = here_.local()},
            .size_in_bytes = bytes,
            .on_complete = {&Count, &ended_}};
  }
  void Finish(int expected) {
    while (ended_ < expected) endpoint_.TryAdvance();
  }

  llcl::SimFabric fabric_{llcl::SimOptions()};
  llcl::Endpoint endpoint_{llcl::MakeSimConduit(fabric_, llcl::Rank{0}), Quiet()};
  llcl::Endpoint other_{llcl::MakeSimConduit(fabric_, llcl::Rank{1}), Quiet()};
  llcl::Region here_ = Allocated(endpoint_);
  llcl::Region there_ = Allocated(other_);
  int ended_ = 0;
};
using ListingsDeathTest = Listings;

TEST_F(Listings, ARequestThatFindsNoTagFailsAndItsCallbackIsNotCalled) {
  Process process(endpoint_, 4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(try_read_async(Read()));
  EXPECT_FALSE(try_read_async(Read()));
  Finish(4);
  EXPECT_TRUE(try_read_async(Read()));
  Finish(5);
  EXPECT_EQ(ended_, 5);
}

TEST_F(Listings, AnAcceptedRequestIsOnlyPromisedUntilItsCallbackIsCalled) {
  Process process(endpoint_);
  there_.local().start[8] = std::byte{7};
  ASSERT_TRUE(try_read_async(Read(1)));
  EXPECT_EQ(ended_, 0);
  EXPECT_EQ(here_.local().start[16], std::byte{0});
  Finish(1);
  EXPECT_EQ(here_.local().start[16], std::byte{7});
}

TEST_F(Listings, WritesAndAtomicsAreRequestedInTheSameManner) {
  Process process(endpoint_);
  here_.local().start[0] = std::byte{5};
  ASSERT_TRUE(try_write_async({.dest_proc = 1,
                               .dest_raddr = {.offset = 24, .region = there_.remote()},
                               .src_laddr = {.offset = 0, .region = here_.local()},
                               .size_in_bytes = 1,
                               .on_complete = {&Count, &ended_}}));
  Finish(1);
  ASSERT_TRUE(try_fetch_add_async({.target_proc = 1,
                                   .target_raddr = {.offset = 24, .region = there_.remote()},
                                   .operand = 2,
                                   .dest_laddr = {.offset = 8, .region = here_.local()},
                                   .on_complete = {&Count, &ended_}}));
  Finish(2);
  EXPECT_EQ(here_.local().start[8], std::byte{5});
  EXPECT_EQ(there_.local().start[24], std::byte{7});
}

TEST_F(Listings, ACallbackMayRequestMoreThanWasUnderWay) {
  Process process(endpoint_, 1);
  struct Chain {
    read_params again;
    int* ended;
    static void Next(void* data) {
      auto& chain = *static_cast<Chain*>(data);
      if (++*chain.ended == 3) return;
      EXPECT_TRUE(try_read_async(chain.again));
    }
  } chain{Read(), &ended_};
  chain.again.on_complete = {&Chain::Next, &chain};
  ASSERT_TRUE(try_read_async(chain.again));
  Finish(3);
  EXPECT_EQ(ended_, 3);
}

TEST_F(ListingsDeathTest, WhatWillNeverSucceedEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT((void)try_read_async(Read()), testing::ExitedWithCode(2), "without a Process");
  EXPECT_EXIT(
      {
        Process process(endpoint_);
        (void)try_read_async(Read(64));
      },
      testing::ExitedWithCode(2), "do not lie in registered memory");
  EXPECT_EXIT(
      {
        Process process(endpoint_);
        read_params params = Read();
        params.src_proc = 0;
        (void)try_read_async(params);
      },
      testing::ExitedWithCode(2), "another process");
  EXPECT_EXIT(
      {
        Process process(endpoint_);
        fabric_.Kill(llcl::Rank{1});
        (void)try_read_async(Read());
        while (true) endpoint_.TryAdvance();
      },
      testing::ExitedWithCode(75), "gone");
}

}  // namespace
