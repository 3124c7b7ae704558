#include "llcl/launch/input_frames.h"

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
    FrameReader reader;
    std::vector<std::string> received;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.Feed(std::string_view(stream).substr(at, piece));
      while (true) {
        const auto frame = reader.Next();
        ASSERT_TRUE(frame.ok()) << frame.status();
        if (!frame->has_value()) break;
        received.push_back(**frame);
      }
    }
    EXPECT_EQ(received, sent) << piece;
  }
}

TEST(InputFrames, OfNoLengthOfOursAreRefused) {
  FrameReader reader;
  reader.Feed("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(absl::IsInvalidArgument(reader.Next().status()));
  EXPECT_TRUE(absl::IsInvalidArgument(reader.Next().status()));
}

}  // namespace
}  // namespace llcl
