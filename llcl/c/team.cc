#include "llcl/c/team.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/team.h"

namespace {

using llcl::c::Guarded;
using llcl::c::Invalid;

// `make` makes the C++ team of `parent`.
template <typename Make>
llcl_status New(const char* call, llcl_team* parent, llcl_team** team, Make make) {
  if (parent == nullptr) return Invalid(call, "the first team is NULL");
  if (team == nullptr) return Invalid(call, "the new team is NULL");
  *team = nullptr;
  return Guarded(call, [&] {
    auto made = std::make_unique<llcl_team>();
    made->job = parent->job;
    made->own.emplace(make(*parent->team));
    made->team = &*made->own;
    *team = parent->job->teams.Add(std::move(made));
    return LLCL_OK;
  });
}

// Are all of the ranks members of `parent`, each once?
bool AreMembers(const llcl::Team& parent, std::span<const int> ranks) {
  std::set<int> left;
  for (int rank = 0; rank < parent.size(); ++rank) left.insert(ToInt(parent.member(rank)));
  for (const int rank : ranks) {
    if (left.erase(rank) == 0) return false;
  }
  return true;
}

}  // namespace

extern "C" {

llcl_team* llcl_world(llcl_job* job) { return job == nullptr ? nullptr : &job->world; }

llcl_status llcl_team_of(llcl_team* parent, const int* ranks, size_t count, llcl_team** team) {
  if (parent == nullptr) return Invalid(__func__, "parent is NULL");
  if (ranks == nullptr || count == 0) return Invalid(__func__, "there are no ranks");
  bool are_members = false;
  const llcl_status checked = Guarded(__func__, [&] {
    are_members = AreMembers(*parent->team, {ranks, count});
    return LLCL_OK;
  });
  if (checked != LLCL_OK) return checked;
  if (!are_members) return Invalid(__func__, "a rank is no member of parent, or is there twice");
  return New(__func__, parent, team, [&](llcl::Team& from) {
    std::vector<llcl::Rank> members;
    for (const int rank : std::span(ranks, count)) members.push_back(llcl::Rank{rank});
    return llcl::Team(from, std::move(members));
  });
}

llcl_status llcl_split(llcl_team* team, int color, int key, llcl_team** part) {
  if (team == nullptr) return Invalid(__func__, "team is NULL");
  if (part == nullptr) return Invalid(__func__, "part is NULL");
  std::vector<int> colors, keys;
  const llcl_status gathered = Guarded(__func__, [&, call = __func__] {
    const std::array<int, 2> mine = {color, key};
    std::vector<std::array<int, 2>> all(static_cast<std::size_t>(team->team->size()));
    const llcl_status status = llcl::c::Wait(call, *team->job, [&](llcl::Completion then) {
      return team->team->TryAllgather(std::as_bytes(std::span(mine)),
                                      std::as_writable_bytes(std::span(all)), then);
    });
    for (const auto& [its_color, its_key] : all) {
      colors.push_back(its_color);
      keys.push_back(its_key);
    }
    return status;
  });
  if (gathered != LLCL_OK) return gathered;
  return New(__func__, team, part, [&](llcl::Team& from) { return from.Split(colors, keys); });
}

llcl_status llcl_host_team(llcl_team* team, llcl_team** part) {
  return New(__func__, team, part, [](llcl::Team& from) { return from.OfHost(); });
}
llcl_status llcl_leaders(llcl_team* team, llcl_team** part) {
  return New(__func__, team, part, [](llcl::Team& from) { return from.Leaders(); });
}

llcl_status llcl_team_free(llcl_team* team) {
  if (team == nullptr) return LLCL_OK;
  if (!team->own) return Invalid(__func__, "the world goes with its job");
  return Guarded(__func__, [&] {
    team->job->teams.Remove(team);
    return LLCL_OK;
  });
}

int llcl_team_rank(const llcl_team* team) { return team == nullptr ? -1 : team->team->rank(); }
int llcl_team_size(const llcl_team* team) { return team == nullptr ? -1 : team->team->size(); }
int llcl_member(const llcl_team* team, int rank) {
  if (team == nullptr || rank < 0 || rank >= team->team->size()) return -1;
  return ToInt(team->team->member(rank));
}

}  // extern "C"
