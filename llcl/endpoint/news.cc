#include "llcl/endpoint/news.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "llcl/collective/collectives.h"
#include "llcl/collective/farewell.h"

namespace llcl {

News::News(Executors& executors, Departures& departures, Messenger& messenger,
           const Collectives& collectives, Rank mine, const std::vector<int>& hosts)
    : executors_(executors),
      departures_(departures),
      messenger_(messenger),
      collectives_(collectives),
      mine_(mine),
      size_(static_cast<int>(hosts.size())),
      circle_(mine, hosts),
      has_passed_(new std::atomic<bool>[hosts.size()]()),
      is_told_(new std::atomic<bool>[hosts.size()]()) {
  // Nothing has happened yet.
  for (const Rank rank : circle_.Members([](Rank) { return false; })) At(is_told_, rank) = true;
}

std::vector<Rank> News::Members() const {
  return circle_.Members([this](Rank rank) {
    return departures_.PresenceOf(rank) != Presence::kHere ||
           executors_.ContactOf(rank) == Device::Contact::kMissed;
  });
}

void News::Send(Rank to, Internal kind, Rank about, std::span<const std::byte> message) {
  if (to == about) return;
  const std::int64_t number = ToInt(about);
  static_assert(sizeof number == kMostBeforeFarewell);
  std::vector<std::byte> payload(sizeof number + message.size());
  std::memcpy(payload.data(), &number, sizeof number);
  if (!message.empty()) {
    std::memcpy(payload.data() + sizeof number, message.data(), message.size());
  }
  messenger_.SendInternal(to, kind, payload);
}

void News::Pass(Internal kind, Rank about, std::span<const std::byte> message) {
  if (!executors_.meets_on_use() || departures_.is_leaving()) return;
  // A new member of the circle will hear of all.
  for (const Rank to : Members()) {
    if (At(is_told_, to)) Send(to, kind, about, message);
  }
}

void News::PassFarewell(Rank about, std::span<const std::byte> message) {
  Pass(Internal::kPassedFarewell, about, message);
}

void News::PassLoss(Rank about) {
  if (!At(has_passed_, about).exchange(true)) Pass(Internal::kPassedLoss, about, {});
}

std::optional<News::Heard> News::Hear(std::span<const std::byte> payload) const {
  std::int64_t number = 0;
  if (payload.size() < sizeof number) return std::nullopt;
  std::memcpy(&number, payload.data(), sizeof number);
  if (number < 0 || number >= size_ || number == ToInt(mine_)) return std::nullopt;
  return Heard{Rank{static_cast<std::int32_t>(number)}, payload.subspan(sizeof number)};
}

void News::OnLoss(Rank about) {
  if (executors_.HasMet(about) || departures_.PresenceOf(about) != Presence::kHere) return;
  PassLoss(about);
  departures_.Expect(about, Presence::kLost);
  executors_.Doubt(about);
}

bool News::HasLeft(Rank about) {
  departures_.Expect(about, Presence::kLeft);
  return !Awaits(about);
}

std::vector<Rank> News::OnChange(std::span<const Rank> lost) {
  // Ranks that have heard this one's farewell end their connections to it.
  if (!executors_.meets_on_use() || departures_.is_leaving()) return {};
  for (const Rank rank : lost) {
    // A rank that was called in vain may be there for others.
    if (executors_.HasMet(rank)) PassLoss(rank);
  }
  const std::vector<Rank> members = Members();
  for (int number = 0; number < size_; ++number) {
    const Rank rank{number};
    if (std::find(members.begin(), members.end(), rank) == members.end())
      At(is_told_, rank) = false;
  }
  for (const Rank rank : members) {
    executors_.Meet(rank);
    if (executors_.HasMet(rank) && !At(is_told_, rank).exchange(true)) TellAll(rank);
  }
  return NotAwaited();
}

std::vector<Rank> News::NotAwaited() {
  std::vector<Rank> left;
  for (int number = 0; number < size_; ++number) {
    const Rank rank{number};
    const Presence expected = departures_.ExpectedOf(rank);
    if (expected == Presence::kHere || departures_.PresenceOf(rank) != Presence::kHere) continue;
    if (expected == Presence::kLeft && !Awaits(rank)) left.push_back(rank);
    const bool was_missed = executors_.ContactOf(rank) == Device::Contact::kMissed;
    if (expected == Presence::kLost && was_missed) executors_.OnLeft(rank);
  }
  return left;
}

void News::TellAll(Rank to) {
  for (int number = 0; number < size_; ++number) {
    const Rank about{number};
    if (At(has_passed_, about)) Send(to, Internal::kPassedLoss, about, {});
    for (const std::vector<std::byte>& message : collectives_.FarewellOf(about)) {
      Send(to, Internal::kPassedFarewell, about, message);
    }
  }
}

}  // namespace llcl
