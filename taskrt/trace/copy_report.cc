#include "taskrt/trace/copy_report.h"

#include <cmath>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

// Three digits or so: "3.93 MB".
std::string Bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {" B", " kB", " MB", " GB", " TB"};
  if (bytes < 1000) return absl::StrCat(bytes, kUnits[0]);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 1;
  while (value >= 999.995 && unit + 1 < std::size(kUnits)) value /= 1000, ++unit;
  const std::int64_t hundredths = std::llround(value * 100);
  return absl::StrCat(hundredths / 100, ".", absl::Dec(hundredths % 100, absl::kZeroPad2),
                      kUnits[unit]);
}

std::string Right(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

CopyCount All(const CopyCounts& counts) {
  return {counts.copies(), counts.h2d.bytes + counts.d2h.bytes + counts.d2d.bytes};
}

std::string Line(std::string kind, const CopyCount& count, const CopyCount* planned) {
  kind.resize(16, ' ');
  std::string line = kind + Right(absl::StrCat(count.copies), 10) + Right(Bytes(count.bytes), 13);
  if (planned != nullptr) {
    line += Right(absl::StrCat(planned->copies), 10) + Right(Bytes(planned->bytes), 16);
  }
  return line + "\n";
}

}  // namespace

std::string ToText(const CopyReport& report) {
  const CopyCounts* const planned = report.planned ? &*report.planned : nullptr;
  const CopyCount all = All(report.copies);
  const CopyCount all_planned = planned != nullptr ? All(*planned) : CopyCount();
  std::string text = "copies              number        bytes";
  text += planned != nullptr ? "   planned   planned bytes\n" : "\n";
  text += Line("to devices", report.copies.h2d, planned != nullptr ? &planned->h2d : nullptr);
  text += Line("to the host", report.copies.d2h, planned != nullptr ? &planned->d2h : nullptr);
  text += Line("across devices", report.copies.d2d, planned != nullptr ? &planned->d2d : nullptr);
  text += Line("all", all, planned != nullptr ? &all_planned : nullptr);
  text += Line("the least", report.least, nullptr);
  return text;
}

}  // namespace taskrt
