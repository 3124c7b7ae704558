// That neither a rank nor a kind of traffic keeps the others from their turn, and that nothing
// waits for a poll without the device saying so.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/tcp/attention.h"
#include "llcl/tcp/device.h"
#include "llcl/tcp/frame.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/unsent_answers.h"

namespace llcl {
namespace {

std::array<OwnedFd, 2> Connect() {
  int fds[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {OwnedFd(fds[0]), OwnedFd(fds[1])};
}

// A rank with its region.
struct OneRank {
  OneRank(Rank rank, std::vector<OwnedFd> connections)
      : memory(1 << 20), regions(rank, SipKey{7}), device(rank, std::move(connections), regions) {
    EXPECT_TRUE(device.Open().ok());
    const auto registered = regions.Register(memory);
    EXPECT_TRUE(registered.ok());
    region = registered->remote;
  }
  // On `there`, from this rank's memory or to it.
  void Post(CommandKind kind, Tag tag, std::uint64_t bytes, const RemoteRegion& there) {
    Command command = {.kind = kind, .bytes = bytes};
    command.peer = there.owner;
    command.tag = tag;
    command.local = memory.data();
    command.id = there.id;
    command.key = KeyOfDescription(there, 0);
    EXPECT_EQ(device.Post({&command, 1}), 1u);
  }
  std::span<const Ended> Poll() { return std::span(ended).first(device.Poll(ended)); }
  // From whom messages came.
  std::vector<Rank> Receive() {
    Inbox inbox;
    device.Receive(inbox);
    std::vector<Rank> senders;
    inbox.ForEach([&](Rank from, std::span<const std::byte>) { senders.push_back(from); });
    return senders;
  }

  std::vector<std::byte> memory;
  TcpRegions regions;
  TcpDevice device;
  RemoteRegion region;
  std::array<Ended, 64> ended;
};

struct TwoRanks {
  TwoRanks() {
    auto [of_zero, of_one] = Connect();
    std::vector<OwnedFd> connections(2);
    connections[1] = std::move(of_zero);
    zero = std::make_unique<OneRank>(Rank{0}, std::move(connections));
    connections = std::vector<OwnedFd>(2);
    connections[0] = std::move(of_one);
    one = std::make_unique<OneRank>(Rank{1}, std::move(connections));
  }
  std::unique_ptr<OneRank> zero, one;
};

// Each write is followed by another as soon as it ends, for ever: more than the connection takes.
TEST(TcpTurns, MessagesAndReadsGoOutBetweenWritesThatDoNotEnd) {
  for (const std::uint64_t bytes : {std::uint64_t{4096}, std::uint64_t{1} << 20}) {
    SCOPED_TRACE(bytes);
    TwoRanks ranks;
    OneRank &zero = *ranks.zero, &one = *ranks.one;
    // Many that are small are more than the rank may ask for at a time.
    const Tag window = bytes == 4096 ? kMostAsked + 100 : 8, message = window;
    const Tag small_read = 1, large_read = 2;
    std::set<Tag> written;
    for (Tag tag = 0; tag < window; ++tag) zero.Post(CommandKind::kWrite, tag, bytes, one.region);
    zero.Post(CommandKind::kMessage, message, 64, one.region);
    one.Post(CommandKind::kRead, small_read, 64, zero.region);
    one.Post(CommandKind::kRead, large_read, 1 << 20, zero.region);
    bool message_ended = false;
    std::size_t writes = 0, reads = 0, messages = 0;
    const auto is_done = [&] {
      return message_ended && messages == 1 && reads == 2 && written.size() == window;
    };
    for (int polls = 0; !is_done() && writes < 5 * std::size_t{window} && polls < 1'000'000;
         ++polls) {
      for (const Ended& end : zero.Poll()) {
        message_ended |= end.tag == message;
        if (end.tag == message) continue;
        ++writes;
        written.insert(end.tag);
        zero.Post(CommandKind::kWrite, end.tag, bytes, one.region);
      }
      reads += one.Poll().size();
      messages += one.Receive().size();
    }
    EXPECT_TRUE(message_ended);
    EXPECT_EQ(messages, 1u);
    EXPECT_EQ(reads, 2u);
    EXPECT_EQ(written.size(), window);
  }
}

// So that a rank which was refused once is not slower than others for long.
TEST(TcpTurns, ALargeWriteThatIsRefusedIsDroppedInFewPolls) {
  TwoRanks ranks;
  OneRank &zero = *ranks.zero, &one = *ranks.one;
  RemoteRegion not_there = one.region;
  ++not_there.keys[0];
  zero.Post(CommandKind::kWrite, 1, 1 << 20, not_there);
  int polls = 0;
  std::vector<Ended> ended;
  for (; ended.empty() && polls < 10'000; ++polls) {
    (void)one.Poll();
    const std::span<const Ended> some = zero.Poll();
    ended.assign(some.begin(), some.end());
  }
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended.front().tag, 1u);
  EXPECT_EQ(ended.front().outcome, Outcome::kRefused);
  EXPECT_LE(polls, 64);  // A socket pair holds some 200 KiB of a MiB.
}

TEST(TcpTurns, ARankThatSendsManyMessagesDoesNotKeepAnotherWaiting) {
  auto [here_one, one] = Connect();
  auto [here_two, two] = Connect();
  std::vector<OwnedFd> connections(3);
  connections[1] = std::move(here_one);
  connections[2] = std::move(here_two);
  OneRank zero(Rank{0}, std::move(connections));
  const auto send_to = [](const OwnedFd& fd, std::uint64_t bytes) {
    const TcpHeader header = {.frame = TcpFrame::kMessage, .bytes = bytes};
    std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
    frame.resize(frame.size() + bytes);
    EXPECT_EQ(send(fd.get(), frame.data(), frame.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(frame.size()));
  };
  // More than one step receives, and as many again after each.
  int steps = 0;
  for (int i = 0; i < 20; ++i) send_to(one, 4096);
  for (bool came = false; !came && steps < 100; ++steps) {
    if (steps == 10) send_to(two, 8);
    (void)zero.Poll();
    for (const Rank from : zero.Receive()) {
      came |= from == Rank{2};
      if (from == Rank{1}) send_to(one, 4096);
    }
  }
  // The connection that is looked at by itself may take some polls in front of the others.
  EXPECT_LE(steps, 13 + TcpAttention::kBetween);
}

TEST(TcpTurns, WhatAnUnpolledDeviceLeavesToAPollIsSaid) {
  using Left = Device::Left;
  TwoRanks ranks;
  OneRank &zero = *ranks.zero, &one = *ranks.one;
  EXPECT_EQ(zero.device.Release(), Left::kNothing);
  zero.Post(CommandKind::kWrite, 0, 8, one.region);
  EXPECT_EQ(zero.device.Release(), Left::kNothing) << "it is on its way";
  zero.Post(CommandKind::kMessage, 1, 8, one.region);
  EXPECT_EQ(zero.device.Release(), Left::kNothing) << "it is gathered until the write has ended";
  (void)one.Poll();
  EXPECT_EQ(zero.Poll().size(), 2u);
  zero.Post(CommandKind::kMessage, 1, 8, one.region);
  EXPECT_EQ(zero.device.Release(), Left::kEnds);
  EXPECT_EQ(zero.Poll().size(), 1u);
  for (Tag tag = 0; tag < 30; ++tag) zero.Post(CommandKind::kMessage, tag, 8, one.region);
  EXPECT_EQ(zero.device.Release(), Left::kMore) << "many ends";
  EXPECT_EQ(zero.Poll().size(), 30u);
  zero.Post(CommandKind::kMessage, 1, 8, zero.region);
  EXPECT_EQ(zero.device.Release(), Left::kMore) << "a message to itself";
}

// Else a rank could end a write whose memory goes on being sent.
TEST(TcpTurns, ARankThatAnswersWhatWasNotSentYetIsLost) {
  auto [here, there] = Connect();
  std::vector<OwnedFd> connections(2);
  connections[1] = std::move(here);
  OneRank zero(Rank{0}, std::move(connections));
  zero.Post(CommandKind::kWrite, 3, 1 << 20, {.owner = Rank{1}, .id = {}, .bytes = 1 << 20});
  (void)zero.Poll();
  ASSERT_GT(zero.device.unsent_bytes(), 0u);
  const TcpHeader answer = {
      .frame = TcpFrame::kEnded, .detail = static_cast<std::uint8_t>(Outcome::kDone), .tag = 3};
  ASSERT_EQ(send(there.get(), &answer, sizeof answer, MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof answer));
  const auto ended = zero.Poll();
  EXPECT_TRUE(zero.device.IsDown(Rank{1}));
  EXPECT_EQ(zero.device.unsent_bytes(), 0u);
  for (const Ended& end : ended) EXPECT_EQ(end.outcome, Outcome::kPeerDown);
}

// They were given up, and their memory may be gone.
TEST(TcpTurns, MessagesThatWaitAreNotSentByADeviceThatEnds) {
  auto [here, there] = Connect();
  std::vector<OwnedFd> connections(2);
  connections[1] = std::move(here);
  auto zero = std::make_unique<OneRank>(Rank{0}, std::move(connections));
  constexpr Tag kMany = 200;  // of which the socket takes half
  for (Tag tag = 0; tag < kMany; ++tag) {
    zero->Post(CommandKind::kMessage, tag, 4096, {.owner = Rank{1}});
    (void)zero->Poll();
  }
  std::fill(zero->memory.begin(), zero->memory.end(), std::byte{1});
  std::size_t received = 0, gone = 0;
  std::thread taker([&, there = there.get()] {
    std::vector<char> bytes(1 << 20);
    ssize_t got = 0;
    while ((got = recv(there, bytes.data(), bytes.size(), 0)) > 0) {
      received += static_cast<std::size_t>(got);
      gone += static_cast<std::size_t>(std::count(bytes.begin(), bytes.begin() + got, '\1'));
    }
    (void)shutdown(there, SHUT_WR);
  });
  zero.reset();
  taker.join();
  EXPECT_LT(received, kMany * std::size_t{4096});
  EXPECT_LT(gone, 4096u) << "but for the headers' bytes";
}

}  // namespace
}  // namespace llcl
