// How far a rank came in the collective operations of its teams, and the farewell by which a rank
// that leaves tells the others.
//
// A collective operation needs a part of each member. A rank that leaves has done its part of each
// operation that it began, but for operations that failed; the messages of that part may still be
// under way. An operation that the rank did not do, or did not begin, can never end on the others.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace llcl {

// Names an operation: its team, and its number among the team's.
struct CollectiveId {
  std::uint64_t team = 0;
  std::uint32_t number = 0;
  auto operator<=>(const CollectiveId&) const = default;
};

// This rank's own progress. A value.
class Progress {
 public:
  // Operations of a team begin in the order of their numbers.
  void Begin(const CollectiveId& id) {
    Team& team = teams_[id.team];
    if (!team.has_failed) team.done = id.number + 1;
  }
  void Fail(const CollectiveId& id);

  // The messages of a farewell, each of at most `most` bytes. Precondition: every operation that
  // was begun has ended; `most` is 32 at least.
  std::vector<std::vector<std::byte>> Farewell(std::size_t most) const;

 private:
  struct Team {
    std::uint32_t done = 0;  // operations: the first failed one and all behind it are not
    bool has_failed = false;
  };
  std::map<std::uint64_t, Team> teams_;
};

// Another rank's progress, from the messages of its farewell in any order. A value.
class Farewell {
 public:
  // False: nonsense, and nothing is taken.
  [[nodiscard]] bool Add(std::span<const std::byte> message);
  // Have all messages come?
  bool is_complete() const { return has_begun_ && done_.size() == teams_; }
  // Has the rank done its part of the operation?
  bool HasDone(const CollectiveId& id) const {
    const auto found = done_.find(id.team);
    return found != done_.end() && id.number < found->second;
  }

 private:
  bool has_begun_ = false;
  std::uint64_t teams_ = 0;                      // that the farewell names in all
  std::map<std::uint64_t, std::uint32_t> done_;  // operations, by team
};

}  // namespace llcl
