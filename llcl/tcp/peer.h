// Another rank, as a TCP device knows it: what goes to it and what comes from it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "llcl/executor/command.h"
#include "llcl/owned_fd.h"
#include "llcl/region.h"
#include "llcl/tcp/frame.h"
#include "llcl/tcp/output.h"

namespace llcl {

// Bytes that have come and were not used yet. A value.
class TcpInput {
 public:
  static constexpr std::size_t kBytes = 65536;

  std::span<std::byte> room() { return {bytes_.get() + end_, kBytes - end_}; }
  void Add(std::size_t bytes) { end_ += bytes; }
  std::span<const std::byte> bytes() const { return {bytes_.get() + begin_, end_ - begin_}; }
  void Use(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // What is there moves to the front, so that a header and a message find room.
  void MakeRoom() {
    std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  void Clear() { begin_ = end_ = 0; }

 private:
  std::unique_ptr<std::byte[]> bytes_ = std::make_unique<std::byte[]>(kBytes);
  std::size_t begin_ = 0, end_ = 0;
};

struct TcpPeer {
  Rank rank{};
  OwnedFd connection;
  std::atomic<bool> is_down{false};
  // When its connection has ended, before the rank is taken for gone.
  std::optional<std::chrono::steady_clock::time_point> closed;

  TcpOutput output;
  bool wants_room = false;  // the connection is watched for room
  bool is_deaf = false;     // it takes no more, though something may still come
  // Messages that wait until less is to be sent; and those that are on their way: where they end
  // among all bytes, and their tag.
  std::deque<Command> waiting;
  struct Taken {
    std::uint64_t end = 0;
    Tag tag = 0;
  };
  std::deque<Taken> taken;
  // What it reads of this rank, as far as it was not sent.
  struct Reading {
    Tag tag = 0;
    TcpTarget target;
    std::uint64_t bytes = 0;
  };
  std::deque<Reading> reads;

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
