// llcl/smp/channel.h's own code under interleavings.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "llcl/smp/channel.h"
#include "llcl/smp/mailbox.h"
#include "tools/model/interleavings.h"
#include "topo/atomic.h"

namespace llcl {
namespace {

// One writer of frames with payloads that differ in size, so that they wrap around the room of 128
// bytes in different places; one reader, that sleeps where there is nothing.
struct Game {
  using Channel = BasicChannel<model::Atomic, 2>;
  static constexpr std::size_t kRoom = 128;

  Game()
      : channel(new (memory.data()) Channel{}), writer(*channel, kRoom), reader(*channel, kRoom) {}
  ~Game() { channel->~Channel(); }
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  static std::vector<std::byte> PayloadOf(std::uint64_t number) {
    constexpr std::size_t kSizes[] = {60, 0, 8, 40};
    return std::vector<std::byte>(kSizes[number % 4], static_cast<std::byte>(number + 1));
  }
  bool Write(std::uint64_t number) {
    std::array<std::byte, Channel::kHeaderBytes> header = {};
    std::memcpy(header.data(), &number, sizeof number);
    if (!writer.TryWrite(header, PayloadOf(number))) return false;
    if (sleep.MustWake()) {
      doorbell.Store(1, std::memory_order_release);
      doorbell.WakeAll();
    }
    return true;
  }
  // Waits for the reader where there is no room.
  void WriteAll(std::uint64_t count) {
    for (std::uint64_t number = 0; number < count; ++number) {
      while (true) {
        const std::uint64_t before = taken.Load(std::memory_order_acquire);
        if (Write(number)) break;
        taken.WaitWhile(before);
      }
    }
  }
  void ReadAll(std::uint64_t count) {
    while (received < count) {
      const Channel::Found found = reader.Read(
          64, [&](std::span<const std::byte> header, std::span<const std::byte> payload) {
            std::uint64_t number = 0;
            std::memcpy(&number, header.data(), sizeof number);
            model::Require(number == received, "frames come in their order");
            const std::vector<std::byte> expected = PayloadOf(number);
            model::Require(payload.size() == expected.size() &&
                               std::equal(payload.begin(), payload.end(), expected.begin()),
                           "a payload is what was written");
            return true;
          });
      model::Require(found != Channel::Found::kNonsense, "what was written is a frame");
      if (found == Channel::Found::kFrame) {
        ++received;
        taken.Store(received, std::memory_order_release);
        taken.WakeAll();
        continue;
      }
      sleep.StartSleep();
      if (!reader.empty()) {
        sleep.EndSleep();
        continue;
      }
      doorbell.WaitWhile(0);
      doorbell.Store(0, std::memory_order_relaxed);
      sleep.EndSleep();
    }
  }

  alignas(64) std::array<std::byte, sizeof(Channel) + kRoom> memory = {};
  Channel* const channel;
  Channel::Writer writer;
  Channel::Reader reader;
  BasicSleepWord<model::Atomic> sleep{};
  model::Atomic<int> doorbell{0};
  model::Atomic<std::uint64_t> taken{0};
  std::uint64_t received = 0;
};

TEST(ChannelModel, FramesComeWholeAndInOrderAndASleepingReaderIsWoken) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto game = std::make_shared<Game>();
        return model::Program{{[=] { game->ReadAll(4); }, [=] { game->WriteAll(4); }},
                              [=] { model::Require(game->received == 4, "all frames"); }};
      },
      {.preemptions = 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// A channel and 128 bytes of payloads. On the heap: GCC's AddressSanitizer aligns no object on the
// stack to 64 bytes.
template <typename Channel>
struct Memory {
  alignas(64) std::array<std::byte, sizeof(Channel) + 128> bytes = {};
};

// A writer that writes anything: the reader stays within the channel, and says so.
TEST(Channel, NonsenseIsFoundAndNothingOutsideIsRead) {
  using Channel = BasicChannel<topo::Atomic, 2>;
  struct Slot {
    std::uint64_t number;
    std::uint32_t bytes, at;
  };
  for (const Slot slot : {Slot{5, 0, 0}, Slot{1, 65, 0}, Slot{1, 64, 65}, Slot{1, 64, ~0u},
                          Slot{1, ~0u, 0}, Slot{~0ull, 8, 0}}) {
    const auto memory = std::make_unique<Memory<Channel>>();
    auto* const channel = new (memory->bytes.data()) Channel{};
    std::memcpy(memory->bytes.data() + 64, &slot, sizeof slot);
    Channel::Reader reader(*channel, 128);
    EXPECT_EQ(reader.Read(64,
                          [](std::span<const std::byte>, std::span<const std::byte>) {
                            ADD_FAILURE() << "it is no frame";
                            return true;
                          }),
              Channel::Found::kNonsense);
  }
}

TEST(Channel, AFrameMayBeLeftForLater) {
  using Channel = BasicChannel<topo::Atomic, 2>;
  const auto memory = std::make_unique<Memory<Channel>>();
  auto* const channel = new (memory->bytes.data()) Channel{};
  Channel::Writer writer(*channel, 128);
  Channel::Reader reader(*channel, 128);
  const std::array<std::byte, Channel::kHeaderBytes> header = {};
  EXPECT_TRUE(writer.TryWrite(header, {}));
  const auto take = [](bool takes) {
    return [takes](std::span<const std::byte>, std::span<const std::byte>) { return takes; };
  };
  EXPECT_EQ(reader.Read(64, take(false)), Channel::Found::kLeft);
  EXPECT_FALSE(reader.empty());
  EXPECT_EQ(reader.Read(64, take(true)), Channel::Found::kFrame);
  EXPECT_EQ(reader.Read(64, take(true)), Channel::Found::kNothing);
  EXPECT_TRUE(reader.empty());
}

}  // namespace
}  // namespace llcl
