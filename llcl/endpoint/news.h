// The departures that ranks tell each other, where a rank does not notice the end of each other one
// (Device::meets_on_use): who leaves says farewell to the ranks that it has met, and some rank of
// its circle (conduit/circle.h) notices its loss. Each passes the news on to its own circle, once:
// so it reaches all. A new member of a circle, in place of a gone one, hears of all.
//
// News may overtake the last messages of a rank. So a rank that has a connection to it, or calls
// it, awaits the end of that, and learns from the news no more than the reason.
//
// Source: flooding.
//
// Threads: any, all members, at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "llcl/conduit/circle.h"
#include "llcl/conduit/executors.h"
#include "llcl/endpoint/departures.h"
#include "llcl/messenger.h"
#include "llcl/region.h"

namespace llcl {

class Collectives;

// A resource. The arguments of the constructor outlive it.
class News {
 public:
  // Of the rank `mine`; `hosts`: circle.h.
  News(Executors& executors, Departures& departures, Messenger& messenger,
       const Collectives& collectives, Rank mine, const std::vector<int>& hosts);
  News(const News&) = delete;
  News& operator=(const News&) = delete;

  // A message of the farewell of `about`, that is new here.
  void PassFarewell(Rank about, std::span<const std::byte> message);

  // News that another rank passes on. A value.
  struct Heard {
    Rank about{0};
    std::span<const std::byte> message;  // of a farewell
  };
  // Nothing: nonsense.
  std::optional<Heard> Hear(std::span<const std::byte> payload) const;
  // Another rank says that the rank is lost.
  void OnLoss(Rank about);
  // Another rank says that the rank has left. False: the end of the rank is awaited here.
  [[nodiscard]] bool HasLeft(Rank about);

  // The devices have met, missed or lost ranks, of which this rank has noticed the loss of `lost`:
  // passes it on, connects to the ranks of the circle, and tells a new one all. Returns the ranks
  // that have left, as others have said, and whose messages are not awaited any more.
  std::vector<Rank> OnChange(std::span<const Rank> lost);

 private:
  void Pass(Internal kind, Rank about, std::span<const std::byte> message);
  void PassLoss(Rank about);
  void Send(Rank to, Internal kind, Rank about, std::span<const std::byte> message);
  void TellAll(Rank to);
  std::vector<Rank> NotAwaited();
  // May messages of the rank be under way?
  bool Awaits(Rank about) const {
    const Device::Contact contact = executors_.ContactOf(about);
    return contact == Device::Contact::kMet || contact == Device::Contact::kMayBeMet;
  }
  std::vector<Rank> Members() const;
  std::atomic<bool>& At(const std::unique_ptr<std::atomic<bool>[]>& flags, Rank rank) const {
    return flags[static_cast<std::size_t>(ToInt(rank))];
  }

  Executors& executors_;
  Departures& departures_;
  Messenger& messenger_;
  const Collectives& collectives_;
  const Rank mine_;
  const int size_;
  const Circle circle_;
  const std::unique_ptr<std::atomic<bool>[]> has_passed_;  // by rank: its loss
  const std::unique_ptr<std::atomic<bool>[]> is_told_;     // by rank: it hears all
};

}  // namespace llcl
