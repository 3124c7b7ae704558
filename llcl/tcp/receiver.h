// Bytes from another rank: messages, requests on this rank's regions, and answers.
//
// Long payloads are received without another copy, into a region of this rank or into the memory of
// this rank's request.
//
// Threads: one at a time, under the executor's lock.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "llcl/conduit/streams.h"
#include "llcl/executor/message.h"
#include "llcl/region.h"
#include "llcl/tcp/connection.h"
#include "llcl/tcp/frame_parser.h"
#include "llcl/tcp/input.h"
#include "llcl/tcp/regions.h"
#include "llcl/tcp/requests.h"
#include "llcl/tcp/sender.h"

namespace llcl {

// A resource. The arguments of the constructor outlive it.
class TcpReceiver {
 public:
  TcpReceiver(Rank rank, const TcpConnection& connection, TcpRequests& requests,
              TcpRegions& regions, TcpSender& sender)
      : rank_(rank),
        connection_(connection),
        requests_(requests),
        regions_(regions),
        sender_(sender) {}
  TcpReceiver(const TcpReceiver&) = delete;
  TcpReceiver& operator=(const TcpReceiver&) = delete;

  enum class Came : std::uint8_t {
    kNothing,
    kSome,
    kEnd,       // the other rank sends no more
    kNonsense,  // no rank of this library sends such bytes; the rest of them is dropped
  };
  // Before all else: streams are nonsense without one.
  void SetTaker(StreamTaker* taker) { taker_ = taker; }
  // Receives for one turn. Messages wait for HandOut.
  Came Receive();
  // Has anything come?
  bool has_received() const { return has_received_; }
  // True: a message waits for HandOut, and all bytes behind the message.
  bool has_message() const { return has_message_; }
  // Adds received messages, while the inbox has room.
  Came HandOut(Inbox& inbox);
  // The rank is lost, and all its requests have ended.
  void Lose() { parser_.Clear(); }

 private:
  // The destination of a payload in pieces.
  struct Payload {
    enum class To : std::uint8_t { kRequest, kRegion, kStream };
    To to = To::kRequest;  // the memory of a request, a region of this rank, the taker of streams
    bool is_refused = false;  // the write to a region: nowhere
    Tag tag = 0;
    TcpTarget target;  // of the write
    // Of a stream.
    TcpStreamHeader stream = {};
    std::size_t unit = 1;
    std::uint64_t at = 0;   // bytes that were taken
    bool has_place = true;  // as far as is known
  };
  Came Parse(Inbox* inbox);
  bool TakeFrame(const TcpFrameParser::Step& step);
  bool TakeStream(const TcpFrameParser::Step& step);
  bool TakeAnswer(const TcpHeader& header);
  void TakeRequest(const TcpFrameParser::Step& step);
  void DoAtomic(const TcpFrameParser::Step& step);
  bool IsInPlace() const;
  std::size_t PutPayload(std::span<const std::byte> bytes);
  std::size_t PutStream(std::span<const std::byte> bytes);
  // -1: errno says why; or nothing has a place.
  ssize_t ReceivePayload(std::size_t most);
  void EndPayload();
  void End(Tag tag, Outcome outcome);

  const Rank rank_;
  const TcpConnection& connection_;
  TcpRequests& requests_;
  TcpRegions& regions_;
  TcpSender& sender_;
  StreamTaker* taker_ = nullptr;
  TcpInput input_;
  TcpFrameParser parser_;
  Payload payload_;  // of the frame whose payload the parser expects
  bool has_message_ = false, has_received_ = false;
};

}  // namespace llcl
