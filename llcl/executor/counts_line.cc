#include "llcl/executor/counts_line.h"

#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace llcl {
namespace {

// 1,234,567.
std::string Grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

// One decimal, rounded down.
std::string Tenths(std::uint64_t tenths) {
  return absl::StrCat(Grouped(tenths / 10), ".", tenths % 10);
}

std::string Bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  std::size_t unit = 0;
  for (; bytes >= 1024 * 1024; ++unit) bytes /= 1024;
  return absl::StrCat(Tenths(bytes / 1024 * 10 + bytes % 1024 * 10 / 1024), " ", kUnits[unit]);
}

std::string Several(std::uint64_t count, std::string_view name) {
  return absl::StrCat(Grouped(count), " ", std::string(name), count == 1 ? "" : "s");
}

std::string Reasons(const char* heading, const std::vector<CountedReason>& reasons) {
  std::string text;
  for (const CountedReason& reason : reasons) {
    if (reason.times == 0) continue;
    absl::StrAppend(&text, text.empty() ? heading : ", ", Grouped(reason.times), " ",
                    std::string(reason.name));
  }
  return text;
}

}  // namespace

std::string CountsLine(const CountsOfRank& counts) {
  std::string line = absl::StrCat("llcl: rank ", counts.rank, " of ", counts.size, ": ",
                                  std::string(counts.conduit), ", ",
                                  Tenths(static_cast<std::uint64_t>(counts.lived_ms) / 100), " s");
  const char* before = "; ";
  for (const CountedKind& kind : counts.accepted) {
    absl::StrAppend(&line, before, Several(kind.operations, kind.name));
    if (kind.bytes > 0) absl::StrAppend(&line, " ", Bytes(kind.bytes));
    before = ", ";
  }
  absl::StrAppend(&line, Reasons("; refused: ", counts.refused),
                  Reasons("; failed: ", counts.failed), "; ", Several(counts.sleeps, "sleep"), ", ",
                  Several(counts.wakings, "waking"), "\n");
  return line;
}

}  // namespace llcl
