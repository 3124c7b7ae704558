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

}  // namespace

void Progress::Fail(const CollectiveId& id) {
  Team& team = teams_[id.team];
  team.done = std::min(team.done, id.number);
  team.has_failed = true;
}

std::vector<std::vector<std::byte>> Progress::Farewell(std::size_t most) const {
  const Header header = {teams_.size()};
  std::vector<std::vector<std::byte>> messages;
  const auto begin_message = [&] { Append(messages.emplace_back(), &header, sizeof header); };
  begin_message();
  for (const auto& [id, team] : teams_) {
    const Entry entry = {id, team.done};
    if (messages.back().size() + sizeof entry > most) begin_message();
    Append(messages.back(), &entry, sizeof entry);
  }
  return messages;
}

bool Farewell::Add(std::span<const std::byte> message) {
  Header header;
  if (message.size() < sizeof header) return false;
  std::memcpy(&header, message.data(), sizeof header);
  message = message.subspan(sizeof header);
  const std::size_t entries = message.size() / sizeof(Entry);
  if (message.size() % sizeof(Entry) != 0 || done_.size() + entries > header.teams) return false;
  if (has_begun_ && header.teams != teams_) return false;
  has_begun_ = true;
  teams_ = header.teams;
  for (; !message.empty(); message = message.subspan(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, message.data(), sizeof entry);
    done_[entry.team] = static_cast<std::uint32_t>(entry.done);
  }
  return true;
}

}  // namespace llcl
