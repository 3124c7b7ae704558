// What was asked of a device's queues, by tickets.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "lwt/event.h"
#include "taskrt/device.h"
#include "taskrt/opencl/library.h"
#include "taskrt/trace/device_clock.h"
#include "topo/mutex.h"

namespace taskrt::opencl {

// A resource: an event of OpenCL, and its end as lightweight threads wait for it.
class Operation {
 public:
  // Owns `event`. `asked`: while the driver was asked for it, where times are recorded.
  Operation(const Library& library, cl_event event, TimeSpan asked = {})
      : library_(library), event_(event), asked_(asked) {
    auto* const end = new std::shared_ptr<End>(end_);
    const cl_int watched = library_.SetEventCallback(event, CL_COMPLETE, HasEnded, end);
    if (watched != CL_SUCCESS) HasEnded(event, watched, end);
  }
  ~Operation() { library_.ReleaseEvent(event_); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  cl_event event() const { return event_; }
  bool has_ended() const { return end_->happened.IsSet(); }
  // CL_COMPLETE, or the error, less than zero.
  cl_int Wait() const {
    end_->happened.Wait("a device");
    return end_->status.load(std::memory_order_relaxed);
  }

  // By the device's clock, of what has ended well.
  struct Times {
    std::int64_t queued_ns = 0;
    TimeSpan span;
  };
  // None: unknown to the driver.
  std::optional<Times> times() const;
  TimeSpan asked() const { return asked_; }

 private:
  struct End {
    lwt::Event happened;
    std::atomic<cl_int> status{CL_COMPLETE};
  };
  // By the driver's thread, in which nothing of OpenCL is called.
  static void CL_CALLBACK HasEnded(cl_event, cl_int status, void* data) {
    const std::unique_ptr<std::shared_ptr<End>> end(static_cast<std::shared_ptr<End>*>(data));
    (*end)->status.store(status, std::memory_order_relaxed);
    (*end)->happened.Set();
  }

  const Library& library_;
  const cl_event event_;
  const TimeSpan asked_;
  const std::shared_ptr<End> end_ = std::make_shared<End>();
};

// A resource. Forgets operations that have ended well, a few at each Add; where times are recorded,
// when their times were asked for, or very many operations came later.
class Operations {
 public:
  Ticket Add(std::shared_ptr<const Operation> operation);
  // Null: it has ended well, or is kDone.
  std::shared_ptr<const Operation> Find(Ticket ticket) const;

  // Before anything is added.
  void RecordTimes() { kept_ = kKeptForTimes; }
  bool records_times() const { return kept_ > 0; }
  // An operation whose times are not asked for has ended: it calibrates the device's clock.
  void Calibrate(const Operation& operation);
  // Device::SpanOf.
  std::optional<TimeSpan> SpanOf(Ticket ticket);

 private:
  static constexpr std::size_t kKeptForTimes = std::size_t{1} << 16;

  mutable topo::Mutex mutex_;
  std::map<Ticket, std::shared_ptr<const Operation>> operations_ ABSL_GUARDED_BY(mutex_);
  std::deque<Ticket> oldest_ ABSL_GUARDED_BY(mutex_);
  Ticket last_ ABSL_GUARDED_BY(mutex_) = kDone;
  DeviceClock clock_ ABSL_GUARDED_BY(mutex_);
  std::size_t kept_ = 0;  // how many of the last operations are kept, though they have ended
};

}  // namespace taskrt::opencl
