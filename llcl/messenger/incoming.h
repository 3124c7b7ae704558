// Large messages that come in: each waits for room, then its pieces are read.
//
//   TryAccept --> waits --Start--> is read, a few pieces at a time --(IsOver)--> Remove
//                   |(OnWithdraw)
//                   (gone)
//
// Of each sender and slot the lowest generation that may still come is known: so no message is
// read twice, and none after its sender was answered that it never will be.
//
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "llcl/messenger/form.h"
#include "llcl/messenger/outgoing.h"
#include "llcl/outcome.h"
#include "llcl/region.h"

namespace llcl {

// Where a large message is. A value, also on the wire.
struct Announcement {
  RemoteRegion region;
  std::uint64_t at = 0, bytes = 0;  // in it
  LargeId id;
};

// A large message that comes in. A value.
class IncomingMessage {
 public:
  static constexpr std::uint64_t kPieceBytes = 256 * 1024;
  static constexpr int kMostPieces = 4;  // under way at a time

  IncomingMessage(Rank sender, std::uint16_t its_handler, MessageForm its_form,
                  const Announcement& announced)
      : from(sender), handler(its_handler), form(its_form), announcement(announced) {}

  const Rank from;
  const std::uint16_t handler;
  const MessageForm form;
  const Announcement announcement;
  void* owner = nullptr;   // for completions
  std::uint64_t room = 0;  // where it is put
  bool has_room = false;
  bool is_posting = true;  // by a thread, that goes on until Next() has none

  struct Piece {
    std::uint64_t at = 0, bytes = 0;
  };
  // The next piece to read; nothing where all are read or under way, or one has failed.
  std::optional<Piece> Next() {
    if (outcome_ != Outcome::kDone || under_way_ == kMostPieces || next_ == announcement.bytes) {
      return std::nullopt;
    }
    const Piece piece = {next_, std::min(kPieceBytes, announcement.bytes - next_)};
    next_ += piece.bytes;
    ++under_way_;
    return piece;
  }
  void End(Outcome outcome) {
    --under_way_;
    if (outcome_ == Outcome::kDone) outcome_ = outcome;
    may_be_written_ = may_be_written_ || IsGone(outcome) || outcome == Outcome::kLate ||
                      outcome == Outcome::kAborted;
  }
  // It cannot be read at all.
  void Refuse(Outcome outcome) { outcome_ = outcome; }

  bool IsOver() const {
    return under_way_ == 0 && (outcome_ != Outcome::kDone || next_ == announcement.bytes);
  }
  Outcome outcome() const { return outcome_; }
  // May the network still write to its room?
  bool may_be_written() const { return may_be_written_; }

 private:
  std::uint64_t next_ = 0;  // the first byte that no piece has yet
  int under_way_ = 0;
  Outcome outcome_ = Outcome::kDone;  // of the first piece that failed
  bool may_be_written_ = false;
};

// A value, but not copied: completions point into it.
class IncomingMessages {
 public:
  // `most_open`: of a sender.
  IncomingMessages(int ranks, std::uint32_t most_open)
      : most_open_(most_open), senders_(static_cast<std::size_t>(ranks)) {}
  IncomingMessages(const IncomingMessages&) = delete;
  IncomingMessages& operator=(const IncomingMessages&) = delete;

  // False: it has come before or was withdrawn, or its sender has too many.
  [[nodiscard]] bool TryAccept(const IncomingMessage& message);

  // The oldest that waits; null: none does.
  const IncomingMessage* waiting() const { return waiting_.empty() ? nullptr : &waiting_.front(); }
  // Begins to read waiting(), and returns it. The message stays at this address until Remove.
  IncomingMessage& Start();
  void Remove(const IncomingMessage& message);

  // The sender has given up the message, and wants an answer.
  enum class Withdrawn {
    kNonsense,
    kUnseen,    // it had not come, and will not any more
    kWaited,    // it is dropped: `form`
    kReading,   // the answer follows when it is read
    kAnswered,  // it was answered already
  };
  Withdrawn OnWithdraw(Rank from, LargeId id, MessageForm& form);

  void DropWaiting();
  bool empty() const { return waiting_.empty() && reading_.empty(); }

 private:
  struct Sender {
    std::uint32_t open = 0;
    std::vector<std::uint32_t> lowest;  // generation that may come, by slot; empty: 0
  };
  Sender& Of(Rank rank) { return senders_[static_cast<std::size_t>(ToInt(rank))]; }

  std::uint32_t most_open_;
  std::vector<Sender> senders_;
  std::list<IncomingMessage> waiting_, reading_;
};

}  // namespace llcl
