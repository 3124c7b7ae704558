#include "llcl/executor/overdue_scan.h"

#include "llcl/system/clock.h"

namespace llcl {
namespace {

// Overdue operations are looked for so often; each look takes some ten microseconds
// where thousands are in flight.
constexpr std::int64_t kLookEveryMs = 10;
constexpr int kStepsPerClock = 64;  // reading it costs as much as a step

}  // namespace

bool OverdueScan::Look(StepResults& step) {
  steps_to_clock_ = kStepsPerClock;
  const std::int64_t now = NowMs();
  if (next_ == 0 && (now < due_ms_ || in_flight_.count() == 0)) return false;
  due_ms_ = now + kLookEveryMs;
  next_ = operations_.GiveUp(
      next_, [&](Operation& operation) { return Judge(operation, now); },
      [&](Completion then, Outcome outcome) {
        in_flight_.GiveUp();
        step.Add(then, outcome);
        return step.count() < StepResults::kBatch / 2;
      });
  return step.count() > 0;
}

// Its deadline counts from the first look at it.
std::optional<Outcome> OverdueScan::Judge(Operation& operation, std::int64_t now) const {
  if (is_aborted_) return Outcome::kAborted;
  if (device_.IsDown(operation.peer)) return WhyGone(host_, operation.peer);
  if (operation.most_ms == 0) return std::nullopt;
  if (operation.deadline_ms == Operation::kUnset) operation.deadline_ms = now + operation.most_ms;
  return now < operation.deadline_ms ? std::nullopt : std::optional(Outcome::kLate);
}

}  // namespace llcl
