// The frames of a stream are the same, however the stream is cut into pieces.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "llcl/tcp/frame_parser.h"

namespace llcl {
namespace {

using Kind = TcpFrameParser::Kind;

template <typename... Values>
void Append(std::string& stream, const Values&... values) {
  (stream.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
}

// A stream of frames of all kinds, and a line for each frame and each end of a payload.
struct Stream {
  std::string bytes;
  std::vector<std::string> expected;

  void Add(const TcpHeader& header, char fill) {
    Append(bytes, header);
    if (IsTcpRequest(header.frame)) Append(bytes, TcpTarget{.address = header.tag});
    if (header.frame == TcpFrame::kAtomic) Append(bytes, TcpOperands{.operand = header.tag});
    if (header.frame == TcpFrame::kStream) Append(bytes, TcpStreamHeader{std::byte{7}});
    const auto behind = static_cast<std::size_t>(TcpBytesBehind(header));
    bytes.append(behind, fill);
    const bool is_whole = header.frame == TcpFrame::kMessage || header.frame == TcpFrame::kEnded ||
                          header.frame == TcpFrame::kRead || header.frame == TcpFrame::kAtomic ||
                          (header.frame == TcpFrame::kWrite && behind <= kMostTcpWord);
    std::string line =
        std::to_string(static_cast<int>(header.frame)) + " " + std::to_string(header.tag) + " ";
    const bool is_empty_stream = header.frame == TcpFrame::kStream && behind == 0;
    if (is_whole || is_empty_stream) {
      expected.push_back(line + std::string(behind, fill));
    } else {
      expected.push_back(line);
      expected.push_back("payload " + std::string(behind, fill));
    }
  }
};

Stream RandomStream(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  Stream stream;
  for (int i = 0; i < 20; ++i) {
    TcpHeader header = {.frame = static_cast<TcpFrame>(1 + below(7)),
                        .tag = static_cast<Tag>(below(100))};
    if (header.frame == TcpFrame::kAtomic) header.bytes = 8;
    if (header.frame == TcpFrame::kRead) header.bytes = below(10'000);
    if (TcpBytesBehind({.frame = header.frame, .bytes = 1}) > 0)
      header.bytes = below(3) * below(20);
    if (header.frame == TcpFrame::kEnded) header.bytes = 0;
    if (header.frame == TcpFrame::kStream) header.bytes *= ++header.tag;
    stream.Add(header, static_cast<char>('a' + below(26)));
  }
  return stream;
}

// The lines of a reader that gets the stream in pieces of at most `most` bytes.
std::vector<std::string> Parsed(const std::string& stream, std::size_t most) {
  TcpFrameParser parser;
  std::vector<std::string> lines;
  std::string payload;
  std::size_t begin = 0, end = 0;
  while (true) {
    const auto bytes = std::as_bytes(std::span(stream).subspan(begin, end - begin));
    const TcpFrameParser::Step step = parser.Next(bytes);
    if (step.kind == Kind::kNonsense) return {"nonsense"};
    if (step.kind == Kind::kMore) {
      if (end == stream.size()) return lines;
      end = std::min(stream.size(), end + most);
      continue;
    }
    const std::string some(reinterpret_cast<const char*>(step.bytes.data()), step.bytes.size());
    if (step.kind == Kind::kPayload) {
      payload += some;
    } else {
      lines.push_back(std::to_string(static_cast<int>(step.header.frame)) + " " +
                      std::to_string(step.header.tag) + " " + some);
      if (IsTcpRequest(step.header.frame)) {
        EXPECT_EQ(step.target().address, step.header.tag);
      }
      if (step.header.frame == TcpFrame::kStream) {
        EXPECT_EQ(step.stream()[0], std::byte{7});
      }
      if (step.header.frame == TcpFrame::kAtomic) {
        EXPECT_EQ(step.operands().operand, step.header.tag);
      }
    }
    begin += step.used;
    if (parser.Use(step)) {
      lines.push_back("payload " + payload);
      payload.clear();
    }
  }
}

TEST(TcpFrameParser, AnyCutOfAStreamGivesTheSameFrames) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    const Stream stream = RandomStream(random);
    for (const std::size_t most :
         {std::size_t{1}, std::size_t{7}, 1 + random() % 100, stream.bytes.size()}) {
      ASSERT_EQ(Parsed(stream.bytes, most), stream.expected) << "in pieces of " << most;
    }
  }
}

TEST(TcpFrameParser, AFrameThatIsNotUsedIsGivenAgain) {
  Stream stream;
  stream.Add({.frame = TcpFrame::kMessage, .bytes = 3}, 'x');
  const TcpFrameParser parser;
  for (int times = 0; times < 2; ++times) {
    EXPECT_EQ(parser.Next(std::as_bytes(std::span(stream.bytes))).kind, Kind::kFrame);
  }
}

TEST(TcpFrameParser, AHeaderThatNoRankSendsIsNonsense) {
  TcpHeader header = {.frame = static_cast<TcpFrame>(9)};
  std::string bytes;
  Append(bytes, header);
  EXPECT_EQ(TcpFrameParser().Next(std::as_bytes(std::span(bytes))).kind, Kind::kNonsense);
}

TEST(TcpFrameParser, AStreamOfBrokenUnitsIsNonsense) {
  constexpr std::uint64_t kMost = kMostTcpStream;
  for (const auto& [unit, bytes] : std::vector<std::pair<Tag, std::uint64_t>>{
           {0, 0}, {8, 12}, {1, kMost + 1}, {kMostTcpUnit + 1, 0}}) {
    EXPECT_FALSE(IsSane({.frame = TcpFrame::kStream, .tag = unit, .bytes = bytes}))
        << unit << " " << bytes;
  }
  EXPECT_TRUE(IsSane({.frame = TcpFrame::kStream, .tag = 8, .bytes = kMost}));
}

TEST(TcpFrameParser, APayloadMayComeAnotherWay) {
  Stream stream;
  stream.Add({.frame = TcpFrame::kData, .tag = 4, .bytes = 100}, 'y');
  TcpFrameParser parser;
  const TcpFrameParser::Step step = parser.Next(std::as_bytes(std::span(stream.bytes)));
  EXPECT_FALSE(parser.Use(step));
  EXPECT_EQ(parser.payload(), 100u);
  EXPECT_FALSE(parser.UsePayload(60));
  EXPECT_TRUE(parser.UsePayload(40));
}

}  // namespace
}  // namespace llcl
