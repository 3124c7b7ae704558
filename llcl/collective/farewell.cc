#include "llcl/collective/farewell.h"

#include <algorithm>
#include <cstring>

namespace llcl {
namespace {

// A message: how many teams there are in all messages, then entries of teams.
struct Header {
  std::uint64_t teams = 0;
};
struct Entry {
  std::uint64_t team = 0;
  std::uint64_t done = 0;
};

void Append(std::vector<std::byte>& message, const void* value, std::size_t bytes) {
  const auto* const from = static_cast<const std::byte*>(value);
  message.insert(message.end(), from, from + bytes);
}

// Of a farewell with so many teams; `done`: of the teams that are known.
std::vector<std::vector<std::byte>> MessagesOf(std::uint64_t teams,
                                               const std::map<std::uint64_t, std::uint32_t>& done,
                                               std::size_t most) {
  const Header header = {teams};
  std::vector<std::vector<std::byte>> messages;
  const auto begin_message = [&] { Append(messages.emplace_back(), &header, sizeof header); };
  begin_message();
  for (const auto& [team, operations] : done) {
    const Entry entry = {team, operations};
    if (messages.back().size() + sizeof entry > most) begin_message();
    Append(messages.back(), &entry, sizeof entry);
  }
  return messages;
}

}  // namespace

void Progress::Fail(const CollectiveId& id) {
  Team& team = teams_[id.team];
  team.done = std::min(team.done, id.number);
  team.has_failed = true;
}

std::vector<std::vector<std::byte>> Progress::Farewell(std::size_t most) const {
  std::map<std::uint64_t, std::uint32_t> done;
  for (const auto& [id, team] : teams_) done[id] = team.done;
  return MessagesOf(teams_.size(), done, most);
}

std::vector<std::vector<std::byte>> Farewell::Messages(std::size_t most) const {
  if (!has_begun_) return {};
  return MessagesOf(teams_, done_, most);
}

Farewell::Added Farewell::Add(std::span<const std::byte> message) {
  Header header;
  if (message.size() < sizeof header) return Added::kNonsense;
  std::memcpy(&header, message.data(), sizeof header);
  message = message.subspan(sizeof header);
  if (message.size() % sizeof(Entry) != 0) return Added::kNonsense;
  if (has_begun_ && header.teams != teams_) return Added::kNonsense;
  std::map<std::uint64_t, std::uint32_t> entries;
  for (; !message.empty(); message = message.subspan(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, message.data(), sizeof entry);
    const auto known = done_.find(entry.team);
    if (known == done_.end()) entries[entry.team] = static_cast<std::uint32_t>(entry.done);
    if (known != done_.end() && known->second != entry.done) return Added::kNonsense;
  }
  if (done_.size() + entries.size() > header.teams) return Added::kNonsense;
  if (has_begun_ && entries.empty()) return Added::kKnown;
  has_begun_ = true;
  teams_ = header.teams;
  done_.merge(entries);
  return Added::kNew;
}

}  // namespace llcl
