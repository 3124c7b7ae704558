#include "taskrt/trace/recorder.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "lwt/timer.h"
#include "lwt/worker.h"

namespace taskrt {

TraceEvent::Moment Recorder::Now() {
  const lwt::Worker* const worker = lwt::Worker::Current();
  const auto now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(lwt::Now().time_since_epoch());
  return {worker == nullptr ? -1 : worker->index(), now.count()};
}

void Recorder::Add(TraceEvent event) {
  event.seen = Now();
  event.span = {event.asked.ns, event.seen.ns};
  const topo::Lock lock(mutex_);
  events_.push_back(std::move(event));
}

void Recorder::Add(TraceEvent event, Device& device, Ticket ticket) {
  const std::optional<TimeSpan> span = ticket == kDone ? std::nullopt : device.SpanOf(ticket);
  event.seen = Now();
  event.span = span.value_or(TimeSpan{event.asked.ns, event.seen.ns});
  const topo::Lock lock(mutex_);
  events_.push_back(std::move(event));
}

void Recorder::Promise(TraceEvent event, Device& device, Ticket ticket) {
  const SubmitIndex index = event.submit_index;
  const topo::Lock lock(mutex_);
  promised_.emplace(index, Promised{std::move(event), &device, ticket});
}

void Recorder::EndOf(SubmitIndex index) {
  while (true) {
    Promised next;
    {
      const topo::Lock lock(mutex_);
      auto node = promised_.extract(index);
      if (node.empty()) return;
      next = std::move(node.mapped());
    }
    Add(std::move(next.event), *next.device, next.ticket);
  }
}

Trace Recorder::Read(int workers, std::span<const std::unique_ptr<Device>> devices) const {
  Trace trace = {.workers = workers, .devices = {}, .events = {}};
  for (const std::unique_ptr<Device>& device : devices) trace.devices.push_back(device->name());
  {
    const topo::Lock lock(mutex_);
    trace.events = events_;
  }
  if (trace.events.empty()) return trace;
  const auto first_ns = [](const TraceEvent& event) {
    return std::min(event.asked.ns, event.span.begin_ns);
  };
  std::int64_t origin = first_ns(trace.events.front());
  for (const TraceEvent& event : trace.events) origin = std::min(origin, first_ns(event));
  for (TraceEvent& event : trace.events) {
    for (std::int64_t* ns :
         {&event.asked.ns, &event.span.begin_ns, &event.span.end_ns, &event.seen.ns}) {
      *ns -= origin;
    }
  }
  std::stable_sort(
      trace.events.begin(), trace.events.end(),
      [](const TraceEvent& a, const TraceEvent& b) { return a.span.begin_ns < b.span.begin_ns; });
  return trace;
}

}  // namespace taskrt
