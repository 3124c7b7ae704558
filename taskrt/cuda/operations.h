// What was asked of a device's streams, by tickets.
//
// Threads: any. The device's context is current in all calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/cuda/staging.h"
#include "taskrt/cuda/times.h"
#include "taskrt/device.h"
#include "taskrt/tile.h"
#include "topo/mutex.h"

namespace taskrt::cuda {

// A value: a copy's memory on its way.
struct Transfer {
  std::byte* staging = nullptr;
  std::uint64_t bytes = 0;
  Tile to;  // of a copy to the host: where its rows go when it is done
};

// A resource: its events and its staging are given back when it is finished.
struct Operation {
  Transfer transfer;
  Event end = nullptr;
  // Where times are recorded:
  Event begin = nullptr;
  const Times::Base* base = nullptr;
  std::int64_t asked_ns = 0;
  topo::Mutex mutex;
  bool is_finished ABSL_GUARDED_BY(mutex) = false;
};

// A resource. Staging outlives it.
class Operations {
 public:
  Operations(const Driver& driver, Staging& staging) : driver_(driver), staging_(staging) {}
  // All that was asked for has ended, or never will.
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  // `call()` asks the stream for it. When that fails, `transfer` is given back.
  template <typename Call>
  Result Enqueue(Stream stream, std::span<const Ticket> after, const Transfer& transfer, Call call,
                 Ticket& ticket) {
    auto operation = std::make_shared<Operation>();
    operation->transfer = transfer;
    Result result = Begin(stream, after, *operation);
    if (result == kSuccess) result = call();
    if (result == kSuccess) result = driver_.EventRecord(operation->end, stream);
    if (result != kSuccess) {
      GiveBack(*operation);
      return result;
    }
    ticket = Add(std::move(operation));
    return kSuccess;
  }

  // Null: it is finished, or kDone.
  std::shared_ptr<Operation> Find(Ticket ticket) const;
  // kNotReady: it has not ended.
  Result Query(Operation& operation) const;
  // It has ended.
  void Finish(Ticket ticket, Operation& operation);

  // Before anything is asked for.
  void RecordTimes() { times_ = Times::Create(driver_); }
  // Device::SpanOf.
  std::optional<TimeSpan> SpanOf(Ticket ticket);

 private:
  static constexpr std::size_t kKeptForTimes = std::size_t{1} << 16;
  struct Told {
    TimeSpan device;
    std::int64_t asked_ns = 0;
  };

  Result Begin(Stream stream, std::span<const Ticket> after, Operation& operation);
  Ticket Add(std::shared_ptr<Operation> operation);
  void Collect();
  void GiveBack(Operation& operation);
  Result TakeEvent(Event& event);

  const Driver& driver_;
  Staging& staging_;
  std::unique_ptr<Times> times_;  // null: times are not recorded
  mutable topo::Mutex mutex_;
  std::map<Ticket, std::shared_ptr<Operation>> operations_ ABSL_GUARDED_BY(mutex_);
  // Of those that are finished: the last ones until they are asked for.
  std::map<Ticket, Told> told_ ABSL_GUARDED_BY(mutex_);
  std::vector<Event> spare_events_ ABSL_GUARDED_BY(mutex_);
  Ticket last_ ABSL_GUARDED_BY(mutex_) = kDone;
};

}  // namespace taskrt::cuda
