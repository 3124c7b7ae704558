#include <gtest/gtest.h>
#include <sys/socket.h>

#include "llcl/owned_fd.h"
#include "llcl/tcp/silence.h"

namespace llcl {
namespace {

TEST(TcpSilence, AMachineHasVanishedThatAnsweredNothingForLongThoughItWasAskedOften) {
  EXPECT_TRUE(HasVanished({.unanswered = 4, .ms = 10'000}));
  EXPECT_TRUE(HasVanished({.unanswered = 15, .ms = 900'000}));
}

TEST(TcpSilence, AMachineThatWasNotAskedOftenMayBeThere) {
  EXPECT_FALSE(HasVanished({}));
  // Nothing was on its way to it.
  EXPECT_FALSE(HasVanished({.unanswered = 0, .ms = 1'000'000}));
  // Its process is stopped, so that its kernel is asked for room each two minutes.
  EXPECT_FALSE(HasVanished({.unanswered = 1, .ms = 120'000}));
  // Segments are lost, but for no long time.
  EXPECT_FALSE(HasVanished({.unanswered = 5, .ms = 6'200}));
}

TEST(TcpSilence, ASocketThatIsNotTcpsSaysNothing) {
  int fds[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  const OwnedFd here(fds[0]), there(fds[1]);
  LetSilenceDecide(here.get());
  EXPECT_FALSE(HasVanished(SilenceOf(here.get())));
}

}  // namespace
}  // namespace llcl
