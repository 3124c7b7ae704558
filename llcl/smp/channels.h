// The channels (channel.h) between this rank and the others of its host.
//
// Threads: any; Open before all else, by one. Read does nothing while another thread reads.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/conduit/channels.h"
#include "llcl/conduit/neighbors.h"
#include "llcl/smp/peer.h"
#include "topo/mutex.h"

namespace llcl {

// A resource. `mine`: this rank's shared memory; it, `neighbors` and the peers outlive this.
class SmpChannels final : public Channels {
 public:
  SmpChannels(const Neighbors& neighbors, std::size_t position, SmpBasics& mine);

  // From here on there are channels to the peer and back. Precondition: its memory and its doorbell
  // are set; it is not this rank.
  void Open(Rank rank, SmpPeer& peer);

  bool Reach(Rank rank) const override { return neighbors_.Have(rank) && Of(rank).peer != nullptr; }
  [[nodiscard]] bool TryWrite(Rank to, std::span<const std::byte> header,
                              std::span<const std::byte> payload) override;
  bool Read(Take take) override;
  bool ReadOne(Rank from, Take take) override;
  // Has nothing come that is not read? False also while a thread reads.
  bool empty();
  // The same of the rank at that position.
  bool IsEmptyFrom(std::size_t position);

  // Frames ever read.
  std::uint64_t frames_read() const { return frames_read_.load(std::memory_order_relaxed); }

  // A rank that has written nonsense, once each.
  std::optional<Rank> TakeNonsense();

 private:
  using Channel = SmpBasics::Channel;
  // The two channels between this rank and another.
  struct Pair {
    SmpPeer* peer = nullptr;
    topo::Mutex mutex;
    std::optional<Channel::Writer> writer ABSL_GUARDED_BY(mutex);
    std::optional<Channel::Reader> reader;  // under reading_
    bool is_mute = false;                   // it has written nonsense; under reading_
  };
  Pair& Of(Rank rank) const { return *pairs_[neighbors_.PositionOf(rank)]; }
  bool HasNothing(std::size_t position) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(reading_) {
    const Pair& pair = *pairs_[position];
    return pair.peer == nullptr || pair.is_mute || pair.reader->empty();
  }
  bool ReadFrom(std::size_t position, int most_frames, Take take)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(reading_);

  const Neighbors& neighbors_;
  const std::size_t position_;
  SmpBasics& mine_;
  const std::vector<std::unique_ptr<Pair>> pairs_;  // by position
  std::atomic<bool> has_nonsense_{false};
  std::atomic<std::uint64_t> frames_read_{0};
  topo::Mutex reading_;  // held while frames are taken; nobody waits for it
  topo::Mutex nonsense_mutex_;
  std::vector<Rank> nonsense_ ABSL_GUARDED_BY(nonsense_mutex_);
};

}  // namespace llcl
