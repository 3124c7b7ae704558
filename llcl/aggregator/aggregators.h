// The aggregators of an endpoint, by the number that an aggregator has on all its ranks.
//
// Threads: any, all members, at the same time; none blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "llcl/aggregator/notice.h"
#include "llcl/messenger.h"
#include "llcl/region.h"
#include "topo/mutex.h"

namespace llcl {

// An aggregator, as the steps of an endpoint call it.
class AggregatorSteps {
 public:
  virtual ~AggregatorSteps() = default;
  // False: nonsense.
  virtual bool OnNotice(Rank from, const BufferNotice& notice) = 0;
  // Handles the records that have come. True: there were some.
  virtual bool Advance() = 0;
  // Looks for lost ranks and for ends that are overdue.
  virtual void GiveUp() = 0;
  virtual void Abort() = 0;
};

// A resource. `messenger` outlives it.
class Aggregators {
 public:
  // `most_ms`: how long an operation of the endpoint may take.
  Aggregators(Messenger& messenger, std::int64_t most_ms)
      : messenger_(messenger), most_ms_(most_ms) {}

  std::int64_t most_ms() const { return most_ms_; }

  // False: there is one of this number.
  [[nodiscard]] bool Add(std::uint64_t number, std::shared_ptr<AggregatorSteps> aggregator);
  void Remove(std::uint64_t number);
  void Send(Rank to, const BufferNotice& notice);
  // The next step calls the aggregators' Advance.
  void SetReady() { is_ready_.store(true, std::memory_order_release); }

  // An end has begun, or is over: until then IsPending.
  void BeginEnd() { ends_.fetch_add(1, std::memory_order_relaxed); }
  void EndEnd() { ends_.fetch_sub(1, std::memory_order_release); }

  bool OnMessage(Rank from, std::span<const std::byte> message);
  bool Advance();
  void GiveUp();
  void Abort();
  bool IsPending() const {
    return is_ready_.load(std::memory_order_acquire) || ends_.load(std::memory_order_acquire) > 0;
  }

 private:
  std::vector<std::shared_ptr<AggregatorSteps>> All() const;

  Messenger& messenger_;
  const std::int64_t most_ms_;
  std::atomic<bool> is_ready_{false};
  std::atomic<std::size_t> ends_{0};  // under way
  std::atomic<std::size_t> size_{0};
  mutable topo::Mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<AggregatorSteps>> by_number_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace llcl
