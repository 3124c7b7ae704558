#include "llcl/collective/collectives.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "llcl/system/clock.h"

namespace llcl {
namespace {

Posted RefusalFor(Presence gone) {
  return gone == Presence::kLeft ? Posted::kLeft : Posted::kPeerDown;
}

}  // namespace

Collectives::Collectives(std::size_t most, Send send, PresenceFunction presence,
                         std::int64_t most_ms, OperationCounters* counters)
    : most_(most),
      send_(std::move(send)),
      presence_(std::move(presence)),
      most_ms_(most_ms),
      counters_(counters) {}

Posted Collectives::TryBegin(CollectiveId id, Collective collective) {
  const Posted begun = TryBeginOnce(id, std::move(collective));
  if (counters_ != nullptr) counters_->Count(Counted::kCollective, 0, begun);
  return begun;
}

Posted Collectives::TryBeginOnce(CollectiveId id, Collective collective) {
  Endings endings;
  {
    const topo::Lock lock(mutex_);
    if (aborted_) return Posted::kClosing;
    const Presence missing = WhoIsMissing(id, collective.members);
    if (missing != Presence::kHere) return RefusalFor(missing);
    progress_.Begin(id);
    const std::int64_t deadline = most_ms_ == 0 ? 0 : NowMs() + most_ms_;
    const Position at =
        running_.emplace(id, Running{.collective = std::move(collective), .deadline_ms = deadline})
            .first;
    if (!at->second.collective.schedule.rounds.empty()) StartRound(id, at->second);
    Step(at, endings);
  }
  Report(endings);
  return Posted::kPosted;
}

// Sends what this round sends; counts what it waits for.
void Collectives::StartRound(const CollectiveId& id, Running& running) {
  const Collective& collective = running.collective;
  const Round& round = collective.schedule.rounds[running.round];
  std::vector<std::byte> message;
  for (const Part& part : round.sends) {
    const std::size_t most = (most_ - sizeof(Header)) / 8 * 8;  // No word is split.
    std::size_t at = 0;
    do {
      const std::size_t bytes = std::min(most, part.bytes - at);
      const Header header = {id, static_cast<std::uint32_t>(running.round), at};
      message.resize(sizeof header + bytes);
      std::memcpy(message.data(), &header, sizeof header);
      if (bytes > 0) {
        std::memcpy(message.data() + sizeof header, collective.buffer.data() + part.at + at, bytes);
      }
      send_(collective.members[static_cast<std::size_t>(part.peer)], message);
      at += bytes;
    } while (at < part.bytes);
  }
  running.missing = 0;
  for (const Part& part : round.receipts) running.missing += std::max<std::size_t>(part.bytes, 1);
}

// Goes on as far as what has come allows; ends it after the last round.
void Collectives::Step(Position at, Endings& endings) {
  const CollectiveId id = at->first;
  Running& running = at->second;
  const std::size_t rounds = running.collective.schedule.rounds.size();
  while (running.round < rounds) {
    while (running.missing > 0 && TakeEarly(id, running)) {
    }
    if (running.missing > 0) return;
    if (++running.round < rounds) StartRound(id, running);
  }
  endings.emplace_back(std::move(running.collective), Outcome::kDone);
  running_.erase(at);
  DropEarly(id);
}

void Collectives::DropEarly(const CollectiveId& id) {
  const auto found = early_.find(id);
  if (found == early_.end()) return;
  early_count_ -= found->second.size();
  early_.erase(found);
}

void Collectives::RememberFailed(const CollectiveId& id) {
  DropEarly(id);
  progress_.Fail(id);
  failed_.insert(id);
  failed_in_order_.push_back(id);
  if (failed_in_order_.size() <= kMostFailed) return;
  failed_.erase(failed_in_order_.front());
  failed_in_order_.pop_front();
}

bool Collectives::TakeEarly(const CollectiveId& id, Running& running) {
  const auto found = early_.find(id);
  if (found == early_.end()) return false;
  for (auto early = found->second.begin(); early != found->second.end(); ++early) {
    if (!TryTake(running, early->from, early->header, early->bytes)) continue;
    found->second.erase(early);
    --early_count_;
    return true;
  }
  return false;
}

// False: it is not of this round.
bool Collectives::TryTake(Running& running, Rank from, const Header& header,
                          std::span<const std::byte> bytes) {
  Collective& collective = running.collective;
  if (header.round != running.round) return false;
  const Round& round = collective.schedule.rounds[running.round];
  const auto part =
      std::find_if(round.receipts.begin(), round.receipts.end(), [&](const Part& receipt) {
        return collective.members[static_cast<std::size_t>(receipt.peer)] == from;
      });
  // Bytes that are not expected, or too many, are dropped.
  if (part == round.receipts.end() || !Fits(header.at, bytes.size(), part->bytes)) return true;
  const std::span<std::byte> to =
      std::span(collective.buffer).subspan(part->at + header.at, bytes.size());
  if (part->combines) {
    Combine(collective.type, collective.op, to, bytes);
  } else if (!bytes.empty()) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  running.missing -= std::max<std::size_t>(bytes.size(), 1);
  return true;
}

bool Collectives::OnMessage(Rank from, std::span<const std::byte> message) {
  Header header;
  if (message.size() < sizeof header) return false;
  std::memcpy(&header, message.data(), sizeof header);
  const std::span<const std::byte> bytes = message.subspan(sizeof header);
  Endings endings;
  {
    const topo::Lock lock(mutex_);
    const Position at = running_.find(header.id);
    if (at == running_.end() || !TryTake(at->second, from, header, bytes)) {
      if (failed_.contains(header.id) || early_count_ == kMostEarly) return true;
      early_[header.id].push_back({from, header, {bytes.begin(), bytes.end()}});
      ++early_count_;
      return true;
    }
    Step(at, endings);
  }
  Report(endings);
  return true;
}

std::vector<std::vector<std::byte>> Collectives::Farewell() const {
  const topo::Lock lock(mutex_);
  return progress_.Farewell(most_);
}

Collectives::Heard Collectives::OnFarewell(Rank from, std::span<const std::byte> message) {
  const topo::Lock lock(mutex_);
  llcl::Farewell& farewell = farewells_[from];
  if (!farewell.Add(message)) return Heard::kNonsense;
  return farewell.is_complete() ? Heard::kAll : Heard::kPart;
}

// How a member has gone that did not do its part; kHere: none has.
Presence Collectives::WhoIsMissing(const CollectiveId& id, std::span<const Rank> members) const {
  Presence missing = Presence::kHere;
  for (const Rank member : members) {
    const Presence there = presence_(member);
    if (there == Presence::kLost) return Presence::kLost;
    if (there == Presence::kLeft && !farewells_.at(member).HasDone(id)) missing = Presence::kLeft;
  }
  return missing;
}

template <typename Why>
void Collectives::EndWhere(Why why) {
  Endings endings;
  {
    const topo::Lock lock(mutex_);
    for (auto at = running_.begin(); at != running_.end();) {
      const std::optional<Outcome> outcome = why(at->first, at->second);
      if (!outcome) {
        ++at;
        continue;
      }
      endings.emplace_back(std::move(at->second.collective), *outcome);
      RememberFailed(at->first);
      at = running_.erase(at);
    }
  }
  Report(endings);
}

void Collectives::GiveUp() {
  if (empty()) return;
  const std::int64_t now = NowMs();
  EndWhere([&](const CollectiveId& id, const Running& running)
               ABSL_NO_THREAD_SAFETY_ANALYSIS -> std::optional<Outcome> {
                 const Presence missing = WhoIsMissing(id, running.collective.members);
                 if (missing != Presence::kHere) return OutcomeOf(missing);
                 if (running.deadline_ms != 0 && now >= running.deadline_ms) return Outcome::kLate;
                 return std::nullopt;
               });
}

void Collectives::Abort() {
  {
    const topo::Lock lock(mutex_);
    aborted_ = true;
  }
  EndWhere([](const CollectiveId&, const Running&) { return std::optional(Outcome::kAborted); });
}

bool Collectives::empty() const {
  const topo::Lock lock(mutex_);
  return running_.empty();
}

void Collectives::Report(Endings& endings) const {
  for (auto& [collective, outcome] : endings) {
    if (counters_ != nullptr) counters_->CountEnd(outcome);
    if (outcome == Outcome::kDone && collective.finish) collective.finish(collective.buffer);
    collective.then.Complete(outcome);
  }
}

}  // namespace llcl
