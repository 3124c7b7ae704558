// Other processes may send anything: each reader takes mangled input without harm, and takes no
// mangled input for proof of the job's secret. Under a sanitizer, a read or write out of bounds
// fails the test; the seed of a failure is printed.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "llcl/collective/collectives.h"
#include "llcl/collective/frame.h"
#include "llcl/conduit/streams.h"
#include "llcl/launch/authentication.h"
#include "llcl/launch/place.h"
#include "llcl/launch/pmi_wire.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/messenger.h"
#include "llcl/messenger/retries.h"
#include "llcl/owned_fd.h"
#include "llcl/start/hosts.h"
#include "llcl/start/pmi_server.h"
#include "llcl/tcp/device.h"
#include "llcl/tcp/frame.h"
#include "llcl/tcp/regions.h"
#include "llcl/tests/mangled_inputs.h"
#include "llcl/tests/message_carrier.h"

namespace llcl {
namespace {

template <typename T>
std::string BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Has places for half of the pieces.
class SomeTaker final : public StreamTaker {
 public:
  void Take(Rank from, std::span<const std::byte> header, std::uint64_t at,
            std::span<const std::byte> piece) override {
    EXPECT_EQ(from, Rank{1});
    EXPECT_EQ(header.size(), Streams::kHeaderBytes);
    EXPECT_LE(at + piece.size(), Streams::kMostPayload);
  }
  bool TryFill(Rank /*from*/, std::span<const std::byte> /*header*/, std::uint64_t at,
               std::size_t most, Fill fill) override {
    EXPECT_LE(at + most, Streams::kMostPayload);
    if (++fills_ % 2 == 0) return false;
    std::vector<std::byte> place(most);
    EXPECT_LE(fill(place), most);
    return true;
  }

 private:
  int fills_ = 0;
};

TEST(MangledInput, OfTcpFramesTouchesNothingButTheRegion) {
  // Rank 0's region lies between words that nobody may write.
  constexpr std::uint64_t kGuard = 0x5A5A'5A5A'5A5A'5A5A;
  std::array<std::uint64_t, 12> memory;
  memory.fill(kGuard);
  TcpRegions regions(Rank{0}, SipKey{7});
  const auto registered = regions.Register(std::as_writable_bytes(std::span(memory).subspan(4, 4)));
  ASSERT_TRUE(registered.ok());
  const TcpTarget target = {registered->remote.id, KeyOfDescription(registered->remote, 0), 8};
  const auto request = [&](TcpFrame frame, std::uint64_t bytes) {
    return BytesOf(TcpHeader{.frame = frame, .detail = 1, .tag = 3, .bytes = bytes}) +
           BytesOf(target);
  };
  const std::vector<std::string> valid = {
      request(TcpFrame::kRead, 8),
      request(TcpFrame::kRead, 24),
      request(TcpFrame::kWrite, 8) + "12345678",
      request(TcpFrame::kWrite, 24) + std::string(24, 'x'),
      request(TcpFrame::kAtomic, 8) + BytesOf(TcpOperands{5, 0}),
      BytesOf(TcpHeader{.frame = TcpFrame::kMessage, .bytes = 5}) + "hello",
      BytesOf(TcpHeader{.frame = TcpFrame::kData, .tag = 0, .bytes = 8}) + "12345678",
      BytesOf(TcpHeader{.frame = TcpFrame::kStream, .tag = 8, .bytes = 24}) +
          BytesOf(TcpStreamHeader{}) + std::string(24, 's'),
      BytesOf(TcpHeader{.frame = TcpFrame::kStream, .tag = 1, .bytes = 20'000}) +
          BytesOf(TcpStreamHeader{}) + std::string(20'000, 's'),
      BytesOf(TcpHeader{.frame = TcpFrame::kEnded, .tag = 1})};
  ForEachMangled(valid, [&](const std::string& input) {
    int fds[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    const OwnedFd there(fds[1]);
    std::vector<OwnedFd> connections(2);
    connections[1] = OwnedFd(fds[0]);
    {
      TcpDevice device(Rank{0}, std::move(connections), regions);
      ASSERT_TRUE(device.Open().ok());
      SomeTaker taker;
      device.SetTaker(&taker);
      ASSERT_EQ(send(there.get(), input.data(), input.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(input.size()));
      for (int polls = 0; polls < 4; ++polls) {
        std::array<Ended, 16> ended;
        EXPECT_EQ(device.Poll(ended), 0u) << "nothing was asked for";
        Inbox inbox;
        device.Receive(inbox);
      }
      EXPECT_LT(device.unsent_bytes(), std::size_t{1} << 20);
      (void)shutdown(there.get(), SHUT_RDWR);  // Else its end waits for more.
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if (i < 4 || i >= 8) {
        ASSERT_EQ(memory[i], kGuard) << i;
      }
    }
  });
}

TEST(MangledInput, OfPmiLinesIsReadAsWrittenOrRefused) {
  std::vector<std::string> valid;
  for (const char* const line :
       {"cmd=init pmi_version=1 pmi_subversion=1", "cmd=put kvsname=job key=llcl-0-1 value=6c6c",
        "cmd=get kvsname=job key=llcl-1-1", "cmd=barrier_in", "cmd=get_maxes", "cmd=finalize",
        "cmd=abort exitcode=3 error_msg=why"}) {
    valid.emplace_back(line);
  }
  ForEachMangled(valid, [](const std::string& input) {
    (void)FromPmiValue(input);
    const auto message = ParsePmi(input);
    if (message && !message->command.empty()) {
      std::string again = FormatPmi(*message);
      ASSERT_FALSE(again.empty());
      again.pop_back();
      const auto reread = ParsePmi(again);
      ASSERT_TRUE(reread.has_value());
      EXPECT_EQ(reread->command, message->command);
    }
    PmiServer server(2);
    for (const auto& reply : server.Handle(1, input)) {
      EXPECT_TRUE(reply.rank == 0 || reply.rank == 1);
      EXPECT_EQ(reply.line.find('\n'), reply.line.size() - 1) << "one line";
    }
    if (server.is_aborted()) {
      EXPECT_GE(server.exit_code(), 1);
      EXPECT_LE(server.exit_code(), 255);
    }
  });
}

TEST(MangledInput, OfARendezvousProvesNothingAndNamesNoRankThatCannotBe) {
  const SipKey key = {1, 2, 3}, other = {4, 5, 6};
  const Hello hello = {1, 3, std::string(kNonceBytes, 'n')};
  const std::string nonce(kNonceBytes, '0');
  const std::vector<std::string> valid = {FormatGreeting(other, hello),
                                          FormatGreeting(key, hello),
                                          ProofToRank0(other, hello, nonce),
                                          FormatFrame(FrameKind::kMine, "bytes"),
                                          FormatFrame(FrameKind::kAll, FormatAll({"a", "", "ccc"})),
                                          "10.0.0.1:4096",
                                          "[::1]:7"};
  ForEachMangled(valid, [&](const std::string& input) {
    Interview interview(key, 3, nonce);
    for (std::size_t at = 0; at < input.size(); at += 7) {
      const std::string answer = interview.Hear(input.substr(at, 7));
      EXPECT_LE(answer.size(), kAnswerBytes);
    }
    EXPECT_FALSE(interview.is_proved()) << "no input has the proof of this secret";
    FrameReader reader(64);
    reader.Append(input);
    while (const auto frame = reader.Next()) {
      EXPECT_LE(frame->bytes.size(), 64u);
      if (const auto all = ParseAll(frame->bytes, 3)) {
        EXPECT_EQ(all->size(), 3u);
      }
    }
    if (const auto address = ParseAddress(input)) {
      EXPECT_FALSE(address->host.empty());
      EXPECT_FALSE(address->port.empty());
    }
    (void)ParseSecret(input);
  });
}

TEST(MangledInput, OfPlacesAndHostFilesIsOneSentence) {
  ForEachMangled({ToText(ThisPlace()), "node1 slots=4\n", "node2\n# a comment\n"},
                 [](const std::string& input) {
                   if (const auto place = PlaceOf(input)) {
                     EXPECT_GT(place->process, 0);
                   }
                   const auto hosts = ParseHostFile(input, "hosts");
                   if (!hosts.ok()) {
                     EXPECT_EQ(hosts.status().message().substr(0, 6), "hosts:");
                   }
                 });
}

TEST(MangledInput, OfCollectivesAndFarewellsEndsNothingThatAnotherRankDidNotSend) {
  std::vector<std::string> valid;
  Progress progress;
  progress.Begin({7, 0});
  progress.Begin({8, 2});
  for (const auto& message : progress.Farewell(4096)) {
    valid.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
  }
  // The frames of another rank.
  const auto collect = [&](Rank /*to*/, std::span<const std::byte> bytes) {
    valid.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const auto here = [](Rank) { return Presence::kHere; };
  MessageCarrier from(Rank{1}, collect, here);
  Collectives sender(from, 0);
  const auto collective = [](int rank, Completion then) {
    return Collective{.schedule = std::make_shared<const Schedule>(AllgatherSchedule(rank, 2, 24)),
                      .own = std::vector<std::byte>(48),
                      .members = std::make_shared<const std::vector<Rank>>(
                          std::initializer_list<Rank>{Rank{0}, Rank{1}}),
                      .then = then};
  };
  ASSERT_EQ(sender.TryBegin({7, 0}, collective(1, {})), Posted::kPosted);
  ForEachMangled(valid, [&](const std::string& input) {
    MessageCarrier to(
        Rank{0}, [](Rank, std::span<const std::byte>) {}, here);
    Collectives receiver(to, 0);
    Flag ended;
    ASSERT_EQ(receiver.TryBegin({7, 0}, collective(0, ended.completion())), Posted::kPosted);
    (void)receiver.OnMessage(Rank{1}, AsBytes(input));
    (void)receiver.OnFarewell(Rank{1}, AsBytes(input));
    if (input.size() >= sizeof(FrameHeader)) {
      const auto header = AsBytes(input).first(sizeof(FrameHeader));
      const auto piece = AsBytes(input).subspan(sizeof(FrameHeader));
      (void)receiver.TryFill(Rank{1}, header, 0, piece.size(), [&](std::span<std::byte> place) {
        std::copy(piece.begin(), piece.end(), place.begin());
        return piece.size();
      });
      receiver.Take(Rank{1}, header, 0, piece);
      (void)receiver.Advance();
    }
    if (!ended.done()) receiver.Abort();
    EXPECT_TRUE(ended.done());
  });
}

TEST(MangledInput, OfMessagesReachesHandlersThatExistOnly) {
  struct Kinds {
    std::uint16_t kind, handler;
    std::uint32_t credits;
  };
  std::vector<std::string> valid;
  for (std::uint16_t kind = 0; kind < 9; ++kind) {
    valid.push_back(BytesOf(Kinds{kind, 0, 1}) + "payload");
  }
  ForEachMangled(valid, [](const std::string& input) {
    Retries retries;
    int handled = 0;
    // On the heap: GCC's AddressSanitizer aligns no object on the stack to 64 bytes.
    const auto messenger = std::make_unique<Messenger>(
        2,
        MessengerOptions{
            .handlers = {[&](Message& message) {
              ++handled;
              EXPECT_LE(message.payload().size(), kMostMessageBytes);
              (void)message.Reply(HandlerId{0}, {});
            }},
            .internal = [](Rank, Internal, std::span<const std::byte>) { return false; }},
        [](const Command&, Completion then, Completion released) {
          then.Complete(Outcome::kDone);
          released.Complete(Outcome::kDone);
          return Posted::kPosted;
        },
        retries);
    messenger->OnMessage(Rank{1}, AsBytes(input));
    EXPECT_LE(handled + messenger->nonsense(), 1);
  });
}

}  // namespace
}  // namespace llcl
