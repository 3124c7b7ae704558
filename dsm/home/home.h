// The pages that are at home on this rank: when each was changed, for those who hold copies
// of it to read (stamp.h), and which are watched for that (watch.h).
//
// Threads: OnFault by any, in signal handlers too; OnChanged and AddHeld by any; Flush by one
//   at a time, when nothing comes any more that belongs to the epoch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/reserved.h"
#include "dsm/home/stamp.h"
#include "dsm/home/watch.h"
#include "dsm/layout/distribution.h"
#include "dsm/report/heat.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A value; counted since the beginning.
struct HomeCounts {
  std::uint64_t faults = 0;   // first writes to pages that are watched
  std::uint64_t watched = 0;  // pages, each time that they are made read-only
  std::uint64_t stamped = 0;  // pages that count as written by their home, at flushes
};

// A resource. The engine, the stamps, the source and the heat outlive it.
class HomePages {
 public:
  // `stamps`: one for each page of the space, in memory that other ranks read.
  static absl::StatusOr<std::unique_ptr<HomePages>> Make(int rank, Engine& engine,
                                                         std::span<std::uint64_t> stamps,
                                                         std::uint64_t page_bytes,
                                                         PageSource& source, Heat& heat);

  // False: it is none of ours.
  bool OnFault(std::uint64_t page, bool writes);

  // A change has come, and is there.
  void OnChanged(std::uint64_t page, Stamp change);
  // Another rank has fetched them since the last flush, and has them.
  void AddHeld(PageRange pages);
  // The epoch ends: pages that this rank has written in it, or may have, are stamped.
  void Flush(std::uint64_t epoch);

  HomeCounts counts() const {
    return {.faults = faults_.load(), .watched = watched_.load(), .stamped = stamped_.load()};
  }

 private:
  struct Page {
    BasicWatch<topo::SpinningAtomic> watch;
    bool is_held = false;  // it is in held_
  };

  HomePages(int rank, Engine& engine, std::span<std::uint64_t> stamps, std::uint64_t page_bytes,
            PageSource& source, Heat& heat)
      : rank_(rank),
        engine_(engine),
        stamps_(stamps),
        page_bytes_(page_bytes),
        source_(source),
        heat_(heat) {}

  const int rank_;
  Engine& engine_;
  const std::span<std::uint64_t> stamps_;
  const std::uint64_t page_bytes_;
  PageSource& source_;  // for what the system refuses
  Heat& heat_;
  Reserved states_;
  Page* pages_ = nullptr;  // in states_
  std::mutex mutex_;
  std::vector<std::uint64_t> held_;  // somebody may have a copy. Under mutex_
  std::atomic<std::uint64_t> faults_{0}, watched_{0}, stamped_{0};
};

}  // namespace dsm
