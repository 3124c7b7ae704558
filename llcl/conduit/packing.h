// Packs small operations on the memory of one rank into one message, which that rank
// executes and answers with one message.
//
// A device on top of another. On networks where a message costs much more than the
// bytes in it, as by TCP, a stream of small operations becomes several times as fast.
// Operations posted by a TryPost each are gathered until the device is polled, which a
// waiting thread does at once.
//
// All atomics go this way, so that the processor that owns a word is the one agent that
// changes it: all ranks of a job pack, or none.
//
// Where other ranks cannot do everything themselves, the operations go this way that their owners
// have to execute (Conduit::IsForOwner), of any size: long ones by pieces.
//
// Threads: as device.h.
//
// Source: [ET17] section 4.2 (doorbells rung once for many requests) is the same idea
// one level below.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "llcl/conduit/conduit.h"
#include "llcl/executor/command.h"
#include "llcl/executor/device.h"

namespace llcl {

// The operations that go in messages.
enum class Packed {
  kSmall,      // all atomics, and what is small
  kForOwners,  // those that only their owners can execute
};

// A resource. `conduit` and its device outlive it.
class PackingDevice final : public Device {
 public:
  // Operations of at most so many bytes are packed.
  static constexpr std::uint64_t kMostPacked = 256;

  // Tags from `first_tag` on are its own, for the device below.
  PackingDevice(Conduit& conduit, Tag first_tag, Packed packed);

  std::size_t Post(std::span<const Command> commands) override;
  std::size_t Poll(std::span<Ended> ended) override;
  void Receive(Inbox& inbox) override;
  bool IsDown(Rank rank) const override { return below_.IsDown(rank); }
  int losses() const override { return below_.losses(); }
  void OnLeft(Rank rank) override { below_.OnLeft(rank); }
  bool HasMet(Rank rank) const override { return below_.HasMet(rank); }
  bool meets_on_use() const override { return below_.meets_on_use(); }
  Contact ContactOf(Rank rank) const override { return below_.ContactOf(rank); }
  void Doubt(Rank rank) override { below_.Doubt(rank); }
  void Meet(Rank rank) override { below_.Meet(rank); }
  void StopMeeting() override { below_.StopMeeting(); }
  bool delivers_last_messages() const override { return below_.delivers_last_messages(); }
  bool IsHolding() const override { return open_packs_ > 0 || !unsent_.empty() || CanGoOn(); }
  Left Release() override { return std::max(LeftOf(IsHolding(), ended_.size()), below_.Release()); }
  int wait_descriptor() const override { return below_.wait_descriptor(); }
  // Requests that it has sent.
  std::int64_t requests_sent() const { return requests_sent_; }
  std::uint64_t activity() const override { return below_.activity() + activity_; }
  bool Disarm() override { return below_.Disarm(); }
  bool TryArm() override { return ended_.empty() && !IsHolding() && below_.TryArm(); }

 private:
  // Messages of the kinds below these are the messenger's (messenger.h).
  enum class Kind : std::uint16_t { kRequest = 0x100, kReply };
  struct Header {
    Kind kind{};
    std::uint16_t count = 0;  // operations
    std::uint32_t pack = 0;   // its number at the requesting rank
  };
  // An operation in a request; the bytes of a write follow it.
  struct Item {
    CommandKind kind{};
    AtomicType type{};
    AtomicOp op{};
    std::uint8_t fetches = 0;  // 1, of an atomic whose old value is asked for
    std::uint32_t bytes = 0;
    RegionId id;
    std::uint64_t address = 0, operand = 0, expected = 0;
  };
  // A message of this rank's until it is sent; if a request, until its reply has come.
  struct Pack {
    std::array<std::byte, kMostMessageBytes> bytes;
    std::size_t used = 0, reply_bytes = 0;
    Rank peer{};
    std::vector<Command> commands;  // of a request
    bool is_free = true, is_sent = true, is_answered = true;
  };
  static constexpr std::uint32_t kPacks = 64;
  // So many may be requests; the others are for replies, without which no request's pack gets free.
  static constexpr int kMostRequests = 32;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Bytes of an operation that one message has room for.
  static constexpr std::uint64_t kMostOfPiece = kMostMessageBytes - 128;
  static_assert(sizeof(Header) + sizeof(Item) <= 128);
  // A long operation: its pieces are asked for from the first to the last, until one fails.
  struct Long {
    Command command;
    std::uint64_t asked = 0;   // bytes
    std::uint64_t pieces = 0;  // under way
    Outcome outcome = Outcome::kDone;
    bool is_free = true;

    bool has_more() const { return !is_free && outcome == Outcome::kDone && asked < command.bytes; }
  };
  static constexpr std::size_t kMostLong = 16;
  static constexpr Tag kFirstOfLong = kPacks;  // from first_tag_ on

  bool IsPacked(const Command& command) const {
    if (command.kind == CommandKind::kMessage) return false;
    if (packed_ == Packed::kForOwners) return conduit_.IsForOwner(command);
    return command.kind == CommandKind::kAtomic ||
           ((command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite) &&
            command.bytes <= kMostPacked);
  }
  // Nothing of its own is under way.
  bool IsIdle() const {
    return packs_in_use_ == 0 && longs_under_way_ == 0 && replies_.empty() && ended_.empty();
  }
  static bool IsOperation(const Item& item);
  // Including the outcome.
  static std::size_t ReplyBytes(const Command& command);
  // kNoMemory: the program has given up the memory of the bytes to write.
  enum class Added { kAdded, kNoRoom, kNoMemory };
  Added TryAdd(const Command& command);
  bool TryBegin(const Command& command);
  void GoOn();
  bool CanGoOn() const {
    return longs_under_way_ > 0 && requests_ < kMostRequests &&
           std::any_of(longs_.begin(), longs_.end(),
                       [](const Long& one) { return one.has_more(); });
  }
  void End(Tag tag, Outcome outcome);
  bool IsOurs(std::span<const std::byte> message) const;
  std::uint32_t TryTake(Rank peer);
  void Close(Rank peer);
  void Send(std::uint32_t pack);
  void SendUnsent();
  void OnSent(std::uint32_t pack);
  void OnAnswered(Pack& pack);
  void FreeIfDone(Pack& pack);
  void OnRequest(Rank from, std::span<const std::byte> message);
  void OnReply(Rank from, std::span<const std::byte> message);
  void SendReplies();
  void ForgetLost();

  Conduit& conduit_;
  Device& below_;
  const Tag first_tag_;
  const Packed packed_;
  std::vector<std::unique_ptr<Pack>> packs_;
  std::vector<std::uint32_t> open_;  // by rank: the pack that operations are added to, or none
  int packs_in_use_ = 0;
  int open_packs_ = 0;
  int requests_ = 0;                  // packs that are requests: open, on their way, unanswered
  std::deque<std::uint32_t> unsent_;  // closed, and not taken by the device below
  struct Reply {
    Rank to;
    std::vector<std::byte> bytes;
  };
  std::deque<Reply> replies_;  // those that wait for a pack
  std::array<Long, kMostLong> longs_;
  std::size_t longs_under_way_ = 0;
  std::uint64_t activity_ = 0;
  std::deque<Ended> ended_;
  int losses_seen_ = 0;
  std::int64_t requests_sent_ = 0;
};

}  // namespace llcl
