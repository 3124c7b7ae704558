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

}  // namespace

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
    if (!(words >> host.host)) continue;
    const auto wrong = [&](const std::string& what) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": ", what));
    };
    // It is a word for ssh, which must not take it for an option.
    if (host.host[0] == '-') return wrong(absl::StrCat("'", host.host, "' is no host"));
    for (std::string word; words >> word;) {
      constexpr std::string_view kSlots = "slots=";
      const char* const end = word.data() + word.size();
      if (word.rfind(kSlots, 0) == 0) {
        const auto [at, error] = std::from_chars(word.data() + kSlots.size(), end, host.slots);
        if (error == std::errc() && at == end && host.slots >= 1 && host.slots <= kMostSlots) {
          continue;
        }
      }
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
