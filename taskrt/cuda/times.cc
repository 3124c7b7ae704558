#include "taskrt/cuda/times.h"

#include <cmath>
#include <utility>

#include "taskrt/trace/recorder.h"

namespace taskrt::cuda {

std::unique_ptr<Times> Times::Create(const Driver& driver) {
  std::unique_ptr<Times> times(new Times(driver));
  if (driver.StreamCreate(&times->stream_, kStreamNonBlocking) != kSuccess) return nullptr;
  const topo::Lock lock(times->mutex_);
  for (int i = 0; i < kCalibrations; ++i) {
    if (times->Renew() != kSuccess) break;
  }
  return times->bases_.empty() ? nullptr : std::move(times);
}

Times::~Times() {
  for (const Base& base : bases_) driver_.EventDestroy(base.event);
  if (stream_ != nullptr) driver_.StreamDestroy(stream_);
}

const Times::Base& Times::BaseFor(std::int64_t now_ns) {
  const topo::Lock lock(mutex_);
  if (now_ns - bases_.back().seen_ns > kLongest) (void)Renew();  // Else less exact.
  return bases_.back();
}

std::optional<TimeSpan> Times::Read(const Base& base, Event begin, Event end) const {
  TimeSpan span;
  if (SinceBase(base, begin, span.begin_ns) != kSuccess ||
      SinceBase(base, end, span.end_ns) != kSuccess) {
    return std::nullopt;
  }
  return span;
}

TimeSpan Times::SpanOf(TimeSpan device, std::int64_t asked_ns, std::int64_t seen_ns) {
  const topo::Lock lock(mutex_);
  return clock_.SpanOf(device, asked_ns, seen_ns);
}

Result Times::Renew() {
  Base base;
  Result made = driver_.EventCreate(&base.event, kEventDefault);
  if (made != kSuccess) return made;
  const std::int64_t asked_ns = Recorder::Now().ns;
  made = Happen(base.event);
  base.seen_ns = Recorder::Now().ns;
  if (made == kSuccess && !bases_.empty()) {
    made = SinceBase(bases_.back(), base.event, base.device_ns);
  }
  if (made != kSuccess) {
    driver_.EventDestroy(base.event);
    return made;
  }
  bases_.push_back(base);
  clock_.Saw(base.device_ns, {asked_ns, base.seen_ns});
  return kSuccess;
}

Result Times::Happen(Event event) const {
  Result state = driver_.EventRecord(event, stream_);
  if (state != kSuccess) return state;
  constexpr std::int64_t kMost = 1'000'000'000;  // Nothing is before it: who takes so long hangs.
  const std::int64_t begun = Recorder::Now().ns;
  while ((state = driver_.EventQuery(event)) == kNotReady && Recorder::Now().ns - begun < kMost) {
  }
  return state;
}

Result Times::SinceBase(const Base& base, Event event, std::int64_t& device_ns) const {
  float milliseconds = 0;
  const Result told = driver_.EventElapsedTime(&milliseconds, base.event, event);
  device_ns = base.device_ns + std::llround(static_cast<double>(milliseconds) * 1e6);
  return told;
}

}  // namespace taskrt::cuda
