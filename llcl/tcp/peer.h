// Another rank, as a TCP device knows it: what goes to it and what comes from it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "llcl/executor/command.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/frame.h"
#include "llcl/tcp/input.h"
#include "llcl/tcp/output.h"
#include "llcl/tcp/unsent_answers.h"

namespace llcl {

// Under the executor's lock, but for is_down.
struct TcpPeer {
  Rank rank{};
  OwnedFd connection;
  std::atomic<bool> is_down{false};
  // When its connection has ended, before the rank is taken for gone.
  std::optional<std::chrono::steady_clock::time_point> closed;

  TcpOutput output;
  bool wants_room = false;        // the connection is watched for room
  bool has_more = false;          // its turn has ended though it may take more
  bool is_deaf = false;           // it takes no more, though something may still come
  bool is_held = false;           // something was added for it that was not tried to be sent
  std::size_t asked = 0;          // requests to it that have not ended
  std::size_t held_requests = 0;  // of these: added since it was last tried to send
  // Messages that wait until less of others is to be sent, and requests, until others have ended;
  // and messages that are on their way: where they end among all bytes.
  std::deque<Command> waiting_messages, waiting_requests;
  bool has_waiting() const { return !waiting_messages.empty() || !waiting_requests.empty(); }
  struct Taken {
    std::uint64_t end = 0;
    std::uint64_t bytes = 0;
    Tag tag = 0;
  };
  std::deque<Taken> taken;
  std::uint64_t taken_bytes = 0;  // of the messages in `taken`, with their headers
  // What it reads of this rank, as far as it was not sent.
  struct Reading {
    Tag tag = 0;
    TcpTarget target;
    std::uint64_t bytes = 0;
  };
  std::deque<Reading> reads;
  UnsentAnswers answers;  // to its other requests

  TcpInput input;
  // The bytes that come next belong there.
  struct Payload {
    std::uint64_t bytes = 0;  // that are left
    bool is_write = false;    // to a region of this rank; else to what it asked for
    bool is_refused = false;  // the write: nowhere
    Tag tag = 0;
    TcpTarget target;  // of the write
  };
  Payload payload;
  bool has_message = false;  // the next frame waits for an inbox
  bool is_mute = false;      // it has sent nonsense: nothing more is read
};

}  // namespace llcl
