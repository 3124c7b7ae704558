// When a device did what it was asked for, by its events.
//
// CUDA tells an event's time since another event, in milliseconds of single precision. Events are
// exact to half a microsecond, of which 24 bits hold eight seconds: so the other is a base that is
// renewed before. That is half a microsecond between what a device has done; for lwt's clock it is
// the time that recording a base takes, some microseconds, and less the more is known
// (trace/device_clock.h).
//
// Threads: any. The device's context is current in all calls.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "taskrt/cuda/driver.h"
#include "taskrt/trace/device_clock.h"
#include "taskrt/trace/trace.h"
#include "topo/mutex.h"

namespace taskrt::cuda {

// A resource.
class Times {
 public:
  // A value: an event that has happened. Time: nanoseconds.
  struct Base {
    Event event = nullptr;
    std::int64_t device_ns = 0;  // since the first base
    std::int64_t seen_ns = 0;    // of lwt's clock
  };

  // Null: the driver does not record times.
  static std::unique_ptr<Times> Create(const Driver& driver);
  ~Times();
  Times(const Times&) = delete;
  Times& operator=(const Times&) = delete;

  // For what is asked for at `now_ns` of lwt's clock. It lives as long as this.
  const Base& BaseFor(std::int64_t now_ns);
  // Since the first base. Both happened after `base`. None: unknown to the driver.
  std::optional<TimeSpan> Read(const Base& base, Event begin, Event end) const;
  // The same by lwt's clock.
  TimeSpan SpanOf(TimeSpan device, std::int64_t asked_ns, std::int64_t seen_ns);

 private:
  static constexpr std::int64_t kLongest = 4'000'000'000;  // that a base is used
  static constexpr int kCalibrations = 4;                  // The first calls take longer.

  explicit Times(const Driver& driver) : driver_(driver) {}
  // Waits for its stream, on which nothing else is.
  Result Renew() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result Happen(Event event) const;
  Result SinceBase(const Base& base, Event event, std::int64_t& device_ns) const;

  const Driver& driver_;
  Stream stream_ = nullptr;
  topo::Mutex mutex_;
  std::deque<Base> bases_ ABSL_GUARDED_BY(mutex_);
  DeviceClock clock_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace taskrt::cuda
