#include "llcl/start/input_frames.h"

#include <gtest/gtest.h>

#include <vector>

namespace llcl {
namespace {

TEST(InputFrames, AreTheBytesThatWereFramedInPiecesOfAnySize) {
  const std::vector<std::string> sent = {"a", std::string(kMostFrameBytes, 'x'), "", "end"};
  std::string stream;
  for (const std::string& bytes : sent) stream += FrameOf(bytes);
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{3}, std::size_t{4096}, stream.size()}) {
    InputFrameReader reader;
    std::vector<std::string> received;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.Feed(std::string_view(stream).substr(at, piece));
      while (true) {
        const auto frame = reader.Next();
        ASSERT_TRUE(frame.ok()) << frame.status();
        if (!frame->has_value()) break;
        received.push_back((*frame)->bytes);
      }
    }
    EXPECT_EQ(received, sent) << piece;
  }
}

TEST(InputFrames, OfNoLengthOfOursAreRefused) {
  InputFrameReader reader;
  reader.Feed("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(absl::IsInvalidArgument(reader.Next().status()));
  EXPECT_TRUE(absl::IsInvalidArgument(reader.Next().status()));
}

TEST(InputFrames, CarrySignalsInTheirOrder) {
  InputFrameReader reader;
  reader.Feed(FrameOf("a") + FrameOfSignal(10) + FrameOf("b"));
  EXPECT_EQ((*reader.Next())->bytes, "a");
  EXPECT_EQ((*reader.Next())->signal, 10);
  EXPECT_EQ((*reader.Next())->signal, 0);
  for (const int none : {0, 65, 1 << 20}) {
    InputFrameReader wrong;
    wrong.Feed(FrameOfSignal(none));
    EXPECT_TRUE(absl::IsInvalidArgument(wrong.Next().status())) << none;
  }
}

TEST(InputFrames, BeginWithTheSecretAndTheVariables) {
  const ProxyStart start = {
      .secret = "secret",
      .environment = {
          {"A", "1"}, {"EMPTY", ""}, {"LINES", "a\nb=c"}, {"LONG", std::string(200'000, 'x')}}};
  InputFrameReader reader;
  reader.Feed(FramesOf(start) + FrameOf("input"));
  EXPECT_EQ((*reader.Next())->bytes, "secret");
  std::string variables;
  for (auto frame = reader.Next(); !(*frame)->bytes.empty(); frame = reader.Next()) {
    variables += (*frame)->bytes;
  }
  EXPECT_EQ(*ParseVariables(variables), start.environment);
  EXPECT_EQ((*reader.Next())->bytes, "input");
  EXPECT_TRUE(ParseVariables("")->empty());
  for (const std::string& wrong :
       {std::string("A=1"), std::string("A\0", 2), std::string("=1\0", 3), std::string("\0", 1)}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseVariables(wrong).status())) << wrong;
  }
}

}  // namespace
}  // namespace llcl
