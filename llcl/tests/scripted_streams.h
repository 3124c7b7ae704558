// Streams of collective operations that a test carries by hand, from rank to rank.
//
// Threads: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "llcl/conduit/streams.h"
#include "llcl/presence.h"
#include "llcl/region.h"
#include "llcl/tests/message_carrier.h"

namespace llcl {

// Returns a number below.
using Random = std::function<std::size_t(std::size_t below)>;

// A stream from one rank to another.
struct Stream {
  struct Frame {
    std::vector<std::byte> header;
    std::size_t unit = 1, bytes = 0;
    std::span<const std::byte> memory;  // that is not sent
    std::vector<std::byte> sent;        // that has not come
    std::size_t came = 0;
    std::uint64_t end = 0;
  };
  std::deque<Frame> frames;
  std::uint64_t added = 0, sent = 0;  // frames, ever
};

// Of a rank. Its ways are full at times: where random(3) is 0.
class ScriptedStreams final : public Streams {
 public:
  explicit ScriptedStreams(const Random& random) : random_(random) {}
  std::vector<Stream> streams;  // by receiver

  void SetTaker(StreamTaker* /*taker*/) override {}
  bool Reach(Rank /*rank*/) const override { return true; }
  bool TryWrite(Rank to, std::span<const std::byte> header, std::size_t unit,
                std::span<const std::byte> payload, Sending& sending) override {
    if (random_(3) == 0) return false;
    Stream& stream = StreamTo(to);
    EXPECT_EQ(payload.size() % unit, 0u);
    sending = {.to = to, .end = ++stream.added};
    stream.frames.push_back({.header = {header.begin(), header.end()},
                             .unit = unit,
                             .bytes = payload.size(),
                             .memory = payload,
                             .end = sending.end});
    return true;
  }
  bool HasSent(const Sending& sending) const override {
    return streams[static_cast<std::size_t>(ToInt(sending.to))].sent >= sending.end;
  }
  void Keep(Rank to, std::span<const std::byte> memory) override {
    for (Stream::Frame& frame : StreamTo(to).frames) {
      const bool is_its = !frame.memory.empty() && frame.memory.data() >= memory.data() &&
                          frame.memory.data() < memory.data() + memory.size();
      if (is_its) Send(StreamTo(to), frame, frame.memory.size());
    }
  }
  static void Send(Stream& stream, Stream::Frame& frame, std::size_t bytes) {
    frame.sent.insert(frame.sent.end(), frame.memory.begin(),
                      frame.memory.begin() + static_cast<std::ptrdiff_t>(bytes));
    frame.memory = frame.memory.subspan(bytes);
    if (frame.memory.empty()) stream.sent = std::max(stream.sent, frame.end);
  }
  Stream& StreamTo(Rank to) { return streams[static_cast<std::size_t>(ToInt(to))]; }

 private:
  const Random& random_;
};

// Of a rank, to all others by streams.
class StreamCarrier final : public MessageCarrier {
 public:
  StreamCarrier(Rank rank, SendFunction send, const Random& random)
      : MessageCarrier(rank, std::move(send), [](Rank) { return Presence::kHere; }),
        streams(random) {}
  ScriptedStreams streams;

  bool StreamsTo(Rank to) const override { return to != rank(); }
  void UseStreams(WithStreams f) override { f(streams); }
};

}  // namespace llcl
