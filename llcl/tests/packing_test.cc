// The packing device over a simulated network, step by step.
#include "llcl/conduit/packing.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "llcl/sim/conduit.h"
#include "llcl/sim/fabric.h"

namespace llcl {
namespace {

constexpr Tag kFirstTag = 10'000;

// A rank, whose steps are the test's.
struct Side {
  Side(SimFabric& fabric, Rank rank)
      : conduit(MakeSimConduit(fabric, rank)),
        device(*conduit, kFirstTag, Packed::kSmall),
        memory(1000) {
    region = *conduit->Register(std::as_writable_bytes(std::span(memory)));
  }

  // Writes, or adds to, a word of the other's.
  Command To(const Side& other, CommandKind kind, std::uint64_t word, Tag tag) {
    Command command;
    command.kind = kind;
    command.tag = tag;
    command.peer = other.region.remote.owner;
    command.id = other.region.remote.id;
    command.address = word * 8;
    command.bytes = 8;
    command.operand = 1;
    command.local = region.local.start + 8 * word;
    command.local_id = region.local.id;
    return command;
  }
  void Step() {
    std::array<Ended, 64> some;
    const std::size_t count = device.Poll(some);
    for (const Ended& one : std::span(some).first(count)) ended.push_back(one);
    Inbox inbox;
    device.Receive(inbox);
  }

  std::unique_ptr<Conduit> conduit;
  PackingDevice device;
  std::vector<std::uint64_t> memory;
  Conduit::Registered region;
  std::vector<Ended> ended;
};

TEST(Packing, OperationsThatArePostedOneByOneTravelTogether) {
  SimFabric fabric({.ranks = 2});
  Side one(fabric, Rank{0}), other(fabric, Rank{1});
  std::iota(one.memory.begin(), one.memory.end(), 1);
  for (Tag tag = 0; tag < 64; ++tag) {
    const Command command = one.To(other, CommandKind::kWrite, tag, tag);
    ASSERT_EQ(one.device.Post({&command, 1}), 1u);
  }
  EXPECT_TRUE(one.device.IsHolding());
  while (one.ended.size() < 64) {
    one.Step();
    other.Step();
  }
  EXPECT_FALSE(one.device.IsHolding());
  EXPECT_EQ(one.device.requests_sent(), 1);
  for (const Ended& ended : one.ended) EXPECT_EQ(ended.outcome, Outcome::kDone);
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_EQ(other.memory[i], i + 1);
}

TEST(Packing, RanksThatAskEachOtherForMoreThanTheyHoldAreBothAnswered) {
  SimFabric fabric({.ranks = 2});
  Side one(fabric, Rank{0}), other(fabric, Rank{1});
  constexpr Tag kEach = 9'000;
  Tag next_one = 0, next_other = 0;
  const auto post = [](Side& from, Side& to, Tag& next) {
    while (next < kEach) {
      const Command command = from.To(to, CommandKind::kAtomic, next % 1000, next);
      if (from.device.Post({&command, 1}) == 0) return;
      ++next;
    }
  };
  for (int steps = 0; one.ended.size() < kEach || other.ended.size() < kEach; ++steps) {
    ASSERT_LT(steps, 100'000) << "they wait for each other";
    post(one, other, next_one);
    post(other, one, next_other);
    one.Step();
    other.Step();
  }
  for (const std::uint64_t word : one.memory) EXPECT_EQ(word, kEach / 1000);
  EXPECT_EQ(one.memory, other.memory);
}

TEST(Packing, ARefusedOperationDoesNotHarmThoseBesideIt) {
  SimFabric fabric({.ranks = 2});
  Side one(fabric, Rank{0}), other(fabric, Rank{1});
  Command commands[] = {one.To(other, CommandKind::kAtomic, 0, 0),
                        one.To(other, CommandKind::kAtomic, 1, 1),
                        one.To(other, CommandKind::kAtomic, 2, 2)};
  commands[1].id.generation += 2;
  ASSERT_EQ(one.device.Post(commands), 3u);
  while (one.ended.size() < 3) {
    one.Step();
    other.Step();
  }
  for (const Ended& ended : one.ended) {
    EXPECT_EQ(ended.outcome, ended.tag == 1 ? Outcome::kRefused : Outcome::kDone);
  }
  EXPECT_EQ(other.memory[0], 1u);
  EXPECT_EQ(other.memory[1], 0u);
  EXPECT_EQ(other.memory[2], 1u);
}

TEST(Packing, ARequestToALostRankEnds) {
  SimFabric fabric({.ranks = 2});
  Side one(fabric, Rank{0}), other(fabric, Rank{1});
  const Command command = one.To(other, CommandKind::kAtomic, 0, 0);
  ASSERT_EQ(one.device.Post({&command, 1}), 1u);
  fabric.Kill(Rank{1});
  for (int steps = 0; one.ended.empty(); ++steps) {
    ASSERT_LT(steps, 1'000);
    one.Step();
  }
  EXPECT_EQ(one.ended.front().outcome, Outcome::kPeerDown);
}

// A message of another process, which may say anything: as PackingDevice's own.
struct Item {
  CommandKind kind{};
  AtomicType type{};
  AtomicOp op{};
  std::uint8_t fetches = 0;
  std::uint32_t bytes = 0;
  RegionId id;
  std::uint64_t address = 0, operand = 0, expected = 0;
};
void Send(Side& one, Side& other, std::uint16_t count, const Item& item) {
  struct Header {
    std::uint16_t kind, count;
    std::uint32_t pack;
  };
  static std::array<std::byte, kMostMessageBytes> bytes;
  const Header header = {0x100, count, 0};
  std::memcpy(bytes.data(), &header, sizeof header);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(bytes.data() + sizeof header + i * sizeof item, &item, sizeof item);
  }
  Command message;
  message.kind = CommandKind::kMessage;
  message.tag = kFirstTag + 63;
  message.peer = other.region.remote.owner;
  message.local = bytes.data();
  message.bytes = sizeof header + count * sizeof item;
  ASSERT_EQ(one.conduit->device().Post({&message, 1}), 1u);
  std::array<Ended, 64> some;
  for (int i = 0; i < 100; ++i) {
    (void)one.conduit->device().Poll(some);
    other.Step();
  }
}

TEST(Packing, ARequestThatMakesNoSenseChangesNothing) {
  SimFabric fabric({.ranks = 2});
  Side one(fabric, Rank{0}), other(fabric, Rank{1});
  std::iota(other.memory.begin(), other.memory.end(), 1);
  const RegionId id = other.region.remote.id;
  // The message is as the device's own: one that makes sense is executed.
  Send(one, other, 1,
       {.kind = CommandKind::kAtomic,
        .type = TypeOf<std::uint64_t>(),
        .op = AtomicOp::kAdd,
        .bytes = 8,
        .id = id,
        .operand = 41});
  ASSERT_EQ(other.memory[0], 42u);
  const std::vector<std::uint64_t> before = other.memory;
  const Conduit::Registered word =
      *other.conduit->Register(std::as_writable_bytes(std::span(other.memory).first(1)));
  const Item items[] = {{.kind = static_cast<CommandKind>(9), .bytes = 3968, .id = id},
                        {.kind = CommandKind::kAtomic,
                         .type = TypeOf<std::uint64_t>(),
                         .op = AtomicOp::kAdd,
                         .bytes = 1,
                         .id = word.remote.id,
                         .address = 7,
                         .operand = ~std::uint64_t{0} >> 8},
                        {.kind = CommandKind::kAtomic,
                         .type = TypeOf<std::uint64_t>(),
                         .op = AtomicOp::kAdd,
                         .bytes = 8,
                         .id = id,
                         .address = 12,
                         .operand = 1},
                        {.kind = CommandKind::kAtomic,
                         .type = static_cast<AtomicType>(200),
                         .op = AtomicOp::kAdd,
                         .bytes = 8,
                         .id = id,
                         .operand = 1},
                        {.kind = CommandKind::kAtomic,
                         .type = TypeOf<std::uint64_t>(),
                         .op = AtomicOp::kAdd,
                         .fetches = 2,
                         .bytes = 8,
                         .id = id,
                         .operand = 1},
                        // A reply that no message has room for: that nothing crashes.
                        {.kind = CommandKind::kRead, .bytes = 3968, .id = id}};
  for (const Item& item : items) {
    Send(one, other, &item == &items[5] ? 80 : 1, item);
    EXPECT_EQ(other.memory, before) << "item " << &item - items;
  }
}

}  // namespace
}  // namespace llcl
