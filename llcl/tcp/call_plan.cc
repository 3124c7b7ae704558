#include "llcl/tcp/call_plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace llcl {

CallPlan::CallPlan(std::vector<std::string> addresses, std::size_t first) : first_(first) {
  for (std::string& address : addresses) calls_.push_back({.address = std::move(address)});
}

std::optional<std::size_t> CallPlan::FirstNotCalled() const {
  const auto is_not_called = [](const ACall& call) { return call.state == State::kNotCalled; };
  if (first_ < calls_.size() && is_not_called(calls_[first_])) return first_;
  const auto found = std::find_if(calls_.begin(), calls_.end(), is_not_called);
  if (found == calls_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - calls_.begin());
}

std::optional<std::size_t> CallPlan::Next(std::int64_t now_ms) {
  for (std::size_t position = 0; position < calls_.size(); ++position) {
    ACall& call = calls_[position];
    if (call.state != State::kAgain || now_ms < call.again_at_ms) continue;
    call.state = State::kCalled;
    return position;
  }
  const std::optional<std::size_t> position = FirstNotCalled();
  if (!position || now_ms < next_at_ms_) return std::nullopt;
  calls_[*position].state = State::kCalled;
  next_at_ms_ = now_ms + kBeforeNextMs;
  return position;
}

std::optional<std::int64_t> CallPlan::NextAtMs() const {
  std::optional<std::int64_t> at;
  if (FirstNotCalled()) at = next_at_ms_;
  for (const ACall& call : calls_) {
    if (call.state == State::kAgain) at = std::min(at.value_or(call.again_at_ms), call.again_at_ms);
  }
  return at;
}

void CallPlan::CallAgain(std::size_t position, std::string reason, std::int64_t now_ms) {
  ACall& call = calls_[position];
  call.state = State::kAgain;
  call.again_at_ms = now_ms + kBeforeAgainMs;
  call.is_connected = false;
  call.reason = std::move(reason);
  next_at_ms_ = std::min(next_at_ms_, now_ms);
}

void CallPlan::Failed(std::size_t position, std::string reason, std::int64_t now_ms) {
  calls_[position].state = State::kFailed;
  calls_[position].reason = std::move(reason);
  next_at_ms_ = std::min(next_at_ms_, now_ms);
}

bool CallPlan::IsOver() const {
  return std::all_of(calls_.begin(), calls_.end(),
                     [](const ACall& call) { return call.state == State::kFailed; });
}

std::string CallPlan::ReasonOf(const ACall& call) {
  if (call.is_connected && call.state == State::kCalled) return "no answer";
  if (!call.reason.empty()) return call.reason;
  return call.state == State::kCalled ? "timed out" : "not called in time";
}

std::string CallPlan::Sentence(int rank) const {
  std::vector<std::string> items;
  for (const ACall& call : calls_) {
    items.push_back(absl::StrCat(call.address, " (", ReasonOf(call), ")"));
  }
  return absl::StrCat("rank ", rank, " was not reached at ", NorAt(items), ": ",
                      AddressAdvice("its machine"));
}

std::string NorAt(const std::vector<std::string>& items) {
  return absl::StrJoin(items, " nor at ");
}

std::string AddressAdvice(const std::string& machine) {
  return absl::StrCat("set LLCL_ADDRESS on ", machine,
                      " to an address that the other machines reach");
}

}  // namespace llcl
