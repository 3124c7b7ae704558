// What the workers did and when, as events and as a picture for a browser.
//
// Pure. Recording is off unless PoolOptions::trace_events, the number of events that
// a worker keeps, is set; later events are counted and lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lwt/language.h"

namespace lwt {

// A value.
struct TraceEvent {
  enum class Kind {
    kBusy,   // from here on the worker runs threads
    kIdle,   // from here on it looks for some
    kPark,   // and from here on it sleeps
    kSteal,  // it took a thread from another worker's tail
  };
  Kind kind = Kind::kBusy;
  int worker = 0;
  double ns = 0;    // since the pool was made; virtual where the workers are
  int victim = -1;  // of kSteal
  int depth = 0;    // of kSteal: how many spawns deep the thread is
};

// A value: the events of one worker, as many as were reserved.
class TraceBuffer {
 public:
  // Throws std::bad_alloc.
  void Reserve(std::size_t events) { events_.reserve(events); }
  bool is_on() const { return events_.capacity() > 0; }
  void Add(const TraceEvent& event) {
    if (events_.size() == events_.capacity()) {
      ++lost_;
    } else {
      events_.push_back(event);
    }
  }
  std::span<const TraceEvent> events() const { return events_; }
  std::int64_t lost() const { return lost_; }

 private:
  std::vector<TraceEvent> events_;  // its capacity is what it may hold
  std::int64_t lost_ = 0;
};

// Steals by depth, as long as the deepest; the last of `depths` counts deeper
// ones too. Empty where `depths` is below 1.
std::vector<std::int64_t> StealsByDepth(std::span<const TraceEvent> events, int depths);

// The JSON that chrome://tracing and Perfetto show: a row a worker, with what it
// was doing, and an arrow head at each steal. `events` in order for each worker;
// `end_ns` closes what goes on.
std::string ToChromeTrace(std::span<const TraceEvent> events, double end_ns);

}  // namespace lwt
