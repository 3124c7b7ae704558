#include "llcl/launch/hosts.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace llcl {
namespace {

constexpr int kMostSlots = 4096;

// A word of a shell that stands for itself.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// A number of slots, that is the whole text.
bool ParseSlots(std::string_view text, int& slots) {
  const auto [at, error] = std::from_chars(text.begin(), text.end(), slots);
  return error == std::errc() && at == text.end() && slots >= 1 && slots <= kMostSlots;
}

// "node1" or "node1:4", as MPICH writes it. A host with more colons is an IPv6 address. False: it
// is no host.
bool ParseHost(std::string_view word, HostSlots& host) {
  host.host = word;
  const std::size_t colon = word.find(':');
  if (colon != std::string_view::npos && word.find(':', colon + 1) == std::string_view::npos) {
    host.host = word.substr(0, colon);
    if (!ParseSlots(word.substr(colon + 1), host.slots)) return false;
  }
  // It is a word for ssh, which must not take it for an option.
  return !host.host.empty() && host.host[0] != '-';
}

// "slots=4", or Open MPI's upper bound, which nothing here passes. False: neither.
bool ParseWord(std::string_view word, HostSlots& host) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
  if (name == "slots") return ParseSlots(value, host.slots);
  int most = 0;
  return (name == "max_slots" || name == "max-slots") && ParseSlots(value, most);
}

}  // namespace

absl::StatusOr<std::vector<HostSlots>> ParseHosts(std::string_view list) {
  std::vector<HostSlots> hosts;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    HostSlots host;
    if (!ParseHost(list.substr(0, comma), host)) {
      return absl::InvalidArgumentError(absl::StrCat("'", std::string(list.substr(0, comma)),
                                                     "': expected HOST or HOST:N, N from 1 to ",
                                                     kMostSlots));
    }
    hosts.push_back(std::move(host));
    if (comma == list.size()) return hosts;
    list.remove_prefix(comma + 1);
  }
}

absl::StatusOr<std::vector<HostSlots>> ParseHostFile(std::string_view text,
                                                     const std::string& file) {
  std::vector<HostSlots> hosts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find('#')));
    std::istringstream words(line);
    HostSlots host;
    std::string first;
    if (!(words >> first)) continue;
    const auto wrong = [&](const std::string& what) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": ", what));
    };
    if (!ParseHost(first, host)) return wrong(absl::StrCat("'", first, "' is no host"));
    for (std::string word; words >> word;) {
      if (ParseWord(word, host)) continue;
      return wrong(absl::StrCat("'", word, "': expected slots=N, N from 1 to ", kMostSlots));
    }
    hosts.push_back(std::move(host));
  }
  if (hosts.empty())
    return absl::InvalidArgumentError(absl::StrCat(file, ": there is no host in it"));
  return hosts;
}

absl::StatusOr<std::vector<std::string>> AssignRanks(const std::vector<HostSlots>& hosts,
                                                     int ranks) {
  std::vector<std::string> host_of;
  for (const HostSlots& host : hosts) {
    for (int slot = 0; slot < host.slots; ++slot) {
      if (ranks == 0 || host_of.size() < static_cast<std::size_t>(ranks)) {
        host_of.push_back(host.host);
      }
    }
  }
  if (host_of.size() < static_cast<std::size_t>(ranks)) {
    return absl::InvalidArgumentError(
        absl::StrCat(ranks, " ranks, but the hosts have ", host_of.size(), " slots"));
  }
  return host_of;
}

std::string RemoteCommand(const RemoteJob& job, int rank) {
  std::string program = "env";
  for (const auto& [name, value] : job.environment) {
    absl::StrAppend(&program, " ", Quoted(name + "=" + value));
  }
  absl::StrAppend(&program, " ", Quoted("LLCL_RENDEZVOUS=" + job.rendezvous), " LLCL_RANK=", rank,
                  " LLCL_SIZE=", job.ranks);
  for (const std::string& word : job.command) absl::StrAppend(&program, " ", Quoted(word));
  // The secret goes by the environment of the shell, which others cannot see. What runs in the
  // background has no input of its own, so it is handed on as descriptor 3.
  return absl::StrCat("IFS= read -r LLCL_SECRET && export LLCL_SECRET && cd ", Quoted(job.folder),
                      " && { exec 3<&0; ", program,
                      " 3<&- </dev/null & program=$!; "
                      "{ read -r more <&3; kill -KILL $program; } >/dev/null 2>&1 & watch=$!; "
                      "exec 3<&-; wait $program; code=$?; "
                      "kill $watch 2>/dev/null; exit $code; }");
}

}  // namespace llcl
