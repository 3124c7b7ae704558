// Bytes to another rank: this rank's requests and messages, and answers. send_order.h has the
// order.
//
// Large writes are sent from the program's memory, large reads from the region, in pieces. The rest
// of a piece that finds no room is copied, so that the region may be deregistered meanwhile; the
// read then ends with a refusal.
//
// Threads: one at a time, under the executor's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "llcl/executor/command.h"
#include "llcl/tcp/connection.h"
#include "llcl/tcp/frame.h"
#include "llcl/tcp/output.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"
#include "llcl/tcp/send_order.h"
#include "llcl/tcp/unsent_answers.h"

namespace llcl {

// A resource. The arguments of the constructor outlive it.
class TcpSender {
 public:
  TcpSender(TcpConnection& connection, TcpRequests& requests, TcpRegions& regions)
      : connection_(connection), requests_(requests), regions_(regions) {}
  TcpSender(const TcpSender&) = delete;
  TcpSender& operator=(const TcpSender&) = delete;

  const TcpSendOrder& order() const { return order_; }
  // Bytes that the connection has not taken.
  std::size_t unsent_bytes() const { return output_.bytes(); }
  // Has the connection taken so many bytes since its beginning?
  bool HasSent(std::uint64_t bytes) const { return output_.sent() >= bytes; }
  // True: only waiting commands are left.
  bool is_empty() const { return output_.empty() && reads_.empty(); }
  // Has anything been posted that may not be dropped, since the last Lose?
  bool has_requests() const { return has_requests_; }
  // Answers that the connection has not taken.
  std::size_t unsent_answers() const { return answers_.count() + reads_.size(); }

  // Adds a command.
  void Post(const Command& command);
  // Adds an answer.
  void Answer(Tag tag, Outcome outcome);
  void AnswerData(Tag tag, std::span<const std::byte> bytes);
  void AnswerRead(Tag tag, const TcpTarget& target, std::uint64_t bytes);
  // Sends a frame of a stream at once, behind the gathered bytes, as Streams::TryWrite; where the
  // connection has no room, in its turn. `end`: of the frame, for HasSent. False: a large frame
  // before it is not sent.
  [[nodiscard]] bool TryStream(std::span<const std::byte> header, std::size_t unit,
                               std::span<const std::byte> payload, std::uint64_t& end);
  void Keep(std::span<const std::byte> memory) { output_.Keep(memory); }
  // A request to the rank has ended.
  void OnEnd();

  // Sends, unless the connection takes no bytes.
  void Turn();
  // Ends all commands that were not sent, and forgets the rest.
  void Lose();
  // Forgets waiting commands, whose memory may be gone.
  void DropWaiting();

 private:
  // A message that is on its way.
  struct Taken {
    std::uint64_t end = 0;  // among all bytes
    std::uint64_t bytes = 0;
    Tag tag = 0;
  };
  // A read of the other rank, as far as it was not answered.
  struct Reading {
    Tag tag = 0;
    TcpTarget target;
    std::uint64_t bytes = 0;
  };
  TcpQueues Queues() const {
    TcpQueues queues = {.has_request = !waiting_requests_.empty(),
                        .has_message = !waiting_messages_.empty(),
                        .has_read = !reads_.empty(),
                        .has_gathered = !output_.empty(),
                        .message_bytes = taken_bytes_};
    if (queues.has_read) {
      queues.read_bytes = reads_.front().bytes;
      queues.answer_bytes = answers_.bytes();
    }
    return queues;
  }
  void AddPiece(TcpPiece piece);
  void AddRequest(const Command& command);
  void AddMessage(const Command& command);
  void AnswerSmallRead(const Reading& reading);
  TcpSent SendLargeRead();
  void OnSent(TcpSent sent);
  void EndTaken();

  TcpConnection& connection_;
  TcpRequests& requests_;
  TcpRegions& regions_;
  TcpSendOrder order_;
  TcpOutput output_;
  std::deque<Command> waiting_requests_, waiting_messages_;
  std::deque<Taken> taken_;
  std::uint64_t taken_bytes_ = 0;  // with their headers
  std::deque<Reading> reads_;
  UnsentAnswers answers_;
  std::uint64_t large_stream_end_ = 0;  // among all bytes
  bool has_requests_ = false;
};

}  // namespace llcl
