#include "taskrt/opencl/operations.h"

#include <utility>

#include "taskrt/trace/recorder.h"

namespace taskrt::opencl {

std::optional<Operation::Times> Operation::times() const {
  std::int64_t ns[3] = {};
  constexpr cl_profiling_info kMoments[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START,
                                            CL_PROFILING_COMMAND_END};
  for (int i = 0; i < 3; ++i) {
    cl_ulong moment = 0;
    const cl_int told =
        library_.GetEventProfilingInfo(event_, kMoments[i], sizeof(moment), &moment, nullptr);
    if (told != CL_SUCCESS) return std::nullopt;
    ns[i] = static_cast<std::int64_t>(moment);
  }
  // Some drivers leave out what they do not know.
  if (ns[0] == 0 || ns[0] > ns[1] || ns[1] > ns[2]) return std::nullopt;
  return Times{ns[0], {ns[1], ns[2]}};
}

Ticket Operations::Add(std::shared_ptr<const Operation> operation) {
  const topo::Lock lock(mutex_);
  for (int i = 0; i < 4 && oldest_.size() > kept_; ++i) {
    const auto found = operations_.find(oldest_.front());
    if (found != operations_.end()) {
      if (!found->second->has_ended()) break;
      if (found->second->Wait() == CL_COMPLETE) operations_.erase(found);
    }
    oldest_.pop_front();
  }
  operations_.emplace(++last_, std::move(operation));
  oldest_.push_back(last_);
  return last_;
}

std::shared_ptr<const Operation> Operations::Find(Ticket ticket) const {
  const topo::Lock lock(mutex_);
  const auto found = operations_.find(ticket);
  return found == operations_.end() ? nullptr : found->second;
}

void Operations::Calibrate(const Operation& operation) {
  const std::optional<Operation::Times> times = operation.times();
  const topo::Lock lock(mutex_);
  if (times) clock_.Saw(times->queued_ns, operation.asked());
}

std::optional<TimeSpan> Operations::SpanOf(Ticket ticket) {
  const std::shared_ptr<const Operation> operation = Find(ticket);
  // A task that has failed may have copies that nobody has waited for.
  if (operation == nullptr || !operation->has_ended() || operation->Wait() != CL_COMPLETE) {
    return std::nullopt;
  }
  const std::optional<Operation::Times> times = operation->times();
  const std::int64_t seen_ns = Recorder::Now().ns;
  const topo::Lock lock(mutex_);
  operations_.erase(ticket);
  if (!times) return std::nullopt;
  clock_.Saw(times->queued_ns, operation->asked());
  return clock_.SpanOf(times->span, operation->asked().begin_ns, seen_ns);
}

}  // namespace taskrt::opencl
