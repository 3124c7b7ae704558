#include "llcl/launch/rendezvous_wire.h"

#include <gtest/gtest.h>

#include <string>

namespace llcl {
namespace {

TEST(RendezvousWire, AnAddressIsAHostAndAPort) {
  const auto name = ParseAddress("node-7.cluster:4096"), six = ParseAddress("[fe80::1]:1");
  ASSERT_TRUE(name && six);
  EXPECT_EQ(name->host, "node-7.cluster");
  EXPECT_EQ(name->port, "4096");
  EXPECT_EQ(six->host, "fe80::1");
  for (const char* bad : {"", "host", "host:", ":1", "host:0", "host:65536", "host:1x", "fe80::1:1",
                          "host:99999999999999999999"}) {
    EXPECT_FALSE(ParseAddress(bad)) << bad;
  }
}

TEST(RendezvousWire, FramesAreCutWhereTheyEnd) {
  const std::string both =
      FormatFrame(FrameKind::kMine, "hello") + FormatFrame(FrameKind::kEnd, "");
  FrameReader reader(5);
  std::string kinds;
  for (const char byte : both) {
    reader.Append({&byte, 1});
    while (const auto frame = reader.Next()) kinds += static_cast<char>(frame->kind) + frame->bytes;
  }
  EXPECT_EQ(kinds, "mhelloe");
  EXPECT_FALSE(reader.is_bad());
}

TEST(RendezvousWire, AFrameThatIsTooLongOrOfNoKindIsNotWaitedFor) {
  FrameReader reader(5);
  reader.Append(FormatFrame(FrameKind::kMine, "longer"));
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.is_bad());
  FrameReader other(5);
  other.Append(FormatFrame(static_cast<FrameKind>('z'), ""));
  EXPECT_FALSE(other.Next());
  EXPECT_TRUE(other.is_bad());
}

TEST(RendezvousWire, EverybodysBytesComeBack) {
  const std::vector<std::string> all = {"", "one", std::string(3, '\0')};
  const std::string bytes = FormatAll(all);
  EXPECT_EQ(ParseAll(bytes, 3), all);
  EXPECT_FALSE(ParseAll(bytes, 2));
  EXPECT_FALSE(ParseAll(bytes, 4));
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(ParseAll(bytes.substr(0, cut), 3)) << cut;
  }
  EXPECT_FALSE(ParseAll(std::string(8, '\xff') + "x", 1));
}

}  // namespace
}  // namespace llcl
