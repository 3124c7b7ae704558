// Frames of collective operations that have come before their operation has begun here, or before
// its round.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "llcl/collective/farewell.h"
#include "llcl/collective/frame.h"
#include "llcl/collective/stream_windows.h"
#include "llcl/region.h"

namespace llcl {

struct EarlyFrame {
  Rank from{};
  FrameHeader header;
  std::vector<std::byte> payload;
  KeptBytes kept = {};  // of a frame that was sent ahead

  // With the memory that it takes.
  std::size_t bytes() const { return sizeof *this + payload.size(); }
};

// A frame that has come. A value; the payload outlives it.
struct ComeFrame {
  Rank from{};
  const FrameHeader& header;
  std::span<const std::byte> payload;
  EarlyFrame* kept = nullptr;  // the frame itself, where it is kept already

  EarlyFrame Keep() const {
    return kept != nullptr ? std::move(*kept)
                           : EarlyFrame{from, header, {payload.begin(), payload.end()}};
  }
};

// A value.
class EarlyFrames {
 public:
  // So many bytes of all operations together. Frames of streams come also beyond: short parts, and
  // of long ones a MiB from each rank (stream_windows.h).
  static constexpr std::size_t kMost = 256 << 20;

  bool has_room() const { return bytes_ < kMost; }
  void Keep(EarlyFrame frame) {
    bytes_ += frame.bytes();
    frames_[frame.header.id()].push_back(std::move(frame));
  }
  // The frames of an operation, in the order in which they came.
  std::list<EarlyFrame> Take(const CollectiveId& id) {
    const auto found = frames_.find(id);
    if (found == frames_.end()) return {};
    std::list<EarlyFrame> frames = std::move(found->second);
    frames_.erase(found);
    for (const EarlyFrame& frame : frames) bytes_ -= frame.bytes();
    return frames;
  }
  // Those of a team's operations from a number on.
  void DropFrom(const CollectiveId& first) {
    auto at = frames_.lower_bound(first);
    while (at != frames_.end() && at->first.team == first.team) {
      for (const EarlyFrame& frame : at->second) bytes_ -= frame.bytes();
      at = frames_.erase(at);
    }
  }
  bool empty() const { return frames_.empty(); }

 private:
  std::map<CollectiveId, std::list<EarlyFrame>> frames_;
  std::size_t bytes_ = 0;
};

}  // namespace llcl
