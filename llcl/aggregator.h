// Many small records to other ranks, sent in buffers: the pattern of graph searches, of hash tables
// that are spread over ranks, and of all programs that send each datum to its owner.
//
//   struct Visit { std::uint64_t vertex, parent; };
//   auto visits = llcl::Aggregator<Visit>::Make(endpoint, endpoint.world(),
//       [&](std::span<const Visit> found) { for (const Visit& visit : found) ... });
//   for (...) (*visits)->Add(OwnerOf(vertex), {vertex, parent});  // or by an Adder of the thread
//   llcl::Flag ended;
//   if ((*visits)->TryFinish(ended.completion()) == llcl::Posted::kPosted) endpoint.Wait(ended);
//
// Records go through buffers in their receiver's memory, two for each sender, so memory is bounded
// by MemoryFor, and a sender that is too fast waits. In a team of many ranks records go by one rank
// between (aggregator/router.h).
//
// An epoch ends on all ranks of the team together:
//   - TryFinish, where no handler adds records: the ranks add up how many records each has for
//   each,
//     and each waits for as many.
//   - TryQuiesce, where handlers add records: waves of sums, until all are handled
//     (aggregator/waves.h).
// Records of the next epoch are handled on a rank after its end of this one.
//
// The handler runs in a step of the endpoint (a progress thread or a thread that waits or adds), on
// one thread at a time; it must not block. It may Add with TryQuiesce: where no buffer has room,
// its records are kept beside the buffers, and counts() tells their bytes.
//
// Threads: Add, AddAll, Flush, failure, counts: any, at the same time; an end by one thread, while
//   no other thread adds, the same on all members of the team. Not in handlers of messages, nor in
//   completions.
// Order: none among records. The writes before Add happen before its handler.
// Errors: of an end: kPeerDown and kLeft for a member that is gone, kLate where nothing was handled
//   for AggregatorOptions::timeout, kRefused where records are added during TryFinish; failure()
//   says which rank, and how many records of it wait. The aggregator cannot be used then: Add is
//   refused with Posted::kPeerDown, kLeft or kClosing, each end has the same outcome, and records
//   may be lost.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/aggregator_core.h"
#include "llcl/completion.h"
#include "llcl/endpoint.h"
#include "llcl/team.h"
#include "topo/mutex.h"

namespace llcl {

// A resource; the endpoint outlives it.
template <typename Record>
requires std::is_trivially_copyable_v<Record>
class Aggregator {
 public:
  static_assert(alignof(Record) <= 64);
  // Gets some records, in the receiver's buffer: valid until it returns.
  using Handler = std::function<void(std::span<const Record>)>;

  // All members of the team make it, as they make a Team, and wait for each other. Handlers may run
  // before it returns. Errors: InvalidArgument for impossible options, with field and value, and
  // for options or records of which another rank has others, with both; ResourceExhausted where a
  // rank has no memory; Unavailable where the ranks do not meet.
  static absl::StatusOr<std::unique_ptr<Aggregator>> Make(Endpoint& endpoint, Team& team,
                                                          Handler handler,
                                                          const AggregatorOptions& options = {}) {
    auto core = AggregatorCore::Make(
        endpoint, team, {sizeof(Record), sizeof(Entry), offsetof(Entry, record)},
        [handler = std::move(handler)](std::span<const std::byte> bytes) {
          handler({reinterpret_cast<const Record*>(bytes.data()), bytes.size() / sizeof(Record)});
        },
        options);
    if (!core.ok()) return core.status();
    return std::unique_ptr<Aggregator>(new Aggregator(*std::move(core)));
  }
  // Drops the records of an epoch that has not ended. No handler runs any more; not in a handler.
  ~Aggregator() { core_->Close(); }
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;

  // The bytes of a rank's buffers in a team of so many ranks.
  static std::uint64_t MemoryFor(int ranks, const AggregatorOptions& options = {}) {
    return AggregatorCore::MemoryFor(ranks, options);
  }

  // For the rank of the team; waits for room, and makes progress meanwhile. kPosted: it is kept.
  // kBadRange: there is no such rank. Other refusals: `Errors` above; an end tells them, too.
  Posted Add(int rank, const Record& record) {
    if (!IsRank(rank)) [[unlikely]]
      return Posted::kBadRange;
    if (core_->is_closed()) [[unlikely]]
      return core_->WhyClosed();
    const AggregatorCore::Route& route = core_->RouteTo(rank);
    if (route.is_direct) [[likely]]
      return Put(*route.way, record);
    return Put(*route.way, Entry{rank, record});
  }
  // Several at once, which costs less for each. Where it is refused, some of them may be kept.
  Posted AddAll(int rank, std::span<const Record> records) {
    if (!IsRank(rank)) return Posted::kBadRange;
    if (core_->is_closed()) return core_->WhyClosed();
    const AggregatorCore::Route& route = core_->RouteTo(rank);
    if (route.is_direct) return core_->Put(*route.way, std::as_bytes(records));
    for (const Record& record : records) {
      if (const Posted kept = Put(*route.way, Entry{rank, record}); kept != Posted::kPosted) {
        return kept;
      }
    }
    return Posted::kPosted;
  }
  // Adds records by one thread, and keeps some of each rank before it gives them to the aggregator:
  // that costs half of Add, which takes a lock for each. A resource, of one thread at a time, and
  // not in handlers, whose records an end would miss; the aggregator outlives it.
  class Adder {
   public:
    explicit Adder(Aggregator& aggregator) : core_(*aggregator.core_) {
      const std::size_t most_bytes = std::max(kBatchBytes, sizeof(Entry));
      memory_.resize(core_.lanes() * most_bytes);
      for (std::size_t lane = 0; lane < core_.lanes(); ++lane) {
        std::byte* const start = memory_.data() + lane * most_bytes;
        batches_.push_back({start, start, start + most_bytes});
      }
    }
    // Flush.
    ~Adder() { (void)Flush(); }
    Adder(const Adder&) = delete;
    Adder& operator=(const Adder&) = delete;

    // As Aggregator::Add.
    Posted Add(int rank, const Record& record) {
      if (static_cast<unsigned>(rank) >= static_cast<unsigned>(core_.size())) [[unlikely]] {
        return Posted::kBadRange;
      }
      if (core_.is_closed()) [[unlikely]]
        return core_.WhyClosed();
      const AggregatorCore::Route& route = core_.RouteTo(rank);
      Batch& batch = batches_[route.lane];
      if (route.is_direct) [[likely]]
        return Put(*route.way, batch, record);
      return Put(*route.way, batch, Entry{rank, record});
    }
    // Gives the aggregator the records that are kept here: before each end, and before
    // Aggregator::Flush. Returns the first refusal.
    Posted Flush() {
      Posted all = Posted::kPosted;
      for (std::size_t lane = 0; lane < batches_.size(); ++lane) {
        const Posted given = Give(core_.WayOf(lane), batches_[lane]);
        if (all == Posted::kPosted) all = given;
      }
      return all;
    }

   private:
    static constexpr std::size_t kBatchBytes = 256;
    struct Batch {
      std::byte *start, *at, *end;
    };
    template <typename T>
    [[gnu::always_inline]] Posted Put(AggregatorCore::Way& way, Batch& batch, const T& entry) {
      std::memcpy(batch.at, &entry, sizeof entry);
      batch.at += sizeof entry;
      if (static_cast<std::size_t>(batch.end - batch.at) >= sizeof entry) [[likely]] {
        return Posted::kPosted;
      }
      return Give(way, batch);
    }
    Posted Give(AggregatorCore::Way& way, Batch& batch) {
      const std::span<const std::byte> entries(batch.start, batch.at);
      batch.at = batch.start;
      return entries.empty() ? Posted::kPosted : core_.Put(way, entries);
    }

    AggregatorCore& core_;
    std::vector<std::byte> memory_;
    std::vector<Batch> batches_;  // by lane
  };

  // Sends the records that wait in buffers: they are handled soon, without an end.
  void Flush() { core_->Flush(); }

  // `then` is called when the epoch has ended on this rank: all records for it are handled.
  // kBadRange: another end is under way.
  [[nodiscard]] Posted TryFinish(Completion then) { return core_->TryFinish(then); }
  [[nodiscard]] Posted TryQuiesce(Completion then) { return core_->TryQuiesce(then); }
  // After an end that failed: why, as a sentence.
  std::string failure() const { return core_->failure(); }
  AggregatorCounts counts() const { return core_->counts(); }

 private:
  // A record on its way to the rank that passes it on.
  struct Entry {
    std::int32_t to = 0;
    Record record;
  };

  explicit Aggregator(std::shared_ptr<AggregatorCore> core) : core_(std::move(core)) {}
  bool IsRank(int rank) const {
    return static_cast<unsigned>(rank) < static_cast<unsigned>(core_->size());
  }
  template <typename T>
  [[gnu::always_inline]] Posted Put(AggregatorCore::Way& way, const T& entry) {
    {
      const topo::Lock lock(way.lock);
      if (way.lane.TryPutInside(entry)) return Posted::kPosted;
    }
    return core_->Put(way, std::as_bytes(std::span(&entry, 1)));
  }

  const std::shared_ptr<AggregatorCore> core_;
};

}  // namespace llcl
