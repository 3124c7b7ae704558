#include "llcl/start/job_options.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace llcl {
namespace {

constexpr int kMostRanks = 4096;
constexpr int kMostSeconds = 365 * 24 * 3600;

template <typename... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Of a field with an element for each process.
absl::Status CheckCount(const char* field, std::size_t count, int ranks) {
  if (count == 0 || count == static_cast<std::size_t>(ranks)) return absl::OkStatus();
  return Wrong(field, ".size() is ", count, ": it is 0, or ranks (", ranks, ")");
}

}  // namespace

absl::Status Check(const JobOptions& options) {
  if (options.ranks < 1 || options.ranks > kMostRanks) {
    return Wrong("ranks is ", options.ranks, ": it is 1 to ", kMostRanks);
  }
  for (const absl::Status& good :
       {CheckCount("commands", options.commands.size(), options.ranks),
        CheckCount("numbers", options.numbers.size(), options.ranks),
        CheckCount("names", options.names.size(), options.ranks),
        CheckCount("bindings", options.bindings.size(), options.ranks),
        CheckCount("ignores_interrupts", options.ignores_interrupts.size(), options.ranks)}) {
    if (!good.ok()) return good;
  }
  const auto is_empty = [](const std::vector<std::string>& command) { return command.empty(); };
  if (options.commands.empty()
          ? options.command.empty()
          : std::any_of(options.commands.begin(), options.commands.end(), is_empty)) {
    return Wrong("command is empty: it is a program and its arguments");
  }
  if (options.most_seconds && (*options.most_seconds < 1 || *options.most_seconds > kMostSeconds)) {
    return Wrong("most_seconds is ", *options.most_seconds, ": it is 1 to ", kMostSeconds);
  }
  if (options.seconds_to_end < 1 || options.seconds_to_end > kMostSeconds) {
    return Wrong("seconds_to_end is ", options.seconds_to_end, ": it is 1 to ", kMostSeconds);
  }
  if (options.output.empty()) return absl::OkStatus();
  if (options.lines != JobLines::kMixed) {
    return Wrong("output is ", options.output, ": lines in a rank's own file have no label");
  }
  const int ranks_of_all = options.meeting ? options.meeting->ranks : options.ranks;
  if (ranks_of_all > 1 && options.output.find("%r") == std::string::npos) {
    return Wrong("output is ", options.output, ": it has %r, for which each rank's number is put");
  }
  return absl::OkStatus();
}

}  // namespace llcl
