#include "taskrt/plan/plan.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/task/residents.h"

namespace taskrt {
namespace {

// When each block is used at each device, ascending; what is past is behind `next`.
class FutureUses {
 public:
  FutureUses(std::size_t blocks, std::span<const PlannedTask> tasks, int places)
      : blocks_(blocks), uses_(blocks * static_cast<std::size_t>(places)) {
    for (SubmitIndex index = 0; index < tasks.size(); ++index) {
      for (const PlannedAccess& access : tasks[index].accesses) {
        Of(access.block, tasks[index].place).indexes.push_back(index);
      }
    }
  }

  // The first after `now`.
  SubmitIndex NextAfter(SubmitIndex now, BlockId block, Place place) {
    OfBlock& uses = Of(block, place);
    while (uses.next < uses.indexes.size() && uses.indexes[uses.next] <= now) ++uses.next;
    return uses.next < uses.indexes.size() ? uses.indexes[uses.next] : kNever;
  }

 private:
  struct OfBlock {
    std::vector<SubmitIndex> indexes;
    std::size_t next = 0;
  };
  OfBlock& Of(BlockId block, Place place) {
    return uses_[static_cast<std::size_t>(place) * blocks_ + block];
  }

  const std::size_t blocks_;
  std::vector<OfBlock> uses_;
};

class Planner {
 public:
  Planner(std::span<const PlannedBlock> blocks, std::span<const PlannedTask> tasks,
          const PlanOptions& options, int places)
      : blocks_(blocks),
        tasks_(tasks),
        options_(options),
        replicas_(blocks.size()),
        residents_(static_cast<std::size_t>(places), Residents(options.device_bytes)),
        uses_(blocks.size(), tasks, places) {}

  absl::Status Run() {
    for (submit_index_ = 0; submit_index_ < tasks_.size(); ++submit_index_) {
      const PlannedTask& task = tasks_[submit_index_];
      if (!options_.optimizes) {
        BringAndReturn(task);
      } else if (absl::Status done = RunOne(task); !done.ok()) {
        return done;
      }
    }
    for (BlockId block = 0; block < replicas_.size(); ++block) {
      if (!blocks_[block].is_partial) Bring(block, kHost);
    }
    return absl::OkStatus();
  }
  const CopyCounts& counts() const { return counts_; }

 private:
  void Count(BlockId block, Place from, Place to) {
    CopyCount& count = counts_.Of(from, to);
    ++count.copies;
    count.bytes += blocks_[block].bytes;
  }

  void Bring(BlockId block, Place place) {
    Replicas& replicas = replicas_[block];
    if (replicas.IsAt(place)) return;
    const Place source = replicas.SourceFor(place, options_.source);
    if (source != kHost && place != kHost && options_.across == Across::kStaged) {
      Bring(block, kHost);
      return Bring(block, place, kHost);
    }
    Bring(block, place, source);
  }
  void Bring(BlockId block, Place place, Place source) {
    Count(block, source, place);
    replicas_[block].Arrived(place);
  }

  // The memory that a task at `place` uses of it.
  Place WhereOf(const PlannedAccess& access, Place place) const {
    const Replicas& replicas = replicas_[access.block];
    const bool may_be_elsewhere = options_.across == Across::kAccess &&
                                  options_.device_bytes == 0 && place != kHost &&
                                  Reads(access.mode) && !replicas.IsAt(place);
    if (!may_be_elsewhere) return place;
    const Place source = replicas.SourceFor(place, options_.source);
    return source == kHost ? place : source;
  }

  void BringAndReturn(const PlannedTask& task) {
    if (task.place == kHost) return;
    for (const PlannedAccess& access : task.accesses) {
      if (Reads(access.mode)) Count(access.block, kHost, task.place);
      if (Writes(access.mode)) Count(access.block, task.place, kHost);
    }
  }

  absl::Status RunOne(const PlannedTask& task) {
    const auto leave = [&](const auto& what) {
      for (const PlannedAccess& access : task.accesses) what(access.block);
    };
    if (task.place != kHost) {
      if (absl::Status fits = MakeRoom(task); !fits.ok()) return fits;
    }
    for (const PlannedAccess& access : task.accesses) {
      const Place where = WhereOf(access, task.place);
      if (Reads(access.mode)) Bring(access.block, where);
      if (!Writes(access.mode)) {
        // What combining reads is of no use then, wherever it is.
        if (blocks_[access.block].is_partial) replicas_[access.block] = Replicas();
        continue;
      }
      replicas_[access.block].Written(where);
      for (Place other = 1; other < static_cast<Place>(residents_.size()); ++other) {
        Residents& there = residents_[static_cast<std::size_t>(other)];
        if (other != task.place && there.Has(access.block)) there.Remove(access.block);
      }
    }
    if (task.place != kHost) {
      Residents& here = residents_[static_cast<std::size_t>(task.place)];
      leave([&](BlockId block) { here.Unpin(block); });
    }
    return absl::OkStatus();
  }

  // All its blocks have memory, and are pinned.
  absl::Status MakeRoom(const PlannedTask& task) {
    Residents& here = residents_[static_cast<std::size_t>(task.place)];
    std::uint64_t needed = 0;
    for (const PlannedAccess& access : task.accesses) {
      if (here.Has(access.block)) {
        here.Pin(access.block);
      } else {
        needed += blocks_[access.block].bytes;
      }
    }
    while (!here.HasRoomFor(needed)) {
      const std::optional<BlockId> victim =
          here.Victim([&](BlockId block) { return NextUse(block, task.place); });
      if (!victim) {
        return absl::ResourceExhaustedError(
            absl::StrCat("task ", submit_index_, " (", task.name, ") needs ", needed + here.bytes(),
                         " bytes at once on a device that has ", options_.device_bytes));
      }
      if (replicas_[*victim].IsOnlyAt(task.place)) Bring(*victim, kHost);
      if (replicas_[*victim].IsAt(task.place)) replicas_[*victim].Dropped(task.place);
      here.Remove(*victim);
    }
    for (const PlannedAccess& access : task.accesses) {
      if (here.Has(access.block)) continue;
      here.Add(access.block, blocks_[access.block].bytes);
      here.Pin(access.block);
    }
    return absl::OkStatus();
  }

  SubmitIndex NextUse(BlockId block, Place place) {
    if (options_.eviction == Eviction::kLeastRecently) return kNever;
    const SubmitIndex next = uses_.NextAfter(submit_index_, block, place);
    return options_.look_ahead > 0 && next > submit_index_ + options_.look_ahead ? kNever : next;
  }

  const std::span<const PlannedBlock> blocks_;
  const std::span<const PlannedTask> tasks_;
  const PlanOptions options_;
  std::vector<Replicas> replicas_;
  std::vector<Residents> residents_;
  FutureUses uses_;
  SubmitIndex submit_index_ = 0;
  CopyCounts counts_;
};

absl::Status Check(std::span<const PlannedBlock> blocks, const PlannedTask& task) {
  if (task.place < 0 || task.place >= kMostPlaces) {
    return absl::InvalidArgumentError(
        absl::StrCat("task ", task.name, " is at place ", task.place, ", of ", kMostPlaces));
  }
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const BlockId block = task.accesses[i].block;
    if (block >= blocks.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("task ", task.name, " accesses block ", block, ", of ", blocks.size()));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (task.accesses[j].block == block) {
        return absl::InvalidArgumentError(
            absl::StrCat("task ", task.name, " accesses block ", block, " twice"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CopyCounts> PlanCopies(std::span<const PlannedBlock> blocks,
                                      std::span<const PlannedTask> tasks,
                                      const PlanOptions& options) {
  Place last = kHost;
  for (const PlannedTask& task : tasks) {
    if (absl::Status good = Check(blocks, task); !good.ok()) return good;
    last = std::max(last, task.place);
  }
  Planner planner(blocks, tasks, options, last + 1);
  if (absl::Status done = planner.Run(); !done.ok()) return done;
  return planner.counts();
}

CopyCount LeastCopies(std::span<const PlannedBlock> blocks, std::span<const PlannedTask> tasks) {
  CopyCount least;
  // The places that have written or read the value that each block has now.
  std::vector<Replicas> seen(blocks.size());
  const auto see = [&](BlockId block, Place place) {
    if (seen[block].IsAt(place)) return;
    seen[block].Arrived(place);
    ++least.copies;
    least.bytes += blocks[block].bytes;
  };
  for (const PlannedTask& task : tasks) {
    for (const PlannedAccess& access : task.accesses) {
      if (Reads(access.mode)) see(access.block, task.place);
      if (Writes(access.mode)) seen[access.block].Written(task.place);
    }
  }
  for (BlockId block = 0; block < seen.size(); ++block) {
    if (!blocks[block].is_partial) see(block, kHost);
  }
  return least;
}

}  // namespace taskrt
