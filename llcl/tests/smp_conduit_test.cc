// What is the shared memory conduit's own.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/smp/conduit.h"

namespace llcl {
namespace {

std::uint64_t SharedKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kilobytes = 0;
    if (word == "RssShmem:" && status >> kilobytes) return kilobytes;
  }
  ADD_FAILURE() << "the system does not say";
  return 0;
}

TEST(SmpConduit, ARegionThatIsGoneTakesNoMemoryThoughOthersHaveItMapped) {
  constexpr std::uint64_t kBytes = 16 << 20;
  const auto launch = MakeSingleton();
  auto conduit = MakeSmpConduit(*launch);
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  Endpoint endpoint(*std::move(conduit));
  const std::uint64_t before = SharedKilobytes();
  for (int i = 0; i < 10; ++i) {
    const Region region = *endpoint.Allocate(kBytes);
    // As another rank does: by a mapping of its own.
    Flag written;
    ASSERT_EQ(endpoint.TryWrite({.from = {region.local()},
                                 .to = {region.remote()},
                                 .bytes = kBytes,
                                 .then = written.completion()}),
              Posted::kPosted);
    ASSERT_EQ(endpoint.Wait(written), Outcome::kDone);
  }
  EXPECT_LT(SharedKilobytes(), before + 2 * (kBytes >> 10));
}

TEST(SmpConduit, TheDeviceSaysThatTheEndOfAMessageIsLeftToAPoll) {
  const auto launch = MakeSingleton();
  auto conduit = MakeSmpConduit(*launch);
  ASSERT_TRUE(conduit.ok()) << conduit.status();
  Device& device = *(*conduit)->devices().front();
  EXPECT_EQ(device.Release(), Device::Left::kNothing);
  std::array<std::byte, 8> text = {};
  Command command = {.kind = CommandKind::kMessage, .bytes = text.size()};
  command.peer = Rank{0};
  command.local = text.data();
  ASSERT_EQ(device.Post({&command, 1}), 1u);
  EXPECT_EQ(device.Release(), Device::Left::kEnds);
  std::array<Ended, 4> ended;
  EXPECT_EQ(device.Poll(ended), 1u);
  EXPECT_EQ(device.Release(), Device::Left::kNothing);
}

// An endpoint of one rank, and a word of its own that it uses as another rank does.
class DoneAtOnce : public testing::Test {
 protected:
  void Open(const EndpointOptions& options = {}) {
    auto conduit = MakeSmpConduit(*launch_);
    ASSERT_TRUE(conduit.ok()) << conduit.status();
    endpoint_ = std::make_unique<Endpoint>(*std::move(conduit), options);
    there_ = *endpoint_->Allocate(64);
    here_ = *endpoint_->Allocate(64);
    remote_ = {there_.remote()};
    // Not at once: it is not mapped yet.
    ASSERT_EQ(TryWrite(Notify::kUnlessDone), Posted::kPosted);
    endpoint_->Wait(called_, 1);
  }
  Posted TryWrite(Notify notify) {
    return endpoint_->TryWrite({.from = {here_.local()},
                                .to = remote_,
                                .bytes = 8,
                                .then = called_.completion(),
                                .notify = notify});
  }
  Posted TryRead(Notify notify) {
    return endpoint_->TryRead({.from = remote_,
                               .to = {here_.local()},
                               .bytes = 64,
                               .then = called_.completion(),
                               .notify = notify});
  }
  Posted TryAdd(Notify notify) {
    return endpoint_->TryAtomic<std::uint32_t>({.target = remote_,
                                                .operand = 1,
                                                .fetch_to = LocalAddress{here_.local()},
                                                .then = called_.completion(),
                                                .notify = notify});
  }

  const std::unique_ptr<Launch> launch_ = MakeSingleton();
  std::unique_ptr<Endpoint> endpoint_;
  Region there_, here_;
  RemoteAddress remote_;
  Counter called_;  // has the first write
};

TEST_F(DoneAtOnce, AnOperationCallsNoCompletionWhereThatWasAskedFor) {
  Open();
  auto& word = *reinterpret_cast<std::uint64_t*>(there_.local().start);
  auto& mine = *reinterpret_cast<std::uint64_t*>(here_.local().start);
  mine = 41;
  EXPECT_EQ(TryWrite(Notify::kUnlessDone), Posted::kDone);
  EXPECT_EQ(word, 41u);
  mine = 0;
  EXPECT_EQ(TryAdd(Notify::kUnlessDone), Posted::kDone);
  EXPECT_EQ(word, 42u);
  EXPECT_EQ(mine, 41u) << "the word before";
  EXPECT_EQ(TryRead(Notify::kUnlessDone), Posted::kDone);
  EXPECT_EQ(mine, 42u);
  EXPECT_EQ(called_.ended(), 1u);
  EXPECT_EQ(TryWrite(Notify::kAlways), Posted::kPosted);
  EXPECT_EQ(TryAdd(Notify::kAlways), Posted::kPosted);
  EXPECT_EQ(TryRead(Notify::kAlways), Posted::kPosted);
  EXPECT_EQ(called_.ended(), 4u);
}

TEST_F(DoneAtOnce, AnOperationThatFailsCallsItsCompletionInAnyCase) {
  Open();
  there_ = Region();
  EXPECT_EQ(TryWrite(Notify::kUnlessDone), Posted::kPosted);
  EXPECT_EQ(TryAdd(Notify::kUnlessDone), Posted::kPosted);
  EXPECT_EQ(TryRead(Notify::kUnlessDone), Posted::kPosted);
  EXPECT_EQ(called_.ended(), 4u);
  EXPECT_EQ(called_.failed(), 3u);
}

TEST_F(DoneAtOnce, WhatIsWrongIsRefused) {
  Open();
  remote_.offset = 60;
  EXPECT_EQ(TryWrite(Notify::kUnlessDone), Posted::kBadRange);
  remote_.offset = 2;
  EXPECT_EQ(TryAdd(Notify::kUnlessDone), Posted::kBadRange);
  remote_.offset = 0;
  here_ = Region();
  EXPECT_EQ(TryWrite(Notify::kUnlessDone), Posted::kBadRange);
  EXPECT_EQ(TryAdd(Notify::kUnlessDone), Posted::kBadRange);
  EXPECT_EQ(TryRead(Notify::kUnlessDone), Posted::kBadRange);
  EXPECT_EQ(called_.ended(), 1u);
}

TEST_F(DoneAtOnce, AfterAnAbortNothingIsDone) {
  Open();
  endpoint_->Abort();
  EXPECT_EQ(TryWrite(Notify::kUnlessDone), Posted::kClosing);
  EXPECT_EQ(TryAdd(Notify::kUnlessDone), Posted::kClosing);
  EXPECT_EQ(TryRead(Notify::kAlways), Posted::kClosing);
}

TEST_F(DoneAtOnce, ATraceSeesTheEndOfEach) {
  int ended = 0;
  Open({.trace = [&](const TraceEvent& event) {
    if (event.what == TraceEvent::What::kEnded) ++ended;
  }});
  EXPECT_EQ(TryWrite(Notify::kUnlessDone), Posted::kPosted);
  EXPECT_EQ(TryAdd(Notify::kAlways), Posted::kPosted);
  EXPECT_EQ(called_.ended(), 3u);
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace llcl
