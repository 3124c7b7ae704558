// Streams to ranks by connections of a network, for frames of collective operations: a short
// header, and a payload that the receiver puts in its place piece by piece, as it comes.
//
// Threads: under the executor's lock, by one at a time; Reach any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "llcl/conduit/channels.h"
#include "llcl/region.h"

namespace llcl {

// Takes the frames that come. No member waits, or posts a command.
class StreamTaker {
 public:
  virtual ~StreamTaker() = default;
  // A piece of a payload, or an empty payload: puts the piece in its place, or copies it for later.
  // `at`: of the piece, in the payload.
  virtual void Take(Rank from, std::span<const std::byte> header, std::uint64_t at,
                    std::span<const std::byte> piece) = 0;
  // If the next `most` bytes of the payload have a place now: calls fill(place), which returns how
  // many bytes it has put at the place's beginning. False: they have none, so Take has to take
  // them.
  using Fill = absl::FunctionRef<std::size_t(std::span<std::byte> place)>;
  virtual bool TryFill(Rank from, std::span<const std::byte> header, std::uint64_t at,
                       std::size_t most, Fill fill) = 0;
};

// A resource of a conduit.
class Streams {
 public:
  static constexpr std::size_t kHeaderBytes = Channels::kHeaderBytes;
  static constexpr std::size_t kMostPayload = 4 << 20;
  static constexpr std::size_t kMostUnit = 1024;

  virtual ~Streams() = default;
  // Before all else.
  virtual void SetTaker(StreamTaker* taker) = 0;
  // Is there a stream to the rank, and one back? Not to this rank itself.
  virtual bool Reach(Rank rank) const = 0;
  // Sends the frame, as far as there is room; the rest later, from the payload's memory, which
  // stays the same until HasSent. The receiver's pieces are whole units, of at most kMostUnit
  // bytes. False: a large frame to the rank is not sent yet. A frame to a rank that is lost is
  // dropped.
  struct Sending {
    Rank to{};
    std::uint64_t end = 0;  // among all bytes to the rank
  };
  [[nodiscard]] virtual bool TryWrite(Rank to, std::span<const std::byte> header, std::size_t unit,
                                      std::span<const std::byte> payload, Sending& sending) = 0;
  virtual bool HasSent(const Sending& sending) const = 0;
  // Copies what of the memory was not sent: from here on it may change.
  virtual void Keep(Rank to, std::span<const std::byte> memory) = 0;
};

}  // namespace llcl
