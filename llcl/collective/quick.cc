#include "llcl/collective/quick.h"

#include <algorithm>
#include <bit>

#include "llcl/collective/frame.h"
#include "topo/atomic.h"

namespace llcl {
namespace {

// Receipts of a round: bits of RoundsDone::receipts.
constexpr std::size_t kMostReceipts = 64;

// A pause of the processor may be as long as a frame's way from one to another.
constexpr int kLooksWithoutPause = 40;

class Quick {
 public:
  Quick(const CollectiveId& id, const Collective& collective, Channels& channels, int looks)
      : id_(id), collective_(collective), channels_(channels), looks_(looks) {}

  RoundsDone Run() {
    const std::size_t rounds = collective_.schedule->rounds.size();
    for (; done_.round < rounds; ++done_.round, done_.sends = 0, done_.receipts = 0) {
      const Round& round = collective_.schedule->rounds[done_.round];
      if (!SendAll(round) || !ReceiveAll(round)) return done_;
    }
    done_.is_all = true;
    return done_;
  }

 private:
  Rank RankOf(const Part& part) const { return collective_.RankOf(part.peer); }
  std::span<std::byte> MemoryOf(const Part& part) const {
    return part.bytes == 0 ? std::span<std::byte>()
                           : collective_.memory[0].subspan(part.at, part.bytes);
  }
  bool SendAll(const Round& round) {
    for (; done_.sends < round.sends.size(); ++done_.sends) {
      const Part& part = round.sends[done_.sends];
      const FrameHeader header = {.team = id_.team,
                                  .number = id_.number,
                                  .round = static_cast<std::uint32_t>(done_.round),
                                  .part = part.bytes};
      if (!channels_.TryWrite(RankOf(part), BytesOfValue(header), MemoryOf(part))) return false;
    }
    return true;
  }
  bool ReceiveAll(const Round& round) {
    const std::size_t receipts = round.receipts.size();
    const std::uint64_t all = receipts == 0 ? 0 : ~std::uint64_t{0} >> (kMostReceipts - receipts);
    for (int look = 0; done_.receipts != all; ++look) {
      if (look > looks_) return false;
      if (look > kLooksWithoutPause) topo::Pause();
      for (std::size_t i = 0; i < receipts; ++i) {
        if ((done_.receipts >> i & 1) == 0) Receive(round.receipts[i], std::uint64_t{1} << i);
      }
    }
    return true;
  }
  // Leaves a frame that is not the part's.
  void Receive(const Part& part, std::uint64_t bit) {
    (void)channels_.ReadOne(RankOf(part), [&](Rank, std::span<const std::byte> bytes,
                                              std::span<const std::byte> payload) {
      const auto header = ValueIn<FrameHeader>(bytes);
      const bool is_mine = header.id() == id_ && header.round == done_.round &&
                           header.kind == CollectiveFrame::kData && header.part == part.bytes &&
                           payload.size() == part.bytes;
      if (!is_mine) return false;
      collective_.Put(part, 0, payload);
      done_.receipts |= bit;
      return true;
    });
  }

  const CollectiveId& id_;
  const Collective& collective_;
  Channels& channels_;
  const int looks_;
  RoundsDone done_;
};

}  // namespace

bool IsQuick(const Schedule& schedule, std::span<const Rank> members, const Channels* channels) {
  if (channels == nullptr) return false;
  const auto is_quick = [&](const Part& part) {
    return part.bytes <= kLongPart && channels->Reach(members[static_cast<std::size_t>(part.peer)]);
  };
  return std::all_of(schedule.rounds.begin(), schedule.rounds.end(), [&](const Round& round) {
    return round.receipts.size() <= kMostReceipts &&
           std::all_of(round.sends.begin(), round.sends.end(), is_quick) &&
           std::all_of(round.receipts.begin(), round.receipts.end(), is_quick);
  });
}

RoundsDone RunQuickly(const CollectiveId& id, const Collective& collective, Channels& channels,
                      int looks) {
  return Quick(id, collective, channels, looks).Run();
}

}  // namespace llcl
