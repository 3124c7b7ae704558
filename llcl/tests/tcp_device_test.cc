// What a rank answers to frames that no rank of ours sends, and to wrong ones.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/tcp/device.h"
#include "llcl/tcp/frame.h"
#include "llcl/tcp/regions.h"

namespace llcl {
namespace {

// Rank 0, and a connection at whose other end the test is rank 1.
struct Rank0 {
  Rank0() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    there = OwnedFd(fds[1]);
    std::vector<OwnedFd> connections(2);
    connections[1] = OwnedFd(fds[0]);
    device = std::make_unique<TcpDevice>(Rank{0}, std::move(connections), regions);
    EXPECT_TRUE(device->Open().ok());
    const auto registered = regions.Register(std::as_writable_bytes(std::span(memory)));
    EXPECT_TRUE(registered.ok());
    region = registered->remote;
  }
  void Send(const std::string& bytes) {
    EXPECT_EQ(send(there.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    Poll();
  }
  void PollOnce() {
    std::array<Ended, 16> ended;
    (void)device->Poll(ended);
  }
  void Poll() {
    for (int i = 0; i < 4; ++i) PollOnce();
  }
  std::string Received() {
    std::string bytes(1 << 20, '\0');
    const ssize_t got = recv(there.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

  std::array<std::uint64_t, 4> memory = {1, 2, 3, 4};
  TcpRegions regions{Rank{0}, SipKey{7}};
  RemoteRegion region;
  OwnedFd there;
  std::unique_ptr<TcpDevice> device;
};

template <typename T>
std::string BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string Request(const TcpHeader& header, const TcpTarget& target) {
  return BytesOf(header) + BytesOf(target);
}

std::string Ended(Tag tag, Outcome outcome) {
  return BytesOf(TcpHeader{
      .frame = TcpFrame::kEnded, .detail = static_cast<std::uint8_t>(outcome), .tag = tag});
}

TEST(TcpDevice, ARequestWithAWrongKeyRangeOrRegionIsRefusedAndTheNextIsDone) {
  Rank0 rank;
  const TcpTarget right = {rank.region.id, KeyOfDescription(rank.region, 0), 8};
  TcpTarget wrong_key = right, beyond = right, other = right;
  wrong_key.key ^= 1;
  beyond.address = 32 - 7;
  other.id.generation += 2;
  Tag tag = 0;
  for (const TcpTarget& target : {wrong_key, beyond, other}) {
    rank.Send(Request({.frame = TcpFrame::kRead, .tag = tag, .bytes = 8}, target));
    EXPECT_EQ(rank.Received(), Ended(tag, Outcome::kRefused)) << tag;
    ++tag;
    rank.Send(Request({.frame = TcpFrame::kWrite, .tag = tag, .bytes = 8}, target) + "12345678");
    EXPECT_EQ(rank.Received(), Ended(tag, Outcome::kRefused)) << tag;
    ++tag;
    rank.Send(Request({.frame = TcpFrame::kWrite, .tag = tag, .bytes = 20}, target) +
              std::string(20, 'x'));
    EXPECT_EQ(rank.Received(), Ended(tag, Outcome::kRefused)) << tag;
    ++tag;
    rank.Send(Request({.frame = TcpFrame::kAtomic, .detail = 1, .tag = tag, .bytes = 8}, target) +
              BytesOf(TcpOperands{5, 0}));
    EXPECT_EQ(rank.Received(), Ended(tag, Outcome::kRefused)) << tag;
    ++tag;
  }
  EXPECT_EQ(rank.memory, (std::array<std::uint64_t, 4>{1, 2, 3, 4}));
  EXPECT_FALSE(rank.device->IsDown(Rank{1}));
  rank.Send(Request({.frame = TcpFrame::kRead, .tag = tag, .bytes = 8}, right));
  EXPECT_EQ(rank.Received(), BytesOf(TcpHeader{.frame = TcpFrame::kData, .tag = tag, .bytes = 8}) +
                                 BytesOf(std::uint64_t{2}));
}

TEST(TcpDevice, ARangeThatOverflowsIsRefused) {
  Rank0 rank;
  const TcpTarget target = {rank.region.id, KeyOfDescription(rank.region, 0),
                            ~std::uint64_t{0} - 3};
  rank.Send(Request({.frame = TcpFrame::kRead, .tag = 1, .bytes = 8}, target));
  EXPECT_EQ(rank.Received(), Ended(1, Outcome::kRefused));
  rank.Send(Request({.frame = TcpFrame::kRead, .tag = 2, .bytes = ~std::uint64_t{0}}, target));
  EXPECT_EQ(rank.Received(), Ended(2, Outcome::kRefused));
}

TEST(TcpDevice, AtomicsOfWordsThatAreNotAlignedAreRefused) {
  Rank0 rank;
  rank.Send(Request({.frame = TcpFrame::kAtomic, .tag = 1, .bytes = 8},
                    {rank.region.id, KeyOfDescription(rank.region, 0), 4}) +
            BytesOf(TcpOperands{5, 0}));
  EXPECT_EQ(rank.Received(), Ended(1, Outcome::kRefused));
}

TEST(TcpDevice, NonsenseEndsTheConnectionAndNothingElse) {
  const TcpTarget nowhere = {};
  const std::string nonsense[] = {
      std::string(64, '\0'),
      std::string(64, '\xff'),
      // Answers to nothing.
      Ended(3, Outcome::kDone),
      BytesOf(TcpHeader{.frame = TcpFrame::kData, .tag = 1 << 30, .bytes = 8}) + "12345678",
      // Larger than a message is.
      BytesOf(TcpHeader{.frame = TcpFrame::kMessage, .bytes = kMostMessageBytes + 1}),
      // No such outcome, type, operation.
      Ended(0, Outcome::kLate),
      Request({.frame = TcpFrame::kAtomic, .type = AtomicType{200}, .bytes = 8}, nowhere) +
          BytesOf(TcpOperands()),
      Request({.frame = TcpFrame::kAtomic,
               .type = AtomicType::kDouble,
               .op = AtomicOp::kXor,
               .bytes = 8},
              nowhere) +
          BytesOf(TcpOperands()),
      Request({.frame = TcpFrame::kAtomic, .bytes = 4}, nowhere) + BytesOf(TcpOperands()),
  };
  for (const std::string& bytes : nonsense) {
    SCOPED_TRACE(&bytes - nonsense);
    Rank0 rank;
    rank.Send(bytes);
    EXPECT_TRUE(rank.device->IsDown(Rank{1}));
    EXPECT_EQ(rank.device->losses(), 1);
    EXPECT_EQ(rank.Received(), "");
    EXPECT_EQ(rank.memory, (std::array<std::uint64_t, 4>{1, 2, 3, 4}));
  }
}

TEST(TcpDevice, ARankThatAsksForMuchAndReadsNothingIsSentNoMoreThanItTakes) {
  Rank0 rank;
  std::vector<std::byte> large(1 << 20);
  const auto registered = rank.regions.Register(large);
  ASSERT_TRUE(registered.ok());
  const TcpTarget target = {registered->remote.id, KeyOfDescription(registered->remote, 0), 0};
  for (Tag tag = 0; tag < 1000; ++tag) {
    rank.Send(Request({.frame = TcpFrame::kRead, .tag = tag, .bytes = large.size()}, target));
  }
  EXPECT_LT(rank.device->unsent_bytes(), 1u << 20);
  EXPECT_FALSE(rank.device->IsDown(Rank{1}));
  // It goes on as soon as the other reads.
  std::uint64_t received = 0;
  while (received < 3 << 20) {
    received += rank.Received().size();
    rank.Poll();
  }
}

TEST(TcpDevice, ARegionThatGoesWhileItIsReadIsReadAsItWasUpToARefusal) {
  Rank0 rank;
  std::vector<std::byte> large(8 << 20, std::byte{1});
  const auto registered = rank.regions.Register(large);
  ASSERT_TRUE(registered.ok());
  const TcpTarget target = {registered->remote.id, KeyOfDescription(registered->remote, 0), 0};
  rank.Send(Request({.frame = TcpFrame::kRead, .tag = 5, .bytes = large.size()}, target));
  rank.regions.Deregister(registered->remote.id, Conduit::Mapping::kEnds);
  std::fill(large.begin(), large.end(), std::byte{2});

  std::string received;
  const std::string refusal = Ended(5, Outcome::kRefused);
  for (int times = 0; times < 100 && !received.ends_with(refusal); ++times) {
    received += rank.Received();
    rank.Poll();
  }
  ASSERT_LT(received.size(), large.size());
  ASSERT_TRUE(received.ends_with(refusal));
  while (received.size() > refusal.size()) {
    TcpHeader header;
    std::memcpy(&header, received.data(), sizeof header);
    ASSERT_EQ(header.frame, TcpFrame::kData);
    ASSERT_EQ(received.substr(sizeof header, header.bytes), std::string(header.bytes, '\1'));
    received.erase(0, sizeof header + header.bytes);
  }
}

TEST(TcpDevice, ARegionThatGoesWhileItIsWrittenIsNotWrittenFromThenOn) {
  Rank0 rank;
  const std::size_t part = 64 << 10;
  std::vector<std::byte> large(4 * part);
  const auto registered = rank.regions.Register(large);
  ASSERT_TRUE(registered.ok());
  const TcpTarget target = {registered->remote.id, KeyOfDescription(registered->remote, 0), 0};
  rank.Send(Request({.frame = TcpFrame::kWrite, .tag = 5, .bytes = large.size()}, target));
  rank.Send(std::string(part, '\1'));
  EXPECT_EQ(std::count(large.begin(), large.end(), std::byte{1}),
            static_cast<std::ptrdiff_t>(part));
  rank.regions.Deregister(registered->remote.id, Conduit::Mapping::kEnds);
  for (int parts = 0; parts < 3; ++parts) {
    EXPECT_EQ(rank.Received(), "");
    rank.Send(std::string(part, '\2'));
  }
  EXPECT_EQ(rank.Received(), Ended(5, Outcome::kRefused));
  EXPECT_EQ(std::count(large.begin(), large.end(), std::byte{2}), 0);
  // What follows is found.
  rank.Send(Request({.frame = TcpFrame::kRead, .tag = 6, .bytes = 8}, target));
  EXPECT_EQ(rank.Received(), Ended(6, Outcome::kRefused));
}

// Else others would wait as long as it takes.
TEST(TcpDevice, APollSendsARankThatTakesAllNoMoreThanItsTurn) {
  Rank0 rank;
  std::vector<std::byte> large(64 << 20);
  const auto registered = rank.regions.Register(large);
  ASSERT_TRUE(registered.ok());
  std::atomic<std::size_t> taken = 0;
  std::thread taker([&] {
    std::vector<char> bytes(1 << 20);
    while (true) {
      const ssize_t got = recv(rank.there.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got == 0) return;
      if (got > 0) taken += static_cast<std::size_t>(got);
    }
  });
  const TcpTarget target = {registered->remote.id, KeyOfDescription(registered->remote, 0), 0};
  const std::string request =
      Request({.frame = TcpFrame::kRead, .tag = 5, .bytes = large.size()}, target);
  EXPECT_EQ(send(rank.there.get(), request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::size_t before = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (taken < large.size() && std::chrono::steady_clock::now() < until) {
    rank.PollOnce();
    EXPECT_LE(taken - before, std::size_t{8} << 20);
    before = taken;
  }
  EXPECT_GE(taken, large.size());
  (void)shutdown(rank.there.get(), SHUT_RDWR);
  taker.join();
}

TEST(TcpDevice, ARankThatAsksForMoreThanOneOfOursAndReadsNoAnswerIsLost) {
  const TcpHeader requests[] = {
      {.frame = TcpFrame::kRead, .bytes = 8},
      {.frame = TcpFrame::kRead, .bytes = 32},
      {.frame = TcpFrame::kWrite, .bytes = 0},
  };
  for (const TcpHeader& header : requests) {
    SCOPED_TRACE(&header - requests);
    Rank0 rank;
    const std::string request =
        Request(header, {rank.region.id, KeyOfDescription(rank.region, 0), 0});
    std::size_t asked = 0, most_bytes = 0;
    for (; !rank.device->IsDown(Rank{1}) && asked < 1'000'000; ++asked) {
      rank.Send(request);
      most_bytes = std::max(most_bytes, rank.device->unsent_bytes());
    }
    EXPECT_TRUE(rank.device->IsDown(Rank{1}));
    EXPECT_GT(asked, kMostAnswers);  // The system's buffers hold some.
    EXPECT_LT(most_bytes, std::size_t{2} << 20);
    EXPECT_EQ(rank.device->unsent_bytes(), 0u);
  }
}

// What it is owed is a stream of answers, and it takes them: nothing of this is a flood.
TEST(TcpDevice, ARankThatReadsItsAnswersMayAskForEver) {
  Rank0 rank;
  const TcpTarget target = {rank.region.id, KeyOfDescription(rank.region, 0), 0};
  for (std::size_t asked = 0; asked < 5 * kMostAnswers; ++asked) {
    rank.Send(Request({.frame = TcpFrame::kRead, .tag = 1, .bytes = 8}, target));
    if (asked % kMostAsked == kMostAsked - 1) {
      while (!rank.Received().empty()) rank.Poll();
    }
    ASSERT_FALSE(rank.device->IsDown(Rank{1})) << asked;
  }
}

TEST(TcpDevice, WhatIsAskedOfARankThatReadsNothingIsBoundedAndThenAllIsDone) {
  Rank0 rank;
  std::vector<std::byte> bytes(4096);
  constexpr std::size_t kRequests = 3 * kMostAsked;
  for (Tag tag = 0; tag < kRequests; ++tag) {
    Command command = {.kind = CommandKind::kWrite, .bytes = bytes.size()};
    command.peer = Rank{1};
    command.tag = tag;
    command.local = bytes.data();
    ASSERT_EQ(rank.device->Post({&command, 1}), 1u);
    rank.Poll();
  }
  constexpr std::size_t kOfOne = sizeof(TcpHeader) + sizeof(TcpTarget) + 4096;
  EXPECT_LE(rank.device->unsent_bytes(), kMostAsked * kOfOne);
  // The other rank does all that it gets, and the rest comes.
  std::size_t received = 0, answered = 0, ended = 0;
  std::array<struct Ended, 64> some;  // The function of this name hides it.
  while (ended < kRequests) {
    const std::string got = rank.Received();
    received += got.size();
    std::string answers;
    for (; answered < received / kOfOne; ++answered) {
      answers += Ended(static_cast<Tag>(answered), Outcome::kDone);
    }
    if (!answers.empty()) {
      ASSERT_EQ(send(rank.there.get(), answers.data(), answers.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(answers.size()));
    }
    const std::size_t count = rank.device->Poll(some);
    ASSERT_FALSE(got.empty() && count == 0 && rank.device->unsent_bytes() == 0);
    ended += count;
  }
  EXPECT_EQ(received, kRequests * kOfOne);
}

}  // namespace
}  // namespace llcl
