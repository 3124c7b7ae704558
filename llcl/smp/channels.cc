#include "llcl/smp/channels.h"

#include <unistd.h>

#include <cstdint>

namespace llcl {
namespace {

// Of one rank, before the others have their turn, and this rank's own frames.
constexpr int kMostFrames = 16;

}  // namespace

SmpChannels::SmpChannels(const Neighbors& neighbors, std::size_t position, SmpBasics& mine)
    : neighbors_(neighbors), position_(position), mine_(mine), pairs_([&] {
        std::vector<std::unique_ptr<Pair>> pairs(neighbors.size());
        for (auto& pair : pairs) pair = std::make_unique<Pair>();
        return pairs;
      }()) {}

void SmpChannels::Open(Rank rank, SmpPeer& peer) {
  Pair& pair = Of(rank);
  const std::size_t ranks = neighbors_.size();
  const std::uint64_t room = SmpBasics::RoomFor(ranks);
  pair.peer = &peer;
  const topo::Lock lock(pair.mutex);
  pair.writer.emplace(peer.basics->channel(position_, ranks), room);
  pair.reader.emplace(mine_.channel(neighbors_.PositionOf(rank), ranks), room);
}

bool SmpChannels::TryWrite(Rank to, std::span<const std::byte> header,
                           std::span<const std::byte> payload) {
  Pair& pair = Of(to);
  SmpPeer& peer = *pair.peer;
  if (peer.mapped.is_closed()) return true;  // Nobody reads it.
  {
    const topo::Lock lock(pair.mutex);
    if (!pair.writer->TryWrite(header, payload)) return false;
  }
  if (peer.basics->sleep.MustWake()) {
    const std::uint64_t one = 1;
    (void)!write(peer.doorbell.get(), &one, sizeof one);
  }
  return true;
}

bool SmpChannels::ReadFrom(std::size_t position, int most_frames, Take take) {
  Pair& pair = *pairs_[position];
  if (pair.peer == nullptr || pair.is_mute) return false;
  const Rank from = neighbors_.rank(position);
  bool did = false;
  for (int frames = 0; frames < most_frames; ++frames) {
    const Channel::Found found = pair.reader->Read(
        kMostPayload, [&](std::span<const std::byte> header, std::span<const std::byte> payload) {
          return take(from, header, payload);
        });
    if (found == Channel::Found::kNonsense) {
      pair.is_mute = true;
      const topo::Lock lock(nonsense_mutex_);
      nonsense_.push_back(from);
      has_nonsense_.store(true, std::memory_order_release);
    }
    if (found != Channel::Found::kFrame) break;
    did = true;
    frames_read_.store(frames_read_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  return did;
}

bool SmpChannels::Read(Take take) {
  if (!reading_.TryLock()) return false;
  bool did = false;
  for (std::size_t position = 0; position < pairs_.size(); ++position) {
    did = ReadFrom(position, kMostFrames, take) || did;
  }
  reading_.Unlock();
  return did;
}

bool SmpChannels::ReadOne(Rank from, Take take) {
  if (!reading_.TryLock()) return false;
  const bool did = ReadFrom(neighbors_.PositionOf(from), 1, take);
  reading_.Unlock();
  return did;
}

bool SmpChannels::empty() {
  if (!reading_.TryLock()) return false;
  bool is_empty = true;
  for (std::size_t i = 0; i < pairs_.size(); ++i) is_empty = is_empty && HasNothing(i);
  reading_.Unlock();
  return is_empty;
}

bool SmpChannels::IsEmptyFrom(std::size_t position) {
  if (!reading_.TryLock()) return false;
  const bool is_empty = HasNothing(position);
  reading_.Unlock();
  return is_empty;
}

std::optional<Rank> SmpChannels::TakeNonsense() {
  if (!has_nonsense_.load(std::memory_order_acquire)) return std::nullopt;
  const topo::Lock lock(nonsense_mutex_);
  const Rank rank = nonsense_.back();
  nonsense_.pop_back();
  has_nonsense_.store(!nonsense_.empty(), std::memory_order_release);
  return rank;
}

}  // namespace llcl
