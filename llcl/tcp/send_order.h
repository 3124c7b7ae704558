// The times at which a connection sends, and the order of the pieces.
//
//             Add               Turn
//   kIdle ----------> kHeld ----------> (a turn) ---> kIdle       no piece may go
//                                        ^     |
//                                        |     +----> kTurnOver   other ranks have their turn
//                                        |     +----> kBlocked    the connection takes no more
//                    (the device polls, or there is room) |
//                                        +---------------+
//
// As Nagle's algorithm: while an answer of the rank is awaited, added bytes are held until the
// device polls, or until they are many. A turn sends a bounded number of times.
//
// Each kind of piece has a bound of its own, so that no kind takes the room of the others:
//
//   1 request     as long as fewer than kMostAsked have not ended
//   2 message     as long as fewer bytes of messages than kMostOutput are on their way
//   3 small read  answered from a copy, 4 large read: answered from the region, piece by piece;
//                 as long as fewer bytes of answers than kMostOutput are on their way
//   5 gathered    the bytes that the pieces before have added
//
// Pure. tests/tcp_send_order_model_test.cc runs this code under all orders of events, with queues
// of a few commands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "llcl/tcp/unsent_answers.h"

namespace llcl {

// Of messages to a rank, and of answers to its reads.
inline constexpr std::uint64_t kMostOutput = 128 << 10;
// So many gathered bytes do not wait for a poll.
inline constexpr std::uint64_t kSentAtOnce = 64 << 10;
// Longer payloads are sent without a copy.
inline constexpr std::uint64_t kMostCopied = 4096;

enum class TcpPiece : std::uint8_t { kRequest, kMessage, kSmallRead, kLargeRead, kGathered, kNone };

// The queues of what goes to a rank. A value.
struct TcpQueues {
  bool has_request = false, has_message = false, has_read = false, has_gathered = false;
  std::uint64_t read_bytes = 0;     // of the first read
  std::uint64_t message_bytes = 0;  // of messages that are on their way
  std::uint64_t answer_bytes = 0;   // of answers that are on their way
};

// The end of a send: all is sent, or as much as a turn may; the connection takes no more for now;
// it takes no more for ever.
enum class TcpSent : std::uint8_t { kSent, kBlocked, kGone };

// A value.
class TcpSendOrder {
 public:
  enum class Phase : std::uint8_t { kIdle, kHeld, kTurnOver, kBlocked };
  static constexpr int kMostSends = 4;  // of a turn

  Phase phase() const { return phase_; }
  // It is to be sent when the device polls.
  bool waits_for_poll() const { return phase_ == Phase::kHeld || phase_ == Phase::kTurnOver; }
  bool waits_for_room() const { return phase_ == Phase::kBlocked; }
  // Is it sent without a poll?
  bool IsReleased() const { return phase_ == Phase::kTurnOver || asked_ == untried_; }

  // Are so many gathered bytes sent at once, without a poll?
  bool IsDueAt(std::uint64_t gathered) const {
    return gathered >= kSentAtOnce && !waits_for_room();
  }

  bool MayRequest() const { return asked_ < kMostAsked; }
  // Something was added.
  void Add() {
    if (phase_ == Phase::kIdle) phase_ = Phase::kHeld;
  }
  void OnRequest() {
    ++asked_;
    ++untried_;
  }
  void OnEnd() { --asked_; }
  // The connection takes no more bytes.
  void Stop() { phase_ = Phase::kIdle; }
  // There is no connection yet: it sends once there is one.
  void Await() { phase_ = Phase::kBlocked; }
  // The gathered bytes were sent out of turn, and a frame behind them.
  void OnStreamed(TcpSent sent) {
    untried_ = 0;
    if (sent == TcpSent::kBlocked) phase_ = Phase::kBlocked;
    if (sent == TcpSent::kGone) phase_ = Phase::kIdle;
  }

  TcpPiece Next(const TcpQueues& queues) const {
    if (queues.has_request && MayRequest()) return TcpPiece::kRequest;
    if (queues.has_message && queues.message_bytes < kMostOutput) return TcpPiece::kMessage;
    if (queues.has_read && queues.answer_bytes < kMostOutput) {
      return queues.read_bytes <= kMostCopied ? TcpPiece::kSmallRead : TcpPiece::kLargeRead;
    }
    return queues.has_gathered ? TcpPiece::kGathered : TcpPiece::kNone;
  }

  // A turn. `queues()` returns the queues; `add(piece)` adds a piece of kind 1 to 3 to the gathered
  // bytes; `send(piece)` sends the gathered bytes and then the next part of a large read.
  template <typename Queues, typename AddPiece, typename SendPiece>
  void Turn(Queues queues, AddPiece add, SendPiece send) {
    for (int sends = 0; sends < kMostSends; ++sends) {
      TcpPiece next = Next(queues());
      for (; next <= TcpPiece::kSmallRead; next = Next(queues())) {
        add(next);
      }
      untried_ = 0;
      phase_ = Phase::kIdle;
      if (next == TcpPiece::kNone) return;
      switch (send(next)) {
        case TcpSent::kSent:
          break;
        case TcpSent::kBlocked:
          phase_ = Phase::kBlocked;
          return;
        case TcpSent::kGone:
          return;
      }
    }
    phase_ = Phase::kTurnOver;
  }

 private:
  Phase phase_ = Phase::kIdle;
  std::size_t asked_ = 0;    // requests that have not ended
  std::size_t untried_ = 0;  // of these: added since the last attempt to send
};

}  // namespace llcl
