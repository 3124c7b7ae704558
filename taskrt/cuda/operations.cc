#include "taskrt/cuda/operations.h"

#include <cstring>

#include "taskrt/trace/recorder.h"

namespace taskrt::cuda {

Operations::~Operations() {
  for (const auto& [ticket, operation] : operations_) GiveBack(*operation);
  for (const Event event : spare_events_) driver_.EventDestroy(event);
}

Result Operations::Begin(Stream stream, std::span<const Ticket> after, Operation& operation) {
  Result result = TakeEvent(operation.end);
  for (const Ticket ticket : after) {
    // Events that are finished meanwhile are used again only for what is done already.
    const std::shared_ptr<Operation> before = Find(ticket);
    if (before == nullptr || result != kSuccess) continue;
    const topo::Lock lock(before->mutex);
    if (!before->is_finished) result = driver_.StreamWaitEvent(stream, before->end, 0);
  }
  if (times_ == nullptr || result != kSuccess) return result;
  operation.asked_ns = Recorder::Now().ns;
  operation.base = &times_->BaseFor(operation.asked_ns);
  result = TakeEvent(operation.begin);
  return result == kSuccess ? driver_.EventRecord(operation.begin, stream) : result;
}

Ticket Operations::Add(std::shared_ptr<Operation> operation) {
  Collect();
  const topo::Lock lock(mutex_);
  operations_.emplace(++last_, std::move(operation));
  return last_;
}

std::shared_ptr<Operation> Operations::Find(Ticket ticket) const {
  const topo::Lock lock(mutex_);
  const auto found = operations_.find(ticket);
  return found == operations_.end() ? nullptr : found->second;
}

Result Operations::Query(Operation& operation) const {
  const topo::Lock lock(operation.mutex);
  return operation.is_finished ? kSuccess : driver_.EventQuery(operation.end);
}

// Finishes a few of the oldest that are done and that nobody waits for.
void Operations::Collect() {
  for (int i = 0; i < 4; ++i) {
    std::pair<Ticket, std::shared_ptr<Operation>> oldest;
    {
      const topo::Lock lock(mutex_);
      if (operations_.empty()) return;
      oldest = *operations_.begin();
    }
    // A copy to the host is for who waits: its memory may be gone if nobody does.
    const bool is_for_who_waits = oldest.second->transfer.to.data != nullptr;
    if (is_for_who_waits || Query(*oldest.second) != kSuccess) return;
    Finish(oldest.first, *oldest.second);
  }
}

void Operations::Finish(Ticket ticket, Operation& operation) {
  const topo::Lock lock(operation.mutex);
  if (operation.is_finished) return;
  const Transfer& transfer = operation.transfer;
  if (transfer.to.data != nullptr) CopyRows(Packed(transfer.to, transfer.staging), transfer.to);
  std::optional<TimeSpan> device;
  if (operation.begin != nullptr) {
    device = times_->Read(*operation.base, operation.begin, operation.end);
  }
  GiveBack(operation);
  operation.is_finished = true;
  const topo::Lock all_lock(mutex_);
  operations_.erase(ticket);
  if (!device) return;
  told_.emplace(ticket, Told{*device, operation.asked_ns});
  if (told_.size() > kKeptForTimes) told_.erase(told_.begin());
}

std::optional<TimeSpan> Operations::SpanOf(Ticket ticket) {
  if (times_ == nullptr) return std::nullopt;
  // Nobody has waited for a copy to the device: a kernel has come after it.
  const std::shared_ptr<Operation> operation = Find(ticket);
  if (operation != nullptr && operation->transfer.to.data == nullptr &&
      Query(*operation) == kSuccess) {
    Finish(ticket, *operation);
  }
  const std::int64_t seen_ns = Recorder::Now().ns;
  Told told;
  {
    const topo::Lock lock(mutex_);
    const auto found = told_.find(ticket);
    if (found == told_.end()) return std::nullopt;
    told = found->second;
    told_.erase(found);
  }
  return times_->SpanOf(told.device, told.asked_ns, seen_ns);
}

void Operations::GiveBack(Operation& operation) {
  const Transfer& transfer = operation.transfer;
  if (transfer.staging != nullptr) staging_.GiveBack(transfer.staging, transfer.bytes);
  const topo::Lock lock(mutex_);
  for (const Event event : {operation.begin, operation.end}) {
    if (event != nullptr) spare_events_.push_back(event);
  }
}

Result Operations::TakeEvent(Event& event) {
  {
    const topo::Lock lock(mutex_);
    if (!spare_events_.empty()) {
      event = spare_events_.back();
      spare_events_.pop_back();
      return kSuccess;
    }
  }
  return driver_.EventCreate(&event, times_ == nullptr ? kEventDisableTiming : kEventDefault);
}

}  // namespace taskrt::cuda
