#include "llcl/start/pmi_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace llcl {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Server : public testing::Test {
 protected:
  // The one answer to `line`.
  std::string Ask(int rank, std::string_view line) {
    const auto replies = server_.Handle(rank, line);
    EXPECT_EQ(replies.size(), 1u);
    if (replies.empty()) return "";
    EXPECT_EQ(replies[0].rank, rank);
    return replies[0].line;
  }
  PmiServer server_{3};
};

TEST_F(Server, AValueThatIsPutIsGotByAll) {
  EXPECT_THAT(Ask(0, "cmd=put kvsname=llcl key=a value=1"), HasSubstr("rc=0"));
  EXPECT_THAT(Ask(2, "cmd=get kvsname=llcl key=a"), HasSubstr("value=1"));
  EXPECT_THAT(Ask(1, "cmd=get kvsname=llcl key=b"), HasSubstr("rc=-1"));
  EXPECT_THAT(Ask(1, "cmd=put kvsname=llcl key=a value=2"), HasSubstr("duplicate"));
}

TEST_F(Server, ABarrierLetsAllGoWhenTheLastIsIn) {
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(server_.Handle(1, "cmd=barrier_in"), IsEmpty());
    EXPECT_THAT(server_.Handle(0, "cmd=barrier_in"), IsEmpty());
    EXPECT_EQ(server_.waiting(), 2);
    const auto replies = server_.Handle(2, "cmd=barrier_in");
    ASSERT_EQ(replies.size(), 3u);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(replies[static_cast<std::size_t>(rank)].rank, rank);
      EXPECT_THAT(replies[static_cast<std::size_t>(rank)].line, HasSubstr("barrier_out"));
    }
    EXPECT_EQ(server_.waiting(), 0);
  }
}

TEST_F(Server, ARankThatIsInTheBarrierTwiceGetsAnError) {
  EXPECT_THAT(server_.Handle(1, "cmd=barrier_in"), IsEmpty());
  EXPECT_THAT(Ask(1, "cmd=barrier_in"), HasSubstr("rc=-1"));
}

TEST_F(Server, AnAbortIsForAll) {
  EXPECT_FALSE(server_.is_aborted());
  EXPECT_THAT(server_.Handle(1, "cmd=abort exitcode=9 error_msg=why_not"), IsEmpty());
  EXPECT_TRUE(server_.is_aborted());
  EXPECT_EQ(server_.exit_code(), 9);
  EXPECT_EQ(server_.reason(), "why_not");
}

TEST_F(Server, AnUnknownCommandIsAnErrorAndNoMore) {
  EXPECT_THAT(Ask(0, "cmd=spawn nprocs=5"), HasSubstr("rc=-1"));
  EXPECT_THAT(Ask(0, "gibberish"), HasSubstr("rc=-1"));
  EXPECT_THAT(Ask(0, ""), HasSubstr("rc=-1"));
}

}  // namespace
}  // namespace llcl
