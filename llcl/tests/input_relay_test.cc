#include "llcl/start/input_relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace llcl {
namespace {

// A non-blocking pipe.
struct Pipe {
  OwnedFd read, write;
  Pipe() {
    int fds[2];
    EXPECT_EQ(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
    read = OwnedFd(fds[0]), write = OwnedFd(fds[1]);
  }
  void Put(std::string_view bytes) const {
    EXPECT_EQ(::write(write.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::string Take() const {
    std::string bytes(1 << 20, '\0');
    const ssize_t got = ::read(read.get(), bytes.data(), bytes.size());
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  bool HasEnded() const {
    char byte;
    return ::read(read.get(), &byte, 1) == 0;
  }
};

class Relay : public testing::Test {
 protected:
  Relay() { (void)std::signal(SIGPIPE, SIG_IGN); }
  // Until neither descriptor is ready.
  static void Run(InputRelay& relay) {
    while (true) {
      pollfd fds[] = {relay.Reading(), relay.Writing()};
      if (poll(fds, 2, 0) <= 0) return;
      if (fds[0].revents != 0) relay.Read();
      if (fds[1].revents != 0) relay.Write();
    }
  }
  Pipe from_, to_;
};

TEST_F(Relay, FramesBytesAndTheirEnd) {
  InputRelay relay(InputRelay::Kind::kIntoFrames, from_.read.get(), to_.write);
  from_.Put("one");
  Run(relay);
  from_.Put("two");
  from_.write = OwnedFd();
  Run(relay);
  EXPECT_EQ(to_.Take(), FrameOf("one") + FrameOf("two") + FrameOf(""));
  EXPECT_FALSE(to_.HasEnded());  // That would be the launcher's end.
  EXPECT_FALSE(relay.is_lost());
}

TEST_F(Relay, GivesTheBytesOfFramesAndTheirEnd) {
  InputRelay relay(InputRelay::Kind::kOutOfFrames, from_.read.get(), to_.write);
  from_.Put(FrameOf("one") + FrameOf("two").substr(0, 5));
  Run(relay);
  EXPECT_EQ(to_.Take(), "one");
  from_.Put(FrameOf("two").substr(5) + FrameOf(""));
  Run(relay);
  EXPECT_EQ(to_.Take(), "two");
  EXPECT_TRUE(to_.HasEnded());
  EXPECT_FALSE(relay.is_lost());
  from_.write = OwnedFd();
  Run(relay);
  EXPECT_TRUE(relay.is_lost());
}

TEST_F(Relay, WaitsForAReaderThatIsSlow) {
  InputRelay relay(InputRelay::Kind::kIntoFrames, from_.read.get(), to_.write);
  std::string put, taken;
  const std::string piece(16 * 1024, 'x');
  for (int i = 0; i < 40; ++i) {
    while (write(from_.write.get(), piece.data(), piece.size()) < 0) {
      Run(relay);
      taken += to_.Take();
    }
    put += piece;
    Run(relay);
  }
  from_.write = OwnedFd();
  for (std::string more = "x"; !more.empty(); more = to_.Take(), taken += more) Run(relay);
  InputFrameReader frames;
  frames.Feed(taken);
  std::string bytes;
  for (auto frame = frames.Next(); frame.ok() && frame->has_value(); frame = frames.Next()) {
    bytes += (*frame)->bytes;
  }
  EXPECT_EQ(bytes.size(), put.size());
  EXPECT_EQ(relay.Reading().fd, -1);
}

TEST_F(Relay, SeesTheLaunchersEndWhileTheReaderIsSlow) {
  InputRelay relay(InputRelay::Kind::kOutOfFrames, from_.read.get(), to_.write);
  const std::string frame = FrameOf(std::string(16 * 1024, 'x'));
  while (relay.Writing().fd < 0) {  // Until the pipe to the reader is full.
    from_.Put(frame);
    Run(relay);
  }
  EXPECT_FALSE(relay.is_lost());
  from_.write = OwnedFd();
  pollfd ended = relay.Reading();
  ASSERT_EQ(poll(&ended, 1, 0), 1);
  relay.Read();
  EXPECT_TRUE(relay.is_lost());
}

TEST_F(Relay, GoesOnWhenTheReaderIsGone) {
  InputRelay relay(InputRelay::Kind::kOutOfFrames, from_.read.get(), to_.write);
  to_.read = OwnedFd();
  from_.Put(FrameOf("one"));
  Run(relay);
  EXPECT_LT(to_.write.get(), 0);
  from_.Put(FrameOf("two"));
  Run(relay);
  EXPECT_FALSE(relay.is_lost());
}

TEST_F(Relay, TakesTheFirstFramesAndNoByteOfTheNext) {
  from_.Put(FramesOf({.secret = "secret", .environment = {{"A", "1"}}}) + "rest");
  const auto start = ReadProxyStart(from_.read.get());
  ASSERT_TRUE(start.ok()) << start.status();
  EXPECT_EQ(start->secret, "secret");
  EXPECT_EQ(start->environment.at(0).second, "1");
  EXPECT_EQ(from_.Take(), "rest");
  from_.Put("\xff\xff\xff\xff");
  EXPECT_TRUE(absl::IsInvalidArgument(ReadProxyStart(from_.read.get()).status()));
  from_.Put(FrameOf("secret") + FrameOf("A=1"));
  from_.write = OwnedFd();
  EXPECT_TRUE(absl::IsCancelled(ReadProxyStart(from_.read.get()).status()));
}

TEST_F(Relay, WritesItsFirstBytesBeforeTheInput) {
  const std::string first(200'000, 'x');  // more than a pipe takes
  InputRelay relay(InputRelay::Kind::kIntoFrames, from_.read.get(), to_.write, first);
  from_.Put("one");
  std::string written;
  while (written.size() < first.size() + FrameOf("one").size()) {
    Run(relay);
    written += to_.Take();
  }
  EXPECT_EQ(written, first + FrameOf("one"));
}

TEST_F(Relay, PassesSignalsOn) {
  Pipe between;
  InputRelay packs(InputRelay::Kind::kIntoFrames, from_.read.get(), between.write);
  InputRelay unpacks(InputRelay::Kind::kOutOfFrames, between.read.get(), to_.write);
  from_.Put("one");
  Run(packs);
  packs.Send(SIGUSR1);
  Run(unpacks);
  EXPECT_EQ(to_.Take(), "one");
  EXPECT_EQ(unpacks.TakeSignal(), SIGUSR1);
  EXPECT_EQ(unpacks.TakeSignal(), 0);
}

TEST_F(Relay, WithoutAnInputWritesItsFirstBytes) {
  InputRelay relay(InputRelay::Kind::kIntoFrames, -1, to_.write, "first");
  Run(relay);
  EXPECT_EQ(to_.Take(), "first");
  EXPECT_FALSE(to_.HasEnded());
  EXPECT_FALSE(relay.is_held_back());
}

TEST_F(Relay, TakesNoStreamOfAnotherKind) {
  InputRelay relay(InputRelay::Kind::kOutOfFrames, from_.read.get(), to_.write);
  from_.Put("GET / HTTP/1.1\r\n");
  Run(relay);
  EXPECT_TRUE(relay.is_lost());
}

}  // namespace
}  // namespace llcl
