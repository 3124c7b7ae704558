// Messages for aggregators and accumulates may hold anything: they touch no memory but that of the
// region or the buffers that they name. Under a sanitizer, an access out of bounds fails the test;
// the seed of a failure is printed.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "llcl/accumulate/accumulates.h"
#include "llcl/aggregator_core.h"
#include "llcl/conduit/executors.h"
#include "llcl/conduit/registration.h"
#include "llcl/endpoint.h"
#include "llcl/messenger.h"
#include "llcl/messenger/retries.h"
#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"
#include "llcl/tests/mangled_inputs.h"

namespace llcl {
namespace {

template <typename T>
std::string BytesOfValue(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

class NoBulk : public Bulk {
 public:
  absl::StatusOr<Region> Allocate(std::uint64_t) override { return absl::InternalError("none"); }
  void Read(const RemoteAddress&, const LocalAddress&, std::uint64_t, Completion) override {}
  Presence PresenceOf(Rank) const override { return Presence::kHere; }
  std::uint64_t overdue() const override { return 0; }
};

TEST(MangledRecords, OfAccumulatesChangeTheRegionAlone) {
  SimFabric fabric({.ranks = 2});
  const auto conduit = MakeSimConduit(fabric, Rank{0});
  Executors executors(*conduit, {}, nullptr);
  Registration registration(*conduit, executors);
  // The region lies between words that nobody may write.
  constexpr std::uint64_t kGuard = 0x5A5A'5A5A'5A5A'5A5A;
  const auto memory = std::make_unique<std::array<std::uint64_t, 12>>();
  memory->fill(kGuard);
  const auto region =
      registration.Register(std::as_writable_bytes(std::span(*memory).subspan(4, 4)));
  ASSERT_TRUE(region.ok());
  std::vector<std::string> valid;
  const auto post = [&](const Command& command, Completion then, Completion released) {
    // Behind the messenger's header.
    valid.emplace_back(reinterpret_cast<const char*>(command.local) + Messenger::kHeaderBytes,
                       command.bytes - Messenger::kHeaderBytes);
    then.Complete(Outcome::kDone);
    released.Complete(Outcome::kDone);
    return Posted::kPosted;
  };
  Retries retries;
  NoBulk bulk;
  const auto messenger = std::make_unique<Messenger>(2, MessengerOptions{}, post, retries);
  {
    // Another rank's pieces, and the answers to them.
    Accumulates origin(2, *messenger, registration, bulk);
    const std::uint64_t words[] = {1, 2};
    for (const std::uint64_t offset : {0, 8, 16}) {
      ASSERT_EQ(origin.TryAccumulate({.from = std::as_bytes(std::span(words)),
                                      .to = {region->remote(), offset},
                                      .type = ElementType::kU64,
                                      .op = AtomicOp::kAdd}),
                Posted::kPosted);
    }
    origin.Abort();
  }
  ASSERT_GE(valid.size(), 3u);
  const std::vector<std::string> seeds(valid.begin(), valid.begin() + 3);
  ForEachMangled(seeds, [&](const std::string& input) {
    valid.clear();
    Accumulates owner(2, *messenger, registration, bulk);
    (void)owner.OnMessage(Rank{1}, AsBytes(input));
    (void)owner.OnMessage(Rank{1}, AsBytes(input));
    EXPECT_FALSE(owner.OnMessage(Rank{2}, AsBytes(input)));
    for (std::size_t i = 0; i < memory->size(); ++i) {
      const bool is_of_region = i >= 4 && i < 8;
      EXPECT_TRUE(is_of_region || (*memory)[i] == kGuard) << i;
    }
  });
}

TEST(MangledRecords, OfAggregatorsAreHandledInTheirBuffers) {
  SimFabric fabric({.ranks = 1});
  EndpointOptions options;
  options.executor.mode = Mode::kDirect;
  Endpoint endpoint(MakeSimConduit(fabric, Rank{0}), options);
  std::uint64_t handled = 0;
  constexpr std::size_t kBytes = 256, kRecord = 24;
  auto core = AggregatorCore::Make(endpoint, endpoint.world(), {kRecord, kRecord + 8, 8},
                                   [&](std::span<const std::byte> records) {
                                     handled += records.size();
                                     EXPECT_LE(records.size(), kBytes);
                                     EXPECT_EQ(records.size() % kRecord, 0u);
                                     // Each byte is read.
                                     for (const std::byte byte : records)
                                       handled += std::to_integer<std::uint64_t>(byte) & 0;
                                   },
                                   {.bytes = kBytes});
  ASSERT_TRUE(core.ok()) << core.status();
  std::vector<std::string> valid;
  for (const auto kind : {BufferNotice::Kind::kFilled, BufferNotice::Kind::kReturned}) {
    for (std::uint8_t buffer = 0; buffer < 2; ++buffer) {
      valid.push_back(BytesOfValue(
          BufferNotice{.entries = 3, .epoch = buffer, .kind = kind, .buffer = buffer}));
    }
  }
  ForEachMangled(valid, [&](const std::string& input) {
    BufferNotice notice;
    if (input.size() < sizeof notice) return;
    std::memcpy(&notice, input.data(), sizeof notice);
    (void)(*core)->OnNotice(Rank{0}, notice);
    EXPECT_FALSE((*core)->OnNotice(Rank{1}, notice));
    (void)endpoint.TryAdvance();
  });
  EXPECT_GT(handled, 0u);
  (*core)->Close();
}

}  // namespace
}  // namespace llcl
