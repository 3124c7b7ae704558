// The progress of a rank in collective operations, and the farewell: the messages with this
// progress from a leaving rank.
//
// A collective operation needs the part of each member. A leaving rank has done its part of every
// operation begun, except failed operations; messages of this part may still be under way. No other
// operation of the teams can end on the members left behind.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace llcl {

// Names an operation: the team, and the number among the operations of the team.
struct CollectiveId {
  std::uint64_t team = 0;
  std::uint32_t number = 0;
  auto operator<=>(const CollectiveId&) const = default;
};

// The progress of this rank. A value.
class Progress {
 public:
  // Operations of a team begin in the order of their numbers.
  void Begin(const CollectiveId& id) {
    Team& team = teams_[id.team];
    if (!team.has_failed) team.done = id.number + 1;
  }
  void Fail(const CollectiveId& id);
  // Has it failed, or one of the team before it?
  bool HasFailed(const CollectiveId& id) const {
    const auto team = teams_.find(id.team);
    return team != teams_.end() && team->second.has_failed && id.number >= team->second.done;
  }
  // Has it begun here, and not failed?
  bool HasDone(const CollectiveId& id) const {
    const auto team = teams_.find(id.team);
    return team != teams_.end() && id.number < team->second.done;
  }

  // The messages of a farewell, each of at most `most` bytes. Precondition: all begun operations
  // have ended; `most` is 32 at least.
  std::vector<std::vector<std::byte>> Farewell(std::size_t most) const;

 private:
  struct Team {
    std::uint32_t done = 0;  // operations before the first failed operation
    bool has_failed = false;
  };
  std::map<std::uint64_t, Team> teams_;
};

// The room in front of a message, for the number of the rank where another one passes it on.
inline constexpr std::size_t kMostBeforeFarewell = 8;

// The progress of another rank, from the messages of its farewell in any order. A value.
class Farewell {
 public:
  // A message of it; nothing is taken of nonsense, nor of a message that is known: several ranks
  // may pass on the same one.
  enum class Added : std::uint8_t { kNonsense, kKnown, kNew };
  [[nodiscard]] Added Add(std::span<const std::byte> message);
  // Have all messages come?
  bool is_complete() const { return has_begun_ && done_.size() == teams_; }
  // The messages that have come, each of at most `most` bytes, to be passed on. None: none has.
  std::vector<std::vector<std::byte>> Messages(std::size_t most) const;
  // Has the rank done its part?
  bool HasDone(const CollectiveId& id) const {
    const auto found = done_.find(id.team);
    return found != done_.end() && id.number < found->second;
  }

 private:
  bool has_begun_ = false;
  std::uint64_t teams_ = 0;                      // in the whole farewell
  std::map<std::uint64_t, std::uint32_t> done_;  // operations, by team
};

}  // namespace llcl
