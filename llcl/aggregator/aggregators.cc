#include "llcl/aggregator/aggregators.h"

#include <cstring>
#include <utility>

namespace llcl {

bool Aggregators::Add(std::uint64_t number, std::shared_ptr<AggregatorSteps> aggregator) {
  const topo::Lock lock(mutex_);
  const bool is_new = by_number_.emplace(number, std::move(aggregator)).second;
  size_.store(by_number_.size(), std::memory_order_release);
  return is_new;
}

void Aggregators::Remove(std::uint64_t number) {
  const topo::Lock lock(mutex_);
  by_number_.erase(number);
  size_.store(by_number_.size(), std::memory_order_release);
}

void Aggregators::Send(Rank to, const BufferNotice& notice) {
  messenger_.SendInternal(to, Internal::kAggregator, std::as_bytes(std::span(&notice, 1)));
}

bool Aggregators::OnMessage(Rank from, std::span<const std::byte> message) {
  BufferNotice notice;
  if (message.size() != sizeof notice) return false;
  std::memcpy(&notice, message.data(), sizeof notice);
  std::shared_ptr<AggregatorSteps> aggregator;
  {
    const topo::Lock lock(mutex_);
    const auto found = by_number_.find(notice.aggregator);
    // The last of a buffer that was returned may come after the aggregator's end.
    if (found == by_number_.end()) return notice.kind != BufferNotice::Kind::kFilled;
    aggregator = found->second;
  }
  return aggregator->OnNotice(from, notice);
}

std::vector<std::shared_ptr<AggregatorSteps>> Aggregators::All() const {
  std::vector<std::shared_ptr<AggregatorSteps>> all;
  if (size_.load(std::memory_order_acquire) == 0) return all;
  const topo::Lock lock(mutex_);
  for (const auto& [number, aggregator] : by_number_) all.push_back(aggregator);
  return all;
}

bool Aggregators::Advance() {
  if (!is_ready_.load(std::memory_order_relaxed)) return false;
  if (!is_ready_.exchange(false, std::memory_order_acquire)) return false;
  bool did = false;
  for (const auto& aggregator : All()) did = aggregator->Advance() || did;
  return did;
}

void Aggregators::GiveUp() {
  for (const auto& aggregator : All()) aggregator->GiveUp();
}

void Aggregators::Abort() {
  for (const auto& aggregator : All()) aggregator->Abort();
}

}  // namespace llcl
