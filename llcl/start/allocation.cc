#include "llcl/start/allocation.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace llcl {
namespace {

constexpr int kMostSlots = 4096;
constexpr std::size_t kMostHosts = 4096;

// The whole text as a number.
bool ParseNumber(std::string_view text, int& number) {
  const auto [at, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc() && at == text.end() && number >= 0;
}

absl::Status Wrong(std::string_view what, std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(text), "' is no list of ", std::string(what)));
}

// The parts of a list between commas that stand in no brackets.
std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size() && list[at] == '[') ++depth;
    if (at < list.size() && list[at] == ']') --depth;
    if (at < list.size() && (list[at] != ',' || depth > 0)) continue;
    parts.push_back(list.substr(begin, at - begin));
    begin = at + 1;
  }
  return parts;
}

// Appends the numbers of "01-03", with as many digits. False: no range.
bool ExpandRange(std::string_view range, std::vector<std::string>& numbers) {
  const std::size_t dash = std::min(range.find('-'), range.size());
  const std::string_view first = range.substr(0, dash),
                         last = dash == range.size() ? first : range.substr(dash + 1);
  int from = 0, to = 0;
  if (!ParseNumber(first, from) || !ParseNumber(last, to) || to < from ||
      static_cast<std::size_t>(to - from) >= kMostHosts) {
    return false;
  }
  for (int number = from; number <= to; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    numbers.push_back(std::move(digits));
  }
  return true;
}

// Appends the hosts of "rack[1-2]node[1-3]". False: no host, or too many hosts.
bool ExpandHost(std::string_view pattern, std::vector<std::string>& hosts) {
  std::vector<std::string> names = {""};
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('['), pattern.size());
    for (std::string& name : names) name.append(pattern.substr(0, open));
    pattern.remove_prefix(open);
    if (pattern.empty()) break;
    const std::size_t close = pattern.find(']');
    if (close == std::string_view::npos) return false;
    std::vector<std::string> numbers, longer;
    for (const std::string_view range : Split(pattern.substr(1, close - 1))) {
      if (!ExpandRange(range, numbers)) return false;
    }
    if (names.size() * numbers.size() > kMostHosts) return false;
    for (const std::string& name : names) {
      for (const std::string& number : numbers) longer.push_back(name + number);
    }
    names = std::move(longer);
    pattern.remove_prefix(close + 1);
  }
  for (std::string& name : names) {
    // ssh would take a host with a dash for an option.
    if (name.empty() || name[0] == '-' || name.find(']') != std::string::npos) return false;
    hosts.push_back(std::move(name));
  }
  return hosts.size() <= kMostHosts;
}

// A slot for each line with a host, equal hosts together in the order of their first lines.
std::vector<HostSlots> CountLines(const std::string& text) {
  std::vector<HostSlots> hosts;
  std::istringstream words(text);
  for (std::string host; words >> host;) {
    const auto same = std::find_if(hosts.begin(), hosts.end(),
                                   [&](const HostSlots& one) { return one.host == host; });
    if (same != hosts.end()) {
      ++same->slots;
    } else {
      hosts.push_back({.host = host});
    }
  }
  return hosts;
}

// "node1 4 node2 2"; `rest`: more words follow a number, up to the end of the line.
absl::StatusOr<std::vector<HostSlots>> ParsePairs(const std::string& text, bool rest) {
  std::vector<HostSlots> hosts;
  std::istringstream words(text);
  for (HostSlots host; words >> host.host;) {
    std::string number;
    if (!(words >> number) || !ParseNumber(number, host.slots) || host.slots < 1 ||
        host.slots > kMostSlots) {
      return Wrong("hosts and slots", text);
    }
    hosts.push_back(host);
    if (std::string more; rest) std::getline(words, more);
  }
  return hosts;
}

absl::StatusOr<std::vector<HostSlots>> SlurmHosts(const char* list, const char* counts) {
  const auto names = ExpandNodeList(list);
  if (!names.ok()) return names.status();
  std::vector<int> slots(names->size(), 1);
  if (counts != nullptr) {
    const auto expanded = ExpandCounts(counts);
    if (!expanded.ok()) return expanded.status();
    if (expanded->size() != slots.size()) {
      return absl::InvalidArgumentError(absl::StrCat("SLURM_TASKS_PER_NODE is '", counts, "', but ",
                                                     slots.size(), " hosts are allocated"));
    }
    slots = *expanded;
  }
  std::vector<HostSlots> hosts;
  for (std::size_t i = 0; i < slots.size(); ++i) hosts.push_back({(*names)[i], slots[i]});
  return hosts;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandNodeList(std::string_view list) {
  std::vector<std::string> hosts;
  for (const std::string_view part : Split(list)) {
    if (!ExpandHost(part, hosts)) return Wrong("hosts", list);
  }
  return hosts;
}

absl::StatusOr<std::vector<int>> ExpandCounts(std::string_view counts) {
  std::vector<int> all;
  for (const std::string_view part : Split(counts)) {
    const std::size_t open = std::min(part.find("(x"), part.size());
    int count = 0, times = 1;
    const bool is_repeated = open != part.size();
    if (!ParseNumber(part.substr(0, open), count) || count < 1 || count > kMostSlots ||
        (is_repeated && (part.back() != ')' ||
                         !ParseNumber(part.substr(open + 2, part.size() - open - 3), times))) ||
        all.size() + static_cast<std::size_t>(times) > kMostHosts) {
      return Wrong("numbers", counts);
    }
    all.insert(all.end(), static_cast<std::size_t>(times), count);
  }
  return all;
}

absl::StatusOr<std::optional<Allocation>> FindAllocation(
    const std::function<const char*(const char*)>& variable,
    const std::function<absl::StatusOr<std::string>(const std::string&)>& file) {
  Allocation found;
  absl::StatusOr<std::vector<HostSlots>> hosts = std::vector<HostSlots>();
  const auto from = [&](const char* name) {
    found.source = name;
    return variable(name);
  };
  const auto lines = [&](const char* path) -> absl::StatusOr<std::vector<HostSlots>> {
    const absl::StatusOr<std::string> text = file(path);
    return text.ok() ? CountLines(*text) : absl::StatusOr<std::vector<HostSlots>>(text.status());
  };
  if (const char* const list = from("SLURM_JOB_NODELIST")) {
    found.is_slurms = true;
    hosts = SlurmHosts(list, variable("SLURM_TASKS_PER_NODE"));
  } else if (const char* const nodes = from("PBS_NODEFILE")) {
    hosts = lines(nodes);
  } else if (const char* const slots = from("LSB_DJOB_HOSTFILE")) {
    hosts = lines(slots);
  } else if (const char* const pairs = from("LSB_MCPU_HOSTS")) {
    hosts = ParsePairs(pairs, false);
  } else if (const char* const path = from("PE_HOSTFILE")) {
    const absl::StatusOr<std::string> text = file(path);
    hosts = text.ok() ? ParsePairs(*text, true) : text.status();
  } else {
    return std::nullopt;
  }
  if (hosts.ok() && hosts->empty()) hosts = absl::InvalidArgumentError("there is no host in it");
  if (!hosts.ok()) {
    return absl::Status(hosts.status().code(),
                        absl::StrCat(found.source, ": ", std::string(hosts.status().message())));
  }
  found.hosts = *std::move(hosts);
  return found;
}

}  // namespace llcl
