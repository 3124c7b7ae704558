#include "llcl/start/hosts.h"

#include <arpa/inet.h>

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

bool IsV6(std::string_view address) {
  in6_addr bits;
  // Behind the % is the name of a link.
  const std::string digits(address.substr(0, address.find('%')));
  return inet_pton(AF_INET6, digits.c_str(), &bits) == 1;
}

// "node1", "user@node1" or "node1:4", as MPICH writes it; an address of IPv6, in brackets before a
// number. False: it is no host.
bool ParseHost(std::string_view word, HostSlots& host) {
  // ssh would take a host with a dash for an option.
  if (word.empty() || word[0] == '-') return false;
  const std::size_t at = word.rfind('@') + 1;  // zero where there is none
  const std::string_view user = word.substr(0, at);
  std::string_view name = word.substr(at), slots;
  if (name.substr(0, 1) == "[") {
    const std::size_t close = name.find(']');
    if (close == std::string_view::npos || !IsV6(name.substr(1, close - 1))) return false;
    slots = name.substr(close + 1);
    name = name.substr(1, close - 1);
  } else if (!IsV6(name)) {
    const std::size_t colon = std::min(name.find(':'), name.size());
    slots = name.substr(colon);
    name = name.substr(0, colon);
  }
  if (!slots.empty() && (slots[0] != ':' || !ParseSlots(slots.substr(1), host.slots))) return false;
  host.host = absl::StrCat(std::string(user), std::string(name));
  return !name.empty();
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
    std::string_view word = list.substr(0, comma);
    while (word.substr(0, 1) == " ") word.remove_prefix(1);
    if (!ParseHost(word, host)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", std::string(word), "': expected HOST or HOST:N, N from 1 to ", kMostSlots));
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
        absl::StrCat(ranks, " ranks, but the hosts have ", host_of.size(),
                     host_of.size() == 1 ? " slot" : " slots", "; HOST:N gives a host more"));
  }
  return host_of;
}

std::string WithoutUser(const std::string& host) { return host.substr(host.rfind('@') + 1); }

bool IsLoopbackHost(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

std::string FormatAddress(const std::string& host, int port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return absl::StrCat(is_v6 ? "[" : "", host, is_v6 ? "]:" : ":", port);
}

std::vector<HostRanks> GroupByHost(const std::vector<std::string>& host_of) {
  std::vector<HostRanks> hosts;
  for (std::size_t rank = 0; rank < host_of.size(); ++rank) {
    auto found = std::find_if(hosts.begin(), hosts.end(),
                              [&](const HostRanks& one) { return one.host == host_of[rank]; });
    if (found == hosts.end()) found = hosts.insert(hosts.end(), {.host = host_of[rank]});
    found->ranks.push_back(static_cast<int>(rank));
  }
  return hosts;
}

std::vector<Program> ProgramsOf(const std::vector<int>& ranks, const std::vector<Program>& all) {
  std::vector<Program> programs;
  const Program* last = nullptr;
  for (const int rank : ranks) {
    const Program* program = all.data();
    for (int end = program->ranks; rank >= end; end += program->ranks) ++program;
    if (program == last) {
      ++programs.back().ranks;
    } else {
      programs.push_back({1, program->command});
    }
    last = program;
  }
  return programs;
}

std::string FormatRanks(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    absl::StrAppend(&text, text.empty() ? "" : ",", ranks[i]);
    if (last > i) absl::StrAppend(&text, "-", ranks[last]);
    i = last + 1;
  }
  return text;
}

absl::StatusOr<std::vector<int>> ParseRanks(std::string_view text) {
  std::vector<int> ranks;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view range = text.substr(begin, comma - begin);
    const std::size_t dash = std::min(range.find('-'), range.size());
    int first = 0, last = 0;
    const auto is_number = [](std::string_view word, int& number) {
      const auto [at, error] = std::from_chars(word.begin(), word.end(), number);
      return error == std::errc() && at == word.end() && number >= 0 && number < kMostSlots;
    };
    if (!is_number(range.substr(0, dash), first) ||
        !is_number(dash == range.size() ? range : range.substr(dash + 1), last) || last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", std::string(text), "': expected ranks, as 0-3,7"));
    }
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
    begin = comma + 1;
  }
  return ranks;
}

std::string ShellCommand(const std::string& folder, const std::vector<std::string>& words) {
  std::string command = "cd " + Quoted(folder) + " && exec";
  for (const std::string& word : words) absl::StrAppend(&command, " ", Quoted(word));
  return command;
}

bool IsSrun(const std::vector<std::string>& shell) {
  const std::string& name = shell.front();
  return name.substr(name.rfind('/') + 1) == "srun";
}

std::vector<std::string> RemoteShell(std::vector<std::string> shell, const std::string& host,
                                     const std::string& command) {
  const bool is_srun = IsSrun(shell);
  // srun runs a program, no line of a shell.
  if (is_srun) shell.push_back("--nodelist=" + host);
  if (is_srun) shell.insert(shell.end(), {"sh", "-c"});
  if (!is_srun) shell.push_back(host);
  shell.push_back(command);
  return shell;
}

}  // namespace llcl
