// An aggregator of records whose type is not known here: what Aggregator (aggregator.h) is made of.
//
// A rank has lanes to its neighbors (aggregator/lane.h), and the buffers that have come
// (aggregator/arrivals.h):
//
//   sender                                    receiver
//   writes a full buffer to its twin
//   kFilled: so many records lie there    -->
//                                             its steps handle them, or pass them on
//                                         <--  kReturned: the buffer is free again
//
// Threads: any, at the same time, where a member does not say otherwise.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "llcl/aggregator/aggregators.h"
#include "llcl/aggregator/arrivals.h"
#include "llcl/aggregator/lane.h"
#include "llcl/aggregator/notice.h"
#include "llcl/aggregator/router.h"
#include "llcl/aggregator/waves.h"
#include "llcl/completion.h"
#include "llcl/endpoint.h"
#include "llcl/region.h"
#include "llcl/team.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"

namespace llcl {

// A value.
struct AggregatorOptions {
  // Of a buffer. A rank has four for each rank that it sends records to, and eight by a grid:
  // MemoryFor.
  std::size_t bytes = 64 << 10;
  Routes routes = Routes::kAuto;
  // TryFinish and TryQuiesce fail when no record was handled anywhere for so long; zero: the time
  // that an operation of the endpoint may take.
  Timeout timeout = {};
};

// A value. Of this rank.
struct AggregatorCounts {
  std::uint64_t handled = 0;       // records
  std::uint64_t buffers_sent = 0;  // to other ranks
  // Bytes of the records that handlers added while no buffer had room, at most at one time: they
  // are kept beside the buffers.
  std::uint64_t most_spilled_bytes = 0;
};

// How records lie in buffers. A value.
struct RecordLayout {
  std::size_t record_bytes = 0;
  // With its destination, a std::int32_t, at the beginning.
  std::size_t entry_bytes = 0;
  std::size_t record_in_entry = 0;
};

// A resource; the endpoint outlives it.
class AggregatorCore final : public AggregatorSteps,
                             public std::enable_shared_from_this<AggregatorCore> {
 public:
  // Gets whole records.
  using HandleBytes = std::function<void(std::span<const std::byte> records)>;

  // Memory of one neighbor's records of one hop.
  struct alignas(64) Way {
    topo::SpinLock lock;
    Lane lane ABSL_GUARDED_BY(lock);
    std::size_t most_spilled ABSL_GUARDED_BY(lock) = 0;
    std::size_t number = 0;  // of its lane
    int neighbor = 0;        // in the team
    Hop hop = Hop::kLast;
    RemoteAddress there;  // its first buffer's twin
    LocalAddress here;
  };
  // The first hop of records for a rank.
  struct Route {
    Way* way = nullptr;
    std::uint32_t lane = 0;  // the number of its lane
    bool is_direct = true;
  };

  static absl::StatusOr<std::shared_ptr<AggregatorCore>> Make(Endpoint& endpoint, Team& team,
                                                              const RecordLayout& layout,
                                                              HandleBytes handle,
                                                              const AggregatorOptions& options);
  static std::uint64_t MemoryFor(int ranks, const AggregatorOptions& options);

  // The aggregator's end on this rank. Waits for writes that are under way, and for a handler; none
  // runs any more.
  void Close();

  int size() const { return team_.size(); }
  int rank() const { return team_.rank(); }
  // Can no record be added now? Then why not.
  bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }
  Posted WhyClosed();
  const Route& RouteTo(int rank) const { return routes_[static_cast<std::size_t>(rank)]; }
  std::size_t lanes() const { return ways_.size(); }
  Way& WayOf(std::size_t lane) const { return *ways_[lane]; }
  // Adds entries; waits for room, but in a handler of an aggregator.
  Posted Put(Way& way, std::span<const std::byte> entries);
  void Flush();

  [[nodiscard]] Posted TryFinish(Completion then);
  [[nodiscard]] Posted TryQuiesce(Completion then);
  std::string failure() const;
  AggregatorCounts counts() const;

  bool OnNotice(Rank from, const BufferNotice& notice) override;
  bool Advance() override;
  void GiveUp() override;
  void Abort() override { Fail(Outcome::kAborted, "the endpoint was aborted"); }

 private:
  // A buffer on its way to its twin.
  struct Away {
    AggregatorCore* core = nullptr;
    Way* way = nullptr;
    BufferNotice notice;
  };
  enum class End : std::uint8_t { kNone, kFinish, kQuiesce };
  // Of a rank, in a wave.
  struct Numbers {
    std::uint64_t sent = 0, handled = 0, waiting = 0, unsent = 0;  // entries
  };
  // A rank's part in making an aggregator.
  struct Introduction {
    RemoteRegion buffers;
    std::uint64_t bytes = 0, record_bytes = 0;
    std::uint32_t hops = 0;
  };

  AggregatorCore(Endpoint& endpoint, Team& team, const RecordLayout& layout, HandleBytes handle,
                 const AggregatorOptions& options);
  absl::Status Open();
  absl::Status Meet();
  absl::Status Check(std::span<const Introduction> all) const;
  std::size_t EntryBytes(Hop hop) const {
    return hop == Hop::kLast ? layout_.record_bytes : layout_.entry_bytes;
  }
  // Of a neighbor's lane, by its place among the neighbors.
  std::size_t LaneOf(std::size_t place, Hop hop) const {
    return place * static_cast<std::size_t>(router_.hops()) + (hop == Hop::kFirst ? 1 : 0);
  }

  void Count(std::optional<Lane::Filled>& filled);
  void LookWhy(const Way& way, std::int64_t& since_ms);
  void Send(Way& way, const Lane::Filled& filled);
  bool TryWrite(Away& away);
  static void OnWritten(void* away, Outcome outcome);
  void OnReturned(Way& way, std::size_t buffer);
  bool Handle(Arrivals::Arrived& arrived);
  bool PassOn(std::span<const std::byte> entry);
  void Handled(Hop hop, std::uint64_t entries);
  bool HandleAll(bool& did);
  void GoOn();

  Posted TryBegin(End end, Completion then);
  void CountHop(Hop hop);
  static void OnCount(void* self, Outcome outcome);
  bool HasSpilled();
  bool FinishesHop();
  bool IsEnding() const { return is_ending_.load(std::memory_order_acquire); }
  bool IsAtRest();
  Numbers NumbersNow();
  void TryWave();
  static void OnWave(void* self, Outcome outcome);
  void EndWell();
  // `tells`: the other members, which would wait for this rank.
  enum class Tells : std::uint8_t { kAll, kNobody };
  void Fail(Outcome outcome, std::string why, Tells tells = Tells::kAll);
  bool OnFailed(Rank from, const BufferNotice& notice);
  std::string WhoWaits();
  std::string WhoIsLost() const;

  Endpoint& endpoint_;
  Aggregators& aggregators_;
  Team team_;
  const RecordLayout layout_;
  const HandleBytes handle_;
  const AggregatorOptions options_;
  const Router router_;
  const std::vector<int> neighbors_;    // in the team; this rank, too
  std::map<Rank, std::size_t> places_;  // among the neighbors
  Region staging_, buffers_;
  std::vector<std::unique_ptr<Way>> ways_;  // by lane
  std::vector<Route> routes_;               // by rank in the team
  std::vector<Away> away_;                  // by buffer
  std::atomic<std::uint64_t> going_{0};     // buffers from their lane to the end of the write
  std::atomic<std::uint64_t> sent_{0};      // buffers
  std::atomic<std::uint32_t> epoch_{0};

  topo::Mutex handling_;  // held while records are handled; nobody waits for it but Close
  bool is_open_ ABSL_GUARDED_BY(handling_) = false;
  std::array<std::atomic<std::uint64_t>, 2> handled_{};  // entries of this epoch, by hop
  std::atomic<std::uint64_t> all_handled_{0};            // records
  mutable topo::Mutex arrivals_mutex_;
  Arrivals arrivals_ ABSL_GUARDED_BY(arrivals_mutex_);

  std::atomic<bool> is_closed_{false}, is_ending_{false};
  std::atomic<std::int64_t> changed_ms_{0};  // when something was handled at last, in an end
  mutable topo::Mutex mutex_;                // of the end
  End end_ ABSL_GUARDED_BY(mutex_) = End::kNone;
  Completion then_ ABSL_GUARDED_BY(mutex_);
  Hop hop_ ABSL_GUARDED_BY(mutex_) = Hop::kLast;     // of a finish
  bool is_counted_ ABSL_GUARDED_BY(mutex_) = false;  // `expected_` is known
  Waves waves_ ABSL_GUARDED_BY(mutex_);
  bool has_wave_ ABSL_GUARDED_BY(mutex_) = false;           // one is under way
  std::int64_t wave_ms_ ABSL_GUARDED_BY(mutex_) = 0;        // the begin of the last
  std::vector<Numbers> last_wave_ ABSL_GUARDED_BY(mutex_);  // that has ended, by rank
  std::optional<Outcome> failed_ ABSL_GUARDED_BY(mutex_);
  std::string why_ ABSL_GUARDED_BY(mutex_);

  // Of the collective operation that is under way.
  std::shared_ptr<AggregatorCore> alive_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t expected_ = 0;
  Numbers mine_;
  std::vector<Numbers> all_;
};

}  // namespace llcl
